//! What an application shows to somebody whose password is right and who is not signed in all the same: that it asks
//! for a second factor, or that it locks out who tried too often. Pure.

use super::page::Page;
use ambit_net::http::Url;
use std::collections::BTreeSet;

/// Parts of a path, without `-` and `_`, that are where a second factor is asked for.
const STEPS: &[&str] = &[
    "2fa",
    "2step",
    "mfa",
    "multifactor",
    "onetimecode",
    "onetimepassword",
    "otp",
    "secondfactor",
    "tfa",
    "totp",
    "twofactor",
    "twofactorauth",
    "twofactorauthentication",
    "twostep",
    "twostepverification",
];
/// The same where the page has a form for a code as well.
const CHECKS: &[&str] = &["challenge", "checkpoint", "confirm", "verification", "verify"];
/// Names of fields for a code that are used for other things too.
const CODES: &[&str] = &["code", "otc", "passcode", "pin", "token"];
/// What pages say who let nobody in for a while, in small letters.
const LOCKED: &[&str] = &[
    "account has been blocked",
    "account has been locked",
    "account has been temporarily",
    "account is blocked",
    "account is locked",
    "account is temporarily",
    "compte a été bloqué",
    "compte a été verrouillé",
    "compte est bloqué",
    "compte est verrouillé",
    "conta bloqueada",
    "cuenta bloqueada",
    "cuenta está bloqueada",
    "cuenta ha sido bloqueada",
    "demasiados intentos",
    "konto ist gesperrt",
    "konto wurde gesperrt",
    "locked out",
    "muitas tentativas",
    "te veel inlogpogingen",
    "te veel mislukte",
    "te veel pogingen",
    "temporarily blocked",
    "temporarily locked",
    "too many attempts",
    "too many failed",
    "too many incorrect",
    "too many login",
    "too many sign-in",
    "too many tries",
    "too many unsuccessful",
    "trop de tentatives",
    "troppi tentativi",
    "vorübergehend gesperrt",
    "zbyt wiele prób",
    "zu viele anmeldeversuche",
    "zu viele fehlgeschlagene",
    "zu viele fehlversuche",
    "zu viele versuche",
];

/// Returns whether a URL is by its path one where a second factor is asked for.
pub(crate) fn is_second_step(url: &Url) -> bool {
    parts(url).any(|part| STEPS.contains(&&*part))
}

/// Returns whether a page asks for a second factor, and for no password beside it.
pub(crate) fn asks_second_factor(page: &Page, url: &Url) -> bool {
    let is_check = parts(url).any(|part| CHECKS.contains(&&*part));
    let is_code = |field: &String| is_check && CODES.contains(&field.to_ascii_lowercase().as_str());
    let asks = page.forms.iter().any(|form| !form.password && (form.code || form.fields.iter().any(is_code)));
    asks && !page.forms.iter().any(|form| form.password)
}

/// Returns what a page says where it locks out who tried too often.
pub(crate) fn locks_out(page: &Page) -> BTreeSet<&'static str> {
    let words: Vec<&str> = page.title.as_deref().unwrap_or_default().split_whitespace().collect();
    let words = words.into_iter().chain(page.text.split_whitespace()).collect::<Vec<_>>().join(" ").to_lowercase();
    LOCKED.iter().copied().filter(|said| words.contains(said)).collect()
}

fn parts(url: &Url) -> impl Iterator<Item = String> {
    let parts = url.path_only().split('/').map(|part| part.split('.').next().unwrap_or_default());
    parts
        .map(|part| part.chars().filter(|letter| !matches!(letter, '-' | '_')).collect::<String>().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str, path: &str) -> (Page, Url) {
        let url = Url::parse(&format!("https://app.acme.test{path}")).unwrap();
        (Page::parse(html, &url), url)
    }

    #[test]
    fn a_second_factor_is_told_by_its_field_or_its_place() {
        assert!(STEPS.is_sorted() && CHECKS.is_sorted() && CODES.is_sorted());
        for (html, path, asks) in [
            ("<form method=post><input name=user[otp_attempt]></form>", "/users/sign_in", true),
            ("<form method=post><input name=c autocomplete=one-time-code></form>", "/login", true),
            ("<form method=post><input name=code><button>Go</button></form>", "/login/verify", true),
            ("<form method=post><input name=code><button>Use voucher</button></form>", "/cart", false),
            ("<form method=post><input name=u><input type=password name=p><input name=otp></form>", "/login", false),
            ("<form method=post action=/logout></form>", "/", false),
        ] {
            let (page, url) = page(html, path);
            assert_eq!(asks_second_factor(&page, &url), asks, "{html}");
        }
        for (path, is_step) in [
            ("/users/two_factor_authentication", true),
            ("/login/2fa?next=%2F", true),
            ("/auth/Two-Factor.aspx", true),
            ("/help/2fa-setup", false),
            ("/login", false),
        ] {
            assert_eq!(is_second_step(&page("", path).1), is_step, "{path}");
        }
    }

    #[test]
    fn a_page_that_locks_out_says_so_in_its_text_alone() {
        assert!(LOCKED.is_sorted());
        for (html, says) in [
            ("<p>Too many\n attempts. Try again in 15 minutes.", Some("too many attempts")),
            ("<title>Account is locked</title>", Some("account is locked")),
            ("<p>Zu viele Fehlversuche", Some("zu viele fehlversuche")),
            ("<script>say('Too many attempts')</script>", None),
            ("<p>Welcome", None),
        ] {
            assert_eq!(locks_out(&page(html, "/").0).into_iter().next(), says, "{html}");
        }
    }
}
