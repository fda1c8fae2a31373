//! What scripts of a page call: paths of interfaces. Pure.

use super::parameters::is_name;
use ambit_net::http::Url;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Interfaces of one script.
const CALLS_MAX: usize = 200;

/// A path in quotes behind what sends requests.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?:\bfetch\(|\baxios(?:\.\w+)?\(|\.(?:get|post|put|patch|delete|ajax|request)\(|\.open\(\s*["'`][A-Z]+["'`]\s*,)\s*["'`]((?:https?:)?/[^\s"'`<>\\]{1,300})["'`]"#,
    )
    .expect("constant")
});
/// A path in quotes that is one of an interface by its first parts.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["'`]((?:https?://[a-z0-9.-]{1,200}(?::\d{1,5})?)?/(?:api|rest|graphql|gql|v\d{1,2}|ajax|rpc|odata)(?:/[^\s"'`<>\\]{0,300})?)["'`]"#)
        .expect("constant")
});
/// What templates put into a path: `${id}`, `:id`.
static HOLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\$\{[^}]*\}|:[A-Za-z_]\w*").expect("constant"));

/// Interfaces that a script calls, absolute, without their queries, each with the names of the parameters in its query.
/// What a template fills in is `{}`.
pub(crate) fn calls(text: &str, script: &Url) -> BTreeMap<String, BTreeSet<String>> {
    let is_file = |url: &str| [".js", ".css", ".png", ".svg", ".html"].iter().any(|end| url.ends_with(end));
    let mut called: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for found in CALL.captures_iter(text).chain(PATH.captures_iter(text)) {
        let reference = &found[1];
        let (path, query) = reference.split_once('?').unwrap_or((reference, ""));
        let Some(url) = filled(path, script).filter(|url| !is_file(url)) else { continue };
        if called.len() < CALLS_MAX || called.contains_key(&url) {
            let names = query.split(['&', '#']).filter_map(|pair| pair.split('=').next());
            called.entry(url).or_default().extend(names.filter(|name| is_name(name)).map(str::to_owned));
        }
    }
    called
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
}
