//! How providers and forges are asked, and what is no answer of theirs.

use super::*;

#[test]
fn the_next_page_is_asked_for_as_each_provider_says_and_only_at_its_own_host() {
    let next = |provider: &str, list: &str, answer: &str| {
        let mark = page(provider, list, &Value::Null, answer).next?;
        let list = find(provider).unwrap().list(list).unwrap();
        let place = Place { account: "acme", ..Place::default() };
        let request = list.request(Some(&mark), &Value::Null, &place).unwrap();
        Some(if request.body.is_empty() { request.target } else { request.body })
    };
    let more = r#"{"droplets":[],"links":{"pages":{"next":"https://evil.test/v2/droplets?page=2"}}}"#;
    assert_eq!(next("digitalocean", "droplets", more).as_deref(), Some("/v2/droplets?page=2"));
    let numbered = r#"{"result":[],"result_info":{"total_pages":2}}"#;
    assert_eq!(next("cloudflare", "zones", numbered).as_deref(), Some("/client/v4/zones?per_page=50&page=2"));
    assert_eq!(next("cloudflare", "zones", r#"{"result":[],"result_info":{"total_pages":1}}"#), None);
    let until = r#"{"projects":[],"pagination":{"next":1690000000}}"#;
    assert_eq!(next("vercel", "projects", until).as_deref(), Some("/v9/projects?limit=100&until=1690000000"));
    assert!(
        next("azure", "zones", r#"{"data":[],"$skipToken":"t1"}"#)
            .unwrap()
            .contains(r#""options":{"$skipToken":"t1"}"#)
    );
    assert_eq!(next("netlify", "sites", r#"[{"id":"a"}]"#).as_deref(), Some("/api/v1/sites?per_page=100&page=2"));
    assert_eq!(next("netlify", "sites", "[]"), None);
    for list in ["repositories", "repositories_of_a_person", "members", "all_members"] {
        let list = forge("gitea").unwrap().list(list).unwrap();
        let next = |answer: &str| {
            list.page(&super::answer(200, answer.as_bytes()).unwrap(), None, &Value::Null, &Place::default())
                .unwrap()
                .next
        };
        assert_eq!(next(r#"[{"clone_url":"https://git.acme.test/a/b.git"}]"#), Some(Mark::Argument("2".to_owned())));
        assert_eq!(next("[]"), None);
    }
    let list = find("netlify").unwrap().list("sites").unwrap();
    let (answer, place) = (json!([{"id": "a"}]), Place::default());
    let more = list.page(&answer, Some(&Mark::Argument("1000".to_owned())), &Value::Null, &place).unwrap();
    assert_eq!(more.next, Some(Mark::Argument("1001".to_owned())), "whoever asks tells where a list is cut");
}

#[test]
fn another_answer_is_no_empty_list_and_a_refusal_tells_no_more_than_its_status() {
    let list = find("hetzner").unwrap().list("servers").unwrap();
    assert_eq!(list.page(&json!({"error": {}}), None, &Value::Null, &Place::default()), None);
    let said = |status| answer(status, br#"{"message":"token abc of bob"}"#).unwrap_err();
    assert_eq!(said(401), Refusal::BadKeys("status 401".into()));
    assert_eq!(said(403), Refusal::Denied("status 403".into()));
    assert_eq!(said(429), Refusal::Throttled("status 429".into()));
    assert_eq!(said(500), Refusal::Other("refused: status 500".into()));
    assert!(answer(200, b"<html>").is_err());
    assert_eq!(token(400, br#"{"error":"invalid_client"}"#), Err(Refusal::BadKeys("refused: status 400".into())));
}

#[test]
fn what_opens_an_account_stands_in_its_headers_and_in_no_list() {
    let opening = json!({"token": "s3cret"});
    let cloudflare = find("cloudflare").unwrap();
    let headers = cloudflare.headers(&opening, None).unwrap();
    assert_eq!(headers, [("authorization".to_owned(), "Bearer s3cret".to_owned())]);
    assert_eq!(cloudflare.headers(&json!({}), None), None);
    let azure = json!({"tenant_id": "t/../x", "client_id": "c", "client_secret": "a b&c"});
    let (url, request) = find("azure").unwrap().token_request(&azure, None, 0).unwrap().unwrap();
    assert!(request.body.ends_with("scope=https%3A%2F%2Fmanagement.azure.com%2F.default"), "{}", request.body);
    let login = Login { host: "https://login.microsoftonline.us", audience: "https://management.usgovcloudapi.net" };
    let (sovereign, asked) = find("azure").unwrap().token_request(&azure, Some(login), 0).unwrap().unwrap();
    assert!(sovereign.starts_with("https://login.microsoftonline.us/t%2F..%2Fx/oauth2"), "{sovereign}");
    assert!(asked.body.ends_with("scope=https%3A%2F%2Fmanagement.usgovcloudapi.net%2F.default"), "{}", asked.body);
    assert!(url.starts_with("https://login.microsoftonline.com/t%2F..%2Fx/oauth2"), "{url}");
    assert!(request.body.contains("client_secret=a%20b%26c"), "{}", request.body);
    let gcp = json!({"project_id": "p", "client_email": "a@p.iam", "private_key": "no key"});
    assert!(matches!(find("gcp").unwrap().token_request(&gcp, None, 0), Err(Refusal::BadKeys(_))));
    for provider in all() {
        let text = FILES.iter().find(|(name, _)| *name == provider.name).unwrap().1;
        assert!(!provider.lists.is_empty() && text.starts_with("# "), "{}", provider.name);
        for list in &provider.lists {
            let before = list.after.as_ref().map(|before| provider.list(before));
            assert!(
                before.is_none_or(|before| before.is_some_and(|before| before.after.is_none())),
                "{}",
                list.permission
            );
        }
    }
}

#[test]
fn a_page_of_a_proxy_or_a_message_is_no_answer_to_any_list() {
    let providers = all().iter().chain(forges()).chain(app_stores());
    for (provider, list) in providers.flat_map(|provider| provider.lists.iter().map(move |list| (provider, list))) {
        for body in [
            "<html><body>maintenance</body></html>",
            r#"{"message":"maintenance"}"#,
            r#"{"message":"maintenance","request_id":"1"}"#,
            r#"{"error":{"code":429,"message":"x"}}"#,
            r#"{"error":"x","status":429}"#,
            r#"{"success":false,"errors":[{"code":10000}],"messages":[],"result":null}"#,
            r#"{"maintenance":true}"#,
            r#""maintenance""#,
        ] {
            let read = super::super::page(list, None, &json!({}), &Place::default(), (200, body.as_bytes()));
            assert!(read.is_err(), "{} {}: {body}: {read:?}", provider.name, list.permission);
        }
    }
}

#[test]
fn an_answer_without_items_is_one_where_the_provider_answers_so() {
    for (provider, list, body) in [
        ("gcp", "machines", "{}"),
        ("gcp", "machines", r#"{"readTime":"2026-11-28T10:00:00Z"}"#),
        ("gcp", "projects", "{}"),
        ("digitalocean", "apps", r#"{"links":{},"meta":{"total":0}}"#),
        ("digitalocean", "kubernetes", r#"{"meta":{"total":0}}"#),
        ("cloudflare", "zones", r#"{"success":true,"errors":[],"messages":[],"result":[]}"#),
        ("kubernetes", "nodes", r#"{"kind":"NodeList","metadata":{},"items":null}"#),
        ("gandi", "domains", "[]"),
        ("netlify", "zones", "[]"),
        ("ovh", "vps", "[]"),
    ] {
        assert_eq!(page(provider, list, &Value::Null, body).assets, [], "{provider} {list}: {body}");
    }
}

#[test]
fn forges_name_accounts_their_repositories_and_members_and_leave_forks_out() {
    let read = |forge_name: &str, list: &str, body: &str| {
        let list = forge(forge_name).unwrap().list(list).unwrap();
        let place = Place { account: "acme", ..Place::default() };
        super::super::page(list, None, &Value::Null, &place, (200, body.as_bytes())).unwrap()
    };
    let account = r#"{"login":"Acme","html_url":"https://github.com/Acme","type":"Organization","name":"Acme Corp",
        "blog":"https://acme.test","email":null}"#;
    let found = read("github", "account", account).assets.remove(0);
    assert_eq!(
        (&found.members["account_type"], &found.members["title"]),
        (&json!("Organization"), &json!("Acme Corp"))
    );
    assert_eq!(found.hosts, ["https://acme.test"]);
    let repositories = r#"[{"html_url":"https://github.com/acme/shop","fork":false},
        {"html_url":"https://github.com/acme/left-pad","fork":true}]"#;
    let page = read("github", "repositories", repositories);
    assert_eq!(words(&page.assets), ["GithubRepository https://github.com/acme/shop -> "]);
    assert_eq!(page.next, None, "fewer than a page: there is no other");
    let full: Vec<Value> =
        (0..100).map(|number| json!({"html_url": format!("https://github.com/acme/{number}")})).collect();
    let next = read("github", "repositories", &json!(full).to_string()).next;
    assert_eq!(next, Some(Mark::Argument("2".to_owned())));
    let members = r#"[{"login":"ann","html_url":"https://github.com/ann"}]"#;
    assert_eq!(words(&read("github", "members", members).assets), ["GithubAccount https://github.com/ann -> "]);
    let projects = r#"[{"web_url":"https://gitlab.com/acme/team/app"}]"#;
    let found = read("gitlab", "repositories", projects).assets;
    assert_eq!(words(&found), ["GitlabProject https://gitlab.com/acme/team/app -> "]);
    let repositories = r#"[{"clone_url":"https://codeberg.org/acme/shop.git","fork":false},
        {"clone_url":"https://codeberg.org/acme/left-pad.git","fork":true}]"#;
    let found = read("gitea", "repositories", repositories).assets;
    assert_eq!(words(&found), ["GitRepository https://codeberg.org/acme/shop.git -> "]);
    let workspace = r#"{"values":[{"links":{"html":{"href":"https://bitbucket.org/acme/shop"}},"parent":null},
        {"links":{"html":{"href":"https://bitbucket.org/acme/fork"}},"parent":{"type":"repository"}}],
        "next":"https://api.bitbucket.org/2.0/repositories/acme?pagelen=100&page=2"}"#;
    let page = read("bitbucket", "repositories", workspace);
    assert_eq!(words(&page.assets), ["GitRepository https://bitbucket.org/acme/shop -> "]);
    assert_eq!(page.next, Some(Mark::Target("/2.0/repositories/acme?pagelen=100&page=2".to_owned())));
    let place = Place { account: "acme/team", ..Place::default() };
    let list = forge("gitlab").unwrap().list("repositories").unwrap();
    let asked = list.request(None, &Value::Null, &place).unwrap().target;
    assert!(asked.starts_with("/api/v4/groups/acme%2Fteam/projects?"), "{asked}");
    let absent = super::super::page(list, None, &Value::Null, &place, (404, b"{}")).unwrap();
    assert_eq!(absent.assets, []);
}

#[test]
fn a_forge_that_asks_for_patience_by_a_denial_denies_nothing() {
    let limited = br#"{"message":"API rate limit exceeded for 192.0.2.1."}"#;
    assert_eq!(answer(403, limited), Err(Refusal::Throttled("status 403".into())));
    assert_eq!(answer(403, br#"{"message":"Resource not accessible"}"#), Err(Refusal::Denied("status 403".into())));
}

#[test]
fn requests_are_signed_as_the_provider_checks_them() {
    let ovh = find("ovh").unwrap();
    let opening = json!({"application_key": "7kbG7Bk7S9Nt7ZSV",
        "application_secret": "EXEgWIz07P0HYwtQDs7cNIqCiQaWSuHF", "consumer_key": "MtSwSrPpNjqfVSmJhLbPyr2i45lSwPU1"});
    let request = Request { method: "GET", ..Request::default() };
    let signed = ovh.signature(&opening, "https://eu.api.ovh.com/1.0/domains/", &request, 1_366_560_945_000).unwrap();
    let expected =
        [("x-ovh-timestamp", "1366560945"), ("x-ovh-signature", "$1$d3705e8afb27a0d2970a322b96550abfc67bb798")];
    assert_eq!(signed, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(ovh.signature(&json!({}), "https://eu.api.ovh.com/1.0/ip", &request, 0), None);
    assert_eq!(find("hetzner").unwrap().signature(&json!({}), "https://x", &request, 0), Some(Vec::new()));
}

#[test]
fn a_forge_is_asked_at_the_host_of_the_account_and_known_by_where_it_runs_for_everybody() {
    let base = |name: &str, host: &str| forge(name).unwrap().base(&json!({"host": host})).unwrap();
    assert_eq!(base("gitea", "git.acme.test"), "https://git.acme.test");
    assert_eq!(base("gitlab", "code.acme.test"), "https://code.acme.test");
    assert_eq!(base("github", "github.com"), "https://api.github.com");
    assert_eq!(base("bitbucket", "bitbucket.org"), "https://api.bitbucket.org");
    let at = |host: &str| forge_at(host).map(|forge| forge.name.as_str());
    assert_eq!(
        (at("codeberg.org"), at("bitbucket.org"), at("git.acme.test")),
        (Some("gitea"), Some("bitbucket"), None)
    );
}
