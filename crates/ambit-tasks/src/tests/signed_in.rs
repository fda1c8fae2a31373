//! Walks through applications in a session that a form or a token opens, at servers on loopback: who is let in, to whom
//! a password is sent, and what ends a session.

use super::walk::{Application, Integration, Shown, html, leads, nothing};
use crate::{Answer, TaskError};
use ambit_model::observation::Found;
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

type Walked = (Result<Answer, TaskError>, Found);

const LOGIN: &str = "<form method=post action=/newsletter><input type=email name=mail><button>Subscribe</button></form>\
                     <form method=post action=/login><input name=user><input type=password name=pw></form>";

/// A shop whose front page is for everybody and whose orders are for who signed in. Others are led to `door`; who gives
/// a wrong password is led to `refusal`, with a cookie as everybody gets one.
fn shop(door: String, refusal: String) -> Application {
    Application::start(move |target, shown| {
        let is_inside = shown.contains("sid=k3y77");
        match target {
            "/robots.txt" => nothing(),
            "/" if is_inside => html("<a href=/orders>Orders</a><a href=/about>About</a>"),
            "/" => html("<a href=/login>Sign in</a><a href=/about>About</a>"),
            "/about" => html("About"),
            "/login" | "/login?error=1" => html(LOGIN),
            "/orders" | "/debug" if is_inside => (500, String::new(), b"Traceback (most recent call last):".to_vec()),
            "/orders" | "/debug" => leads(&door),
            "POST /login user=ann&pw=right" => (302, "Location: /\r\nSet-Cookie: sid=k3y77\r\n".to_owned(), Vec::new()),
            posted if posted.starts_with("POST /login ") => {
                (302, format!("Location: {refusal}\r\nSet-Cookie: sid=stranger\r\n"), Vec::new())
            }
            _ => nothing(),
        }
    })
}

fn by_form(application: &Application, password: &str) -> Option<Integration> {
    let login_url = format!("{}/login", application.url());
    Some((json!({"username": "ann", "password": password}), json!({"login_url": login_url})))
}

/// Another server, which is asked for nothing.
fn provider() -> Application {
    Application::start_at(Ipv4Addr::new(127, 0, 0, 2), |_, _| html("<form method=post><input type=password name=p>"))
}

fn why(walked: &Walked) -> &str {
    match &walked.0 {
        Err(TaskError::Denied(why)) | Ok(Answer::InPart(TaskError::Denied(why))) => why,
        other => panic!("{other:?}"),
    }
}

fn known(path: &str, status: u16) -> Value {
    json!({
        "hidden_defects": [{"what": "verbose_error_page", "path": path, "proof": "Traceback"}],
        "hidden_pages": [
            {"path": "/about", "status": 200, "title": null, "parameters": [], "asks_password": false},
            {"path": path, "status": status, "title": null, "parameters": [], "asks_password": false},
        ],
        "hidden_parameters": [{"name": "next", "seen": ["link"], "paths": [path]}],
    })
}

#[test]
fn a_right_password_leads_inside_and_is_sent_to_its_form_alone() {
    let other = provider();
    let application = shop(other.url(), "/login?error=1".to_owned());
    let (answer, found) = application.look_in("crawl", by_form(&application, "right"), json!({}), &[]);
    assert_eq!(answer, Ok(Answer::Found));
    assert!(found.details["hidden_pages"].to_string().contains("/orders"), "{:?}", found.details);
    let posted: Vec<String> = application.asked().into_iter().filter(|asked| asked.starts_with("POST")).collect();
    assert_eq!(posted, ["POST /login user=ann&pw=right"], "nothing is subscribed to");
    assert_eq!(other.asked(), Vec::<String>::new());
}

#[test]
fn a_wrong_password_is_told_wherever_its_answer_leads() {
    let other = provider();
    let elsewhere = format!("{}/as", other.url());
    for (refusal, word) in [("/login?error=1".to_owned(), "asks who is there"), (elsewhere, "outside of its domain")] {
        let application = shop("/login".to_owned(), refusal);
        let walked = application.look_in("crawl", by_form(&application, "wrong"), known("/orders", 500), &[]);
        assert!(walked.0.is_err(), "{:?}", walked.0);
        assert!(
            why(&walked).contains("does not accept user and password") && why(&walked).contains(word),
            "{walked:?}"
        );
        assert!(!application.was_asked("/orders"), "nobody walks in as a stranger: {:?}", application.asked());
    }
    assert_eq!(other.asked(), Vec::<String>::new(), "nothing is shown to others");
}

#[test]
fn a_password_goes_to_no_server_but_the_application() {
    let other = provider();
    for login in [
        leads(&other.url()),
        html(&format!("<form method=post action={}/in><input name=user><input type=password name=pw>", other.url())),
        html("<form method=post action=/newsletter><input type=email name=mail></form>"),
    ] {
        let application = Application::start(move |target, _| match target {
            "/login" => login.clone(),
            "/" => html("<a href=/orders>Orders</a>"),
            _ => nothing(),
        });
        let walked = application.look_in("crawl", by_form(&application, "right"), json!({}), &[]);
        assert!(why(&walked).contains("cannot be opened"), "{walked:?}");
        assert!(!application.asked().iter().any(|asked| asked.starts_with("POST")), "{:?}", application.asked());
    }
    assert_eq!(other.asked(), Vec::<String>::new());
}

#[test]
fn a_session_that_was_over_before_the_walk_opens_nothing() {
    let other = provider();
    let door = format!("{}/as", other.url());
    let application = Application::start(move |target, _| match target {
        "/robots.txt" => nothing(),
        _ => leads(&door),
    });
    let walked =
        application.look_in("crawl", Some((json!({"cookie": "sid=old"}), json!({}))), known("/orders", 500), &[]);
    assert!(walked.0.is_err(), "{walked:?}");
    assert!(why(&walked).contains("a server outside of its domain"), "{walked:?}");
}

#[test]
fn a_new_cookie_is_asked_for_only_where_the_old_one_may_be_over() {
    let asks: fn() -> Shown = || html(LOGIN);
    let closed: fn() -> Shown = || (403, String::new(), Vec::new());
    for (page, says, is_over) in [(asks, "asks who is there", true), (closed, "is closed to it (status 403)", false)] {
        let application = Application::start(move |_, _| page());
        let walked = application.look_in("crawl", COOKIE(), json!({}), &[]);
        assert!(why(&walked).contains(says), "{walked:?}");
        assert_eq!(why(&walked).contains("only a new cookie opens another"), is_over, "{walked:?}");
    }
}

/// The shop in a session that a cookie opens, and that ends with the page `last`, where one is named.
fn ending(door: String, last: &'static str, more: &'static str) -> Application {
    let is_over = AtomicBool::new(false);
    Application::start(move |target, shown| {
        let is_inside = shown.contains("sid=k3y77") && !is_over.load(Ordering::SeqCst);
        let path = target.split('?').next().unwrap();
        let answer = match path {
            "/robots.txt" => nothing(),
            "/" if is_inside => html(&format!("<a href=/about>About</a><a href=/inside>1</a>{more}")),
            "/" => html("<a href=/about>About</a>"),
            "/about" => html("About"),
            "/inside" | "/orders" if is_inside => html("Inside"),
            "/inside" | "/orders" | "/moved" => leads(&door),
            _ => nothing(),
        };
        if path == last {
            is_over.store(true, Ordering::SeqCst);
        }
        answer
    })
}

const COOKIE: fn() -> Option<Integration> = || Some((json!({"cookie": "sid=k3y77"}), json!({})));

#[test]
fn a_session_that_ends_behind_a_page_for_everybody_closes_nothing() {
    let other = provider();
    let door = format!("{}/as", other.url());
    for (last, more) in [
        // The page is met on the way, and no page leads there any more.
        ("/inside", "<a href=/orders>2</a>"),
        ("/", ""),
    ] {
        let application = ending(door.clone(), last, more);
        let walked = application.look_in("crawl", COOKIE(), known("/orders", 200), &["http://a.test/api"]);
        assert!(matches!(walked.0, Ok(Answer::InPart(_))), "{walked:?}");
        let said = why(&walked);
        assert!(said.starts_with("the session has ended: ") && said.contains("outside of its domain"), "{said}");
        let found = walked.1;
        assert_eq!(found.details["hidden_defects"], known("/orders", 200)["hidden_defects"], "what stood is not gone");
        assert!(found.details["hidden_pages"].to_string().contains("/orders"), "{:?}", found.details);
        assert_eq!(found.standing.len(), 1);
    }
    assert_eq!(other.asked(), Vec::<String>::new(), "nothing is shown to others");
}

#[test]
fn a_session_that_ends_behind_a_page_for_everybody_ends_the_trial_of_parameters() {
    for task in ["hidden_parameters", "redirect_probe"] {
        let application = ending(format!("{}/as", provider().url()), "/", "");
        let walked = application.look_in(task, COOKIE(), known("/orders", 200), &[]);
        assert!(why(&walked).starts_with("the session has ended: "), "{task}: {walked:?}");
    }
}

#[test]
fn a_page_that_moved_elsewhere_ends_no_session_that_lasts() {
    let application = ending(format!("{}/as", provider().url()), "/nowhere", "<a href=/moved>2</a>");
    let (answer, found) = application.look_in("crawl", COOKIE(), known("/moved", 200), &[]);
    assert_eq!(answer, Ok(Answer::Found), "another page is shown to nobody else");
    assert!(found.details["hidden_pages"].to_string().contains(r#""path":"/moved","status":302"#), "{found:?}");
    assert_eq!(found.details["hidden_defects"], json!([]));
}

/// An application for everybody but for pages below `/staff`, which are closed. Who is in the session is shown `more`
/// on the front page, until `/about` is asked for where the session ends with it.
fn closed_to_all(more: &'static str, is_ending: bool) -> Application {
    let is_over = AtomicBool::new(false);
    Application::start(move |target, shown| {
        let is_inside = shown.contains("sid=k3y77") && !is_over.load(Ordering::SeqCst);
        match target {
            "/robots.txt" => nothing(),
            "/" => {
                html(&format!("<a href=/about>About</a><a href=/staff/a>A</a>{}", if is_inside { more } else { "" }))
            }
            "/about" => {
                is_over.fetch_or(is_ending, Ordering::SeqCst);
                html("About")
            }
            path if path.starts_with("/staff/") => (403, String::new(), b"closed".to_vec()),
            _ => nothing(),
        }
    })
}

const SIGN_OUT: &str = "<form method=post action=/logout><button>Sign out</button></form>";

fn with_page(mut known: Value, path: &str) -> Value {
    let page = json!({"path": path, "status": 200, "title": null, "parameters": [], "asks_password": false});
    known["hidden_pages"].as_array_mut().unwrap().push(page);
    known
}

#[test]
fn a_page_that_is_closed_alone_ends_no_session() {
    let one = || known("/staff/a", 200);
    for (more, known) in [(SIGN_OUT, one()), ("", one()), (SIGN_OUT, with_page(one(), "/staff/b"))] {
        let application = closed_to_all(more, false);
        let (answer, found) = application.look_in("crawl", COOKIE(), known, &[]);
        assert_eq!(answer, Ok(Answer::Found), "{more}");
        let pages = found.details["hidden_pages"].to_string();
        assert!(pages.contains(r#""path":"/staff/a","status":403"#), "it is not asked for again and again: {pages}");
        assert!(found.details["hidden_defects"].to_string().contains("/staff/a"), "it was not looked at: {found:?}");
    }
}

#[test]
fn a_session_is_over_where_the_front_page_shows_no_more_than_to_strangers() {
    for (more, known) in [(SIGN_OUT, known("/staff/a", 200)), ("", with_page(known("/staff/a", 200), "/staff/b"))] {
        let application = closed_to_all(more, true);
        let walked = application.look_in("crawl", COOKIE(), known.clone(), &[]);
        assert!(why(&walked).starts_with("the session has ended: "), "{walked:?}");
        let pages = walked.1.details["hidden_pages"].to_string();
        assert!(pages.contains(r#""path":"/staff/a","status":200"#), "what was shown is not gone: {pages}");
    }
}

/// An interface that takes tokens which last for some requests, beside the provider that gives them. Its page `/closed`
/// is for nobody; who shows no good token gets `refusal`.
fn by_token(lasts: usize, given_max: usize, refusal: fn() -> Shown) -> (Application, Arc<AtomicUsize>) {
    let (given, left) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let counted = Arc::clone(&given);
    let application = Application::start(move |target, shown| -> Shown {
        if target.starts_with("POST /token") {
            let number = given.fetch_add(1, Ordering::SeqCst) + 1;
            left.store(lasts, Ordering::SeqCst);
            return match number <= given_max {
                true => (200, String::new(), json!({"access_token": format!("t0ken-{number}")}).to_string().into()),
                false => (401, String::new(), json!({"error": "invalid_client"}).to_string().into()),
            };
        }
        let is_newest = shown == format!("Bearer t0ken-{}", given.load(Ordering::SeqCst));
        let is_left = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        match target {
            "/login" => html(LOGIN),
            _ if !is_newest || !is_left => refusal(),
            "/robots.txt" => nothing(),
            "/" => {
                let links = (0..8).map(|number| format!("<a href=/page/{}>x</a>", "abcdefgh".split_at(number).1));
                html(&(links.collect::<String>() + "<a href=/closed>x</a>"))
            }
            "/closed" => refusal(),
            page => html(&format!("You are {shown} at {page}")),
        }
    });
    (application, counted)
}

fn who() -> Shown {
    (401, String::new(), b"who?".to_vec())
}

fn client(application: &Application) -> Option<Integration> {
    let token_url = format!("{}/token", application.url());
    Some((json!({"client_id": "ambit", "client_secret": "cl1ent-s3cret"}), json!({"token_url": token_url})))
}

#[test]
fn a_token_that_ends_on_the_way_is_renewed() {
    for refusal in [who, || leads("/login"), || leads("https://id.acme.test/as?client_id=a&response_type=code")] {
        let (application, given) = by_token(3, usize::MAX, refusal);
        let (answer, found) = application.look_in("crawl", client(&application), json!({}), &[]);
        assert_eq!(answer, Ok(Answer::Found), "{:?}", application.asked());
        let pages = found.details["hidden_pages"].to_string();
        assert!(pages.contains("/page/abcdefgh") && pages.contains("/page/h"), "{pages}");
        let (given, asked) = (given.load(Ordering::SeqCst), application.asked().len());
        assert!((5..asked / 2).contains(&given), "one for each end and a few for what is closed: {given} of {asked}");
        assert!(!format!("{found:?}").contains("t0ken-"), "none is repeated: {found:?}");
    }
}

#[test]
fn a_token_that_lasts_is_asked_for_once_beside_what_is_closed_to_it() {
    let (application, given) = by_token(usize::MAX, usize::MAX, who);
    let (answer, _) = application.look_in("crawl", client(&application), json!({}), &[]);
    assert_eq!(answer, Ok(Answer::Found), "{:?}", application.asked());
    assert!(given.load(Ordering::SeqCst) <= 3, "{:?}", application.asked());
}

#[test]
fn a_token_that_is_not_given_again_ends_the_session() {
    let (application, _) = by_token(6, 1, who);
    let walked = application.look_in("crawl", client(&application), json!({}), &[]);
    assert!(matches!(walked.0, Ok(Answer::InPart(_))), "{walked:?}");
    let said = why(&walked);
    assert!(said.starts_with("the session has ended: ") && said.contains("invalid_client"), "{said}");
    assert!(!said.contains("s3cret") && !said.contains("t0ken"), "{said}");
}
