//! What the judges of sites share: scheme and host of a Uri's name, its answer's headers and cookies.

use crate::look;
use ambit_model::entity::host_of;
use ambit_model::entity::uri::{self, Cookie};
use ambit_model::issue::Verdict;
use ambit_model::{Facts, TaskName};
use serde_json::json;
use std::net::IpAddr;

/// True for `https://`.
pub(crate) fn is_encrypted(facts: &Facts) -> bool {
    facts.name.starts_with("https://")
}

/// Judges what must not be asked for without encryption, by what a look at the site saw: `defect` says it in a
/// sentence.
pub(crate) fn in_the_clear(facts: &Facts, defect: impl FnOnce(&Facts) -> Option<String>) -> Verdict {
    if is_encrypted(facts) {
        return Verdict::Clear;
    }
    look::after(facts, TaskName::HttpEnrich, |facts| {
        let proof = |description| look::proof(description, json!({"uri": facts.name}));
        defect(facts).map(proof).into_iter().collect()
    })
}

/// The host, where it is a name. A site by address is the same server's default site: what a name's site lacks is said
/// there.
pub(crate) fn host_name(facts: &Facts) -> Option<&str> {
    let host = host_of(&facts.name);
    host.parse::<IpAddr>().is_err().then_some(host)
}

/// The values of a header of the final answer, in order.
pub(crate) fn header<'a>(facts: &'a Facts, name: &'a str) -> impl Iterator<Item = &'a str> {
    uri::HEADERS
        .texts(&facts.details)
        .filter_map(|line| line.split_once(':'))
        .filter(move |(key, _)| key.trim().eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
}

/// True where the site itself answered with a page: 200 and HTML, no redirect.
pub(crate) fn is_page(facts: &Facts) -> bool {
    let html = header(facts, "content-type").any(|kind| kind.to_ascii_lowercase().starts_with("text/html"));
    html && uri::CODE.text(&facts.details) == Some("200")
}

/// The cookies that the answer set.
pub(crate) fn cookies(facts: &Facts) -> impl Iterator<Item = Cookie> {
    uri::COOKIES.items(&facts.details)
}

/// Sorted names for a proof.
pub(crate) fn sorted(names: impl Iterator<Item = impl Into<String>>) -> Vec<String> {
    let mut names: Vec<String> = names.map(Into::into).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::Kind;

    #[test]
    fn hosts_are_names_or_addresses() {
        let host = |name: &str| host_name(&facts(Kind::Uri, name)).map(str::to_owned);
        assert_eq!(host("https://www.acme.test/login").as_deref(), Some("www.acme.test"));
        assert_eq!(host("https://192.0.2.1"), None);
        assert_eq!(host("http://[2001:db8::1]:8080"), None);
    }

    #[test]
    fn a_page_is_html_with_code_200() {
        let page = |code: &str, kind: &str| {
            is_page(&facts(Kind::Uri, "http://a.test").with(json!({"code": code, "headers": [kind]})))
        };
        assert!(page("200", "content-type: Text/HTML; charset=utf-8"));
        assert!(!page("302", "Content-Type: text/html"));
        assert!(!page("200", "Content-Type: application/json"));
        assert!(!page("200", "X-Content-Type: text/html"));
    }
}
