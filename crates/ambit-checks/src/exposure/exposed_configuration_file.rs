//! A configuration file that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_configuration_file",
        pretty_name: "Configuration file is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out a configuration or password file of the application. Such files hold \
                      credentials, or hashes that can be guessed at leisure.",
        remediation: "Move the file out of the folder that is served or refuse its name, and change every secret that \
                      it holds.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    sentence: "serves a configuration file at",
    group: each_path,
    probes: &[
        Probe {
            what: "htpasswd",
            place: Place::Paths(&["/.htpasswd"]),
            proof: htpasswd,
            matches: &[Response::plain("admin:$apr1$x\n")],
            twins: &[Response::plain("admin: see the manual\n")],
        },
        Probe {
            what: "wp_config",
            place: Place::Paths(&["/wp-config.php.bak", "/wp-config.php~", "/wp-config.php.old"]),
            proof: wp_config,
            matches: &[Response::plain("<?php\ndefine( 'DB_PASSWORD', 'x' );\n")],
            twins: &[Response::html("<p>define( 'DB_PASSWORD', … ) stands in wp-config.php</p>")],
        },
        Probe {
            what: "config_file",
            place: Place::Paths(&[
                "/web.config",
                "/config.yml",
                "/config/database.yml",
                "/docker-compose.yml",
                "/config.json",
                "/.aws/credentials",
            ]),
            proof: config_file,
            matches: &[
                Response::plain("host: db\npassword: planted\n"),
                Response::plain("<configuration><add connectionString=\"Server=db\"/></configuration>"),
            ],
            twins: &[Response::of_json("{\"theme\":\"dark\"}")],
        },
    ],
};

fn htpasswd(response: &Response<'_>) -> Option<String> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^([A-Za-z0-9_.@-]{1,64}):(\$apr1\$|\$2[aby]\$|\{SHA\}|\$5\$|\$6\$)").expect("constant")
    });
    let text = response.text();
    LINE.captures(&text).filter(|_| !response.is_html).map(|found| format!("{}:{}…", &found[1], &found[2]))
}

fn wp_config(response: &Response<'_>) -> Option<String> {
    let text = response.text();
    let found = !response.is_html && text.contains("DB_PASSWORD") && text.contains("define(");
    found.then(|| "define( 'DB_PASSWORD', … )".to_owned())
}

/// A configuration that names a secret, in whatever layout.
fn config_file(response: &Response<'_>) -> Option<String> {
    static SECRET: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?im)^\s*["']?((?:db_|database_|aws_)?(?:password|passwd|secret|secret_access_key|secret_key|connectionstring|api_key)[A-Za-z0-9_-]*)["']?\s*[:=]\s*["']?[^\s"'<>]{3,}"#).expect("constant")
    });
    let text = response.text();
    if response.is_html {
        return None;
    }
    if text.contains("<configuration>") && text.to_ascii_lowercase().contains("connectionstring=") {
        return Some("connectionString".to_owned());
    }
    SECRET.captures(&text).map(|found| format!("{} = …", &found[1]))
}
