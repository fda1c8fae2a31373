//! The history of a shell or a database client that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH};

/// Commands of which two different ones show that a text is what somebody typed.
const COMMANDS: &[&str] = &[
    "apt",
    "cat",
    "cd",
    "chmod",
    "cp",
    "curl",
    "docker",
    "export",
    "git",
    "kubectl",
    "ls",
    "mkdir",
    "mv",
    "mysql",
    "nano",
    "psql",
    "rm",
    "scp",
    "ssh",
    "sudo",
    "systemctl",
    "tail",
    "vi",
    "vim",
    "wget",
];

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_shell_history",
        pretty_name: "Command history is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-25",
        description: "The web server hands out the file in which a shell or a database client keeps what was typed, \
                      usually because a home folder is the root of the site. It names hosts, users and paths, and \
                      often holds passwords that were given on a command line.",
        remediation: "Remove the file, change every password and key that stands in it, and refuse names that begin \
                      with a dot. No home folder should be served.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
            ("https://cwe.mitre.org/data/definitions/552.html", "remediation"),
        ],
    },
    sentence: "serves a command history at",
    group: each_path,
    probes: &[
        Probe {
            what: "shell_history",
            place: Place::Paths(&["/.bash_history", "/.zsh_history"]),
            proof: shell_history,
            matches: &[
                Response::plain("cd /srv/shop\nls -la\ngit pull\nsudo systemctl restart shop\n"),
                Response::plain(": 1764000000:0;cd /srv\n: 1764000004:0;ssh deploy@10.0.0.7\n"),
            ],
            twins: &[
                Response::plain("cd is a command of the shell\n"),
                Response::plain("ls\nls\nls\n"),
                Response::html("<pre>cd /srv\nls -la\n</pre>"),
            ],
        },
        Probe {
            what: "mysql_history",
            place: Place::Paths(&["/.mysql_history"]),
            proof: mysql_history,
            matches: &[Response::plain("_HiStOrY_V2_\nshow\\040databases;\n")],
            twins: &[Response::plain("show databases;\n"), Response::html("<p>_HiStOrY_V2_</p>")],
        },
    ],
};

/// A text in which lines begin with different commands. What they say is not shown: it may be a password.
fn shell_history(response: &Response<'_>) -> Option<String> {
    let mut seen: Vec<&str> = response.text().lines().filter_map(command).collect();
    seen.sort_unstable();
    seen.dedup();
    (seen.len() > 1 && !response.text().contains('<')).then(|| format!("{} … {}", seen[0], seen[1]))
}

/// The command of a line, in the plain form or with zsh's time before it.
fn command(line: &str) -> Option<&'static str> {
    let typed = line.strip_prefix(": ").and_then(|rest| rest.split_once(';')).map_or(line, |(_, typed)| typed);
    let word = typed.split(' ').next()?;
    COMMANDS.iter().copied().find(|command| *command == word)
}

fn mysql_history(response: &Response<'_>) -> Option<String> {
    response.text().starts_with("_HiStOrY_V2_").then(|| "_HiStOrY_V2_".to_owned())
}
