//! An archive or a dump that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_backup",
        pretty_name: "Backup file is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out a backup: an archive of the site or a dump of a database. It may hold \
                      source code, passwords and the data of users.",
        remediation: "Remove the file and store backups outside the folders that are served. Treat what it holds as \
                      read by strangers: change passwords and find out whether people must be told.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/530.html", "description"),
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
        ],
    },
    sentence: "serves a backup at",
    group: each_path,
    probes: &[
        Probe {
            what: "backup",
            place: Place::Paths(&[
                "/backup.zip",
                "/backup.tar.gz",
                "/backup.tgz",
                "/www.zip",
                "/site.zip",
                "/site.tar.gz",
            ]),
            proof: archive,
            matches: &[Response::plain("PK\x03\x04rest"), Response::plain("PK\x05\x06rest")],
            twins: &[Response::html("<title>Sign in</title>")],
        },
        Probe {
            what: "database_dump",
            place: Place::Paths(&["/backup.sql", "/dump.sql", "/database.sql", "/db.sql"]),
            proof: database_dump,
            matches: &[Response::plain("-- MySQL dump 10\nCREATE TABLE x")],
            twins: &[Response::plain("How to CREATE TABLE x"), Response::html("<pre>\nCREATE TABLE x</pre>")],
        },
    ],
};

fn archive(response: &Response<'_>) -> Option<String> {
    let kinds: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "zip"),
        // An archive of nothing is an archive.
        (b"PK\x05\x06", "zip"),
        (b"\x1f\x8b", "gzip"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!", "rar"),
    ];
    let kind = kinds.iter().find(|(magic, _)| response.body.starts_with(magic)).map(|(_, kind)| *kind);
    kind.or_else(|| is_bzip2(response.body).then_some("bzip2")).map(|kind| format!("{kind} archive"))
}

/// The level of compression stands behind the first letters, and the magic of its first block behind that.
fn is_bzip2(body: &[u8]) -> bool {
    let block = body.strip_prefix(b"BZh").and_then(|rest| rest.split_first());
    block.is_some_and(|(level, block)| matches!(level, b'1'..=b'9') && block.starts_with(b"1AY&SY"))
}

fn database_dump(response: &Response<'_>) -> Option<String> {
    static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^(CREATE TABLE|INSERT INTO|DROP TABLE IF EXISTS|-- MySQL dump|-- PostgreSQL database dump)")
            .expect("constant")
    });
    let text = response.text();
    STATEMENT.captures(&text).filter(|_| !response.is_html).map(|found| found[1].to_owned())
}
