//! Where people sign in: forms and how one is filled in, and the places to which who is not signed in is led. Pure: a
//! page or a URL in, what is sent out.

use super::frontier::parameters;
use ambit_model::entity::registrable;
use ambit_net::http::Url;
use scraper::{ElementRef, Html, Selector};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Fields that are sent at most.
const FIELDS_MAX: usize = 100;

static FORM: LazyLock<Selector> = LazyLock::new(|| Selector::parse("form").expect("the selector is constant"));
static BUTTON: LazyLock<Selector> = LazyLock::new(|| {
    let text = "button:not([type=button i]):not([type=reset i]), input[type=submit i], input[type=image i]";
    Selector::parse(text).expect("the selector is constant")
});
static FIELD: LazyLock<Selector> = LazyLock::new(|| Selector::parse("input").expect("the selector is constant"));
static PASSWORD: LazyLock<Selector> =
    LazyLock::new(|| Selector::parse("input[type=password i]").expect("the selector is constant"));

/// What a label of a host, or a part of a path without its ending, `-` and `_`, is where people sign in. Whole ones
/// only: an author is nobody who signs in.
const PLACES: &[&str] = &[
    "accedi",
    "anmelden",
    "anmeldung",
    "auth",
    "authorize",
    "connexion",
    "iniciarsesion",
    "inloggen",
    "loggain",
    "login",
    "logon",
    "logowanie",
    "oauth",
    "oauth2",
    "oidc",
    "openidconnect",
    "saml",
    "saml2",
    "signin",
    "sso",
];
/// Parameters by which an application asks a provider who is there: SAML 2.0, WS-Federation, CAS are asked by one;
/// OAuth 2.0 (RFC 6749 §4.1.1) by two.
const ASKED_BY: &[&[&str]] =
    &[&["SAMLRequest"], &["wtrealm"], &["client_id", "redirect_uri"], &["client_id", "response_type"]];

/// A form as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filled {
    pub(crate) action: Url,
    pub(crate) fields: Vec<(String, String)>,
}

/// Scheme, host and port.
pub(crate) fn origin(url: &Url) -> String {
    url.with_path("/").to_string().trim_end_matches('/').to_owned()
}

/// Whether both URLs are of hosts that one owner has: the same host, or names below one registrable domain.
pub(crate) fn is_same_owner(a: &Url, b: &Url) -> bool {
    // The end of an address is no domain.
    let domain = |url: &Url| registrable(&url.host).filter(|_| url.ip().is_none()).map(str::to_owned);
    a.host == b.host || domain(a).is_some_and(|of| domain(b) == Some(of))
}

/// Whether a URL is by its name one where people sign in.
pub(crate) fn is_sign_in(url: &Url) -> bool {
    let asked = parameters(url);
    let is_asked = ASKED_BY.iter().any(|names| names.iter().all(|name| asked.contains(*name)));
    let domain = registrable(&url.host).unwrap_or_default();
    let below = if url.ip().is_some() { "" } else { url.host.strip_suffix(domain).unwrap_or_default() };
    is_asked || below.split('.').any(is_place) || url.path_only().split('/').any(is_place)
}

/// Whether a URL is by the end of its path a page where people sign in.
pub(crate) fn is_sign_in_page(url: &Url) -> bool {
    url.path_only().trim_end_matches('/').rsplit('/').next().is_some_and(is_place)
}

/// Whether a part of a path or a label of a host is a place where people sign in.
fn is_place(part: &str) -> bool {
    let part = part.split('.').next().unwrap_or_default();
    let word: String = part.chars().filter(|letter| !matches!(letter, '-' | '_')).collect();
    PLACES.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether a page asks for the password of somebody who signs in: one, which is there already. Several are a new
/// account or a new password.
pub(crate) fn asks_password(html: &str) -> bool {
    let document = Html::parse_document(super::page::bounded(html));
    let mut passwords: BTreeMap<_, usize> = BTreeMap::new();
    for field in document.select(&PASSWORD) {
        let form = field.ancestors().filter_map(ElementRef::wrap).find(|above| above.value().name() == "form");
        *passwords.entry(form.map(|form| form.id())).or_default() += counted(field.attr("autocomplete"));
    }
    passwords.values().any(|count| *count == 1)
}

/// As how many passwords a field counts by what a browser is to fill in: a new one is of somebody who signs in nowhere.
fn counted(autocomplete: Option<&str>) -> usize {
    if autocomplete.unwrap_or_default().trim().eq_ignore_ascii_case("new-password") { 2 } else { 1 }
}

/// Fills in the first form of a page that asks for one password and is sent by POST: what the page says itself stays,
/// the text in front of the password is the name. `None` where there is no such form.
pub(crate) fn filled_in(html: &str, url: &Url, name: &str, password: &str) -> Option<Filled> {
    let document = Html::parse_document(super::page::bounded(html));
    document.select(&FORM).find_map(|form| {
        if !form.attr("method").is_some_and(|method| method.trim().eq_ignore_ascii_case("post")) {
            return None;
        }
        // Whoever presses Enter presses the first button, which may send the form elsewhere.
        let pressed = form.select(&BUTTON).next().and_then(|button| button.attr("formaction"));
        let action = url.join(pressed.or(form.attr("action")).unwrap_or_default().trim()).ok()?;
        let (mut fields, mut passwords, mut user) = (Vec::new(), 0, None);
        for field in form.select(&FIELD).take(FIELDS_MAX) {
            let Some(of) = field.attr("name").filter(|of| !of.is_empty()) else { continue };
            let kind = field.attr("type").unwrap_or("text").to_ascii_lowercase();
            let said = field.attr("value").unwrap_or_default();
            match kind.as_str() {
                "password" => {
                    passwords += counted(field.attr("autocomplete"));
                    fields.push((of.to_owned(), password.to_owned()));
                }
                "text" | "email" | "tel" => {
                    if passwords == 0 {
                        user = Some(fields.len());
                    }
                    fields.push((of.to_owned(), said.to_owned()));
                }
                "hidden" => fields.push((of.to_owned(), said.to_owned())),
                _ => {}
            }
        }
        fields[user?].1 = name.to_owned();
        // Two passwords are a new account, or a new password.
        (passwords == 1).then_some(Filled { action, fields })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_with_one_password_is_filled_in_and_others_are_left() {
        let url = Url::parse("https://app.acme.test/login").unwrap();
        let sent = |html: &str| {
            let filled = filled_in(html, &url, "ann", "s3cret&")?;
            let fields = filled.fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
            Some(format!("{} {}", filled.action, fields.join(" ")))
        };
        let login = "<form action='/search'><input name=q></form><form method=POST action='session?next=1'>\
                     <input type=hidden name=csrf value=t1><input name=tenant value=acme><input type=email name=user>\
                     <input type=password name=pw><input type=checkbox name=stay value=1>\
                     <input type=submit name=go></form>";
        let wanted = "https://app.acme.test:443/session?next=1 csrf=t1 tenant=acme user=ann pw=s3cret&";
        assert_eq!(sent(login).as_deref().map(|sent| sent.replace(":443", "")), Some(wanted.replace(":443", "")));
        let led = "<form method=post action=/a><input name=user><input type=password name=pw><button type=button \
                   formaction=/no>Show</button><button formaction=/in>In</button><button formaction=/out>Out</button>";
        assert!(
            sent(led).is_some_and(|sent| sent.contains("app.acme.test") && sent.contains("/in ")),
            "{:?}",
            sent(led)
        );
        for other in [
            "<form method=get><input name=user><input type=password name=pw></form>",
            "<form method=post><input name=user><input type=password name=a><input type=password name=b></form>",
            "<form method=post><input type=password name=pw></form>",
            "<form method=post><input name=user><input type=password name=pw autocomplete=new-password></form>",
            "<form method=post action=/newsletter><input type=email name=mail></form>",
            "<p>Welcome",
        ] {
            assert_eq!(sent(other), None, "{other}");
        }
    }

    #[test]
    fn a_form_beside_the_one_with_the_password_is_left() {
        let url = Url::parse("https://app.acme.test/login").unwrap();
        let html = "<form method=post action=/newsletter><input type=email name=mail></form><form method=post \
                    action=/in><input type=email name=user><input type=password name=pw></form>";
        let filled = filled_in(html, &url, "ann", "s3cret").unwrap();
        assert_eq!(filled.action.path, "/in");
        assert_eq!(filled.fields, [("user", "ann"), ("pw", "s3cret")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn a_page_asks_for_a_password_by_one_that_is_there() {
        for (html, asks) in [
            ("<form><input name=user><input type=Password name=pw></form>", true),
            ("<input type=password>", true),
            ("<form><input type=password name=a><input type=password name=b></form>", false),
            ("<form><input type=password autocomplete=new-password></form>", false),
            (
                "<form><input type=password autocomplete=current-password><input type=password \
                 autocomplete=new-password></form>",
                false,
            ),
            ("<form method=post><input type=email></form>", false),
            ("<p>password", false),
        ] {
            assert_eq!(asks_password(html), asks, "{html}");
        }
    }

    #[test]
    fn places_to_sign_in_are_told_by_whole_words() {
        assert!(PLACES.is_sorted());
        for (url, is_one) in [
            ("https://sso.acme.test/", true),
            ("https://app.acme.test/users/sign_in", true),
            ("https://app.acme.test/Login.aspx?ReturnUrl=%2F", true),
            ("https://app.acme.test/log-in", true),
            ("https://id.acme.test/as?client_id=a&response_type=code", true),
            ("https://id.acme.test/x?SAMLRequest=abc", true),
            ("https://author.acme.test/authors/blog", false),
            ("https://ssotax.acme.test/loginhelp", false),
            ("https://www.sso.test/", false),
            ("https://127.0.0.1/as?client_id=a", false),
            ("https://app.acme.test/authentic-goods", false),
        ] {
            assert_eq!(is_sign_in(&Url::parse(url).unwrap()), is_one, "{url}");
        }
    }

    #[test]
    fn hosts_of_one_owner_are_those_of_one_domain() {
        for (a, b, same) in [
            ("https://app.acme.test/", "https://id.acme.test/", true),
            ("http://app.acme.test/", "https://app.acme.test:8443/", true),
            ("https://app.acme.test/", "https://acme.id.test/", false),
            ("http://127.0.0.1/", "http://127.0.0.1:81/", true),
            ("http://127.0.0.1/", "http://192.168.0.1/", false),
            ("https://acme.github.io/", "https://other.github.io/", false),
        ] {
            assert_eq!(is_same_owner(&Url::parse(a).unwrap(), &Url::parse(b).unwrap()), same, "{a} {b}");
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let of = |url: &str| origin(&Url::parse(url).unwrap());
        assert_eq!(of("https://app.acme.test/a/b?c=1"), of("https://app.acme.test:443"));
        assert_ne!(of("https://app.acme.test/"), of("http://app.acme.test/"));
        assert_ne!(of("https://app.acme.test/"), of("https://app.acme.test:8443/"));
    }
}
