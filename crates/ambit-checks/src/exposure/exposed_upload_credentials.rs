//! The login with which an editor or a file transfer program uploads a site, which anyone can fetch from that site.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_upload_credentials",
        pretty_name: "Credentials for uploading the site are exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-26",
        description: "The web server hands out the file in which an editor or a file transfer program keeps the host, \
                      user and password with which it uploads the site, usually because the program uploaded its own \
                      settings as well. Who has them can change every file of the site.",
        remediation: "Change the password first: it must be taken as read. Then remove the file, exclude the settings \
                      of editors from uploads, and refuse names that begin with a dot. Prefer keys with a passphrase, \
                      or a deployment that needs no login on the server.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
            ("https://cwe.mitre.org/data/definitions/256.html", "remediation"),
        ],
    },
    sentence: "serves the credentials for its upload at",
    group: each_path,
    probes: &[
        Probe {
            what: "editor_upload_settings",
            place: Place::Paths(&["/.vscode/sftp.json", "/sftp-config.json", "/.ftpconfig", "/.remote-sync.json"]),
            proof: editor,
            matches: &[
                Response::of_json(
                    "{\n  \"name\": \"shop\",\n  \"host\": \"ftp.shop.example\",\n  \"protocol\": \"sftp\",\n  \
                     \"username\": \"deploy\",\n  \"password\": \"x\"\n}\n",
                ),
                Response::plain(
                    "{\n    // sftp, ftp or ftps\n    \"type\": \"sftp\",\n    \"host\": \"shop.example\",\n    \
                     \"user\": \"deploy\",\n    \"password\": \"x\",\n}\n",
                ),
                Response::of_json("{\"protocol\":\"ftp\",\"host\":\"192.0.2.7\",\"user\":\"deploy\",\"pass\":\"x\"}"),
            ],
            twins: &[
                Response::of_json(
                    "{\"host\":\"shop.example\",\"username\":\"deploy\",\"privateKeyPath\":\"~/.ssh/id\"}",
                ),
                Response::of_json("{\"host\":\"shop.example\",\"username\":\"deploy\",\"password\":\"\"}"),
                Response::plain("{\n    \"host\": \"shop.example\",\n    //\"password\": \"password\",\n}\n"),
                Response::html("<pre>{\"host\": \"shop.example\", \"password\": \"x\"}</pre>"),
            ],
        },
        Probe {
            what: "transfer_program_sites",
            place: Place::Paths(&["/sitemanager.xml", "/filezilla.xml", "/recentservers.xml"]),
            proof: transfer_program,
            matches: &[Response::plain(
                "<FileZilla3><Servers><Server>\n<Host>ftp.shop.example</Host>\n<User>deploy</User>\n\
                 <Pass encoding=\"base64\">eA==</Pass>\n</Server></Servers></FileZilla3>",
            )],
            twins: &[
                Response::plain(
                    "<FileZilla3><Servers><Server><Host>ftp.shop.example</Host></Server></Servers></FileZilla3>",
                ),
                Response::plain("<feed><Host>ftp.shop.example</Host><Pass>x</Pass></feed>"),
            ],
        },
    ],
};

/// The host of an upload beside which a password stands. Lines that are comments do not count: the templates of these
/// files hold every member as a comment.
fn editor(response: &Response<'_>) -> Option<String> {
    static HOST: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""host"\s*:\s*"([A-Za-z0-9.:-]{1,253})""#).expect("constant"));
    static PASSWORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""(?:password|pass)"\s*:\s*"[^"]"#).expect("constant"));
    if response.has_tags() || !response.text().trim_start().starts_with('{') {
        return None;
    }
    let text = response.text();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let settings = lines.collect::<Vec<_>>().join("\n");
    let host = PASSWORD.is_match(&settings).then(|| HOST.captures(&settings)).flatten()?;
    Some(format!("a login for {}", &host[1]))
}

/// The first host of the file in which FileZilla keeps its sites, if a password is kept with one.
fn transfer_program(response: &Response<'_>) -> Option<String> {
    static SITE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"<Host>\s*([A-Za-z0-9.:-]{1,253})\s*</Host>(?s:.{0,2000}?)<Pass[^>]*>[^<\s]").expect("constant")
    });
    let text = response.text();
    let found = text.contains("<FileZilla").then(|| SITE.captures(&text)).flatten()?;
    Some(format!("a login for {}", &found[1]))
}
