//! Who is let in by a form, at servers on loopback: what differs with every visitor shows nobody who signed in, and a
//! second factor or a lock-out is named.

use super::walk::{Application, Shown, html, leads, nothing};
use crate::{Answer, TaskError};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const LOGIN: &str = "<form method=post action=/login><input name=user><input type=password name=pw></form>";

/// What the walk of somebody with this password ends with, and whether it came to the orders.
fn walked(application: &Application, password: &str) -> (Result<Answer, TaskError>, bool) {
    let login_url = format!("{}/login", application.url());
    let integration = (json!({"username": "ann", "password": password}), json!({"login_url": login_url}));
    let (answer, _) = application.look_in("crawl", Some(integration), json!({}), &[]);
    (answer, application.was_asked("/orders"))
}

fn with_cookie((status, more, body): Shown, cookie: &str) -> Shown {
    (status, format!("{more}Set-Cookie: {cookie}\r\n"), body)
}

/// Demands that somebody with a wrong password is told so, and does not walk in as a stranger.
fn keeps_out(application: &Application) {
    let (answer, came) = walked(application, "wrong");
    let Err(TaskError::Denied(why)) = answer else { panic!("{answer:?} {:?}", application.asked()) };
    assert!(why.contains("does not accept user and password") && !came, "{why}");
}

/// A shop that knows each who came by a cookie from the first page on, which a form does not change. Its front page
/// says `front` of the visitor, in whatever words; who is inside and asks for the form gets `again`.
fn with_one_cookie(front: fn(&str) -> String, again: fn() -> Shown) -> Application {
    let (given, signed_in) = (AtomicUsize::new(0), Mutex::new(None));
    Application::start(move |target, shown| {
        let is_inside = signed_in.lock().unwrap().as_deref() == Some(shown);
        // Not what the cookie says, and not a hash that looks like one.
        let visitor: String = shown.bytes().map(|byte| char::from(b'a' + byte % 23)).collect();
        match target {
            "/robots.txt" => nothing(),
            "/" if is_inside => html(&format!("{}<a href=/orders>Orders</a>", front(&visitor))),
            "/" => html(&format!("{}<a href=/login>Sign in</a>", front(&visitor))),
            "/login" if is_inside => again(),
            "/login" if shown.is_empty() => {
                with_cookie(html(LOGIN), &format!("sid=c00kie-{}", given.fetch_add(1, Ordering::SeqCst)))
            }
            "/login" => html(LOGIN),
            "/orders" if is_inside => html("Orders"),
            "/orders" => leads("/login"),
            "POST /login user=ann&pw=right" => {
                *signed_in.lock().unwrap() = Some(shown.to_owned());
                html("Welcome")
            }
            posted if posted.starts_with("POST /login ") => html("Sorry, that is not right"),
            _ => nothing(),
        }
    })
}

#[test]
fn a_right_password_leads_inside_where_the_cookie_stays_the_same() {
    for again in [|| leads("/"), || html("You are signed in"), || html(LOGIN)] {
        let shop = || with_one_cookie(|_| String::new(), again);
        assert_eq!(walked(&shop(), "right"), (Ok(Answer::Found), true));
        keeps_out(&shop());
    }
}

#[test]
fn a_page_that_calls_things_by_who_visits_it_shows_nobody_who_signed_in() {
    let by_class = |visitor: &str| format!("<body class='x {visitor}'>");
    let by_field = |visitor: &str| format!("<form><input name={visitor}></form>");
    let by_link = |visitor: &str| format!("<a href=/baskets/{visitor}/show>Basket</a>");
    for front in [by_class, by_field, by_link] {
        let shop = || with_one_cookie(front, || html(LOGIN));
        keeps_out(&shop());
        assert_eq!(walked(&shop(), "right"), (Ok(Answer::Found), true));
    }
}

/// A shop that gives another cookie with each answer, and shows its front page to who gave a wrong password.
fn with_new_cookies(refusal: fn() -> Shown) -> Application {
    let (given, signed_in) = (AtomicUsize::new(0), AtomicBool::new(false));
    Application::start(move |target, shown| {
        let is_inside = || !shown.is_empty() && signed_in.load(Ordering::SeqCst);
        let answer = match target {
            "/" if is_inside() => html("<a href=/orders>Orders</a>"),
            "/" => html("<a href=/login>Sign in</a>"),
            "/login" => html(LOGIN),
            "/orders" if is_inside() => html("Orders"),
            "POST /login user=ann&pw=right" => {
                signed_in.store(true, Ordering::SeqCst);
                leads("/")
            }
            posted if posted.starts_with("POST /login ") => refusal(),
            _ => nothing(),
        };
        with_cookie(answer, &format!("state=n0nce-{}", given.fetch_add(1, Ordering::SeqCst)))
    })
}

#[test]
fn another_cookie_with_every_answer_shows_nobody_who_signed_in() {
    for refusal in [|| html("Sorry"), || leads("/"), || leads("/sorry")] {
        keeps_out(&with_new_cookies(refusal));
        assert_eq!(walked(&with_new_cookies(refusal), "right"), (Ok(Answer::Found), true));
    }
}

/// A shop whose front page is for everybody, and that answers to the right password with `answer`, and a cookie.
fn answering(answer: fn() -> Shown, login_then: fn() -> Shown) -> Application {
    let tried = AtomicUsize::new(0);
    Application::start(move |target, _| match target {
        "/" => html("<a href=/login>Sign in</a>"),
        "/login" if tried.load(Ordering::SeqCst) > 0 => login_then(),
        "/login" => html(LOGIN),
        "/two-factor" => html("<form method=post><input name=answer inputmode=numeric></form>"),
        posted if posted.starts_with("POST /login ") => {
            tried.fetch_add(1, Ordering::SeqCst);
            with_cookie(answer(), "half=w4y-in")
        }
        _ => nothing(),
    })
}

#[test]
fn a_second_factor_that_is_asked_for_is_named() {
    let by_field = || html("<form method=post action=/login><input name=user[otp_attempt]></form>");
    for answer in [|| leads("/two-factor"), by_field] {
        let application = answering(answer, || leads("/two-factor"));
        let Err(TaskError::Denied(why)) = walked(&application, "right").0 else { panic!("{:?}", application.asked()) };
        assert!(why.contains("not signed in: the application asks for a second factor at "), "{why}");
    }
}

#[test]
fn a_lock_out_is_named_and_nobody_is_signed_in() {
    let locked = || html("<h1>Too many attempts</h1> Try again in 15 minutes.");
    let form_again = || html(&format!("<p>Your account is locked.</p>{LOGIN}"));
    let by_status = || -> Shown { (429, String::new(), b"slow down".to_vec()) };
    for (answer, login_then) in [
        (locked as fn() -> Shown, locked as fn() -> Shown),
        (form_again, || html(LOGIN)),
        (by_status, || html(LOGIN)),
        (|| leads("/"), locked),
    ] {
        let application = answering(answer, login_then);
        let Err(TaskError::Denied(why)) = walked(&application, "right").0 else { panic!("{:?}", application.asked()) };
        assert!(why.contains("not signed in: the application locks out, at "), "{why}");
    }
}

/// A shop whose front page and form are the same for all, and that gives a cookie to who sends the right password.
fn with_same_pages(front: &'static str) -> Application {
    Application::start(move |target, shown| match target {
        "/robots.txt" => nothing(),
        "/" => html(front),
        "/login" => html(&format!("<p>Account is locked? Call us.</p>{LOGIN}")),
        "/orders" if shown == "sid=k3y77" => html("Orders"),
        "/orders" => leads("/login"),
        "POST /login user=ann&pw=right" => with_cookie(leads("/"), "sid=k3y77"),
        posted if posted.starts_with("POST /login ") => html(&format!("<p>Sorry, that is not right</p>{LOGIN}")),
        _ => nothing(),
    })
}

#[test]
fn a_cookie_and_a_way_to_a_page_for_all_show_who_signed_in() {
    for front in
        ["<a href=/orders>Orders</a>", "<a href=/orders>Orders</a><p>Locked out? Too many attempts? Write to us."]
    {
        assert_eq!(walked(&with_same_pages(front), "right"), (Ok(Answer::Found), true), "{front}");
        keeps_out(&with_same_pages(front));
    }
}

/// A shop whose pages are the same for all. Whoever sends its form gets a cookie that stays, and is led elsewhere: by
/// `right` who may come in, by `wrong` who may not.
fn with_cookies_for_all(right: [&'static str; 2], wrong: [&'static str; 2]) -> Application {
    Application::start(move |target, shown| match target {
        "/robots.txt" => nothing(),
        "/" => html("<a href=/orders>Orders</a>"),
        "/login" => html(LOGIN),
        "/welcome" | "/sorry" => html("<p>Text"),
        "/orders" if shown.contains("k3y77") => html("Orders"),
        "/orders" => leads("/login"),
        "POST /login user=ann&pw=right" => with_cookie(leads(right[0]), right[1]),
        posted if posted.starts_with("POST /login ") => with_cookie(leads(wrong[0]), wrong[1]),
        _ => nothing(),
    })
}

#[test]
fn a_cookie_and_a_way_show_who_signed_in_only_where_nobody_else_gets_them() {
    for (right, wrong) in
        [(["/welcome", "sid=k3y77"], ["/sorry", "sid=stranger"]), (["/", "sid=k3y77"], ["/", "flash=sorry"])]
    {
        keeps_out(&with_cookies_for_all(right, wrong));
        let application = with_cookies_for_all(right, wrong);
        assert_eq!(walked(&application, "right"), (Ok(Answer::Found), true), "{right:?}");
        let posted: Vec<String> = application.asked().into_iter().filter(|asked| asked.starts_with("POST")).collect();
        let [own, other] = posted.as_slice() else { panic!("{posted:?}") };
        assert_eq!(own, "POST /login user=ann&pw=right");
        assert!(other.contains("user=nobody-") && !other.contains("ann") && !other.contains("right"), "{other}");
    }
    // Nothing tells one from the other.
    let alike = || with_cookies_for_all(["/", "sid=k3y77"], ["/", "sid=stranger"]);
    keeps_out(&alike());
    let (answer, came) = walked(&alike(), "right");
    let Err(TaskError::Denied(why)) = answer else { panic!("{answer:?}") };
    assert!(why.contains("does not know is answered in the same way") && !came, "{why}");
}

#[test]
fn nobody_signs_in_by_a_cookie_where_the_application_lets_nobody_try_again() {
    for (status, why) in
        [(423, "nothing that it shows then"), (403, "nothing that it shows then"), (503, "Unavailable(503)")]
    {
        let application = Application::start(move |target, _| match target {
            "/" => html("<a href=/orders>Orders</a>"),
            "/login" => html(LOGIN),
            "POST /login user=ann&pw=wrong" => with_cookie(leads("/sorry"), "sid=stranger"),
            posted if posted.starts_with("POST /login ") => (status, String::new(), Vec::new()),
            "/sorry" => html("Sorry"),
            _ => nothing(),
        });
        let (answer, came) = walked(&application, "wrong");
        assert!(format!("{answer:?}").contains(why) && !came, "{status}: {answer:?}");
    }
}

#[test]
fn a_status_by_which_an_unknown_user_alone_is_refused_shows_who_signed_in() {
    for status in [401, 422] {
        let application = Application::start(move |target, shown| match target {
            "/robots.txt" => nothing(),
            "/" => html("<a href=/orders>Orders</a>"),
            "/login" => html(LOGIN),
            "/welcome" => html("Text"),
            "/orders" if shown == "sid=k3y77" => html("Orders"),
            "/orders" => leads("/login"),
            "POST /login user=ann&pw=right" => with_cookie(leads("/welcome"), "sid=k3y77"),
            posted if posted.starts_with("POST /login ") => (status, String::new(), b"Sorry".to_vec()),
            _ => nothing(),
        });
        assert_eq!(walked(&application, "right"), (Ok(Answer::Found), true), "{status}");
    }
}

#[test]
fn words_and_fields_of_pages_for_insiders_keep_nobody_out() {
    let setup = "<form method=post action=/2fa/setup><input name=verification_code><button name=enable_2fa></form>";
    let desk = "<h1>Tickets</h1><p>My account is locked</p>";
    for more in [setup, desk] {
        let signed_in = AtomicBool::new(false);
        let application = Application::start(move |target, _| match target {
            "/robots.txt" => nothing(),
            "/" if signed_in.load(Ordering::SeqCst) => html(&format!("<a href=/orders>Orders</a>{more}")),
            "/" => html("<a href=/login>Sign in</a>"),
            "/login" => html(LOGIN),
            "/orders" => html("Orders"),
            "POST /login user=ann&pw=right" => {
                signed_in.store(true, Ordering::SeqCst);
                with_cookie(leads("/"), "sid=k3y77")
            }
            _ => nothing(),
        });
        assert_eq!(walked(&application, "right"), (Ok(Answer::Found), true), "{more}");
        let public = Application::start(move |target, _| match target {
            "/" => html(more),
            _ => nothing(),
        });
        let cookie = Some((json!({"cookie": "sid=k3y77"}), json!({})));
        assert_eq!(public.look_in("crawl", cookie, json!({}), &[]).0, Ok(Answer::Found), "{more}");
    }
}

const STAFF: [&str; 2] = ["/staff/a", "/staff/b"];

/// An application whose front page is the same for all, and where a form opens pages to the staff: none of them where
/// they answer `closed`, and in a session that is over with the page `last`.
fn for_staff(closed: fn() -> Shown, is_open: bool, last: &'static str) -> Application {
    let (given, over) = (AtomicUsize::new(0), AtomicUsize::new(0));
    Application::start(move |target, shown| {
        let number = shown.strip_prefix("sid=k3y77-").and_then(|number| number.parse().ok()).unwrap_or(0);
        let is_inside = number > over.load(Ordering::SeqCst);
        if target == last {
            over.fetch_max(1, Ordering::SeqCst);
        }
        match target {
            "/robots.txt" => nothing(),
            "/" => html("<a href=/about>About</a><a href=/staff/a>A</a><a href=/staff/b>B</a>"),
            "/about" => html("About"),
            "/login" if is_inside => leads("/about"),
            "/login" => html(LOGIN),
            "POST /login user=ann&pw=right" => {
                let cookie = format!("sid=k3y77-{}", given.fetch_add(1, Ordering::SeqCst) + 1);
                with_cookie(leads("/about"), &cookie)
            }
            page if STAFF.contains(&page) && is_inside && is_open => html("Staff"),
            page if STAFF.contains(&page) => closed(),
            _ => nothing(),
        }
    })
}

fn known_to_staff() -> serde_json::Value {
    let page =
        |path: &str| json!({"path": path, "status": 200, "title": null, "parameters": [], "asks_password": false});
    json!({"hidden_pages": STAFF.map(page)})
}

fn walked_by_staff(application: &Application) -> (Result<Answer, TaskError>, String) {
    let login_url = format!("{}/login", application.url());
    let integration = (json!({"username": "ann", "password": "right"}), json!({"login_url": login_url}));
    let (answer, found) = application.look_in("crawl", Some(integration), known_to_staff(), &[]);
    (answer, found.details["hidden_pages"].to_string())
}

#[test]
fn pages_that_are_closed_at_once_end_no_session_where_who_signs_in_anew_finds_them_closed() {
    let forbidden = || -> Shown { (403, String::new(), Vec::new()) };
    let unknown = || -> Shown { (401, String::new(), Vec::new()) };
    for closed in [forbidden as fn() -> Shown, unknown, || leads("/login")] {
        let application = for_staff(closed, false, "");
        let (answer, pages) = walked_by_staff(&application);
        assert_eq!(answer, Ok(Answer::Found), "{:?}", application.asked());
        assert!(!pages.contains(r#""path":"/staff/a","status":200"#), "{pages}");
        let application = for_staff(closed, true, "/about");
        let (answer, pages) = walked_by_staff(&application);
        let Ok(Answer::InPart(TaskError::Denied(why))) = answer else { panic!("{answer:?}") };
        assert!(why.contains("the session has ended: "), "{why}");
        assert!(pages.contains(r#""path":"/staff/a","status":200"#), "what was shown is not gone: {pages}");
    }
}

/// An application that allows a person one session at a time. Its pages for the staff are closed to that person as
/// well.
fn with_one_session(signed_in: &Arc<AtomicUsize>) -> Application {
    let newest = Arc::clone(signed_in);
    Application::start(move |target, shown| {
        let is_inside = shown == format!("sid=k3y77-{}", newest.load(Ordering::SeqCst));
        match target {
            "/robots.txt" => nothing(),
            "/" => html("<a href=/staff/a>A</a><a href=/staff/b>B</a><a href=/zone>Z</a>"),
            "/login" if is_inside => leads("/about"),
            "/login" => html(LOGIN),
            "/about" => html("About"),
            "/zone" if is_inside => html("Zone"),
            "POST /login user=ann&pw=right" => {
                with_cookie(leads("/about"), &format!("sid=k3y77-{}", newest.fetch_add(1, Ordering::SeqCst) + 1))
            }
            page if page.starts_with("/staff/") => (401, String::new(), Vec::new()),
            _ => leads("/login"),
        }
    })
}

#[test]
fn a_walk_signs_in_anew_twice_at_most_and_goes_on_in_the_newest_session() {
    let signed_in = Arc::new(AtomicUsize::new(0));
    let application = with_one_session(&signed_in);
    let (answer, pages) = walked_by_staff(&application);
    assert_eq!(answer, Ok(Answer::Found), "{:?}", application.asked());
    assert!(pages.contains(r#""path":"/zone","status":200"#), "{pages}");
    let signed_in = signed_in.load(Ordering::SeqCst);
    assert!((2..=3).contains(&signed_in), "once, and anew for what is closed: {signed_in} {:?}", application.asked());
}

#[test]
fn one_page_that_leads_to_another_may_be_the_end_of_a_session_unless_it_moved_for_good() {
    for (status, moved, is_over) in [(302, 1, true), (301, 1, false), (301, 2, true)] {
        let application = Application::start(move |target, _| match target {
            "/robots.txt" => nothing(),
            "/" => html("<a href=/about>About</a><a href=/staff/a>A</a>"),
            "/about" => html("About"),
            page if STAFF[..moved].contains(&page) => (status, "Location: /about\r\n".to_owned(), Vec::new()),
            page if STAFF.contains(&page) => html("Staff"),
            _ => nothing(),
        });
        let known = known_to_staff();
        let cookie = Some((json!({"cookie": "sid=k3y77"}), json!({})));
        let (answer, _) = application.look_in("crawl", cookie, known, &[]);
        assert_eq!(matches!(answer, Ok(Answer::InPart(TaskError::Denied(_)))), is_over, "{status} {moved}: {answer:?}");
        assert_eq!(answer == Ok(Answer::Found), !is_over, "{status} {moved}");
    }
}

#[test]
fn many_links_to_a_sign_in_page_leave_tokens_to_renew() {
    const LASTS: usize = 20;
    let (given, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let letters =
        |number: usize| format!("{}{}", char::from(b'a' + (number / 8) as u8), char::from(b'a' + (number % 8) as u8));
    let application = Application::start(move |target, shown| {
        if target.starts_with("POST /token") {
            let number = given.fetch_add(1, Ordering::SeqCst) + 1;
            left.store(LASTS, Ordering::SeqCst);
            return (200, String::new(), json!({"access_token": format!("t0ken-{number}")}).to_string().into());
        }
        let is_newest = shown == format!("Bearer t0ken-{}", given.load(Ordering::SeqCst));
        let is_left = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        match target {
            "/login" => html(LOGIN),
            _ if !is_newest || !is_left => leads("/login"),
            "/robots.txt" => nothing(),
            "/" => html(
                &(0..56)
                    .map(|number| format!("<a href=/{}-{}>x</a>", letters(number), number % 4 == 0))
                    .collect::<String>(),
            ),
            page if page.ends_with("-true") => leads("/login"),
            page => html(page),
        }
    });
    let settings = json!({"token_url": format!("{}/token", application.url())});
    let integration = (json!({"client_id": "ambit", "client_secret": "cl1ent-s3cret"}), settings);
    let (answer, found) = application.look_in("crawl", Some(integration), json!({}), &[]);
    assert_eq!(answer, Ok(Answer::Found), "{:?}", application.asked());
    let pages = found.details["hidden_pages"].to_string();
    assert!(pages.contains(r#""path":"/gh-false","status":200"#), "{pages}");
}
