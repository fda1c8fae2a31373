//! Every source by its own example, and what must not be read as an answer.

use super::*;
use std::collections::BTreeSet;

const NAMES: [&str; 3] = ["a-1.eu.acme.test", "old.acme.test", "www.acme.test"];

fn told(source: &Source, status: u16, body: &str) -> Result<Page, Refusal> {
    source.page("acme.test", status, body.as_bytes())
}

#[test]
fn every_source_is_asked_for_the_domain_and_its_example_is_read_back() {
    let names: BTreeSet<String> = NAMES.map(str::to_owned).into();
    for source in all() {
        let request = source.request("acme.test", Some("k e/y"), None).unwrap();
        let target = request.url.strip_prefix(&format!("https://{}", source.host)).unwrap();
        let asked = source.asked(target).unwrap();
        assert!(asked.domain == "acme.test" && asked.is_first, "{}: {asked:?}", source.name);
        let shown = request.headers.iter().any(|(_, value)| value.contains("k e/y")) || target.contains("k%20e%2Fy");
        assert_eq!(shown, source.key != Key::None, "{}", source.name);
        assert_eq!(source.request("acme.test", None, None).is_none(), source.key == Key::Required, "{}", source.name);
        let page = told(source, 200, &source.answer("acme.test", &NAMES)).unwrap();
        assert_eq!(page.names, names, "{}", source.name);
        let nothing = told(source, 200, &source.answer("acme.test", &[])).unwrap();
        assert!(nothing.names.is_empty() && !source.goes_on(&nothing), "{}", source.name);
    }
    assert!(all().len() >= 25 && all().is_sorted_by_key(|source| source.name));
    assert_eq!(find("shodan").unwrap().pretty_name, "Shodan");
    assert!(find("nobody").is_none());
}

#[test]
fn what_is_no_answer_is_never_read_as_no_names() {
    for source in all() {
        for (status, refusal) in [
            (403, Refusal::Denied(403)),
            (429, Refusal::TooOften(429)),
            (500, Refusal::Status(500)),
            (302, Refusal::Status(302)),
        ] {
            assert_eq!(told(source, status, "").unwrap_err(), refusal, "{}", source.name);
        }
        if source.form != source::Form::Text {
            for body in ["<html>busy</html>", "\"later\"", "{\"unexpected\": 1}"] {
                let read = told(source, 200, body);
                let is_line = source.form == source::Form::Lines && !body.starts_with('<');
                assert!(matches!(read, Err(Refusal::Unreadable(_))) || is_line, "{} {body}: {read:?}", source.name);
            }
        }
    }
    for (name, body, why) in [
        ("hackertarget", "API count exceeded - Increase Quota with Membership", "API count exceeded"),
        ("hackertarget", "error check your search parameter", "error check"),
        ("shodan", r#"{"error": "Insufficient query credits"}"#, "Insufficient query credits"),
        ("alienvault", r#"{"error": "throttled", "passive_dns": []}"#, "throttled"),
        ("builtwith", r#"{"Results": [], "Errors": [{"Message": "no credits"}]}"#, "no credits"),
    ] {
        let refusal = told(find(name).unwrap(), 200, body).unwrap_err();
        assert!(matches!(&refusal, Refusal::Said(said) if said.contains(why)), "{name}: {refusal:?}");
    }
    assert_eq!(told(find("anubis").unwrap(), 300, "").unwrap(), Page::default());
    assert_eq!(told(find("virustotal").unwrap(), 404, "{}").unwrap(), Page::default());
}

#[test]
fn pages_are_asked_for_one_after_the_other() {
    let next = |name: &str, number: u32, body: &str| -> Option<String> {
        let source = find(name).unwrap();
        let page = told(source, 200, body).unwrap();
        let goes_on = source.goes_on(&page);
        goes_on.then(|| source.request("acme.test", Some("k"), Some((number, &page))).unwrap().url)
    };
    for (name, number, body, behind) in [
        ("certspotter", 0, r#"[{"id":"7","dns_names":["a.acme.test"]},{"id":"9","dns_names":[]}]"#, Some("&after=9")),
        ("certspotter", 1, "[]", None),
        ("virustotal", 0, r#"{"data":[{"id":"a.acme.test"}],"meta":{"cursor":"x/=="}}"#, Some("&cursor=x%2F%3D%3D")),
        ("virustotal", 1, r#"{"data":[{"id":"a.acme.test"}],"meta":{}}"#, None),
        ("shodan", 0, r#"{"subdomains":["a"],"more":true}"#, Some("&page=2")),
        ("shodan", 1, r#"{"subdomains":["a"],"more":false}"#, None),
        ("merklemap", 0, r#"{"results":[{"hostname":"a.acme.test"}]}"#, Some("&page=1")),
        ("merklemap", 3, r#"{"results":[{"hostname":"a.acme.test"}]}"#, Some("&page=4")),
        (
            "urlscan",
            0,
            r#"{"results":[{"page":{"domain":"a.acme.test"},"sort":[1,"u"]}],"has_more":true}"#,
            Some("&search_after=1%2Cu"),
        ),
        ("urlscan", 0, r#"{"results":[{"page":{"domain":"a.acme.test"},"sort":[1,"u"]}],"has_more":false}"#, None),
        ("securitytrails", 0, r#"{"subdomains":["a"]}"#, None),
    ] {
        let url = next(name, number, body);
        assert_eq!(url.is_some(), behind.is_some(), "{name} {number}: {url:?}");
        assert!(url.zip(behind).is_none_or(|(url, behind)| url.ends_with(behind)), "{name} {number}");
    }
}

#[test]
fn names_are_found_in_urls_tables_and_wildcards_and_nowhere_else() {
    let source = find("wayback").unwrap();
    let text = "http://User@OLD.acme.test:80/a?b=c.acme.test.evil.test\nhttps%3A//x.acme.test./\nacme.test \
                notacme.test *.dev.acme.test";
    let names = told(source, 200, text).unwrap().names;
    assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), ["dev.acme.test", "old.acme.test", "x.acme.test"]);
}

#[test]
fn a_file_that_does_not_fit_together_is_refused() {
    let file = |get: &str, more: &str| {
        format!(
            "pretty_name = \"X\"\nabout = \"\"\nhost = \"x.test\"\nget = \"{get}\"\n{more}\n\
             [example]\nanswer = \"\"\nitem = \"\"\n"
        )
    };
    for (get, more, word) in [
        ("/all", "form = \"text\"", "not asked for the domain"),
        ("/{domain}", "", "`names`"),
        ("/{domain}", "form = \"text\"\nkey = \"required\"", "`key`"),
        ("/{domain}?{key}", "form = \"text\"", "`key`"),
        ("/{domain}", "form = \"table\"", "table"),
        ("/{domain}", "form = \"text\"\nspeed = 1", "speed"),
    ] {
        let error = Source::read("x", &file(get, more)).unwrap_err();
        assert!(error.contains(word), "{get} {more}: {error}");
    }
    assert!(Source::read("x", &file("/{domain}", "form = \"text\"")).is_ok());
}
