//! Walks through applications at a server on loopback: what is asked, what is found, and how a walk ends.

use super::facts;
use crate::{Account, Answer, Context, Settings, TaskError, find};
use ambit_model::facts::{LastProbe, ProbeOutcome};
use ambit_model::moment::HOUR_MS;
use ambit_model::observation::Found;
use ambit_model::{Clearance, EdgeKind, Facts, Kind, TaskName, Timestamp, Uid, workflow};
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_net::net::NetOptions;
use ambit_net::{Contact, Grants, Guard, Net, Pace, PaceLimits, Refused};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A page: status, further headers, each with its line end, and body. HTML where no header says otherwise.
pub(super) type Shown = (u16, String, Vec<u8>);

pub(super) fn html(body: &str) -> Shown {
    (200, String::new(), body.as_bytes().to_vec())
}

pub(super) fn leads(to: &str) -> Shown {
    (302, format!("Location: {to}\r\n"), Vec::new())
}

pub(super) fn nothing() -> Shown {
    (404, String::new(), b"nothing".to_vec())
}

struct Anybody;

impl Guard for Anybody {
    fn allow(&self, _: &Contact) -> Result<(), Refused> {
        Ok(())
    }

    fn named(&self, _: IpAddr) -> bool {
        true
    }
}

/// What an integration holds: secrets and settings.
pub(super) type Integration = (Value, Value);

/// An application that shows pages by target and by what shows a session: the cookie, or the token. Of what is posted
/// the target is `POST`, the path, and the body.
pub(super) struct Application {
    at: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Application {
    pub(super) fn start(show: impl Fn(&str, &str) -> Shown + Send + Sync + 'static) -> Self {
        Self::start_at(Ipv4Addr::LOCALHOST, show)
    }

    pub(super) fn start_at(address: Ipv4Addr, show: impl Fn(&str, &str) -> Shown + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let application = Self { at: listener.local_addr().unwrap(), asked: Arc::default() };
        let (asked, show) = (application.asked.clone(), Arc::new(show));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (asked, show) = (asked.clone(), show.clone());
                std::thread::spawn(move || serve(stream, &asked, &*show));
            }
        });
        application
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Walks through it in a session that a cookie opens, or without one.
    fn walk(&self, cookie: Option<&str>, known: Value, led_to: &[&str]) -> (Result<Answer, TaskError>, Found) {
        self.look("crawl", cookie, known, led_to)
    }

    fn look(
        &self,
        task: &str,
        cookie: Option<&str>,
        known: Value,
        led_to: &[&str],
    ) -> (Result<Answer, TaskError>, Found) {
        self.look_in(task, cookie.map(|cookie| (json!({"cookie": cookie}), json!({}))), known, led_to)
    }

    /// The same in a session that an integration opens.
    pub(super) fn look_in(
        &self,
        task: &str,
        integration: Option<Integration>,
        known: Value,
        led_to: &[&str],
    ) -> (Result<Answer, TaskError>, Found) {
        self.look_at(task, facts(Kind::Uri, &self.url(), known), integration, led_to)
    }

    /// The same of an entity whose facts are these.
    pub(super) fn look_at(
        &self,
        task: &str,
        mut facts: Facts,
        integration: Option<Integration>,
        led_to: &[&str],
    ) -> (Result<Answer, TaskError>, Found) {
        facts.outward = led_to
            .iter()
            .map(|name| ambit_model::facts::Neighbour {
                edge: EdgeKind::Api,
                task: "crawl".to_owned(),
                argument: self.at.to_string(),
                uid: Uid::from_bytes([9; 32]),
                kind: Kind::ApiEndpoint,
                name: (*name).to_owned(),
                scoped: true,
                by_evidence: false,
                clearance: Clearance::L3,
                details: Arc::default(),
            })
            .collect();
        let mut settings = Settings::default();
        if let Some((secrets, mut more)) = integration {
            more["origin"] = json!(self.url());
            let account = Account {
                kind: None,
                secrets: secrets.as_object().cloned(),
                settings: more.as_object().cloned().unwrap(),
            };
            settings.accounts.insert(Account::helper(workflow::SESSION, 0), account);
        }
        let resolvers = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 9))];
        let wire = LiveWire::new(&LiveOptions { resolvers, connect_only: true, ..LiveOptions::default() }).unwrap();
        let pace = Arc::new(Pace::new(PaceLimits { requests_per_host: 1_000.0, ..PaceLimits::default() }));
        let net = Net::new(Arc::new(wire), Arc::new(Anybody), pace, NetOptions::default());
        let session = net.session(Grants::task(Clearance::L3, &["session"]));
        let argument = self.at.to_string();
        let context = Context::new(&session, &facts, &argument, &settings);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on((find(task).unwrap().run)(&context));
        (answer, context.into_found())
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn was_asked(&self, target: &str) -> bool {
        self.asked().iter().any(|asked| asked == target)
    }
}

fn serve(stream: TcpStream, asked: &Mutex<Vec<String>>, show: &dyn Fn(&str, &str) -> Shown) {
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
        let header = |wanted: &str| {
            let mut named = head.iter().filter_map(|line| line.split_once(": "));
            named.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map_or("", |(_, value)| value)
        };
        let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let mut target = head[0].split(' ').nth(1).unwrap().to_owned();
        if head[0].starts_with("POST") {
            target = format!("POST {target} {}", String::from_utf8_lossy(&body));
        }
        asked.lock().unwrap().push(target.clone());
        let (status, mut more, body) = show(&target, &format!("{}{}", header("cookie"), header("authorization")));
        if !more.contains("Content-Type") {
            more.push_str("Content-Type: text/html\r\n");
        }
        let head = format!("HTTP/1.1 {status} X\r\n{more}Content-Length: {}\r\n\r\n", body.len());
        if reader.get_mut().write_all(&[head.into_bytes(), body].concat()).is_err() {
            return;
        }
    }
}

#[test]
fn the_action_of_a_form_that_posts_is_not_asked_and_one_that_asks_is() {
    let application = Application::start(|target, _| match target {
        "/" => html(
            "<form action='/account/settings?tab=1' method=post><input name=x></form><form action=/find><input name=q>\
             </form><a href=/about>a</a>",
        ),
        "/about" | "/find" => html("<p>x"),
        _ => nothing(),
    });
    let (answer, found) = application.walk(None, json!({}), &[]);
    assert_eq!(answer, Ok(Answer::Found));
    assert!(application.was_asked("/find") && application.was_asked("/about"), "{:?}", application.asked());
    assert!(!application.asked().iter().any(|asked| asked.starts_with("/account")), "{:?}", application.asked());
    let named = found.details["hidden_parameters"].to_string();
    assert!(named.contains("\"x\"") && named.contains("/account/settings"), "the form is known: {named}");
}

#[test]
fn a_page_that_leads_on_by_refresh_alone_is_followed() {
    let application = Application::start(|target, _| match target {
        "/" => html("<meta http-equiv=refresh content='0; url=/start'>"),
        "/start" => html("<a href=/next>n</a>"),
        "/next" => html("x"),
        _ => nothing(),
    });
    assert_eq!(application.walk(None, json!({}), &[]).0, Ok(Answer::Found));
    assert!(application.was_asked("/next"), "{:?}", application.asked());
}

/// Defect and page as they were known before, and what a walk in a session must keep of them.
fn known() -> Value {
    json!({
        "hidden_defects": [{"what": "verbose_error_page", "path": "/broken", "proof": "Traceback"}],
        "hidden_pages": [{"path": "/broken", "status": 500, "title": null, "parameters": [], "asks_password": false}],
    })
}

/// Who is inside sees three pages; the first of them ends the session where it is asked for in the walk.
fn desk(is_ending: bool, sign_in: fn() -> Shown) -> Application {
    let is_over = std::sync::atomic::AtomicBool::new(false);
    Application::start(move |target, cookie| {
        let is_inside = cookie.contains("sid=inside") && !is_over.load(std::sync::atomic::Ordering::SeqCst);
        match target.split('?').next().unwrap() {
            "/robots.txt" => nothing(),
            "/spa" => html("<script src=/app.js></script>"),
            "/login" => html("<form method=post action=/login><input name=user><input type=password name=pw></form>"),
            _ if !is_inside => sign_in(),
            "/" => html("<a href=/a-first>1</a><a href=/broken>2</a><a href=/c>3</a><a href=/d>4</a>"),
            "/a-first" => {
                is_over.store(is_ending, std::sync::atomic::Ordering::SeqCst);
                html("x")
            }
            "/broken" => (500, String::new(), b"Traceback (most recent call last):\n  File \"/a.py\", line 3".to_vec()),
            _ => html("x"),
        }
    })
}

#[test]
fn a_session_that_ends_on_the_way_is_denied_and_what_was_known_stays() {
    let form = || html("<form method=post action=/in><input name=user><input type=password name=pw></form>");
    for sign_in in [|| leads("/login"), form, || leads("/spa"), || leads("http://id.test/"), nothing] {
        let application = desk(true, sign_in);
        let (answer, found) = application.walk(Some("sid=inside"), known(), &["http://a.test/api"]);
        let Ok(Answer::InPart(TaskError::Denied(why))) = answer else { panic!("{answer:?}") };
        assert!(why.contains("the session has ended: "), "{why}");
        assert_eq!(found.details["hidden_defects"], known()["hidden_defects"], "what stood there is not gone");
        assert_eq!(found.details["hidden_pages"][0], known()["hidden_pages"][0]);
        let pages = found.details["hidden_pages"].to_string();
        assert!(pages.contains("\"/a-first\""), "what was found stays found: {pages}");
        assert_eq!(found.standing.len(), 1);
    }
}

#[test]
fn a_page_that_cannot_be_looked_at_now_is_not_gone_and_what_it_led_to_stands() {
    for (status, stands) in [(503, true), (404, false)] {
        let application = Application::start(move |target, _| match target {
            "/" => html("<a href=/broken>1</a>"),
            "/broken" => (status, String::new(), Vec::new()),
            _ => nothing(),
        });
        let (answer, found) = application.walk(None, known(), &["http://a.test/api"]);
        assert_eq!(answer, Ok(Answer::Found));
        assert_eq!(found.standing.len(), usize::from(stands), "{status}");
        let pages = found.details["hidden_pages"].to_string();
        let known = r#""path":"/broken","status":500"#;
        assert_eq!(pages.contains(known), stands, "{status}: {pages}");
    }
    // One that was closed when it was met last led to nothing.
    let application = Application::start(|target, _| match target {
        "/robots.txt" => nothing(),
        "/" => html("<a href=/closed>1</a>"),
        _ => (403, String::new(), Vec::new()),
    });
    let closed = json!({"hidden_pages": [
        {"path": "/closed", "status": 403, "title": null, "parameters": [], "asks_password": false}
    ]});
    let (answer, found) = application.walk(Some("sid=inside"), closed, &["http://a.test/api"]);
    assert_eq!((answer, found.standing.len()), (Ok(Answer::Found), 0));
}

fn hours_ago(hours: i64) -> Timestamp {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    Timestamp(i64::try_from(now).unwrap()).plus_ms(-hours * HOUR_MS)
}

#[test]
fn an_application_that_says_for_long_that_it_cannot_answer_is_believed() {
    let cookie = || Some((json!({"cookie": "sid=inside"}), json!({})));
    for (status, hours, integration, is_believed) in
        [(503, 1, None, false), (503, 13, None, true), (429, 13, None, false), (503, 13, cookie(), false)]
    {
        let application = Application::start(move |_, _| (status, String::new(), Vec::new()));
        let mut known = known();
        known["hidden_crawl"] = json!({"documents": ["/openapi.json"]});
        let mut facts = facts(Kind::Uri, &application.url(), known);
        let failed =
            LastProbe { confirmed: Some(hours_ago(hours)), ..LastProbe::new(ProbeOutcome::Unknown, hours_ago(1), 7) };
        facts.probes.insert(TaskName::Crawl, BTreeMap::from([(application.at.to_string(), failed)]));
        let (answer, found) = application.look_at("crawl", facts, integration, &["http://a.test/api"]);
        if !is_believed {
            assert!(answer.is_err() && found.details.is_empty(), "{status} {hours}: {answer:?} {found:?}");
            continue;
        }
        assert_eq!((answer, found.standing.len()), (Ok(Answer::Found), 0));
        let pages = found.details["hidden_pages"].as_array().unwrap();
        let shown: Vec<_> = pages.iter().map(|page| (page["path"].as_str(), page["status"].as_u64())).collect();
        assert_eq!(shown, [(Some("/"), Some(503))], "what stood there is gone");
        assert_eq!(found.details["hidden_defects"], json!([]));
        assert_eq!(found.details["hidden_crawl"]["documents"], json!([]));
    }
}

#[test]
fn a_page_that_says_for_long_that_it_cannot_answer_is_believed() {
    for (status, hours, stands) in [(503, 1, true), (503, 13, false), (429, 13, true)] {
        let application = Application::start(move |target, _| match target {
            "/" => html("<a href=/broken>1</a>"),
            "/broken" => (status, String::new(), Vec::new()),
            _ => nothing(),
        });
        let since = hours_ago(hours);
        let mut known = known();
        known["hidden_crawl"] = json!({"outages": {"/broken": since, "/gone": since}});
        let (answer, found) = application.walk(None, known, &["http://a.test/api"]);
        assert_eq!((answer, found.standing.len()), (Ok(Answer::Found), usize::from(stands)), "{status} {hours}");
        let pages = found.details["hidden_pages"].to_string();
        assert_eq!(pages.contains(r#""path":"/broken","status":503"#), !stands, "{pages}");
        assert_eq!(found.details["hidden_defects"].to_string().contains("/broken"), stands);
        assert_eq!(found.details["hidden_crawl"]["outages"]["/broken"], json!(since), "{status} {hours}");
    }
}

#[test]
fn a_page_that_nobody_knew_keeps_nothing_of_others_while_it_fails() {
    let page =
        |path: &str| json!({"path": path, "status": 200, "title": null, "parameters": [], "asks_password": false});
    for (path, stands) in [("/new", false), ("/known", true)] {
        let application = Application::start(move |target, _| match target {
            "/" => html(&format!("<a href={path}>1</a>")),
            failing if failing == path => (503, String::new(), Vec::new()),
            _ => nothing(),
        });
        let mut known = known();
        known["hidden_pages"].as_array_mut().unwrap().push(page("/known"));
        known["hidden_source_maps"] = json!([{"path": "/broken.map", "sources": 1, "texts": 1, "names": []}]);
        let (answer, found) = application.walk(None, known.clone(), &["http://a.test/api"]);
        assert_eq!((answer, found.standing.len()), (Ok(Answer::Found), usize::from(stands)), "{path}");
        assert_eq!(found.details["hidden_defects"] == known["hidden_defects"], stands, "{path}: {found:?}");
        assert_eq!(found.details.get("hidden_source_maps") == Some(&known["hidden_source_maps"]), stands, "{path}");
    }
}

#[test]
fn what_one_page_of_several_that_are_alike_led_to_stands_while_that_page_cannot_be_read() {
    let shop = |items: &'static str, failing: &'static str, status: u16| {
        Application::start(move |target, _| match target {
            "/" => html(&items.chars().map(|item| format!("<a href=/item/{item}>x</a>")).collect::<String>()),
            page if page == failing => (status, String::new(), Vec::new()),
            "/item/2" => html("<script src=/js/two.js></script>"),
            "/item/1" | "/item/3" => html("x"),
            "/js/two.js" => (200, "Content-Type: text/javascript\r\n".to_owned(), b"let a".to_vec()),
            "/js/two.js.map" => {
                let map = json!({"version": 3, "sources": ["a.ts"], "sourcesContent": ["let a"], "mappings": ""});
                (200, "Content-Type: application/json\r\n".to_owned(), map.to_string().into())
            }
            _ => nothing(),
        })
    };
    let known = Value::Object(shop("12", "", 0).walk(None, json!({}), &[]).1.details);
    assert_eq!(known["hidden_source_maps"][0]["path"], "/js/two.js.map", "{known}");
    for (items, failing, status, stands) in
        [("12", "/item/2", 503, true), ("12", "/item/2", 404, false), ("13", "/item/3", 503, false)]
    {
        let (answer, found) = shop(items, failing, status).walk(None, known.clone(), &["http://a.test/api"]);
        assert_eq!((answer, found.standing.len()), (Ok(Answer::Found), usize::from(stands)), "{failing} {status}");
        let maps = found.details.get("hidden_source_maps");
        assert_eq!(maps == known.get("hidden_source_maps"), stands, "{failing} {status}: {maps:?}");
        // The next walk knows as well that it led on.
        let known = Value::Object(found.details);
        let (_, found) = shop(items, failing, status).walk(None, known, &["http://a.test/api"]);
        assert_eq!(found.standing.len(), usize::from(stands), "{failing} {status}");
    }
}

#[test]
fn a_page_that_cannot_be_read_for_a_week_keeps_nothing_of_others_any_more() {
    let application = Application::start(|target, _| match target {
        "/" => html("<a href=/broken>1</a><a href=/back>2</a><script>fetch('/api/both')</script>"),
        "/broken" => (429, String::new(), Vec::new()),
        "/back" => html("x"),
        _ => nothing(),
    });
    let endpoint = format!("{}/api/both", application.url());
    for (hours, walks, stands) in [(6 * 24, 9, true), (8 * 24, 3, false), (30 * 24, 1, true)] {
        let unseen = json!({"since": hours_ago(hours), "walks": walks});
        let mut known = known();
        known["hidden_crawl"] = json!({"unseen": {"/broken": unseen, "/back": unseen, "/gone": unseen}});
        for walk in [1, 2] {
            let (answer, found) = application.walk(None, known.clone(), &[&endpoint, "http://a.test/api"]);
            let (standing, named) = (found.standing.len(), found.edges.iter().any(|edge| edge.name == endpoint));
            assert_eq!((answer, standing > 0, named), (Ok(Answer::Found), stands, !stands), "{hours} {walk}");
            let crawl = &found.details["hidden_crawl"];
            let again = json!({"since": unseen["since"], "walks": walks + walk});
            assert_eq!(crawl["unseen"]["/broken"], again, "{hours} {walk}: {crawl}");
            assert_eq!(crawl["unseen"].get("/back"), None, "it could be read: {crawl}");
            assert_eq!(crawl["unseen"].get("/gone").is_some(), stands, "{crawl}");
            let defects = found.details["hidden_defects"].to_string();
            assert!(defects.contains("/broken"), "nobody knows what it shows itself: {defects}");
            known = Value::Object(found.details);
        }
    }
    let (_, found) = application.walk(None, known(), &[]);
    assert!(found.details["hidden_crawl"]["unseen"].get("/broken").is_some(), "{:?}", found.details);
}

#[test]
fn outages_that_a_walk_meets_count_from_then_on_where_its_session_ends() {
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let application = Application::start(move |target, _| match target {
        "/" if is_over.load(std::sync::atomic::Ordering::SeqCst) => leads("/login"),
        "/" => html("<a href=/back>1</a><a href=/out>2</a><a href=/last>3</a><a href=/d>4</a>"),
        "/out" => (503, String::new(), Vec::new()),
        "/last" => {
            is_over.store(true, std::sync::atomic::Ordering::SeqCst);
            html("x")
        }
        "/d" => leads("/login"),
        _ => html("x"),
    });
    let mut known = known();
    known["hidden_crawl"] =
        json!({"pages": 9, "documents": ["/api.json"], "outages": {"/back": hours_ago(13), "/gone": hours_ago(13)}});
    let (answer, found) = application.walk(Some("sid=inside"), known.clone(), &[]);
    assert!(matches!(answer, Ok(Answer::InPart(TaskError::Denied(_)))), "{answer:?}");
    let crawl = &found.details["hidden_crawl"];
    assert_eq!((&crawl["pages"], &crawl["documents"]), (&json!(9), &json!(["/api.json"])), "the walk came less far");
    let outages: Vec<&String> = crawl["outages"].as_object().unwrap().keys().collect();
    assert_eq!(outages, ["/gone", "/out"], "{crawl}");
    assert_eq!(crawl["outages"]["/gone"], known["hidden_crawl"]["outages"]["/gone"]);
}

#[test]
fn what_was_said_of_an_endpoint_stands_while_a_script_that_named_it_cannot_be_read() {
    for (status, stands) in [(503, true), (404, false)] {
        let application = Application::start(move |target, _| match target {
            "/" => html("<script>fetch('/api/both')</script><script src=/app.js></script>"),
            "/app.js" => (status, String::new(), Vec::new()),
            _ => nothing(),
        });
        let mut known = known();
        known["hidden_crawl"] = json!({"scripts": ["/app.js"]});
        let endpoint = format!("{}/api/both", application.url());
        let (answer, found) = application.walk(None, known, &[&endpoint]);
        assert_eq!((answer, found.standing.len()), (Ok(Answer::Found), usize::from(stands)), "{status}");
        assert_eq!(found.edges.iter().any(|edge| edge.name == endpoint), !stands, "{status}: {:?}", found.edges);
    }
}

#[test]
fn what_a_script_told_that_cannot_be_read_now_stands() {
    let with_script = |status: u16| {
        Application::start(move |target, _| match target {
            "/" => html("<script src=/app.js></script>"),
            "/app.js" => (status, "Content-Type: text/javascript\r\n".to_owned(), b"fetch('/api/a?b=1')".to_vec()),
            _ => nothing(),
        })
    };
    let (answer, found) = with_script(200).walk(None, json!({}), &[]);
    assert_eq!(answer, Ok(Answer::Found));
    assert_eq!(found.details["hidden_crawl"]["scripts"], json!(["/app.js"]));
    let known = Value::Object(found.details);
    let parameters = known["hidden_parameters"].clone();
    assert_eq!(parameters[0]["name"], "b");
    for (status, stands) in [(503, true), (404, false)] {
        let (answer, found) = with_script(status).walk(None, known.clone(), &["http://a.test/api"]);
        assert_eq!((answer, found.standing.len()), (Ok(Answer::Found), usize::from(stands)), "{status}");
        assert_eq!(found.details["hidden_crawl"]["scripts"] == json!(["/app.js"]), stands, "{status}");
        assert_eq!(found.details.get("hidden_parameters") == Some(&parameters), stands, "{status}: {found:?}");
    }
}

#[test]
fn parameters_of_a_page_that_cannot_be_looked_at_now_are_not_gone() {
    for (status, stands) in [(503, true), (200, false)] {
        let application = Application::start(move |target, _| match target {
            "/" => html("<a href=/broken>1</a><a href=/find?q=1>2</a>"),
            "/broken" => (status, String::new(), Vec::new()),
            _ => nothing(),
        });
        let mut known = known();
        known["hidden_parameters"] = json!([
            {"name": "next", "seen": ["form"], "paths": ["/broken"]},
            {"name": "q", "seen": ["form"], "paths": ["/find"]},
        ]);
        let (_, found) = application.walk(None, known, &[]);
        let parameters = found.details["hidden_parameters"].to_string();
        assert_eq!(parameters.contains("\"next\"") && parameters.contains("\"form\""), stands, "{parameters}");
        assert!(parameters.contains("\"q\"") && parameters.contains("\"link\""), "{parameters}");
    }
}

#[test]
fn a_walk_ends_early_where_its_session_does() {
    let application = desk(true, || leads("/login"));
    assert!(application.walk(Some("sid=inside"), json!({}), &[]).0.is_ok());
    assert!(!application.was_asked("/d") && !application.was_asked("/openapi.json"), "{:?}", application.asked());
    let application = desk(false, || leads("/login"));
    let (answer, found) = application.walk(Some("sid=inside"), known(), &["http://a.test/api"]);
    assert_eq!(answer, Ok(Answer::Found), "a session that lasts");
    assert!(found.standing.is_empty() && application.was_asked("/openapi.json"), "{:?}", application.asked());
}

#[test]
fn a_session_that_ends_while_parameters_are_tried_is_denied() {
    let known = json!({
        "hidden_pages": [{"path": "/a-first", "status": 200, "title": null, "parameters": [], "asks_password": false}],
        "hidden_parameters": [{"name": "next", "seen": ["link"], "paths": ["/a-first"]}],
    });
    for task in ["hidden_parameters", "redirect_probe"] {
        let application = desk(true, || leads("/login"));
        let (answer, _) = application.look(task, Some("sid=inside"), known.clone(), &[]);
        assert!(matches!(answer, Err(TaskError::Denied(_))), "{task}: {answer:?}");
        let application = desk(false, || leads("/login"));
        let (answer, _) = application.look(task, Some("sid=inside"), known.clone(), &[]);
        assert_eq!(answer, Ok(Answer::Absent), "{task}: a session that lasts");
    }
}

#[test]
fn links_of_pages_in_other_characters_are_followed() {
    let application = Application::start(|target, _| match target {
        "/" => html("<a href=/wide>1</a><a href=/latin>2</a><a href=/meta>3</a>"),
        "/wide" => {
            let page = "\u{feff}<html><a href=/from-wide>x</a>".encode_utf16().flat_map(u16::to_le_bytes);
            (200, "Content-Type: text/html; charset=utf-16\r\n".to_owned(), page.collect())
        }
        "/latin" => {
            let page = b"<a href=/from-latin/\xe4>x</a>".to_vec();
            (200, "Content-Type: text/html; charset=iso-8859-1\r\n".to_owned(), page)
        }
        "/meta" => (200, String::new(), b"<meta charset=latin1><a href=/from-meta/\xe4>x</a>".to_vec()),
        _ => html("x"),
    });
    assert_eq!(application.walk(None, json!({}), &[]).0, Ok(Answer::Found));
    for target in ["/from-wide", "/from-latin/%C3%A4", "/from-meta/%C3%A4"] {
        assert!(application.was_asked(target), "{target}: {:?}", application.asked());
    }
}

#[test]
fn scripts_that_scripts_load_are_read() {
    let application = Application::start(|target, _| match target {
        "/" => html("<script type=module src=/assets/index.js></script>"),
        "/assets/index.js" => (200, "Content-Type: text/javascript\r\n".to_owned(), b"import('./chunk.js')".to_vec()),
        "/assets/chunk.js" => (
            200,
            "Content-Type: text/javascript\r\n".to_owned(),
            b"fetch('/api/chunk/only');import './index.js'".to_vec(),
        ),
        _ => nothing(),
    });
    let (answer, found) = application.walk(None, json!({}), &[]);
    assert_eq!(answer, Ok(Answer::Found));
    assert!(found.edges.iter().any(|edge| edge.name.ends_with("/api/chunk/only")), "{:?}", found.edges);
    assert_eq!(application.asked().iter().filter(|asked| *asked == "/assets/index.js").count(), 1);
}
