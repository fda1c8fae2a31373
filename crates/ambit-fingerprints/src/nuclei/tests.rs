//! Templates as they are written, and what they tell of answers.

use super::*;
use crate::place::{IconHash, Place, Subject};
use crate::with_packs;

const HEAD: &str = r#"# Notes stand above.
id: a-test

info:
  name: Apache Quokka - Detect
  severity: info
  tags: tech,apache
"#;

/// A template whose block asks for the front page.
fn template(block: &str) -> String {
    format!(
        r#"{HEAD}http:
  - method: GET
    path:
      - "{{{{BaseURL}}}}/"
{block}"#
    )
}

fn load(text: &str) -> Pack {
    assert_eq!(crate::detect(text.as_bytes()), Some(PackKind::Template), "{text}");
    read("t.yaml", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// The products and versions that show in an answer.
fn told(text: &str, status: u16, headers: &[(&str, &str)], body: &str) -> Vec<String> {
    let headers: Vec<(String, String)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut subject = Subject::default();
    subject.add_head(status, &headers);
    for (name, value) in &headers {
        subject.add_header(name, value);
    }
    subject.add(Place::Body, body);
    subject.add(Place::Favicon(IconHash::Mmh3), "-670975485");
    let found = with_packs(vec![load(text)]).products(&subject);
    found
        .into_iter()
        .map(|one| format!("{} {}", one.product, one.version.unwrap_or_default()).trim_end().to_owned())
        .collect()
}

#[test]
fn matchers_stand_together_as_a_template_says() {
    let both = template(
        r#"    matchers-condition: and
    matchers:
      - type: word
        words:
          - quokka
          - QUOKKA!
        condition: or
      - type: status
        status:
          - 200
          - 201
"#,
    );
    assert_eq!(told(&both, 200, &[], "a quokka"), ["Apache Quokka"]);
    assert_eq!(told(&both, 201, &[], "a QUOKKA!"), ["Apache Quokka"]);
    assert!(told(&both, 404, &[], "a quokka").is_empty(), "another status");
    assert!(told(&both, 200, &[], "a Quokka").is_empty(), "another case");
    let words = template(
        r#"    matchers:
      - type: word
        part: header
        case-insensitive: true
        condition: and
        words:
          - "server: quokka"
          - 'x-q: 1'
"#,
    );
    assert_eq!(told(&words, 500, &[("server", "Quokka/2"), ("x-q", "1")], ""), ["Apache Quokka"]);
    assert!(told(&words, 500, &[("server", "Quokka/2")], "x-q: 1").is_empty(), "one of two");
    let without = template(
        r#"    matchers-condition: and
    matchers:
      - type: regex
        regex:
          - 'quokka {[0-9]'
      - type: word
        negative: true
        words:
          - wombat
"#,
    );
    assert_eq!(told(&without, 200, &[], "quokka {7"), ["Apache Quokka"]);
    assert!(told(&without, 200, &[], "quokka {7 wombat").is_empty());
    let no_header = template(
        r#"    matchers-condition: and
    matchers:
      - type: word
        words: [quokka]
      - type: word
        part: x_zoo
        negative: true
        words: [wombat]
"#,
    );
    assert_eq!(told(&no_header, 200, &[("x-zoo", "one")], "quokka"), ["Apache Quokka"]);
    assert!(told(&no_header, 200, &[], "quokka").is_empty(), "a part that is not there has neither");
}

#[test]
fn versions_are_extracted_and_names_of_matchers_are_products() {
    let versioned = template(
        r#"    matchers:
      - type: word
        words: [quokka]
    extractors:
      - type: regex
        group: 1
        regex:
          - 'quokka v([0-9.]+)'
      - type: regex
        name: hostname
        regex: ['q']
      - type: kval
        part: header
        kval: [x_quokka_version]
"#,
    );
    assert_eq!(told(&versioned, 200, &[], "quokka v2.1.4, yes"), ["Apache Quokka 2.1.4"]);
    assert_eq!(told(&versioned, 200, &[], "quokka"), ["Apache Quokka"]);
    assert_eq!(told(&versioned, 200, &[("x-quokka-version", "3.0")], "quokka"), ["Apache Quokka 3.0"]);
    let many = template(
        r#"    matchers:
      - type: word
        name: quokka
        words: [qq]
      - type: dsl
        name: wombat
        dsl: ['contains(to_lower(body), "ww")']
      - type: xpath
        name: koala
        xpath: ['//k']
"#,
    );
    assert_eq!(told(&many, 200, &[], "qq WW"), ["quokka", "wombat"]);
    let left: Vec<LeftOut> = load(&many).left_out;
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(
        (left[0].place.as_str(), left[0].why.as_str()),
        ("t.yaml: a-test", "matchers of the type xpath are not read")
    );
}

#[test]
fn an_icon_is_known_by_its_hash() {
    let hash = "'-670975485' == mmh3(base64_py(body))";
    let icon = format!(
        r#"{HEAD}http:
  - method: GET
    path:
      - "{{{{BaseURL}}}}/favicon.ico"
    matchers:
      - type: dsl
        dsl:
          - status_code == 200 && ({hash})
"#
    );
    assert_eq!(told(&icon, 404, &[], ""), ["Apache Quokka"]);
    assert!(told(&icon.replace("67097", "67098"), 200, &[], "").is_empty());
}

#[test]
fn other_pages_are_looked_at_by_the_rules_that_ask_for_them() {
    let text = template(
        r#"    matchers:
      - type: word
        words: [quokka]
"#,
    )
    .replace(
        "{{BaseURL}}/\"",
        r#"{{BaseURL}}/version"
      - "{{BaseURL}}""#,
    );
    let set = with_packs(vec![load(&text)]);
    assert_eq!(set.paths().collect::<Vec<_>>(), ["/version"]);
    let mut subject = Subject::default();
    subject.add(Place::Body, "a quokka");
    assert_eq!(set.products(&subject).len(), 1);
    assert_eq!(set.products_at("/version", &subject)[0].product, "Apache Quokka");
    assert!(set.products_at("/other", &subject).is_empty());
    let alone = template(
        r#"    matchers:
      - type: word
        words: [quokka]
"#,
    )
    .replace("/\"", "/v\"");
    let set = with_packs(vec![load(&alone)]);
    assert!(set.products(&subject).is_empty(), "the front page is another one");
    assert_eq!(set.products_at("/v", &subject).len(), 1);
}

#[test]
fn the_cpe_of_a_template_and_what_shows_the_product_are_told() {
    let text = template(
        r#"    matchers:
      - type: word
        words: [quokka]
"#,
    )
    .replace(
        "  tags:",
        r#"  classification:
    cpe: cpe:2.3:a:apache:quokka:*:*:*:*:*:*:*:*
  tags:"#,
    );
    let mut subject = Subject::default();
    subject.add(Place::Body, "a quokka");
    let found = with_packs(vec![load(&text)]).products(&subject);
    let item = found[0].item();
    assert_eq!((item.vendor.as_str(), item.product.as_str()), ("apache", "Apache Quokka"));
    assert_eq!(item.cpe.as_deref(), Some("cpe:2.3:a:apache:quokka:*:*:*:*:*:*:*:*"));
    let shown: Vec<&str> = item.positive_matches.iter().map(|one| one.match_content.as_str()).collect();
    assert_eq!(shown, ["quokka"]);
}

#[test]
fn what_cannot_be_used_is_named() {
    let word = r#"    matchers:
      - type: word
        words: [quokka]
"#;
    for (text, why) in [
        (
            template(word).replace("tech,", "cve,"),
            "it detects no technology (tags tech, detect, panel), and other templates are not read",
        ),
        (
            template(word).replace("/\"", "/{{randstr}}\""),
            "it requests {{BaseURL}}/{{randstr}}, which is no page of the site",
        ),
        (template(word).replace("GET", "POST"), "it uses the method POST"),
        (
            template(&format!(
                r#"    headers:
      X: y
{word}"#
            )),
            "it builds its own requests (headers)",
        ),
        (
            template(
                r#"    matchers:
      - type: status
        status: [200]
"#,
            ),
            "its matchers match any page",
        ),
        (template(&word.replace("quokka", "'{{version}}'")), "it depends on another response"),
        (
            template(
                r#"    extractors: []
"#,
            ),
            "it has no matchers",
        ),
        (
            format!(
                r#"{HEAD}dns:
  - type: A
"#
            ),
            "it does not use HTTP",
        ),
    ] {
        let pack = load(&text);
        assert!(pack.is_empty(), "{text}");
        let left: Vec<&str> = pack.left_out.iter().map(|one| one.why.as_str()).collect();
        assert_eq!(left, [why], "{text}");
    }
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    for (text, message) in [
        (
            template(
                r#"    matchers:
      - type: regex
        regex: ['(a']
"#,
            ),
            "t.yaml: a-test: no pattern: unclosed group: (a",
        ),
        (
            format!(
                r#"{HEAD}http: [
"#
            ),
            "t.yaml:",
        ),
        (
            format!(
                r#"{HEAD}x: &a [*a, *b]
"#
            ),
            "t.yaml:",
        ),
    ] {
        let error = read("t.yaml", text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(message) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn other_files_are_no_templates() {
    for text in [
        "",
        r#"id: x
name: y
"#,
        "{}",
        "rule a { condition: true }",
        "hello",
        r#"# only
# comments
"#,
    ] {
        assert_ne!(crate::detect(text.as_bytes()), Some(PackKind::Template), "{text}");
    }
}

#[test]
fn a_list_that_is_only_compared_with_keeps_no_template_out() {
    let plugin = |payload: &str| {
        format!(
            r#"{HEAD}http:
  - method: GET
    path:
      - "{{{{BaseURL}}}}/wp-content/plugins/quokka-forms/readme.txt{payload}"
    payloads:
      last_version: helpers/quokka-forms.txt
    matchers:
      - type: dsl
        name: outdated_version
        dsl:
          - compare_versions(version, concat("< ", last_version))
      - type: regex
        part: body
        regex:
          - 'Stable.tag:\s?([\w.]+)'
"#
        )
    };
    let page = |name: &str| format!("<script src='/wp-content/plugins/{name}/a.js'></script>");
    // Where the page of its path is not asked for, the front page tells it by the folder that it loads from.
    assert_eq!(told(&plugin(""), 200, &[], &page("quokka-forms")), ["WordPress", "Apache Quokka"]);
    assert_eq!(told(&plugin(""), 200, &[], &page("quokka-forms-pro")), ["WordPress"], "another plugin");
    let pack = load(&plugin(""));
    let why: Vec<&str> = pack.left_out.iter().map(|out| out.why.as_str()).collect();
    assert!(matches!(why.as_slice(), [one] if one.contains("compare_versions")), "{why:?}");
    assert!(pack.rules.iter().any(|rule| rule.path.as_deref() == Some("/wp-content/plugins/quokka-forms/readme.txt")));
    let sent = load(&plugin("?v={{last_version}}"));
    assert!(sent.rules.is_empty() && sent.left_out[0].why.contains("payloads"), "it is part of a request");
}

#[test]
fn negative_statuses_and_matchers_that_tell_nothing_stand_beside_others() {
    let not_404 = template(
        r#"    matchers-condition: and
    matchers:
      - type: word
        words: [quokka]
      - type: status
        negative: true
        status: [404, 403]
"#,
    );
    assert_eq!(told(&not_404, 200, &[], "a quokka"), ["Apache Quokka"]);
    assert!(told(&not_404, 404, &[], "a quokka").is_empty());
    let one_is_bare = template(
        r#"    matchers:
      - type: status
        status: [403]
      - type: dsl
        dsl: ['status_code == 403 && contains(body, "quokka")']
"#,
    );
    assert_eq!(told(&one_is_bare, 403, &[], "a quokka"), ["Apache Quokka"]);
    assert!(told(&one_is_bare, 403, &[], "forbidden").is_empty());
    for bare in ["status: [403]", "negative: true\n        status: [404]"] {
        let text = template(&format!("    matchers:\n      - type: status\n        {bare}\n"));
        assert!(load(&text).rules.is_empty(), "{bare}");
    }
    let reason =
        template("    matchers:\n      - type: word\n        part: header\n        words: ['403 Forbidden']\n");
    assert_eq!(told(&reason, 403, &[], ""), ["Apache Quokka"]);
}

#[test]
fn templates_are_known_however_they_are_written_and_those_for_vulnerabilities_are_none_of_products() {
    let block =
        "http:\n  - method: GET\n    path: ['{{BaseURL}}']\n    matchers:\n      - {type: word, words: [quokka]}\n";
    let above = "# note\n".repeat(2_000);
    for head in [
        "info:\n  name: Apache Quokka - Detect\n  tags: tech\nid: a-test\n",
        "\"id\": a-test\ninfo: {name: Apache Quokka - Detect, tags: Tech}\n",
        &format!("{above}id: a-test\ninfo:\n  name: Apache Quokka - Detect\n  tags: panel\n"),
    ] {
        assert_eq!(told(&format!("{head}{block}"), 200, &[], "a quokka"), ["Apache Quokka"], "{head}");
    }
    for about in ["tags: 'detect,SQLi'", "tags: tech\n  classification:\n    cve-id: CVE-2026-1"] {
        let pack = load(&format!("id: a\ninfo:\n  name: Quokka <= 2 - Injection\n  {about}\n{block}"));
        assert!(pack.rules.is_empty(), "{about}");
        assert_eq!(pack.left_out[0].why, "it looks for a vulnerability, not for a product");
    }
}

#[test]
fn the_version_is_that_of_the_product() {
    let page = "quokka Copyright 2019 api 1.2 main 9.9.1";
    for (extractors, version) in [
        (
            "- {type: regex, name: api_version, group: 1, regex: ['api ([0-9.]+)']}\n      \
            - {type: regex, name: version, group: 1, regex: ['main ([0-9.]+)']}",
            "9.9.1",
        ),
        ("- {type: regex, name: conversion_id, regex: ['api ([0-9.]+)']}", ""),
        ("- {type: regex, regex: ['Copyright ([0-9]{4})']}", ""),
        ("- {type: kval, name: version, kval: [x_q2]}", "7.1"),
        ("- {type: kval, kval: [x_q2]}", ""),
    ] {
        let text = template(&format!(
            "    matchers:\n      - {{type: word, words: [quokka]}}\n    extractors:\n      {extractors}\n"
        ));
        let expected = format!("Apache Quokka {version}");
        assert_eq!(told(&text, 200, &[("x-q2", "7.1")], page), [expected.trim_end()], "{extractors}");
    }
}

#[test]
fn pages_above_the_limit_are_said() {
    let paths: Vec<String> = (0..6).map(|at| format!("'{{{{BaseURL}}}}/p{at}'")).collect();
    let block = "matchers:\n      - {type: word, words: [quokka]}\n";
    let text = format!("{HEAD}http:\n  - method: GET\n    path: [{}]\n    {block}", paths.join(", "));
    let pack = load(&text);
    assert_eq!(pack.paths().collect::<Vec<_>>(), ["/p0", "/p1", "/p2", "/p3"]);
    assert_eq!(pack.left_out[0].why, "of the 6 pages that it requests, 4 are used");
}
