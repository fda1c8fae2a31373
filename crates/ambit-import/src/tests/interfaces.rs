//! Documents of interfaces: OpenAPI, Postman and GraphQL.

use super::*;

pub(super) fn interfaces() -> Vec<Row> {
    let described =
        |name: &str, says: &str| format!("ApiEndpoint https://api.acme.test:443{name} 2026-11-18T11:06 {says}");
    vec![
        (
            Source::Openapi,
            r#"{"openapi": "3.0.1", "info": {"title": "Orders"},
                "servers": [{"url": "https://api.acme.test/v2/"}, {"url": "/x"}],
                "paths": {"/orders/{id}": {"get": {}, "delete": {}, "summary": "one"},
                "/empty": {"summary": "none"}}}"#,
            vec![
                described("/v2/orders/{id}", "methods=DELETE, GET, title=Orders"),
                "DnsRecord api.acme.test 2026-11-18T11:06".to_owned(),
            ],
        ),
        (
            Source::Openapi,
            r#"{"swagger": "2.0", "host": "api.acme.test", "basePath": "/v1", "paths": {"/a": {"post": {}}}}"#,
            vec![described("/v1/a", "methods=POST"), "DnsRecord api.acme.test 2026-11-18T11:06".to_owned()],
        ),
        (
            Source::Openapi,
            r#"{"openapi": "3.0.1", "servers": [{"url": "https://{tenant}.acme.test:{port}/{base}", "variables": {
                "tenant": {"default": "api"}, "port": {"enum": [443], "default": 443}, "base": {"enum": ["v1"]}}}],
                "paths": {"/a": {"get": {}, "post": {"servers": [{"url": "https://write.acme.test"}]},
                    "put": {"servers": [{"url": "/relative"}]}},
                "/b": {"servers": [{"url": "https://b.acme.test/"}], "get": {"servers": []}}}}"#,
            vec![
                described("/{base}/a", "methods=GET"),
                "ApiEndpoint https://b.acme.test:443/b 2026-11-18T11:06 methods=GET".to_owned(),
                "ApiEndpoint https://write.acme.test:443/a 2026-11-18T11:06 methods=POST".to_owned(),
                "DnsRecord api.acme.test 2026-11-18T11:06".to_owned(),
                "DnsRecord b.acme.test 2026-11-18T11:06".to_owned(),
                "DnsRecord write.acme.test 2026-11-18T11:06".to_owned(),
                "left out 1".to_owned(),
            ],
        ),
        (
            Source::Openapi,
            r#"{"openapi": "3.0.1", "paths": {"/b": {"servers": [{"url": "https://api.acme.test"}], "get": {}}}}"#,
            vec![described("/b", "methods=GET"), "DnsRecord api.acme.test 2026-11-18T11:06".to_owned()],
        ),
        (Source::Graphql, INTROSPECTED, schema()),
        (Source::Graphql, WRITTEN, schema()),
        (
            Source::Postman,
            r#"{"info": {"name": "Shop"}, "variable": [{"key": "base", "value": "https://{{host}}"},
                {"key": "host", "value": "api.acme.test"}], "item": [{"name": "folder", "item": [
                {"request": {"method": "POST", "url": {"raw": "{{base}}/users/:id/mail?x=1"},
                    "auth": {"type": "bearer"}}},
                {"request": {"method": "GET", "url": "{{base}}/users/:id/mail"}}]},
                {"request": {"method": "GET", "url": {"raw": "{{other}}/x"}}}]}"#,
            vec![
                described("/users/{id}/mail", "methods=GET, POST, title=Shop"),
                "DnsRecord api.acme.test 2026-11-18T11:06".to_owned(),
            ],
        ),
    ]
}

/// One schema, as both of its forms say it.
fn schema() -> Vec<String> {
    let says = "methods=POST, mutation drop=(id), mutation: count=1, query me=(), query orders=(first, filter), query: \
                count=2";
    vec![
        format!("ApiEndpoint https://api.acme.test:443/graphql 2026-11-18T11:06 {says}"),
        "DnsRecord api.acme.test 2026-11-18T11:06".to_owned(),
    ]
}

const INTROSPECTED: &str = r#"{"data": {"__schema": {"queryType": {"name": "Root"}, "mutationType": {"name": "Change"},
    "subscriptionType": null, "types": [{"kind": "OBJECT", "name": "Root", "fields": [
        {"name": "orders", "args": [{"name": "first"}, {"name": "filter"}]}, {"name": "me", "args": []},
        {"name": "__typename", "args": []}]},
    {"kind": "OBJECT", "name": "Order", "fields": [{"name": "id", "args": []}]},
    {"kind": "OBJECT", "name": "Change", "fields": [{"name": "drop", "args": [{"name": "id"}]}]},
    {"kind": "SCALAR", "name": "ID", "fields": null}]}}}"#;

const WRITTEN: &str = r#"
    """ Orders, with type Root { fake: ID } and \""" in it """
    directive @auth(needs: Role = ADMIN) on FIELD_DEFINITION
    type Order implements Node & Thing @key(fields: "id type") { id: ID! }
    type Root @cached(for: {seconds: 7}) {
      # orders(none: Int): ID
      orders("how many" first: Int = 7, filter: Filter = {state: OPEN, tags: ["(", "a"]}): [Order!]! @auth(needs: USER)
      me: User @deprecated(reason: "type Root { x: ID }")
    }
    input Filter { state: State = OPEN }
    enum State { OPEN, query }
    type Change
    extend type Change { drop(id: ID!): Boolean }
    schema @link(url: "https://specs.test") { query: Root mutation: Change }
"#;

#[test]
fn no_token_stands_in_the_name_of_an_interface() {
    let token = ["gh", "p_", "q7Lx2VbN9sKd4TfR8mWz1YcHj3PgA5eUo6Xi"].concat();
    let hook = ["https://hooks.slack.com/serv", "ices/T0AB1CD2E/B0AB1CD2E/q7Lx2VbN9sKd4TfR8mWz1YcH"].concat();
    let paths = json!({format!("/hook/{token}"): {"get": {}}, "/orders/{id}": {"get": {}}});
    let openapi = json!({"openapi": "3.0.1", "servers": [{"url": "https://api.acme.test"}], "paths": paths});
    let request = |url: &str| json!({"request": {"method": "GET", "url": url}});
    let urls = [
        format!("https://api.acme.test/hook/{token}/send"),
        format!("https://ann:{token}@api.acme.test/x"),
        format!("https://api.acme.test/y?token={token}"),
        "{{base}}/{{token}}/z".to_owned(),
        hook,
    ];
    let variables = json!([{"key": "base", "value": "https://api.acme.test"}, {"key": "token", "value": token}]);
    let items: Vec<_> = urls.iter().map(|url| request(url)).collect();
    let postman = json!({"info": {"name": "Shop"}, "variable": variables, "item": items});
    for (source, file, wanted) in [
        (Source::Openapi, openapi, &["api.acme.test:443/hook/{masked}", "api.acme.test:443/orders/{id}"][..]),
        (
            Source::Postman,
            postman,
            &[
                "api.acme.test:443/hook/{masked}/send",
                "api.acme.test:443/y",
                "api.acme.test:443/{masked}/z",
                "hooks.slack.com:443/services/{masked}",
            ],
        ),
    ] {
        let import = read(source, &file.to_string(), USUAL).expect("is read");
        let interfaces = import.sighted.iter().filter(|one| one.kind == ambit_model::Kind::ApiEndpoint);
        let names: Vec<&str> = interfaces.map(|one| one.name.trim_start_matches("https://")).collect();
        assert_eq!(names, wanted);
        assert!(!format!("{import:?}").contains("q7Lx2VbN"), "{import:?}");
    }
}

#[test]
fn a_request_of_postman_is_read_in_parts_as_well() {
    let file = r#"{"info": {"name": "Shop"}, "variable": [{"key": "base", "value": "api.acme.test"}], "item": [
        {"request": {"method": "GET", "url": {"protocol": "https", "host": ["api", "acme", "test"], "port": "8443",
            "path": ["v1", {"type": "string", "value": ":id"}]}}},
        {"request": {"url": {"protocol": "https", "host": "{{base}}", "path": "/v2/orders"}}},
        {"request": {"url": {"raw": "", "host": [], "path": ["x"]}}}, {"request": {"method": "GET"}}]}"#;
    let import = read(Source::Postman, file, USUAL).expect("is read");
    let shown: Vec<String> = lines(&import).into_iter().filter(|line| !line.starts_with("DnsRecord")).collect();
    assert_eq!(
        shown,
        [
            "ApiEndpoint https://api.acme.test:443/v2/orders 2026-11-18T11:06 methods=GET, title=Shop",
            "ApiEndpoint https://api.acme.test:8443/v1/{id} 2026-11-18T11:06 methods=GET, title=Shop",
            "left out 2",
        ]
    );
}

#[test]
fn requests_of_postman_whose_host_nobody_says_are_counted_by_their_variables() {
    let file = r#"{"info": {"name": "Shop"}, "variable": [{"key": "base", "value": "https://{{host}}"}], "item": [
        {"request": {"url": "{{base}}/a"}}, {"request": {"url": "{{base}}/b"}}, {"request": {"url": "{{other}}/c"}},
        {"request": {"url": "https://api.acme.test/{{id}}"}}]}"#;
    let import = read(Source::Postman, file, USUAL).expect("is read");
    assert_eq!(import.left_out, 0, "they are told by themselves");
    let said = "requests left out because their hosts stand in variables that the collection does not define \
                ({{host}}, {{other}}): 3";
    assert_eq!(import.notes, [said]);
    assert!(import.sighted.iter().any(|one| one.name.ends_with("/{id}")), "{:?}", import.sighted);
}

/// YAML of lists that repeat the list in front of them ten times, nine times over.
fn bomb() -> String {
    let lists = (1..=9).map(|at| format!("l{at}: &l{at} [{}]\n", vec![format!("*l{}", at - 1); 10].join(", ")));
    format!("l0: &l0 [a]\n{}", lists.collect::<String>())
}

#[test]
fn a_document_that_repeats_without_end_is_refused_in_our_words() {
    let file = format!("openapi: 3.0.1\n{}paths: {{}}\n", bomb());
    let refused = read(Source::Openapi, &file, USUAL).expect_err("it would be a billion").to_string();
    assert!(
        refused.contains("larger, or repeats more by its anchors, than a document may: give it as JSON"),
        "{refused}"
    );
    assert!(refused.starts_with("line ") && refused.lines().count() == 1, "{refused}");
}

#[test]
fn a_path_of_openapi_that_stands_elsewhere_is_read_or_counted() {
    let file = r##"{"openapi": "3.1.0", "info": {"title": "Shop"}, "servers": [{"url": "https://api.acme.test"}],
        "paths": {"/a": {"$ref": "#/components/pathItems/a"}, "/b": {"$ref": "./b.yaml"}, "/c": {"$ref": "#/paths/~1c"},
            "/d": {"summary": "none"}},
        "components": {"pathItems": {"a": {"get": {}}}}}"##;
    let import = read(Source::Openapi, file, USUAL).expect("is read");
    let shown: Vec<String> = lines(&import).into_iter().filter(|line| !line.starts_with("DnsRecord")).collect();
    let a = "ApiEndpoint https://api.acme.test:443/a 2026-11-18T11:06 methods=GET, title=Shop";
    assert_eq!(shown, [a, "left out 2"]);
}

#[test]
fn documents_of_openapi_are_read_as_yaml() {
    let orders = "openapi: 3.0.1\ninfo: {title: Orders}\nservers:\n  - url: https://api.acme.test/v2\npaths:\n  \
                  /orders/{id}:\n    get: &read\n      responses:\n        200: {description: found}\n        \
                  default: {}\n    head: *read\n";
    let old = "# ours\nswagger: 2.0\nhost: api.acme.test\nbasePath: /v1\npaths: {/a: {post: {}}}\n";
    for (text, expected) in
        [(orders, "https://api.acme.test:443/v2/orders/{id} GET, HEAD"), (old, "https://api.acme.test:443/v1/a POST")]
    {
        let import = read(Source::Openapi, text, USUAL).expect("is read");
        let interfaces = import.sighted.iter().filter(|one| one.kind == ambit_model::Kind::ApiEndpoint);
        let shown: Vec<String> = interfaces.map(|one| format!("{} {}", one.name, one.says["methods"])).collect();
        assert_eq!(shown, [expected]);
    }
}

#[test]
fn variables_of_a_collection_that_hold_one_another_many_times_make_no_endless_text() {
    let twice = |number: u32| {
        let next = number + 1;
        format!("{{\"key\": \"v{number:02}\", \"value\": \"{{{{v{next:02}}}}}{{{{v{next:02}}}}}\"}}")
    };
    let variables = (0..60).map(twice).collect::<Vec<_>>().join(",");
    let text = format!(
        "{{\"info\": {{}}, \"variable\": [{variables}], \"item\": [{{\"request\": \"https://acme.test/{{{{v00}}}}\"}}, \
         {{\"request\": \"https://acme.test/{}\"}}, {{\"request\": \"https://acme.test/good\"}}]}}",
        "{{v55}}".repeat(1_000)
    );
    let import = read(Source::Postman, &text, USUAL).expect("is read");
    assert!(import.sighted.iter().any(|one| one.name == "https://acme.test:443/good"), "{:?}", import.sighted);
    assert!(import.sighted.iter().all(|one| one.name.len() < 10_000));
    assert_eq!(import.left_out, 1, "what became too long");
}

#[test]
fn a_collection_of_fifty_megabytes_is_read_whole() {
    let item = |number: usize| format!("{{\"description\":\"{:480}\",\"request\":\"https://acme.test/{number}\"}}", "");
    let items = (0..100_000).map(item).collect::<Vec<_>>().join(",");
    let text = format!("{{\"info\": {{}}, \"item\": [{items}]}}");
    assert!(text.len() > 50_000_000);
    let import = read(Source::Postman, &text, USUAL).expect("is read");
    // The host is one of them.
    assert_eq!((import.sighted.len(), import.left_out), (100_001, 0));
}

#[test]
fn a_schema_says_where_it_is_served_only_with_an_endpoint() {
    let without = crate::read(Source::Graphql, WRITTEN, USUAL, None).expect_err("no endpoint").to_string();
    assert!(without.contains("--endpoint"), "{without}");
    let none = crate::read(Source::Graphql, WRITTEN, USUAL, Some("api.acme.test")).expect_err("no URL").to_string();
    assert!(none.contains("--endpoint is no URL"), "{none}");
    let other = crate::read(Source::Csv, "www.acme.test", USUAL, Some("https://a.test/")).expect_err("csv").to_string();
    assert!(other.contains("leave it out"), "{other}");
}

#[test]
fn a_hostile_schema_is_read_within_bounds() {
    let deep = format!("type A @x(a: {}", "(".repeat(2_000_000));
    let error = read(Source::Graphql, &deep, USUAL).expect_err("is not closed").to_string();
    assert!(error.contains("ends within a definition"), "{error}");
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let error = read(Source::Graphql, &nested, USUAL).expect_err("too deep").to_string();
    assert!(error.contains("recursion limit"), "{error}");
    let fields: String = (0..200_000).map(|number| format!("f{number}(a{number}: ID): ID\n")).collect();
    let import = read(Source::Graphql, &format!("type Query {{ {fields} }}"), USUAL).expect("is read");
    let interface = import.sighted.iter().find(|one| one.name.ends_with("/graphql")).expect("is there");
    assert_eq!(interface.says.get("query: count").map(String::as_str), Some("10000"));
    assert_eq!(interface.says.len(), 502, "500 of them by name");
}
