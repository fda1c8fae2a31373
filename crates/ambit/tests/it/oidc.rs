//! Signing in by a provider through the whole program: what is asked of the provider goes out through its door.

use crate::program::{Folder, Server, command, succeed};
use ambit_testkit::provider::CLIENT;
use ambit_testkit::{Ask, Reply, TestProvider, ask};
use std::time::{SystemTime, UNIX_EPOCH};

async fn get(server: &Server, target: &str, cookie: &str) -> Reply {
    let address = server.url.strip_prefix("http://").expect("a URL");
    let headers = vec![("cookie".to_owned(), cookie.to_owned())];
    let request = Ask { method: "GET".to_owned(), target: target.to_owned(), headers, body: None };
    ask(address, &request).await.expect("the server answers")
}

async fn sign_in(server: &Server, provider: &TestProvider) -> Reply {
    let sent = get(server, "/sign_in/provider", "").await;
    let (url, set) = (sent.header("location"), sent.header("set-cookie"));
    let (Some(url), Some(set)) = (url, set) else { panic!("{} {}", sent.status, sent.text()) };
    let back = provider.sign_in(url).await.expect("the provider sends the browser back");
    let target = back.strip_prefix(&server.url).unwrap_or_else(|| panic!("{back} is not of {}", server.url));
    get(server, target, set.split(';').next().unwrap_or_default()).await
}

#[test]
fn the_program_asks_the_provider_and_signs_in_whom_it_vouches_for() {
    let folder = Folder::new("oidc");
    let data = folder.join("data");
    let data = data.to_str().expect("UTF-8");
    succeed(&["init", "--email", "owner@acme.test", "--data", data]);
    succeed(&["project", "create", "Red", "--data", data]);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let provider = TestProvider::start(i64::try_from(now).expect("not yet")).expect("a port is free");
    let settings = [
        ("AMBIT_OIDC_ISSUER", provider.issuer.as_str()),
        ("AMBIT_OIDC_CLIENT", CLIENT.0),
        ("AMBIT_OIDC_SECRET", CLIENT.1),
        ("AMBIT_OIDC_ROLES", "ops=Red:member"),
    ];
    let server = Server::start(&["serve", "--no-engine", "--data", data, "--listen", "127.0.0.1:0"], &settings);
    let runtime = tokio::runtime::Runtime::new().expect("threads can be made");
    let signed_in = runtime.block_on(sign_in(&server, &provider));
    assert_eq!(signed_in.status, 303, "{}", signed_in.text());
    assert!(signed_in.header("location").is_some_and(|place| place.starts_with("/sign_in#")));
    assert!(succeed(&["user", "list", "--data", data]).contains("ann@acme.test"));

    provider.says(serde_json::json!({"aud": "somebody-else"}));
    let refused = runtime.block_on(sign_in(&server, &provider));
    assert!(refused.status == 403 && refused.text().contains("for another client"), "{}", refused.text());
}

#[test]
fn a_provider_is_described_whole_or_not_at_all() {
    for (settings, word) in [
        (&[("AMBIT_OIDC_ISSUER", "http://id.acme.test")][..], "oidc_issuer"),
        (&[("AMBIT_OIDC_ISSUER", "https://id.acme.test")], "oidc_client"),
        (
            &[
                ("AMBIT_OIDC_ISSUER", "https://id.acme.test"),
                ("AMBIT_OIDC_CLIENT", "ambit"),
                ("AMBIT_OIDC_ROLES", "ops"),
            ],
            "oidc_roles",
        ),
    ] {
        let folder = Folder::new("oidc-settings");
        let data = folder.join("data");
        let mut serve = command(&["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().expect("UTF-8")]);
        let output = serve.envs(settings.iter().copied()).output().expect("the binary starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(word), "{word}: {said}");
        assert!(!data.exists(), "nothing was made");
    }
}
