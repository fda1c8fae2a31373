//! The credentials of a command-line tool that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_tool_credentials",
        pretty_name: "Credentials of a developer's tool are exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-23",
        description: "The web server hands out the file in which a tool of developers keeps its credentials, usually \
                      because a home or build folder was copied to the site. Who has them can publish packages, push \
                      images or read source code in somebody else's name.",
        remediation: "Revoke the credentials first: they must be taken as read. Then remove the file, refuse names \
                      that begin with a dot, and keep build credentials in the secret store of the build system.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    sentence: "serves the credentials of a tool at",
    group: each_path,
    probes: &[
        Probe {
            what: "package_registry_credentials",
            place: Place::Paths(&["/.npmrc", "/.pypirc"]),
            proof: package_registry,
            matches: &[
                Response::plain("//registry.example/:_authToken=npm_x\n"),
                Response::plain("[distutils]\nindex-servers = pypi\n[pypi]\nusername = __token__\npassword = pypi-x\n"),
            ],
            twins: &[
                Response::plain("registry=https://registry.example/\n//registry.example/:_authToken=${NPM_TOKEN}\n"),
                Response::plain("[pypi]\nusername = publisher\n"),
                Response::html("<pre>//registry.example/:_authToken=npm_x</pre>"),
            ],
        },
        Probe {
            what: "container_registry_credentials",
            place: Place::Paths(&["/.docker/config.json", "/.dockercfg"]),
            proof: container_registry,
            matches: &[
                Response::of_json("{\"auths\":{\"images.example\":{\"auth\":\"dTpw\"}}}"),
                Response::of_json("{\"images.example\":{\"auth\":\"dTpw\",\"email\":\"\"}}"),
            ],
            twins: &[
                Response::of_json("{\"auths\":{\"images.example\":{}},\"credsStore\":\"desktop\"}"),
                Response::of_json("{\"auth\":\"login\"}"),
            ],
        },
        Probe {
            what: "host_credentials",
            place: Place::Paths(&["/.git-credentials", "/.netrc"]),
            proof: host,
            matches: &[
                Response::plain("https://builder:x@code.example\n"),
                Response::plain("machine code.example\n  login builder\n  password x\n"),
            ],
            twins: &[
                Response::plain("https://code.example/builder\n"),
                Response::plain("machine code.example login builder\n"),
                Response::html("<p>machine code.example login builder password x</p>"),
            ],
        },
    ],
};

/// The line of a package manager that holds a token or password itself, not the name of a variable that does.
fn package_registry(response: &Response<'_>) -> Option<String> {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^\s*//([A-Za-z0-9.:/_-]{1,200}):(_authToken|_auth|_password)\s*=\s*[^\s$]").expect("constant")
    });
    static PASSWORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^\[([A-Za-z0-9_.-]{1,64})\][^\[]*^password\s*[:=]\s*\S").expect("constant"));
    if response.is_html {
        return None;
    }
    let text = response.text();
    let token = TOKEN.captures(&text).map(|found| format!("//{}:{}=…", &found[1], &found[2]));
    token.or_else(|| PASSWORD.captures(&text).map(|found| format!("[{}] password = …", &found[1])))
}

/// The first registry for which a client of containers keeps a login, in its present or its former layout.
fn container_registry(response: &Response<'_>) -> Option<String> {
    let document = response.json()?;
    let registries = document.get("auths").unwrap_or(&document).as_object()?;
    let has_login = |login: &serde_json::Value| {
        login.get("auth").and_then(|auth| auth.as_str()).is_some_and(|auth| !auth.is_empty())
    };
    let (registry, _) = registries.iter().find(|(_, login)| has_login(login))?;
    Some(format!("a login for {registry}"))
}

/// The first host for which a login with its password is kept.
fn host(response: &Response<'_>) -> Option<String> {
    static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^https?://[^\s:@/]{1,200}:[^\s:@/]{1,200}@([A-Za-z0-9.-]{1,253})(?::\d+)?/?\s*$")
            .expect("constant")
    });
    static MACHINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^machine\s+([A-Za-z0-9.-]{1,253})\s+login\s+\S+\s+password\s+\S").expect("constant")
    });
    if response.is_html {
        return None;
    }
    let text = response.text();
    let found = ADDRESS.captures(&text).or_else(|| MACHINE.captures(&text))?;
    Some(format!("a login for {}", &found[1]))
}
