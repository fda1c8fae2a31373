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
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/", $name))
    };
}

mod interfaces;
mod scanners;
mod states;

type Row = (Source, &'static str, Vec<String>);

fn said(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

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
    for (source, text, expected) in
        scanners::scanners().into_iter().chain(inventories()).chain(states::states()).chain(interfaces::interfaces())
    {
        let import = read(source, text, USUAL).unwrap_or_else(|error| panic!("{}: {error}", source.name()));
        assert_eq!(lines(&import), expected, "{} {text}", source.name());
    }
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
            "line 1: a document that begins with { is JSON, and this is not valid JSON from column 2",
        ),
        (Source::Postman, "", "it is empty, and a Postman collection is JSON"),
        (Source::Postman, "{\"info\": {},\n \"item\": [", "line 2: the JSON breaks off here"),
        (Source::Postman, "hello", "line 1: a Postman collection is JSON, and this is not valid JSON from column 1 on"),
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
