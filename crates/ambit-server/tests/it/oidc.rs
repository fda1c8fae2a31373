//! Signing in by a provider of OpenID Connect that runs in the test: who is signed in, with which roles, and what is
//! refused.

use ambit_server::{Provider, ProviderSettings, group_role};
use ambit_testkit::{Ask, Reply, TestProvider, TestServer, ask, provider::CLIENT};
use serde_json::{Value, json};

const TOO_LATE_MS: i64 = 600_001;

/// A server, and a provider by which people sign in there.
async fn served() -> (TestServer, TestProvider) {
    let provider = TestProvider::start(0).unwrap();
    let settings = ProviderSettings {
        issuer: provider.issuer.clone(),
        client: CLIENT.0.to_owned(),
        secret: Some(CLIENT.1.to_owned()),
        scopes: "email profile".to_owned(),
        groups_claim: "groups".to_owned(),
        roles: ["ops=Acme:owner", "readers=Acme:member"].map(|text| group_role(text).unwrap()).to_vec(),
        trusts_addresses: false,
    };
    let server = TestServer::with_provider(Provider::new(settings, provider.asked())).await.unwrap();
    provider.set_clock(server.now().0 / 1_000);
    (server, provider)
}

async fn get(server: &TestServer, target: &str, cookie: &str) -> Reply {
    let headers =
        vec![("cookie".to_owned(), cookie.to_owned()), ("sec-fetch-site".to_owned(), "cross-site".to_owned())];
    let request = Ask { method: "GET".to_owned(), target: target.to_owned(), headers, body: None };
    ask(&server.address, &request).await.unwrap()
}

/// Begins: where the browser is sent, and the cookie that it carries.
async fn begin(server: &TestServer) -> (String, String) {
    let reply = get(server, "/sign_in/provider", "").await;
    assert_eq!(reply.status, 303, "{}", reply.text());
    let set = reply.header("set-cookie").unwrap();
    let (pair, attributes) = set.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/sign_in; Max-Age=600; HttpOnly; SameSite=Lax");
    (reply.header("location").unwrap().to_owned(), pair.to_owned())
}

/// Path and query of a URL of the server.
fn target(server: &TestServer, url: &str) -> String {
    let root = format!("http://{}", server.address);
    url.strip_prefix(&root).unwrap_or_else(|| panic!("{url} is not of {root}")).to_owned()
}

/// Goes the whole way: the last answer.
async fn sign_in(server: &TestServer, provider: &TestProvider) -> Reply {
    let (url, cookie) = begin(server).await;
    let back = provider.sign_in(&url).await.unwrap();
    get(server, &target(server, &back), &cookie).await
}

/// Who is signed in by the link that an answer leads to.
async fn session(server: &TestServer, reply: &Reply) -> Value {
    assert_eq!(reply.status, 303, "{}", reply.text());
    let token = reply.header("location").unwrap().strip_prefix("/sign_in#").unwrap().to_owned();
    let body = json!({"token": token}).to_string().into_bytes();
    let headers = vec![("sec-fetch-site".to_owned(), "same-origin".to_owned())];
    let request = Ask { method: "POST".to_owned(), target: "/session".to_owned(), headers, body: Some(body) };
    let reply = ask(&server.address, &request).await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["result"].clone()
}

fn refused(reply: &Reply, status: u16, why: &str) {
    let message = reply.json()["message"].as_str().unwrap_or_default().to_owned();
    assert!(reply.status == status && message.contains(why), "{why}: {} {}", reply.status, reply.text());
    assert!(reply.header("location").is_none());
}

/// The caller's roles in projects, by name.
async fn roles(server: &TestServer, email: &str) -> Vec<(String, String)> {
    let owner = server.store.local_operator().await.unwrap();
    let mut roles = Vec::new();
    for view in server.store.list_projects(&owner).await.unwrap() {
        for member in server.store.list_members(&owner, view.project.uuid).await.unwrap() {
            if member.user.email == email {
                roles.push((view.project.name.clone(), member.role.name().to_owned()));
            }
        }
    }
    roles
}

#[tokio::test]
async fn who_signs_in_at_the_provider_is_signed_in_with_the_roles_of_the_groups() {
    let (server, provider) = served().await;
    let ann = session(&server, &sign_in(&server, &provider).await).await;
    assert_eq!(ann, json!({"username": "ann", "email": "ann@acme.test", "administrator": false}));
    assert_eq!(roles(&server, "ann@acme.test").await, [("Acme".to_owned(), "owner".to_owned())]);

    // The groups of the next sign-in count, and the person is the same under another address.
    provider.says(json!({"groups": ["readers"], "email": "ann.smith@acme.test"}));
    let again = session(&server, &sign_in(&server, &provider).await).await;
    assert_eq!(again["email"], "ann@acme.test");
    assert_eq!(roles(&server, "ann@acme.test").await, [("Acme".to_owned(), "member".to_owned())]);
    provider.says(json!({"groups": []}));
    session(&server, &sign_in(&server, &provider).await).await;
    assert_eq!(roles(&server, "ann@acme.test").await, []);

    // An account that is there already is found by its verified address, and belongs to one person.
    provider.says(json!({"sub": "viewer-1", "email": "VIEWER@acme.test", "groups": "readers"}));
    assert_eq!(session(&server, &sign_in(&server, &provider).await).await["username"], "viewer");
    provider.says(json!({"sub": "viewer-2", "email": "viewer@acme.test"}));
    refused(&sign_in(&server, &provider).await, 403, "another person of the provider");
}

#[tokio::test]
async fn what_was_said_to_others_by_others_or_at_another_time_signs_nobody_in() {
    let (server, provider) = served().await;
    let now_s = server.now().0 / 1_000;
    for (claims, why) in [
        (json!({"aud": "somebody-else"}), "it is for another client"),
        (json!({"aud": ["ambit", "somebody-else"]}), "it was given to another client"),
        (json!({"exp": now_s - 61}), "it has expired"),
        (json!({"iss": "https://id.evil.test"}), "it has another issuer"),
        (json!({"nonce": "of another sign-in"}), "it belongs to another sign-in"),
        (json!({"email_verified": false}), "does not say that it verified"),
        (json!({"email": null}), "names no address"),
        (json!({"groups": ["strangers"]}), "no group of it has a role"),
        (json!({"sub": null}), "it names nobody"),
    ] {
        provider.says(claims);
        refused(&sign_in(&server, &provider).await, 403, why);
        // Wrong attempts of one address are counted.
        server.advance(60_000);
        provider.set_clock(server.now().0 / 1_000);
    }
    assert_eq!(roles(&server, "ann@acme.test").await, []);
}

/// As a browser asks for a page.
async fn visit(server: &TestServer, target: &str, cookie: &str) -> Reply {
    let headers = [("cookie", cookie), ("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    ask(&server.address, &Ask { method: "GET".to_owned(), target: target.to_owned(), headers, body: None })
        .await
        .unwrap()
}

#[tokio::test]
async fn a_person_who_is_not_signed_in_reads_why_once_on_the_page_that_signs_in() {
    let (server, provider) = served().await;
    let (url, cookie) = begin(&server).await;
    provider.says(json!({"groups": ["strangers"]}));
    let back = target(&server, &provider.sign_in(&url).await.unwrap());
    let reply = visit(&server, &back, &cookie).await;
    assert_eq!((reply.status, reply.header("location")), (303, Some("/sign_in")), "{}", reply.text());
    let carried = reply.header("set-cookie").unwrap().split_once("; ").unwrap().0.to_owned();
    let ways = get(&server, "/sign_in/ways", &carried).await;
    let trouble = ways.json()["result"]["trouble"].as_str().unwrap_or_default().to_owned();
    assert!(trouble.starts_with("Not signed in:") && trouble.contains("no group of it has a role"), "{trouble}");
    assert!(ways.header("set-cookie").unwrap().contains("Max-Age=0"), "it is said once");
    // Neither a sign-in that is under way nor a text of somebody else is shown.
    for other in [&cookie, "ambit_sign_in=Call%20555"] {
        let ways = get(&server, "/sign_in/ways", other).await;
        assert_eq!(ways.json()["result"]["trouble"], Value::Null);
        assert_eq!(ways.header("set-cookie"), None);
    }
    // What is carried for the page is no sign-in.
    let state = back.split_once("state=").unwrap().1.split('&').next().unwrap();
    let reply = visit(&server, &format!("/sign_in/callback?code=x&state={state}"), &carried).await;
    assert_eq!(reply.header("location"), Some("/sign_in"));
}

#[tokio::test]
async fn a_sign_in_counts_once_in_the_browser_that_began_it_and_for_ten_minutes() {
    let (server, provider) = served().await;
    let (url, cookie) = begin(&server).await;
    let back = target(&server, &provider.sign_in(&url).await.unwrap());
    refused(&get(&server, &back, "").await, 403, "did not begin it");
    let (_, of_another) = begin(&server).await;
    refused(&get(&server, &back, &of_another).await, 403, "did not begin it");
    let first = get(&server, &back, &cookie).await;
    assert_eq!(first.status, 303, "{}", first.text());
    assert!(first.header("set-cookie").unwrap().starts_with("ambit_sign_in=; "));
    refused(&get(&server, &back, &cookie).await, 403, "rejects the code");

    // The same nonce with a fresh code, as from a provider that was made to say it again.
    let again = provider.sign_in(&url).await.unwrap();
    let replayed = get(&server, &target(&server, &again), &cookie).await;
    refused(&replayed, 409, "used already");

    let (url, cookie) = begin(&server).await;
    let back = target(&server, &provider.sign_in(&url).await.unwrap());
    server.advance(TOO_LATE_MS);
    refused(&get(&server, &back, &cookie).await, 403, "ten minutes");
    let denied = get(&server, &format!("{back}&error=access_denied%0d"), &cookie).await;
    refused(&denied, 403, "the provider says access_denied");
}

#[tokio::test]
async fn a_provider_that_names_itself_otherwise_is_not_asked_and_without_one_there_is_no_way() {
    let (server, provider) = served().await;
    provider.calls_itself("https://id.evil.test");
    refused(&get(&server, "/sign_in/provider", "").await, 503, "differs from the setting oidc_issuer");
    let ways = get(&server, "/sign_in/ways", "").await.json();
    assert_eq!(ways["result"]["provider"], true);
    let other = TestServer::new().await.unwrap();
    for path in ["/sign_in/provider", "/sign_in/callback?code=c&state=s"] {
        refused(&get(&other, path, "").await, 404, "Sign-in provider not found");
    }
}

#[tokio::test]
async fn a_new_key_under_the_name_of_the_old_one_is_asked_for_once_a_minute() {
    let (server, provider) = served().await;
    session(&server, &sign_in(&server, &provider).await).await;
    provider.changes_key();
    refused(&sign_in(&server, &provider).await, 403, "its signature is not the provider's");
    server.advance(60_000);
    provider.set_clock(server.now().0 / 1_000);
    session(&server, &sign_in(&server, &provider).await).await;
}

#[tokio::test]
async fn a_provider_that_fails_is_no_wrong_key_of_those_who_come_back_from_it() {
    let (server, provider) = served().await;
    provider.fails(true);
    for _ in 0..50 {
        refused(&sign_in(&server, &provider).await, 503, "gives no token now (status 503)");
    }
    provider.fails(false);
    session(&server, &sign_in(&server, &provider).await).await;
}
