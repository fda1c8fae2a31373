//! Forms in which people sign in: how one is filled in. Pure: a page in, what is sent out.

use ambit_net::http::Url;
use scraper::{Html, Selector};
use std::sync::LazyLock;

/// Fields that are sent at most.
const FIELDS_MAX: usize = 100;

static FORM: LazyLock<Selector> = LazyLock::new(|| Selector::parse("form").expect("the selector is constant"));
static BUTTON: LazyLock<Selector> = LazyLock::new(|| {
    let text = "button:not([type=button i]):not([type=reset i]), input[type=submit i], input[type=image i]";
    Selector::parse(text).expect("the selector is constant")
});
static FIELD: LazyLock<Selector> = LazyLock::new(|| Selector::parse("input").expect("the selector is constant"));

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
                    passwords += 1;
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
            "<p>Welcome",
        ] {
            assert_eq!(sent(other), None, "{other}");
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
