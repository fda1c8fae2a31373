//! Every format by a file, and what is no file of the format.

use crate::{Import, ImportError};
use ambit_model::Timestamp;
use ambit_model::entity::imported::Source;
use serde_json::json;

const USUAL: Timestamp = Timestamp(1_795_000_000_000);

fn read(source: Source, text: &str, usual: Timestamp) -> Result<Import, ImportError> {
    let endpoint = (source == Source::Graphql).then_some("https://api.acme.test/graphql");
    crate::read(source, text, usual, endpoint)
}

/// `Kind name date: word=text, …`, a line each; what was left out is the last.
fn lines(import: &Import) -> Vec<String> {
    let line = |one: &ambit_model::entity::imported::Sighted| {
        let says: Vec<String> = one.says.iter().map(|(word, text)| format!("{word}={text}")).collect();
        let date = one.seen_at.to_string();
        let own = if one.owned { "own " } else { "" };
        format!("{own}{} {} {} {}", one.kind.name(), one.name, &date[..16], says.join(", ")).trim_end().to_owned()
    };
    let mut lines: Vec<String> = import.sighted.iter().map(line).collect();
    if import.left_out > 0 {
        lines.push(format!("left out {}", import.left_out));
    }
    lines.sort();
    lines
}

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/", $name))
    };
}

type Row = (Source, &'static str, Vec<String>);

fn said(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn masscan_at(time: &str) -> Vec<String> {
    vec![format!("IpAddress 192.0.2.7 {time}"), format!("NetworkService 192.0.2.7:8099/tcp {time} state=open")]
}

fn scanners() -> Vec<Row> {
    vec![
        (
            Source::Nmap,
            fixture!("nmap.xml"),
            said(&[
                "IpAddress 127.0.0.1 2026-11-23T16:23",
                "NetworkService 127.0.0.1:18099/tcp 2026-11-23T16:23 extra=Python 3.11.7, product=SimpleHTTPServer \
                 0.6, service=http, state=open",
            ]),
        ),
        (Source::Masscan, fixture!("masscan.json"), masscan_at("2026-11-23T16:24")),
        (Source::Masscan, fixture!("masscan.jsonl"), masscan_at("2026-11-23T16:24")),
        (Source::Masscan, fixture!("masscan.txt"), masscan_at("2026-11-23T16:25")),
        (
            Source::Naabu,
            fixture!("naabu.jsonl"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:15",
                "IpAddress 192.0.2.7 2026-11-20T08:15",
                "IpAddress 192.0.2.8 2026-11-20T08:15",
                "NetworkService 192.0.2.7:443/tcp 2026-11-20T08:15 state=open",
                "NetworkService 192.0.2.8:53/udp 2026-11-20T08:15 state=open",
            ]),
        ),
        (
            Source::Httpx,
            fixture!("httpx.jsonl"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:00",
                "Uri https://www.acme.test:443 2026-11-20T08:00 products=Nginx:1.24.0, PHP, server=nginx/1.24.0, \
                 status=200, title=Acme shop",
            ]),
        ),
        (
            Source::Nuclei,
            fixture!("nuclei.jsonl"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:00",
                "Domain acme.test 2026-11-20T08:00 dmarc-detect=info: DNS DMARC - Detect",
                "IpAddress 192.0.2.8 2026-11-20T08:00",
                "NetworkService 192.0.2.8:6379/tcp 2026-11-20T08:00 exposed-redis=high: Redis - Unauthenticated Access",
                "Uri https://www.acme.test:443/.git/config 2026-11-20T08:00 git-config=medium: Git Configuration - \
                 Detect",
            ]),
        ),
    ]
}

fn states() -> Vec<Row> {
    vec![
        (
            Source::Terraform,
            r#"{"version": 4, "terraform_version": "1.9.0", "resources": [
                {"mode": "managed", "type": "aws_instance", "name": "web", "instances": [{"attributes": {
                    "public_dns": "ec2-192-0-2-7.compute-1.amazonaws.com", "public_ip": "192.0.2.7",
                    "private_ip": "10.0.0.7", "user_data": "https://secret.acme.test"}}]},
                {"mode": "data", "type": "aws_route53_zone", "name": "in", "instances": [{"attributes": {
                    "zone_id": "Z2", "name": "elsewhere.test", "private_zone": true}}]},
                {"mode": "managed", "type": "aws_route53_record", "name": "split", "instances": [{"attributes": {
                    "zone_id": "Z2", "type": "A", "name": "www.elsewhere.test", "fqdn": "www.elsewhere.test"}}]},
                {"mode": "managed", "type": "aws_sns_topic_subscription", "name": "hook", "instances": [
                    {"attributes": {"endpoint": "https://hooks.elsewhere.test/x"}}]},
                {"mode": "managed", "type": "aws_route53_record", "name": "www", "instances": [{"attributes": {
                    "type": "A", "name": "www.acme.test", "fqdn": "www.acme.test"}}]},
                {"mode": "managed", "type": "aws_db_instance", "name": "db", "instances": [{"attributes": {
                    "arn": "arn:aws:rds:eu-west-1:1:db:a", "publicly_accessible": true, "address": "hidden.acme.test"},
                    "sensitive_attributes": [[{"type": "get_attr", "value": "address"}]]}]},
                {"mode": "data", "type": "aws_instance", "name": "other", "instances": [{"attributes": {
                    "public_ip": "192.0.2.9"}}]}]}"#,
            said(&[
                "DnsRecord hooks.elsewhere.test 2026-11-18T11:06",
                "Uri https://hooks.elsewhere.test:443/x 2026-11-18T11:06 name=hook, \
                 resource=aws_sns_topic_subscription",
                "own AwsEC2Instance ec2-192-0-2-7.compute-1.amazonaws.com 2026-11-18T11:06 name=web, \
                 resource=aws_instance",
                "own AwsRdsDbInstance arn:aws:rds:eu-west-1:1:db:a 2026-11-18T11:06 name=db, resource=aws_db_instance",
                "own DnsRecord www.acme.test 2026-11-18T11:06 name=www, resource=aws_route53_record",
                "own IpAddress 192.0.2.7 2026-11-18T11:06 name=web, resource=aws_instance",
            ]),
        ),
        (
            Source::Terraform,
            r#"{"format_version": "1.0", "values": {"root_module": {"resources": [], "child_modules": [{"resources": [
                {"mode": "managed", "type": "google_storage_bucket", "name": "b", "values": {"name": "acme-b"}}]}]}}}"#,
            said(&[
                "own CloudStorageBucket https://storage.googleapis.com/acme-b 2026-11-18T11:06 name=b, \
                 resource=google_storage_bucket",
                "own GcpStorageBucket acme-b 2026-11-18T11:06 name=b, resource=google_storage_bucket",
            ]),
        ),
    ]
}

fn interfaces() -> Vec<Row> {
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

fn inventories() -> Vec<Row> {
    vec![
        (
            Source::Bbot,
            fixture!("bbot.jsonl"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:00",
                "EmailAddress ann@acme.test 2026-11-18T11:06",
                "IpAddress 192.0.2.7 2026-11-18T11:06",
                "NetworkService 192.0.2.7:8443/tcp 2026-11-18T11:06 state=open",
                "Uri https://www.acme.test:8443 2026-11-18T11:06",
                "left out 1",
            ]),
        ),
        (
            Source::Amass,
            fixture!("amass.jsonl"),
            said(&["DnsRecord www.acme.test 2026-11-18T11:06", "IpAddress 192.0.2.7 2026-11-18T11:06"]),
        ),
        (
            Source::Amass,
            fixture!("amass.txt"),
            said(&[
                "AutonomousSystem AS64500 2026-11-18T11:06",
                "DnsRecord ns1.acme.test 2026-11-18T11:06",
                "DnsRecord www.acme.test 2026-11-18T11:06",
                "Domain acme.test 2026-11-18T11:06",
                "IpAddress 192.0.2.7 2026-11-18T11:06",
                "NetBlock 192.0.2.0/24 2026-11-18T11:06",
            ]),
        ),
        (
            Source::Csv,
            fixture!("table.csv"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T00:00",
                "IpAddress 192.0.2.7 2026-11-18T11:06",
                "Uri https://www.acme.test:443/login 2026-11-20T08:00",
                "left out 1",
            ]),
        ),
        (
            Source::Csv,
            "www.acme.test\n192.0.2.0/24\n",
            said(&["DnsRecord www.acme.test 2026-11-18T11:06", "NetBlock 192.0.2.0/24 2026-11-18T11:06"]),
        ),
        (
            Source::Gti,
            fixture!("gti.json"),
            said(&[
                "DnsRecord www.acme.test 2026-11-20T08:00",
                "NetworkService 192.0.2.7:443/tcp 2026-11-20T08:00",
                "left out 1",
            ]),
        ),
        (
            Source::Gti,
            r#"{"success": true, "message": "Search completed!", "result": {"hits": [
                {"id": "1d3d", "name": "spf_permissive", "entity_type": "Platform::Entity::Domain",
                 "entity_name": "acme.test", "last_seen": "2026-11-20T08:00:00.000Z"},
                {"id": "69cd", "name": "wildcard_certificate", "entity_type": "Platform::Entity::SslCertificate",
                 "entity_name": "*.acme.test (5dbaa6)", "last_seen": "2026-11-20T08:00:00.000Z"}], "more": false}}"#,
            said(&["Domain acme.test 2026-11-20T08:00", "left out 1"]),
        ),
    ]
}

#[test]
fn each_format_says_what_its_tool_saw() {
    for (source, text, expected) in scanners().into_iter().chain(inventories()).chain(states()).chain(interfaces()) {
        let import = read(source, text, USUAL).unwrap_or_else(|error| panic!("{}: {error}", source.name()));
        assert_eq!(lines(&import), expected, "{} {text}", source.name());
    }
}

#[test]
fn names_that_a_person_gave_to_nmap_are_read_and_hosts_that_are_down_are_not() {
    let text = r#"<nmaprun><host><status state="up"/><address addr="2001:db8::7" addrtype="ipv6"/>
        <address addr="00:00:5E:00:53:01" addrtype="mac"/>
        <hostnames><hostname name="www.acme.test" type="user"/><hostname name="x.elsewhere.test" type="PTR"/>
        </hostnames></host><host><status state="down"/><address addr="192.0.2.9" addrtype="ipv4"/></host></nmaprun>"#;
    let import = read(Source::Nmap, text, USUAL).expect("is read");
    assert_eq!(lines(&import), ["DnsRecord www.acme.test 2026-11-18T11:06", "IpAddress 2001:db8::7 2026-11-18T11:06"]);
}

#[test]
fn hosts_that_a_scan_only_lists_or_takes_for_up_count_with_an_open_port_alone() {
    let host = |status: &str, last: u8, port: &str| {
        let port = format!("<ports><port protocol=\"tcp\" portid=\"80\"><state state=\"{port}\"/></port></ports>");
        format!("<host>{status}<address addr=\"192.0.2.{last}\" addrtype=\"ipv4\"/>{port}</host>")
    };
    let user_set = "<status state=\"up\" reason=\"user-set\"/>";
    let hosts = [
        host("<status state=\"unknown\" reason=\"user-set\"/>", 1, "filtered"),
        host(user_set, 2, "filtered"),
        host(user_set, 3, "open"),
        // As masscan writes it.
        host("", 4, "open"),
        host("<status state=\"skipped\"/>", 5, "open"),
        host("<status state=\"up\" reason=\"echo-reply\"/>", 6, "closed"),
    ];
    let import = read(Source::Nmap, &format!("<nmaprun>{}</nmaprun>", hosts.concat()), USUAL).expect("is read");
    let found = import.sighted.iter().filter(|one| one.kind == ambit_model::Kind::IpAddress);
    let found: Vec<&str> = found.map(|one| one.name.as_str()).collect();
    assert_eq!(found, ["192.0.2.3", "192.0.2.4", "192.0.2.6"]);
    assert_eq!(import.notes, ["hosts left out because nothing shows that they are there: 2"]);
}

#[test]
fn what_a_template_of_nuclei_did_not_match_is_not_imported() {
    let result = |place: &str, matched: bool| {
        json!({"template-id": "t", "matched-at": place, "matcher-status": matched}).to_string() + "\n"
    };
    let text = result("https://no.acme.test/", false) + &result("https://yes.acme.test/", true);
    let import = read(Source::Nuclei, &text, USUAL).expect("is read");
    assert_eq!(import.sighted.len(), 2, "{:?}", import.sighted);
    assert!(import.sighted.iter().all(|one| one.name.contains("yes.acme.test")), "{:?}", import.sighted);
    assert_eq!(import.notes, ["results left out because their template did not match: 1"]);
}

#[test]
fn what_no_tool_wrote_is_refused_in_one_line() {
    for (source, text, why) in [
        (Source::Nmap, "", "expected an element <nmaprun>"),
        (Source::Nmap, "Nmap scan report for x", "expected an element <nmaprun>"),
        (Source::Nmap, "<html><body/></html>", "line 1: expected <nmaprun>, found <html>"),
        (Source::Masscan, "hello", "line 1: not output of masscan: expected a line such as open tcp 80 192.0.2.7"),
        (Source::Masscan, "[\n{\"host\":\"x\"},\n]", "line 2: not output of masscan: there is no ip"),
        (Source::Naabu, "192.0.2.7:80", "line 1: not output of naabu: not JSON"),
        (Source::Naabu, "{\"host\":\"192.0.2.7\"}", "line 1: not output of naabu: there is no port"),
        (Source::Httpx, "{\"url\":\"https://a.test\"}\nnope\n", "line 2: not output of httpx: not JSON"),
        (Source::Httpx, "7", "line 1: not output of httpx: expected a JSON object"),
        (Source::Nuclei, "{\"url\":\"https://a.test\"}", "line 1: not output of nuclei: there is no template"),
        (Source::Bbot, "{}", "line 1: not output of bbot: there is no type"),
        (Source::Amass, "<html>", "line 1: not output of amass: expected a name"),
        (
            Source::Csv,
            "a,b\n",
            "line 1: neither a table with a heading such as name, host or ip, nor a list of targets: not a name of a",
        ),
        (
            Source::Csv,
            "# a list\na,b\n",
            "line 2: neither a table with a heading such as name, host or ip, nor a list of targets: not a name of a",
        ),
        (Source::Csv, "name\n\"www", "line 2: a quotation mark is not closed"),
        (Source::Gti, "{\"a\":1}", "line 1: not output of the hosted product: there are neither hits nor an entity"),
        (Source::Openapi, "{\"paths\": {}}", "not an OpenAPI or Swagger document"),
        (Source::Openapi, "{\"openapi\": \"3.0.1\", \"paths\": {}}", "it names no server with a host"),
        (Source::Openapi, "openapi: 3.0.1\n", "not an OpenAPI or Swagger document"),
        (Source::Openapi, "openapi: 3.0.1\npaths: [\n", "line 2: "),
        (Source::Openapi, "{\"openapi\": \"3.0.1\",\n", "line 2: "),
        (
            Source::Openapi,
            "{openapi: 3}",
            "line 1: a document that begins with { is JSON, and this is none from column 2",
        ),
        (Source::Postman, "", "it is empty, and a Postman collection is JSON"),
        (Source::Postman, "{\"info\": {},\n \"item\": [", "line 2: the JSON breaks off here"),
        (Source::Postman, "hello", "line 1: a Postman collection is JSON, and this is none from column 1 on"),
        (Source::Openapi, "<html></html>", "not an OpenAPI or Swagger document"),
        (Source::Postman, "{\"info\": {}}", "not a Postman collection"),
        (Source::Graphql, "{\"data\": {}}", "not the answer to a GraphQL introspection: there is no __schema"),
        (Source::Graphql, "{\"__schema\": {\"types\": []}}", "not a GraphQL schema with operations"),
        (Source::Graphql, "type Query {\n a: ID", "line 2: the schema ends within a definition"),
        (Source::Graphql, "type A {}\ntype Query { a(x: ID = \"): ID }", "line 2: a string is not closed"),
        (Source::Graphql, "hello", "not a GraphQL schema with operations"),
        (Source::Terraform, "{\"version\": 4}", "not a readable Terraform state: there is no version"),
        (
            Source::Terraform,
            "resource \"a\" {}",
            "line 1: a Terraform state (terraform.tfstate, or what `terraform show",
        ),
    ] {
        let error = read(source, text, USUAL).expect_err(text).to_string();
        assert!(error.starts_with(why), "{}: {error}", source.name());
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn tables_are_read_as_programs_write_them() {
    let at = "2026-11-18T11:06";
    let host = |name: &str| format!("DnsRecord {name} {at}");
    for (text, expected) in [
        ("", vec![]),
        ("name\n", vec![]),
        ("www.acme.test", vec![host("www.acme.test")]),
        ("\u{feff}Name\r\nwww.acme.test\r\n\r\n", vec![host("www.acme.test")]),
        ("HOST;note\nwww.acme.test;\"a;b\"\n", vec![host("www.acme.test")]),
        ("ip\tnote\n192.0.2.7\tx,y\n", vec![format!("IpAddress 192.0.2.7 {at}")]),
        ("note,name\n\"two\nlines, \"\"quoted\"\"\",www.acme.test\n", vec![host("www.acme.test")]),
        ("name,type\n'www.acme.test,\n", vec![host("www.acme.test")]),
        ("name,date\nwww.acme.test,2026-11-20\n", vec!["DnsRecord www.acme.test 2026-11-20T00:00".to_owned()]),
        // The newest date of a thing counts, and a row that is too short has none.
        (
            "date,name\n2026-11-20,www.acme.test\n2026-11-21,WWW.acme.test.\n",
            vec!["DnsRecord www.acme.test 2026-11-21T00:00".to_owned()],
        ),
        ("name,type\nwww.acme.test,Nonsense\nAcme,Organization\n", vec!["left out 2".to_owned()]),
        (
            "severity,title,entity_type,entity_name,last_seen,name\n\
             high,Open,NetworkService,192.0.2.7:6379/tcp,2026-11-20T08:00:00.000Z,open_redis_service\n",
            vec!["NetworkService 192.0.2.7:6379/tcp 2026-11-20T08:00".to_owned()],
        ),
    ] {
        let import = read(Source::Csv, text, USUAL).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(lines(&import), expected, "{text:?}");
    }
}

#[test]
fn a_table_with_an_odd_row_is_read_without_it_and_the_row_is_named() {
    let at = "2026-11-18T11:06";
    let host = |name: &str| format!("DnsRecord {name} {at}");
    for (text, expected, notes) in [
        (
            "host,date\nwww.acme.test,\n,\nmail.acme.test,28.11.2026\n*.s2.harbour.test,\n,2026-11-20\n",
            vec![host("s2.harbour.test"), host("www.acme.test"), "left out 2".to_owned()],
            vec![
                "line 4 is left out: \"28.11.2026\" is not a date such as 2026-11-23",
                "line 6 is left out: it names nothing",
            ],
        ),
        (
            "# from the wiki\nwww.acme.test\n# old\n*.acme.test\nnot a name\n",
            vec![host("www.acme.test"), "Domain acme.test 2026-11-18T11:06".to_owned(), "left out 3".to_owned()],
            vec!["line 1 is left out: it is a comment", "line 3 is left out: it is a comment", "line 5 is left out: "],
        ),
        (
            "ip,port,host,owner\n192.0.2.7,443,www.acme.test,ann\n,25,mail.acme.test,ben\n192.0.2.8,many,,\n",
            vec![
                host("mail.acme.test"),
                host("www.acme.test"),
                format!("IpAddress 192.0.2.7 {at}"),
                format!("NetworkService 192.0.2.7:443/tcp {at}"),
                "left out 1".to_owned(),
            ],
            vec![
                "line 4 is left out: \"many\" is no port",
                "ports left out because their line names no address: 1",
                "not used: the column owner",
            ],
        ),
        (
            "name,ip\nthe shop,192.0.2.7\nthe other,\n",
            vec![format!("IpAddress 192.0.2.7 {at}"), "left out 1".to_owned()],
            vec!["line 3 is left out: ", "cells left out because another of their line names it: 1"],
        ),
        ("name\rwww.acme.test\rmail.acme.test\r", vec![host("mail.acme.test"), host("www.acme.test")], vec![]),
    ] {
        let import = read(Source::Csv, text, USUAL).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(lines(&import), expected, "{text:?}");
        assert_eq!(import.notes.len(), notes.len(), "{text:?}: {:?}", import.notes);
        assert!(import.notes.iter().zip(&notes).all(|(said, begins)| said.starts_with(begins)), "{:?}", import.notes);
    }
    let many = format!("name\nwww.acme.test\n{}", "?\n".repeat(9));
    let import = read(Source::Csv, &many, USUAL).expect("is read");
    assert_eq!((import.left_out, import.notes.len()), (9, 6));
    assert_eq!(import.notes.last().map(String::as_str), Some("4 more lines are left out"));
}

#[test]
fn a_file_of_powershell_is_text() {
    let text = "name\r\nwww.b\u{fc}cher.test\r\n\u{1f600}\r\n";
    let units: Vec<u16> = std::iter::once(0xfeff).chain(text.encode_utf16()).collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [little.clone(), big, text.as_bytes().to_vec()] {
        assert_eq!(crate::text(bytes), Ok(text.to_owned()));
    }
    let alone = [&little[..], &0xd800_u16.to_le_bytes()].concat();
    for (bytes, why) in [
        (b"a\xff".to_vec(), "not UTF-8 text from byte 1"),
        (little[..little.len() - 1].to_vec(), "says UTF-16"),
        (alone, "says UTF-16"),
    ] {
        let error = crate::text(bytes).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn addresses_that_the_internet_does_not_route_are_not_read_from_a_state() {
    let state = |address: &str| {
        let instance = json!({"attributes": {"public_ip": address}});
        let resource = json!({"mode": "managed", "type": "x", "name": "y", "instances": [instance]});
        json!({"version": 4, "terraform_version": "1.9", "resources": [resource]}).to_string()
    };
    for address in ["192.0.2.7", "203.0.113.9", "2001:db8::1"] {
        assert_eq!(read(Source::Terraform, &state(address), USUAL).expect("is read").sighted.len(), 1, "{address}");
    }
    for address in [
        "10.0.0.1",
        "172.31.0.1",
        "192.168.1.1",
        "127.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "::",
        "::1",
        "fd00::1",
        "fe80::1",
        "::ffff:10.0.0.1",
        "acme.test",
        "",
    ] {
        let import = read(Source::Terraform, &state(address), USUAL).expect("is read");
        assert_eq!((import.sighted.len(), import.left_out), (0, 0), "{address}");
    }
}

#[test]
fn a_state_is_the_account_of_what_it_manages_and_a_hostile_one_is_refused_in_one_line() {
    let instance = json!({"attributes": {"arn": "arn:x", "public_ip": "10.0.0.1"}});
    let resource = json!({"mode": "managed", "type": "aws_eip", "name": "y", "instances": [instance]});
    let state = json!({"version": 4, "serial": 7, "lineage": "3f0c", "terraform_version": "1.9.0",
        "resources": [resource]});
    let import = read(Source::Terraform, &state.to_string(), USUAL).expect("is read");
    let account = crate::Account { lineage: Some("3f0c".to_owned()), serial: Some(7), version: "1.9.0".to_owned() };
    assert_eq!(import.account, Some(account));
    assert_eq!(import.sighted.len(), 1, "an address inside a network leads nowhere: {:?}", import.sighted);
    let marked = json!({"format_version": "1.0", "values": {"root_module": {"resources": [{"mode": "managed",
        "type": "aws_eip", "name": "y", "values": {"public_ip": "203.0.113.5"},
        "sensitive_values": {"public_ip": true}}]}}});
    let import = read(Source::Terraform, &marked.to_string(), USUAL).expect("is read");
    assert_eq!((import.sighted.len(), import.account.expect("one").lineage), (0, None));
    let nested = (0..40).fold(json!({}), |within, _| json!({"child_modules": [within]}));
    let nested = json!({"values": {"root_module": nested}}).to_string();
    for (text, why) in [
        (nested.as_str(), "more than 32 modules in one another"),
        (&"[".repeat(200), "recursion limit exceeded"),
        ("[]", "there is no version or no terraform_version"),
        (r#"{"version": 3, "terraform_version": "0.11.0", "modules": []}"#, "it has version 3; version 4 is read"),
        (r#"{"version": 5, "terraform_version": "2.0.0", "resources": []}"#, "it has version 5"),
        (r#"{"encrypted_data": "x", "encryption_version": "v0", "meta": {}}"#, "it is encrypted"),
        (r#"{"format_version": "1.2", "terraform_version": "1.9.0", "planned_values": {}}"#, "it is a plan"),
        (r#"{"version": 4, "terraform_version": "1.9.0", "resources": {}}"#, "there is no list of resources"),
        ("terraform {", "line 1: "),
    ] {
        let said = read(Source::Terraform, text, USUAL).expect_err("it is none").to_string();
        assert!(said.contains(why) && said.lines().count() == 1, "{said}");
    }
}

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
fn no_token_stands_in_the_name_of_a_site() {
    let token = ["gh", "p_", "q7Lx2VbN9sKd4TfR8mWz1YcHj3PgA5eUo6Xi"].concat();
    let httpx = json!({"url": format!("https://www.acme.test/hook/{token}"), "status_code": 200});
    let nuclei = json!({"template-id": "t", "matched-at": format!("http://www.acme.test:8080/x?access_token={token}")});
    for (source, file, wanted) in
        [(Source::Httpx, httpx, "https://www.acme.test:443"), (Source::Nuclei, nuclei, "http://www.acme.test:8080")]
    {
        let import = read(source, &file.to_string(), USUAL).expect("is read");
        let sites: Vec<&str> = import
            .sighted
            .iter()
            .filter(|one| one.kind == ambit_model::Kind::Uri)
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(sites, [wanted]);
        assert!(!format!("{import:?}").contains("q7Lx2VbN"), "{import:?}");
    }
}

#[test]
fn rules_and_policies_in_resources_of_their_own_are_those_of_their_group_and_bucket() {
    let resource = |kind: &str, attributes: serde_json::Value| {
        let instance = json!({"attributes": attributes});
        json!({"mode": "managed", "type": kind, "name": "x", "instances": [instance]})
    };
    let arn = |id: &str| format!("arn:aws:ec2:eu-west-1:1:security-group/{id}");
    let redis = json!({"from_port": 6379, "to_port": 6379, "protocol": "tcp", "cidr_blocks": ["0.0.0.0/0"]});
    let rule = |group: &str, direction: &str| {
        let mut rule = redis.clone();
        rule["security_group_id"] = json!(group);
        rule["type"] = json!(direction);
        resource("aws_security_group_rule", rule)
    };
    let policy = json!({"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}]});
    let state = json!({"version": 4, "terraform_version": "1.9", "resources": [
        resource("aws_security_group", json!({"id": "sg-1", "arn": arn("sg-1"), "ingress": []})),
        resource("aws_security_group", json!({"id": "sg-2", "arn": arn("sg-2"), "ingress": [redis]})),
        rule("sg-1", "ingress"), rule("sg-1", "egress"), rule("sg-2", "ingress"), rule("sg-elsewhere", "ingress"),
        resource("aws_s3_bucket", json!({"bucket": "acme-b", "arn": "arn:aws:s3:::acme-b"})),
        resource("aws_s3_bucket_policy", json!({"bucket": "acme-b", "policy": policy.to_string()})),
        resource("aws_s3_bucket_public_access_block", json!({"bucket": "acme-c", "restrict_public_buckets": true})),
        resource("aws_s3_bucket_policy", json!({"bucket": "acme-c", "policy": policy.to_string()})),
    ]});
    let import = read(Source::Terraform, &state.to_string(), USUAL).expect("is read");
    let set_up = |name: &str| {
        let found = import.sighted.iter().find(|one| one.name == name && one.resource_type.is_some());
        json!(found.unwrap_or_else(|| panic!("{name}: {import:?}")).configuration.clone())
    };
    let inward = json!({"inward": [{"protocol": "tcp", "from": 6379, "to": 6379, "sources": ["0.0.0.0/0"],
        "unread_lists": []}]});
    assert_eq!(set_up(&arn("sg-1")), inward);
    assert_eq!(set_up(&arn("sg-2")), inward, "the same rule is told once");
    assert_eq!(set_up("acme-b"), json!({"public_by_policy": true, "blocks_policies": false}), "nothing blocks it");
    assert_eq!(set_up("acme-c"), json!({"public_by_policy": true, "blocks_policies": true}));
    let groups = import.sighted.iter().filter(|one| one.name.contains(":security-group/")).count();
    assert_eq!(groups, 2, "nobody knows whose a group is that the state does not have");
}

#[test]
fn what_a_tool_says_is_kept_within_bounds() {
    let many: String = (0..60).map(|number| template(&format!("t{number:02}"), &"x".repeat(400))).collect();
    let import = read(Source::Nuclei, &many, USUAL).expect("is read");
    let site = import.sighted.iter().find(|one| one.name == "https://acme.test:443").expect("the site");
    assert_eq!(site.says.len(), 50);
    assert!(site.says.values().all(|text| text.chars().count() == 300));
    // What was said before is said anew, whatever else there is.
    let import =
        read(Source::Nuclei, &format!("{many}{}", template("t00", "new\u{1b}[2J  words")), USUAL).expect("is read");
    let site = import.sighted.iter().find(|one| one.name == "https://acme.test:443").expect("the site");
    assert_eq!(site.says["t00"], "info: new [2J words");
}

/// A line of nuclei.
fn template(name: &str, title: &str) -> String {
    let info = json!({"severity": "info", "name": title});
    json!({"template-id": name, "matched-at": "https://acme.test/", "info": info}).to_string() + "\n"
}

#[test]
fn a_file_of_xml_neither_nests_without_end_nor_leads_elsewhere() {
    let deep = format!("<nmaprun>{}", "<a>".repeat(40));
    let elsewhere = "<!DOCTYPE nmaprun [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<nmaprun>\
                     <host><status state=\"up\"/><address addr=\"&x;\" addrtype=\"ipv4\"/></host></nmaprun>";
    for (text, why) in [(deep.as_str(), "line 1: more than 32 elements"), (elsewhere, "line 2: ")] {
        let error = read(Source::Nmap, text, USUAL).expect_err("is refused").to_string();
        assert!(error.starts_with(why) && !error.contains("root:"), "{error}");
    }
}

#[test]
fn a_scan_that_was_stopped_is_read_as_far_as_it_goes() {
    let whole = fixture!("nmap.xml");
    assert!(read(Source::Nmap, whole, USUAL).expect("is read").notes.is_empty());
    let begun = whole.find("<scaninfo").expect("is there");
    let host_over = whole.find("</host>").expect("is there") + "</host>".len();
    // Wherever it was stopped: between elements, within a tag, within an attribute.
    for cut in begun..whole.trim_end().len() {
        let import = read(Source::Nmap, &whole[..cut], USUAL).unwrap_or_else(|error| panic!("at {cut}: {error}"));
        assert_eq!(import.sighted.len(), if cut < host_over { 0 } else { 2 }, "at {cut}");
        assert_eq!(
            import.notes,
            ["the file is truncated: whatever followed its last complete host is missing"],
            "at {cut}"
        );
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
