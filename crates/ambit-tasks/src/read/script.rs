//! What scripts of a page call: paths of interfaces. Pure.

use super::parameters::is_name;
use ambit_net::http::Url;
use regex::Regex;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Interfaces of one script.
const CALLS_MAX: usize = 200;

/// A path in quotes behind what sends requests, also behind the place of a template that holds the site.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:\bfetch\(|\baxios(?:\.\w+)?\(|\bsendBeacon\(|\bnew (?:EventSource|WebSocket)\(",
        r#"|\.(?:get|post|put|patch|delete|ajax|request)\(|\.open\(\s*["'`][A-Z]+["'`]\s*,)\s*["'`]"#,
        r#"((?:(?:https?|wss?):|\$\{[A-Za-z0-9_$.]{1,80}\})?/[^\s"'`<>\\]{1,300})["'`]"#,
    ))
    .expect("constant")
});
/// A path in quotes that is relative, behind what does nothing but send requests.
static NEAR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:\bfetch\(|\baxios(?:\.\w+)?\(|\bsendBeacon\(|\bnew EventSource\(",
        r#"|\.open\(\s*["'`][A-Z]+["'`]\s*,)\s*["'`]"#,
        r#"((?:\.{1,2}/)?[A-Za-z0-9_.-]{1,80}/[^\s"'`<>\\]{0,300})["'`]"#,
    ))
    .expect("constant")
});
/// The value of a name, where a script says it: a site, a path below which something lies, or both.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?-u:\b)([A-Za-z_$][A-Za-z0-9_$]{0,60})["']?\s*[:=]\s*["'`]"#,
        r#"((?:https?://[a-z0-9.-]{1,100}(?::[0-9]{1,5})?)?(?:/[A-Za-z0-9_./~-]{0,100})?)["'`]"#,
    ))
    .expect("constant")
});
/// Another script that a script loads.
static PART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:\bimport\s*\(\s*|\bimport\s*|\bfrom\s*)",
        r#"["'`]((?:\.{0,2}/|https?://)[^\s"'`<>\\$?#]{1,300}\.m?js)["'`]"#,
    ))
    .expect("constant")
});
/// A path in quotes that is one of an interface by its first parts.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"["'`]((?:https?://[a-z0-9.-]{1,200}(?::\d{1,5})?)?"#,
        r#"/(?:api|rest|graphql|gql|v\d{1,2}|ajax|rpc|odata)(?:/[^\s"'`<>\\]{0,300})?)["'`]"#,
    ))
    .expect("constant")
});
/// What templates put into a path: `${id}`, `:id`.
static HOLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\$\{[^}]*\}|:[A-Za-z_]\w*").expect("constant"));

/// Interfaces that a script calls, absolute, without their queries, each with the names of the parameters in its query.
/// What a template fills in is `{}`.
pub(crate) fn calls(text: &str, script: &Url) -> BTreeMap<String, BTreeSet<String>> {
    let is_file = |url: &str| [".js", ".css", ".png", ".svg", ".html"].iter().any(|end| url.ends_with(end));
    let mut called: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // A page asks for what is near from where it is; a script does not know which page that is.
    let is_script = script.path_only().ends_with("js");
    let page = if is_script { script.with_path("/") } else { script.clone() };
    let far = CALL.captures_iter(text).chain(PATH.captures_iter(text)).map(|found| (found, script));
    for (found, base) in far.chain(NEAR.captures_iter(text).map(|found| (found, &page))) {
        let reference = with_base(&found[1], text);
        let (path, query) = reference.split_once('?').unwrap_or((&reference, ""));
        let Some(url) = filled(path, base).filter(|url| !is_file(url)) else { continue };
        if called.len() < CALLS_MAX || called.contains_key(&url) {
            let names = query.split(['&', '#']).filter_map(|pair| pair.split('=').next());
            called.entry(url).or_default().extend(names.filter(|name| is_name(name)).map(str::to_owned));
        }
    }
    called
}

/// Scripts that a script loads, absolute.
pub(crate) fn parts(text: &str, script: &Url) -> BTreeSet<String> {
    let found = PART.captures_iter(text).filter_map(|found| script.join(&found[1]).ok());
    found.map(|url| url.to_string()).take(CALLS_MAX).collect()
}

/// A reference with the value of the name that it begins with, where the script says that; without it where the script
/// does not. The schemes of sockets are those of the web.
fn with_base<'a>(reference: &'a str, text: &str) -> Cow<'a, str> {
    if let Some(socket) = reference.strip_prefix("ws").filter(|rest| rest.starts_with([':', 's'])) {
        return Cow::Owned(format!("http{socket}"));
    }
    let Some((name, path)) = reference.strip_prefix("${").and_then(|rest| rest.split_once('}')) else {
        return Cow::Borrowed(reference);
    };
    let name = name.rsplit('.').next().unwrap_or(name);
    let value = NAMED.captures_iter(text).find(|found| &found[1] == name);
    let value = value.map_or(String::new(), |found| found[2].trim_end_matches('/').to_owned());
    Cow::Owned(value + path)
}

/// The URL of a path or URL that stands in a script, with `{}` for what a template fills in.
fn filled(reference: &str, script: &Url) -> Option<String> {
    let path = reference.split('#').next().unwrap_or_default();
    let (site, path) = match path.find("://").and_then(|at| path[at + 3..].find('/').map(|slash| at + 3 + slash)) {
        Some(slash) => path.split_at(slash),
        None => ("", path),
    };
    let filled = HOLE.replace_all(path, "{}");
    let url = if site.is_empty() { script.join(&filled) } else { Url::parse(&format!("{site}{filled}")) };
    url.ok().map(|url| url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Url {
        Url::parse("https://app.acme.test/static/app.js").unwrap()
    }

    #[test]
    fn what_is_called_is_told_from_other_texts() {
        let text = r#"fetch(`/orders/list?x=1&sort=${order}&${rest}`);axios.post('/basket');http.get(`/users/${id}/mail`);
            const base="https://api.acme.test/v2/items";x.open("GET","/status");const p="/api/v1/login";
            a.href="/about";b="/static/logo.png";c="/apiary";//.get("not a path")"#;
        let calls = calls(text, &script());
        let found: Vec<&str> = calls.keys().map(String::as_str).collect();
        assert_eq!(
            found,
            [
                "https://api.acme.test/v2/items",
                "https://app.acme.test/api/v1/login",
                "https://app.acme.test/basket",
                "https://app.acme.test/orders/list",
                "https://app.acme.test/status",
                "https://app.acme.test/users/{}/mail",
            ]
        );
        let listed = &calls["https://app.acme.test/orders/list"];
        assert_eq!(listed.iter().map(String::as_str).collect::<Vec<_>>(), ["sort", "x"]);
        assert!(calls["https://app.acme.test/basket"].is_empty());
    }

    #[test]
    fn calls_are_told_however_they_are_made() {
        for (text, called) in [
            ("fetch(`${base}/api/users`)", Some("https://app.acme.test/api/users")),
            (
                "const base='https://api.acme.test/v2/';fetch(`${base}/users/${id}`)",
                Some("https://api.acme.test/v2/users/{}"),
            ),
            ("c={baseUrl:\"/rest\"};fetch(`${this.c.baseUrl}/users`)", Some("https://app.acme.test/rest/users")),
            ("fetch('api/rel')", Some("https://app.acme.test/api/rel")),
            ("axios.get('./api/rel')", Some("https://app.acme.test/api/rel")),
            ("navigator.sendBeacon('/beacon',d)", Some("https://app.acme.test/beacon")),
            ("new EventSource(\"/events\")", Some("https://app.acme.test/events")),
            ("new WebSocket('wss://app.acme.test/socket/live')", Some("https://app.acme.test/socket/live")),
            ("new WebSocket(`ws://app.acme.test/socket`)", Some("http://app.acme.test/socket")),
            ("fetch(\"//api.acme.test/proto\")", Some("https://api.acme.test/proto")),
            ("map.get('a/b')", None),
            ("fetch('name')", None),
            ("import('./chunk.js')", None),
        ] {
            let found = calls(text, &script());
            let is_right = called.map_or(found.is_empty(), |called| found.contains_key(called));
            assert!(is_right, "{text}: {found:?}");
        }
        let page = Url::parse("https://app.acme.test/desk/start").unwrap();
        assert!(calls("fetch('api/rel')", &page).contains_key("https://app.acme.test/desk/api/rel"));
    }

    #[test]
    fn scripts_that_a_script_loads_are_told() {
        let text = "import('./chunk-a.js');import(/* x */ './b.js');import{c}from\"/lib/c.mjs\";import './d.js';\
                    import('lodash');from('./e.css');import(`./${name}.js`);import 'https://cdn.test/f.js'";
        let parts: Vec<String> = parts(text, &script()).into_iter().collect();
        assert_eq!(
            parts,
            [
                "https://app.acme.test/lib/c.mjs",
                "https://app.acme.test/static/chunk-a.js",
                "https://app.acme.test/static/d.js",
                "https://cdn.test/f.js",
            ]
        );
    }
}
