//! Applications behind a sign-in, at a server on loopback that shows its inside only in a session: a header, a cookie,
//! a form that is filled in, a token of a provider. What stands inside is found, what opens it comes out nowhere, and a
//! session that is over closes nothing.

use crate::cloud::Installation;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longest until the index has what a run found.
const INDEX_WAIT: Duration = Duration::from_secs(20);
const WORKFLOW: &str = "external_application_assessment";
/// What opens the application by a header, by a cookie, by its form, and at the provider.
const HEADER: &str = "h3ader-s3cret";
const COOKIE: &str = "c00kie-s3cret";
const PASSWORD: &str = "f0rm-s3cret";
const CLIENT: &str = "cl1ent-s3cret";
/// What the form and the provider give for that.
const GIVEN: &str = "g1ven-s3cret";

/// An application that repeats what opens it to whoever is inside, as a page for developers does, and beside it the
/// provider that gives out tokens for it.
struct Application {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    /// Nobody is let in any more.
    is_over: Arc<AtomicBool>,
}

/// Status, further headers and body, for a target, what shows a session, and what is posted.
type Answering = fn(&str, &str, &str, &AtomicBool) -> (u16, String, String);

impl Application {
    fn start() -> Self {
        Self::answering(answer)
    }

    fn answering(answer: Answering) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("has one"));
        let application = Self { url, asked: Arc::default(), is_over: Arc::default() };
        let (asked, is_over) = (Arc::clone(&application.asked), Arc::clone(&application.is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (asked, is_over) = (Arc::clone(&asked), Arc::clone(&is_over));
                std::thread::spawn(move || serve(stream, &asked, &is_over, answer));
            }
        });
        application
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("nobody panics").clone()
    }
}

fn serve(stream: TcpStream, asked: &Mutex<Vec<String>>, is_over: &AtomicBool, answer: Answering) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_owned());
        }
        let header = |name: &str| {
            let mut found = head.iter().filter_map(|line| line.split_once(':'));
            let found = found.find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map_or(String::new(), |(_, value)| value.trim().to_owned())
        };
        let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let target = head[0].split(' ').nth(1).unwrap_or_default().to_owned();
        asked.lock().expect("nobody panics").push(target.clone());
        let shown = format!("{} {}", header("authorization"), header("cookie"));
        let (status, more, page) = answer(&target, &shown, &String::from_utf8_lossy(&body), is_over);
        let media = if target == "/token" { "application/json" } else { "text/html; charset=utf-8" };
        let answer = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: {media}\r\n{more}Content-Length: {}\r\n\r\n{page}",
            page.len()
        );
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Status, further headers and body.
fn answer(target: &str, shown: &str, body: &str, is_over: &AtomicBool) -> (u16, String, String) {
    let form = "<title>Desk</title><form action=/login method=post><input type=hidden name=csrf value=t7><input \
                name=user><input type=password name=password></form>";
    let inside = [
        format!("Bearer {HEADER}"),
        format!("session={COOKIE}"),
        format!("session={GIVEN}"),
        format!("Bearer {GIVEN}"),
    ];
    let is_inside = inside.iter().any(|known| shown.contains(known.as_str())) && !is_over.load(Ordering::SeqCst);
    let client = "Basic YW1iaXQ6Y2wxZW50LXMzY3JldA==";
    match target {
        "/token" if shown.contains(client) && body.contains("grant_type=client_credentials") => {
            (200, String::new(), json!({"access_token": GIVEN, "token_type": "Bearer"}).to_string())
        }
        "/token" => (401, String::new(), json!({"error": "invalid_client", "was": shown}).to_string()),
        "/login" if body.contains("csrf=t7&user=ann") && body.contains(&format!("password={PASSWORD}")) => {
            (302, format!("Location: /\r\nSet-Cookie: session={GIVEN}; HttpOnly\r\n"), String::new())
        }
        "/" if is_inside => (
            200,
            String::new(),
            format!("<title>Inside</title><p>You came by {shown}</p><a href=/report>report</a><a href=/logout>out</a>"),
        ),
        "/report" if is_inside => (
            500,
            format!("X-Debug: {shown}\r\n"),
            format!(
                "<pre>Traceback (most recent call last):\n  File \"/srv/desk/views.py\", line 12, in get {shown}</pre>"
            ),
        ),
        "/" | "/login" => (200, String::new(), form.to_owned()),
        "/report" => (403, String::new(), "<p>No</p>".to_owned()),
        _ => (404, String::new(), "<p>Nothing</p>".to_owned()),
    }
}

/// Where a portal leads whoever is not signed in: a host outside of its domain, of which nothing may be asked.
const DOOR: &str = "Location: http://127.0.0.2:9/as?client_id=desk&response_type=code\r\n";

/// A portal whose front page is for everybody.
fn portal(target: &str, shown: &str, body: &str, is_over: &AtomicBool) -> (u16, String, String) {
    let knows = [COOKIE, GIVEN].iter().any(|known| shown.contains(&format!("session={known}")));
    let is_inside = knows && !is_over.load(Ordering::SeqCst);
    let page = |text: &str| (200, String::new(), format!("<title>Portal</title>{text}"));
    match target {
        "/" if is_inside => page("<a href=/report>report</a>"),
        "/" => page("Welcome"),
        "/login" if body.contains(&format!("user=ann&password={PASSWORD}")) => {
            (302, format!("Location: /\r\nSet-Cookie: session={GIVEN}; HttpOnly\r\n"), String::new())
        }
        "/login" if !body.is_empty() => (302, format!("Set-Cookie: session=n0body\r\n{DOOR}"), String::new()),
        "/login" => page(
            "<form action=/newsletter method=post><input type=email name=mail></form><form action=/login method=post>\
             <input name=user><input type=password name=password></form>",
        ),
        "/report" if is_inside => (
            500,
            String::new(),
            "<pre>Traceback (most recent call last):\n  File \"/srv/a.py\", line 1</pre>".to_owned(),
        ),
        "/report" => (302, DOOR.to_owned(), String::new()),
        _ => (404, String::new(), "<p>Nothing</p>".to_owned()),
    }
}

/// Makes a collection of the application with an integration that opens it; its name.
fn collection(at: &Installation, application: &Application, title: &str, secrets: &Value, settings: &Value) -> String {
    let seed = format!("{}/", application.url);
    let made = ["collection", "create", title, "--workflow", WORKFLOW, "--seed", &seed, "--only", "seed_host,crawl"];
    let uuid = at.tell(&made).trim().to_owned();
    let collections = at.rows(&["collection", "list"]);
    let row = collections.iter().find(|row| row["uuid"] == uuid).expect("it is there");
    let name = row["name"].as_str().expect("text").to_owned();
    if !secrets.is_null() {
        let mut settings = settings.clone();
        settings["origin"] = json!(seed);
        let integration =
            json!({"name": title, "type": "ApplicationCredential", "secrets": secrets, "settings": settings});
        at.use_integration(&name, &integration);
    }
    name
}

/// Demands that the search finds these open issues, as soon as the index has what the run found.
fn finds_issues(at: &Installation, collection: &str, wanted: &[&str]) {
    let wanted: BTreeSet<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
    let end = Instant::now() + INDEX_WAIT;
    loop {
        let found = issues(at, collection);
        if found == wanted {
            return;
        }
        assert!(Instant::now() < end, "{collection}: {found:?} and not {wanted:?}");
    }
}

/// Open issues of the collection.
fn issues(at: &Installation, collection: &str) -> BTreeSet<String> {
    let rows = at.rows(&["issues", &format!("collection:{collection} status_new:open")]);
    rows.iter().map(|row| row["name"].as_str().expect("text").to_owned()).collect()
}

/// Everything that a person gets to read of the collection, in one text.
fn everything(at: &Installation, collection: &str, run: &Value) -> String {
    let mut text = run.to_string();
    let query = format!("collection:{collection}");
    for arguments in [
        vec!["integration", "list", "--jsonl"],
        vec!["collection", "show", collection],
        vec!["entities", &query, "--jsonl"],
        vec!["issues", &query, "--jsonl"],
        vec!["changes", "--jsonl"],
        vec!["export", "-f", "jsonl", &query],
        vec!["export", "-f", "html", &query],
        vec!["export", "-f", "sarif", &query],
    ] {
        text.push_str(&at.tell(&arguments));
    }
    for row in at.rows(&["entities", &query]) {
        let uid = row["id"].as_str().expect("text");
        text.push_str(&at.tell(&["entity", "raw", uid]));
        text.push_str(&at.tell(&["entity", "history", uid]));
    }
    for row in at.rows(&["issues", &query]) {
        let uid = row["uid"].as_str().expect("text");
        text.push_str(&at.tell(&["issue", "show", uid]));
        let (status, evidence) = at.ask_ours("GET", &format!("/issues/{uid}/evidence"), &json!({}));
        assert_eq!(status, 200, "{evidence}");
        text.push_str(&evidence.to_string());
    }
    text
}

#[test]
fn each_way_of_opening_a_session_leads_inside_and_what_opens_it_comes_out_nowhere() {
    let application = Application::start();
    let at = Installation::asking("application-sessions", &[("AMBIT_LOG", "debug")]);
    let stranger = collection(&at, &application, "Stranger", &Value::Null, &json!({}));
    let run = at.run(&stranger);
    assert_eq!(run["not_done"], json!([]), "{run}");
    at.finds(&stranger, "Uri", &BTreeSet::from([application.url.clone()]));
    finds_issues(&at, &stranger, &[]);
    assert!(!application.asked().contains(&"/report".to_owned()), "nothing leads there: {:?}", application.asked());

    let token_url = json!({"token_url": format!("{}/token", application.url)});
    for (title, secrets, settings) in [
        ("Header", json!({"header": format!("Authorization: Bearer {HEADER}")}), json!({})),
        ("Cookie", json!({"cookie": format!("theme=dark; session={COOKIE}")}), json!({})),
        (
            "Form",
            json!({"username": "ann", "password": PASSWORD}),
            json!({"login_url": format!("{}/login", application.url)}),
        ),
        ("Token", json!({"client_id": "ambit", "client_secret": CLIENT}), token_url),
    ] {
        let name = collection(&at, &application, title, &secrets, &settings);
        let run = at.run(&name);
        assert_eq!(run["not_done"], json!([]), "{title}: {run}");
        finds_issues(&at, &name, &["verbose_error_page"]);
        let text = everything(&at, &name, &run);
        assert!(text.contains("Inside") && text.contains("/srv/desk/views.py"), "{title}: {text}");
        for secret in [HEADER, COOKIE, PASSWORD, CLIENT, GIVEN] {
            assert!(!text.contains(secret), "{title}: {secret} is in what a person reads");
        }
    }
    for secret in [HEADER, COOKIE, PASSWORD, CLIENT, GIVEN] {
        at.keeps_no_word(secret);
        assert!(!at.logged().contains(secret), "{secret} is in the log");
    }
    assert!(!application.asked().contains(&"/logout".to_owned()));
}

#[test]
fn a_session_that_is_over_is_told_and_what_was_seen_in_it_stays() {
    let application = Application::start();
    let at = Installation::asking("application-session-over", &[]);
    for (title, secrets, settings, why) in [
        (
            "Header",
            json!({"header": format!("Authorization: Bearer {HEADER}")}),
            json!({}),
            "asks who is there (status 200); only a new header opens another: `ambit integration change --secrets`",
        ),
        ("Form", json!({"username": "ann", "password": PASSWORD}), json!({}), "asks who is there"),
    ] {
        application.is_over.store(false, Ordering::SeqCst);
        let name = collection(&at, &application, title, &secrets, &settings);
        at.run(&name);
        finds_issues(&at, &name, &["verbose_error_page"]);
        let known = at.rows(&["changes"]).last().expect("something changed")["revision"].to_string();
        application.is_over.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            let run = at.run(&name);
            let [row] = run["not_done"].as_array().expect("a list").as_slice() else { panic!("{title}: {run}") };
            assert_eq!((&row["reason"], &row["task"]), (&json!("denied"), &json!("crawl")), "{title}: {row}");
            assert!(row["example"].as_str().is_some_and(|said| said.contains(why)), "{title}: {row}");
        }
        for record in ["record:entity", "record:issue"] {
            let changes = at.rows(&["changes", record, "--after", &known]);
            assert!(changes.is_empty(), "{title}: what was only not seen stays: {changes:?}");
        }
    }
    for (title, secrets, settings, why) in [
        ("Wrong password", json!({"username": "ann", "password": "wr0ng-s3cret"}), json!({}), "does not accept user"),
        (
            "Wrong client",
            json!({"client_id": "ambit", "client_secret": "wr0ng-s3cret"}),
            json!({"token_url": format!("{}/token", application.url)}),
            "invalid_client",
        ),
    ] {
        let name = collection(&at, &application, title, &secrets, &settings);
        let said = at.run(&name)["not_done"].to_string();
        assert!(said.contains("denied") && said.contains(why) && !said.contains("wr0ng"), "{title}: {said}");
    }
}

#[test]
fn a_session_that_ends_behind_a_front_page_for_everybody_closes_nothing() {
    let application = Application::answering(portal);
    let at = Installation::asking("application-session-portal", &[]);
    let login = json!({"login_url": format!("{}/login", application.url)});
    for (title, secrets, settings, why) in [
        ("Cookie", json!({"cookie": format!("session={COOKIE}")}), json!({}), "the session has ended: "),
        ("Form", json!({"username": "ann", "password": PASSWORD}), login.clone(), "the session has ended: "),
    ] {
        application.is_over.store(false, Ordering::SeqCst);
        let name = collection(&at, &application, title, &secrets, &settings);
        let run = at.run(&name);
        assert_eq!(run["not_done"], json!([]), "{title}: {run}");
        finds_issues(&at, &name, &["verbose_error_page"]);
        let known = at.rows(&["changes"]).last().expect("something changed")["revision"].to_string();
        application.is_over.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            let run = at.run(&name);
            let [row] = run["not_done"].as_array().expect("a list").as_slice() else { panic!("{title}: {run}") };
            assert_eq!((&row["reason"], &row["task"]), (&json!("denied"), &json!("crawl")), "{title}: {row}");
            let said = row["example"].as_str().unwrap_or_default();
            assert!(said.contains(why) && said.contains("a server outside of its domain"), "{title}: {row}");
            assert_eq!(said.contains("only a new cookie opens another"), title == "Cookie", "{row}");
        }
        for record in ["record:entity", "record:issue"] {
            let changes = at.rows(&["changes", record, "--after", &known]);
            assert!(changes.is_empty(), "{title}: what was only not seen stays: {changes:?}");
        }
    }
    let wrong = json!({"username": "ann", "password": "wr0ng-s3cret"});
    let name = collection(&at, &application, "Wrong password", &wrong, &login);
    let said = at.run(&name)["not_done"].to_string();
    assert!(said.contains("denied") && said.contains("does not accept user") && !said.contains("wr0ng"), "{said}");
    assert!(!application.asked().contains(&"/newsletter".to_owned()), "nothing is subscribed to");
}

#[test]
fn a_session_that_opens_no_seed_is_told() {
    let application = Application::start();
    let at = Installation::asking("application-session-elsewhere", &[]);
    let name = collection(&at, &application, "Stranger", &Value::Null, &json!({}));
    let integration = json!({"name": "Moon", "type": "ApplicationCredential", "secrets": {"cookie": "a=m00n-s3cret"},
        "settings": {"origin": "https://moon.acme.test/"}});
    at.use_integration(&name, &integration);
    let said = at.run(&name)["not_done"].to_string();
    assert!(said.contains("no seed is at its origin https://moon.acme.test/") && !said.contains("m00n"), "{said}");
}

#[test]
fn a_session_whose_secrets_cannot_be_opened_here_is_told_and_nobody_walks_in_without_it() {
    let application = Application::start();
    let at = Installation::asking("application-session-moved", &[]);
    let secrets = json!({"header": format!("Authorization: Bearer {HEADER}")});
    let name = collection(&at, &application, "Header", &secrets, &json!({}));
    at.run(&name);
    let asked = application.asked().len();
    let at = at.moved();
    let run = at.run(&name);
    let [row] = run["not_done"].as_array().expect("a list").as_slice() else { panic!("{run}") };
    assert_eq!((&row["reason"], &row["task"]), (&json!("denied"), &json!("crawl")), "{row}");
    assert!(row["example"].as_str().is_some_and(|said| said.contains("set them again")), "{row}");
    assert_eq!(application.asked().len(), asked, "nothing is asked as a stranger");
}

#[test]
fn integrations_are_added_used_and_removed_by_command() {
    let at = Installation::asking("application-session-commands", &[]);
    let made = ["collection", "create", "Shop", "--workflow", WORKFLOW, "--seed", "https://shop.acme.test"];
    at.tell(&made);
    let file = at.folder().join("secrets");
    std::fs::write(&file, "username = ann\npassword = f0rm-s3cret\n").expect("can be written");
    let path = file.to_str().expect("UTF-8");
    let add = ["integration", "add", "Sign-in", "ApplicationCredential", "--secrets", path];
    let refused = at.output(&add);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("needs the setting origin"), "{said}");

    let origin = ["--setting", "origin=https://shop.acme.test", "--collection", "Shop"];
    let uuid = at.tell(&[&add[..], &origin[..]].concat()).trim().to_owned();
    let listed = at.tell(&["integration", "list"]);
    let wanted = format!("{uuid}  Sign-in  ApplicationCredential  secrets: username, password  used by shop_");
    assert!(listed.starts_with(&wanted), "{listed}");
    at.tell(&["integration", "unuse", "Sign-in", "Shop"]);
    assert!(at.tell(&["integration", "list"]).contains("used by nobody"));
    let twice = at.output(&["integration", "unuse", "Sign-in", "Shop"]);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("does not use"), "{twice:?}");
    at.tell(&["integration", "use", "sign-in", "Shop"]);
    assert!(!at.output(&["integration", "remove", "Sign-in"]).status.success(), "nobody said yes");
    at.tell(&["integration", "remove", "Sign-in", "-y"]);
    assert_eq!(at.tell(&["integration", "list"]), "");
    for (arguments, word) in [
        (&["integration", "use", "Sign-in", "Shop"][..], "no integration is named Sign-in"),
        (&["integration", "add", "x", "Nope", "--secrets", path], "expected one of ApplicationCredential"),
        (
            &["integration", "add", "x", "AwsCredential", "--secrets", "/nowhere"],
            "cannot read the secrets from /nowhere",
        ),
    ] {
        let output = at.output(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(word), "{word}: {said}");
    }
}
