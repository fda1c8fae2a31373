//! What an answer shows that it should not, without anybody attacking. Pure: an answer in, defects out, by the name of
//! the issue that each is.

use super::defect::{Shown, searched};
use super::page::Page;
use super::{echo, web_token};
use crate::ask::web;
use ambit_net::http::{HttpExchange, Url};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The header with the content policy.
const POLICY: &str = "content-security-policy";
/// Characters of a proof.
const PROOF_CHARS_MAX: usize = 160;

/// An error of the inside of an application. A page for people may quote one, so that these count in error answers
/// alone.
static TRACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?:Traceback \(most recent call last\):\s+File "[^"]+", line \d+"#,
        r"|\bat [\w$.<>]+\([\w$]+\.(?:java|kt|scala):\d+\)",
        r"|\bat [\w.<>`]+\([^)]*\) in [^\r\n]{1,200}\.cs:line \d+",
        r"|\bat (?:[\w.<> \[\]]+ )?\(?(?:/|[A-Z]:\\)[^\s()]{1,200}\.[cm]?[jt]s:\d+:\d+\)?",
        r"|goroutine \d+ \[running\]:",
        r"|[\w/.-]+\.rb:\d+:in [`'][^'`]+'",
        r"|(?:SQLSTATE\[\w+\]|ORA-\d{5}:|You have an error in your SQL syntax|PG::\w+Error)",
        r"|Unclosed quotation mark after",
        r"|\[(?:HttpException|SqlException|NullReferenceException)[^\]]*\])",
    ))
    .expect("constant")
});
/// An error that PHP writes into a page, whatever its status.
static PHP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"<b>(?:Fatal error|Parse error|Warning|Notice|Deprecated)</b>:\s+[^<]{1,300} in <b>/[^<]+</b>",
        r" on line <b>\d+</b>"
    ))
    .expect("constant")
});

/// What one answer shows.
pub(crate) fn defects(exchange: &HttpExchange, page: Option<&Page>) -> Vec<Shown> {
    let mut found = Vec::new();
    let text = searched(exchange);
    found.extend(error(exchange.status, &text).map(|proof| ("verbose_error_page", proof)));
    found.extend(private_in_caches(exchange).map(|proof| ("cacheable_private_answer", proof)));
    found.extend(echo::defects(exchange));
    found.extend(web_token::defects(exchange));
    if let Some(page) = page {
        let policies = policies(exchange, page);
        if exchange.url.https && !is_upgraded(&policies) {
            found.extend(unencrypted(page).map(|proof| ("mixed_content", proof)));
        }
        found.extend(weak_policies(&policies).map(|why| ("weak_content_policy", why)));
    }
    found
}

/// The first line of an error of the application itself.
fn error(status: u16, text: &str) -> Option<String> {
    let trace = (status >= 400).then(|| TRACE.find(text)).flatten();
    trace.or_else(|| PHP.find(text)).map(|found| shortened(found.as_str()))
}

/// What an encrypted page runs without encryption, or a password that it sends so. Pictures and films do not count:
/// browsers show them, and nothing in the page follows from them.
fn unencrypted(page: &Page) -> Option<String> {
    // This machine is reached by no line that somebody could listen to.
    let is_near = |url: &Url| {
        url.ip().is_some_and(|address| address.is_loopback())
            || url.host.rsplit('.').next().is_some_and(|label| label == "localhost")
    };
    let is_plain = |url: &str| Url::parse(url).is_ok_and(|url| !url.https && !is_near(&url));
    let loaded = page.active.iter().find(|url| is_plain(url)).map(|url| shortened(url));
    let sent = || page.forms.iter().find(|form| form.password && is_plain(&form.action));
    loaded.or_else(|| sent().map(|form| shortened(&format!("a form with a password is sent to {}", form.action))))
}

/// The content policies of an answer: those of its headers, of which a comma parts several, and those in its page.
fn policies(exchange: &HttpExchange, page: &Page) -> Vec<String> {
    let headers = exchange.headers.iter().filter(|(name, _)| name.raw().eq_ignore_ascii_case(POLICY));
    let sent = headers.flat_map(|(_, value)| value.raw().split(',').map(str::to_ascii_lowercase).collect::<Vec<_>>());
    let held = page.policies.iter().map(|policy| policy.to_ascii_lowercase());
    sent.chain(held).filter(|policy| !policy.trim().is_empty()).collect()
}

/// Whether browsers encrypt by themselves what the page loads.
fn is_upgraded(policies: &[String]) -> bool {
    let mut directives = policies.iter().flat_map(|policy| policy.split(';'));
    directives.any(|directive| directive.trim() == "upgrade-insecure-requests")
}

/// An answer that sets a cookie, and that shared caches may keep.
fn private_in_caches(exchange: &HttpExchange) -> Option<String> {
    web::header(exchange, "set-cookie")?;
    let control = web::header(exchange, "cache-control")?.to_ascii_lowercase();
    let words: BTreeSet<&str> = control.split(',').map(str::trim).collect();
    let guarded = words.iter().any(|word| {
        let name = word.split('=').next().unwrap_or(word);
        matches!(name, "private" | "no-store" | "no-cache")
    });
    let seconds = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.parse::<u64>().ok());
    let kept = words.contains("public") || seconds("s-maxage=").is_some_and(|seconds| seconds > 0);
    (kept && !guarded).then(|| format!("Set-Cookie beside Cache-Control: {}", shortened(&control)))
}

/// Why no policy stops a script: a browser runs what all of them allow. `None` where one does, and where there is
/// none, which is another defect.
fn weak_policies(policies: &[String]) -> Option<String> {
    let weak: Option<Vec<String>> = policies.iter().map(|policy| weak_policy(policy)).collect();
    weak?.into_iter().next()
}

/// Why a policy, in lower case, stops no script.
fn weak_policy(policy: &str) -> Option<String> {
    let directive = |name: &str| {
        let mut parts = policy.split(';').map(|part| part.split_ascii_whitespace().collect::<Vec<_>>());
        parts.find(|words| words.first() == Some(&name)).map(|words| words[1..].to_vec())
    };
    let sources = directive("script-src").or_else(|| directive("default-src")).unwrap_or_else(|| vec!["*"]);
    // What a nonce or hash allows is all that may run: browsers then ignore the rest.
    let by_nonce = sources.iter().any(|source| source.starts_with("'nonce-") || source.starts_with("'sha"));
    let strict = sources.contains(&"'strict-dynamic'");
    let open = sources.iter().find(|source| matches!(**source, "*" | "http:" | "https:" | "data:"));
    if sources.contains(&"'unsafe-inline'") && !by_nonce {
        Some("scripts: 'unsafe-inline'".to_owned())
    } else {
        open.filter(|_| !(by_nonce && strict)).map(|source| format!("scripts from {source}"))
    }
}

fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(PROOF_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_inside_are_told_from_pages_that_quote_one() {
        let python = "<pre>Traceback (most recent call last):\n  File \"/srv/app/views.py\", line 12, in get";
        for (status, text, is_one) in [
            (500, python, true),
            (200, python, false),
            (500, "java.lang.IllegalStateException\n\tat com.acme.Orders.load(Orders.java:41)", true),
            (500, "We met at Acme (Orders.java is a file) and an error occurred", false),
            (500, "TypeError: x\n    at load (/srv/app/orders.js:10:5)", true),
            (404, "Not Found", false),
            (400, "SQLSTATE[42000]: Syntax error or access violation", true),
            (200, "<b>Fatal error</b>:  Uncaught Error in <b>/var/www/x.php</b> on line <b>12</b>", true),
            (200, "<p>A <b>Warning</b>: mind the step in <b>hall</b> on line <b>U1</b>", false),
            (500, "goroutine 17 [running]:\nmain.main()", true),
            (503, "Traceback of the parcel: not found", false),
        ] {
            assert_eq!(error(status, text).is_some(), is_one, "{status} {text}");
        }
    }

    #[test]
    fn a_policy_is_weak_where_any_script_may_run() {
        for (policy, why) in [
            ("default-src 'self'", None),
            ("script-src 'self' 'unsafe-inline'", Some("scripts: 'unsafe-inline'")),
            ("script-src 'nonce-abc' 'unsafe-inline' https:; object-src 'none'", Some("scripts from https:")),
            ("script-src 'nonce-abc' 'strict-dynamic' 'unsafe-inline' https:", None),
            ("default-src *", Some("scripts from *")),
            ("default-src\t'self';\tscript-src\t'self'\t'unsafe-inline'", Some("scripts: 'unsafe-inline'")),
            ("script-src\t'self'; default-src *", None),
            ("default-src *; script-src", None),
            ("script-src https://cdn.acme.test", None),
            ("frame-ancestors 'none'", Some("scripts from *")),
        ] {
            assert_eq!(weak_policy(policy).as_deref(), why, "{policy:?}");
        }
    }

    #[test]
    fn a_policy_in_the_page_counts_beside_those_of_the_header() {
        let of = |html: &str| Page::parse(html, &Url::parse("https://app.acme.test/").unwrap()).policies;
        let strict = "<meta http-equiv=Content-Security-Policy content=\"default-src 'self'\">";
        let open = "<meta http-equiv='content-security-policy' content='default-src *'>";
        assert_eq!(weak_policies(&of(strict)), None);
        assert_eq!(weak_policies(&of(open)).as_deref(), Some("scripts from *"));
        assert_eq!(weak_policies(&of(&format!("{open}{strict}"))), None, "what one stops does not run");
        assert_eq!(weak_policies(&[]), None);
        assert!(is_upgraded(&of("<meta http-equiv=content-security-policy content='upgrade-insecure-requests'>")));
    }

    #[test]
    fn parts_without_encryption_count_where_they_run() {
        for (html, shown) in [
            ("<script src='http://cdn.test/a.js'>", Some("http://cdn.test/a.js")),
            ("<script src='http://cdn.test/pixel.png' type=module>", Some("http://cdn.test/pixel.png")),
            ("<link rel='x StyleSheet' href='http://cdn.test/a.css'>", Some("http://cdn.test/a.css")),
            ("<iframe src='http://cdn.test/'>", Some("http://cdn.test/")),
            ("<object data='http://cdn.test/a.swf'>", Some("http://cdn.test/a.swf")),
            ("<embed src='http://cdn.test/a'>", Some("http://cdn.test/a")),
            ("<style>p{} @import url( 'http://cdn.test/b.css' );</style>", Some("http://cdn.test/b.css")),
            ("<style>@IMPORT \"http://cdn.test/c.css\" screen;</style>", Some("http://cdn.test/c.css")),
            (
                "<form method=post action='http://id.test/in'><input type=password name=p></form>",
                Some("a form with a password is sent to http://id.test/in"),
            ),
            ("<form method=post action='http://id.test/find'><input name=q></form>", None),
            ("<style>/* @import 'http://cdn.test/b.css'; */ p{background:url(http://cdn.test/b)}</style>", None),
            ("<img src='http://cdn.test/pixel?x=1'><img src='http://cdn.test/a.avif'>", None),
            ("<video src='http://cdn.test/a'><source src='http://cdn.test/b'></video>", None),
            ("<img src='http://cdn.test/a.png'><a href='http://cdn.test/'>x</a>", None),
            ("<template><script src='http://cdn.test/a.js'></script></template>", None),
            ("<script type='text/x-template' src='http://cdn.test/a'></script>", None),
            ("<link rel=icon href='http://cdn.test/a.ico'>", None),
            ("<script src='//cdn.test/a.js'></script>", None),
            ("<script src='http://localhost:3000/a.js'></script>", None),
        ] {
            let page = Page::parse(html, &Url::parse("https://app.acme.test/").unwrap());
            assert_eq!(unencrypted(&page).as_deref(), shown, "{html}");
        }
    }
}
