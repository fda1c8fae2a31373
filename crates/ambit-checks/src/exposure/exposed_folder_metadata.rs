//! A file in which a desktop keeps what it knows of a folder.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW};

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_folder_metadata",
        pretty_name: "Desktop file with a folder's contents is exposed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-22",
        description: "The web server hands out a .DS_Store file, in which macOS keeps how a folder looks. It names the \
                      files of the folder, also those that nothing links to, such as backups and drafts.",
        remediation: "Remove the file, refuse names that begin with a dot, and deploy an export instead of a copy of a \
                      working folder.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
            ("https://en.wikipedia.org/wiki/.DS_Store", "description"),
        ],
    },
    sentence: "names the files of a folder in",
    group: each_path,
    probes: &[Probe {
        what: "ds_store",
        place: Place::Paths(&["/.DS_Store"]),
        proof: ds_store,
        matches: &[Response::plain("\0\0\0\x01Bud1\0\0\x10\0")],
        twins: &[Response::plain("Bud1 is the mark of a .DS_Store file"), Response::html("\0\0\0\x02Bud1")],
    }],
};

fn ds_store(response: &Response<'_>) -> Option<String> {
    response.body.starts_with(b"\0\0\0\x01Bud1").then(|| "Bud1".to_owned())
}
