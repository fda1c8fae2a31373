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

/// The file of a source that is asked so, with more lines.
fn file(get: &str, more: &str) -> String {
    format!(
        "pretty_name = \"X\"\nabout = \"\"\nhost = \"x.test\"\nget = \"{get}\"\n{more}\n\
         [example]\nanswer = \"\"\nitem = \"\"\n"
    )
}

#[test]
fn a_file_that_does_not_fit_together_is_refused() {
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

/// A source that answers in JSON, and one more line of its file.
fn source(more: &str) -> Source {
    let says_names = more.contains("form = \"text\"") || more.contains("names = ");
    let names = if says_names { "" } else { "names = [\"names/*\"]\n" };
    Source::read("x", &file("/{domain}", &format!("{names}{more}"))).unwrap_or_else(|error| panic!("{more}: {error}"))
}

/// What is read of an answer: names, and what is said of more; or why nothing is.
fn read(more: &str, status: u16, body: &str) -> String {
    match source(more).page("acme.test", status, body.as_bytes()) {
        Ok(page) => {
            let names = page.names.into_iter().map(|name| name.replace(".acme.test", "")).collect::<Vec<_>>();
            let more = page.more.map(|more| format!(" more {more}")).unwrap_or_default();
            let cursor = page.cursor.map(|cursor| format!(" from {cursor}")).unwrap_or_default();
            format!("{} of {}{more}{cursor}", names.join(","), page.told)
        }
        Err(refusal) => refusal.to_string(),
    }
}

/// A line of the file, status, body, and what is read.
const READ: &[(&str, u16, &str, &str)] = &[
    ("", 200, r#"{"names":["A.acme.test","b.acme.test.","*.c.acme.test"]}"#, "a,b,c of 3"),
    ("", 200, r#"{"names":["acme.test",".acme.test","xacme.test","a.acme.test.evil.test"]}"#, " of 4"),
    ("", 200, r#"{"names":["https://u:p@d.acme.test:8443/x?y=e.acme.test"]}"#, "d,e of 1"),
    ("", 200, r#"{"names":["f.acme.test, g.acme.test"]}"#, "f,g of 1"),
    ("", 200, r#"{"names":[1,null,{"a":"h.acme.test"},["i.acme.test"]]}"#, "i of 1"),
    ("", 200, r#"{"names":[]}"#, " of 0"),
    ("", 200, r#"{"names":null}"#, " of 0"),
    ("", 200, r#"{"names":"j.acme.test"}"#, "its answer cannot be read: it has no list `names/*`"),
    ("", 200, r#"{"other":[]}"#, "its answer cannot be read: it has no list `names/*`"),
    ("", 200, "[]", "its answer cannot be read: it has no list `names/*`"),
    ("", 401, "", "it does not accept the key (status 401)"),
    ("", 402, "", "it does not accept the key (status 402)"),
    ("", 404, "{}", "status 404"),
    ("", 429, "{}", "it was asked too often (status 429)"),
    ("nothing = [404]", 404, "{}", " of 0"),
    ("nothing = [404]", 403, "{}", "it does not accept the key (status 403)"),
    ("labels = true", 200, r#"{"names":["a","*.b","c.","d.eu"]}"#, "a,b,c,d.eu of 4"),
    ("names = [\"names/*\", \"more/*/name\"]", 200, r#"{"more":[{"name":"a.acme.test"},{}]}"#, "a of 1"),
    ("names = [\"names/*\", \"more/*/name\"]", 200, r#"{"names":["b.acme.test"],"more":7}"#, "b of 1"),
    ("names = [\"*\"]", 200, r#"["a.acme.test"]"#, "a of 1"),
    ("names = [\"*\"]", 200, r#"{"0":"a.acme.test"}"#, "its answer cannot be read: it has no list `*`"),
    ("cursor = \"next\"", 200, r#"{"names":["a.acme.test"],"next":"x"}"#, "a of 1 from x"),
    ("cursor = \"next\"", 200, r#"{"names":["a.acme.test"],"next":""}"#, "a of 1"),
    ("cursor = \"next\"", 200, r#"{"names":["a.acme.test"],"next":null}"#, "a of 1"),
    ("cursor = \"next\"", 200, r#"{"names":["a.acme.test"],"next":7}"#, "a of 1 from 7"),
    ("cursor = \"rows/@last/at\"", 200, r#"{"names":[],"rows":[{"at":1},{"at":[2,"z"]}]}"#, " of 0 from 2,z"),
    ("more = \"more\"", 200, r#"{"names":[],"more":true}"#, " of 0 more true"),
    ("more = \"more\"", 200, r#"{"names":[],"more":"true"}"#, " of 0 more false"),
    ("more = \"more\"", 200, r#"{"names":[]}"#, " of 0 more false"),
    ("refused = [\"error\"]", 200, r#"{"names":["a.acme.test"],"error":"too\n many"}"#, "it says: too many"),
    ("refused = [\"error\"]", 200, r#"{"names":["a.acme.test"],"error":true}"#, "it says: error"),
    ("refused = [\"error\"]", 200, r#"{"names":["a.acme.test"],"error":{"code":7}}"#, "it says: {\"code\":7}"),
    ("refused = [\"error\"]", 200, r#"{"names":["a.acme.test"],"error":" "}"#, "a of 1"),
    ("refused = [\"error\"]", 200, r#"{"names":["a.acme.test"],"error":false}"#, "a of 1"),
    ("refused = [\"error\"]", 200, r#"{"names":["a.acme.test"],"error":[]}"#, "a of 1"),
    ("refused = [\"error\"]", 200, r#"{"names":["a.acme.test"],"error":null}"#, "a of 1"),
    ("form = \"lines\"", 200, "{\"names\":[\"a.acme.test\"]}\n\n{\"names\":[\"b.acme.test\"]}", "a,b of 2"),
    ("form = \"lines\"", 200, "", " of 0"),
    ("form = \"text\"", 200, "<td>a.acme.test</td>\nb.acme.test,1", "a,b of 2"),
    ("form = \"text\"\nrefused = [\"error\"]", 200, "  error: no", "it says: error: no"),
    ("form = \"text\"\nrefused = [\"error\"]", 200, "a.acme.test error", "a of 1"),
    ("form = \"text\"", 200, "\u{fffd}\0a.acme.test\0", "a of 1"),
];

#[test]
fn answers_are_read_as_their_form_says() {
    for (more, status, body, expected) in READ {
        assert_eq!(read(more, *status, body), *expected, "{more} {status} {body}");
    }
    let unreadable = read("form = \"lines\"", 200, "{\"names\":[\"a.acme.test\"]}\n<html>");
    assert!(unreadable.starts_with("its answer cannot be read: "), "{unreadable}");
    let long = read("refused = [\"error\"]", 200, &format!("{{\"error\":\"{}\"}}", "x".repeat(1_000)));
    assert_eq!(long.len(), "it says: ".len() + 160);
}

#[test]
fn keys_are_taken_out_of_what_people_read() {
    for (text, shown) in [
        ("https://x.test/?k=k e/y", "https://x.test/?k=(key)"),
        ("https://x.test/?k=k%20e%2Fy&l=k%20e%2Fy", "https://x.test/?k=(key)&l=(key)"),
        ("nothing", "nothing"),
    ] {
        assert_eq!(without_key(text, "k e/y"), shown);
    }
}

#[test]
fn a_source_with_an_optional_key_is_asked_with_and_without() {
    let more = "key = \"optional\"\nheaders = { X-Key = \"{key}\", Accept = \"text/plain\" }";
    let source = source(more);
    let headers = |key| {
        let request = source.request("acme.test", key, None).unwrap();
        request.headers.into_iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(headers(None), "Accept: text/plain");
    assert_eq!(headers(Some("k/1")), "Accept: text/plain, X-Key: k/1");
    assert_eq!(source.key_header(), Some("X-Key"));
    assert!(source.request("acme.test", None, Some((0, &Page::default()))).is_none(), "it has one page");
    assert!(!source.goes_on(&Page { told: 1, ..Page::default() }));
}
