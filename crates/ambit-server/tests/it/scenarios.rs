//! Runs every scenario on a server of its own. Each answer is compared with the documented shape of its row, and each
//! row has a scenario in which it succeeds.

use ambit_api::envelope::Failure;
use ambit_api::error::{FailureObject, FailureOfV2};
use ambit_api::{Contract, Shape};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_server::{Access, ENDPOINTS, Endpoint, MOUNTS, Right};
use ambit_testkit::scenario::{Needs, read_folder, run};
use ambit_testkit::{Done, TestServer, inventory};
use std::collections::BTreeSet;
use std::path::Path;

/// The row that a target belongs to.
fn row_of(method: &str, target: &str) -> Option<&'static Endpoint> {
    // A target may be a whole address, as links of answers are.
    let behind = target.strip_prefix("http://").and_then(|rest| rest.find('/').map(|at| &rest[at..]));
    let path = behind.unwrap_or(target).split('?').next().unwrap_or_default().trim_end_matches('/');
    let fitting = ENDPOINTS.iter().filter(|row| row.method.name() == method).filter(|row| {
        let mounts = MOUNTS.iter().filter(|mount| mount.tree == row.tree);
        mounts.into_iter().any(|mount| fits(&format!("{}{}", mount.prefix, row.path), path))
    });
    // Among rows of one length the most literal one is meant; the first of equals, as in the server.
    fitting.rev().max_by_key(|row| row.path.split('/').filter(|part| !part.starts_with('{')).count())
}

fn fits(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (Some(part), _) if part.starts_with("{*") => return true,
            (Some(part), Some(segment))
                if part == segment.replace('-', "_")
                    || part == segment
                    || (part.starts_with('{') && !segment.is_empty()) => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

fn check_shape(file: &str, done: &Done) {
    let row = row_of(done.method, &done.target);
    let answer = done.reply.json();
    let place = format!("{file}: {} {} as {}", done.method, done.target, done.caller);
    if done.reply.status != 200 {
        let wider = done.target.contains("/api/v3/") && !done.target.starts_with("/api/v3/asm");
        let shape = match () {
            () if done.reply.status == 204 => &Shape::Null,
            () if done.target.contains("/vtapi/v2/") => FailureOfV2::SHAPE,
            () if wider => FailureObject::SHAPE,
            () => Failure::SHAPE,
        };
        assert_eq!(shape.differences(&answer), Vec::<String>::new(), "{place}");
        return;
    }
    let row = row.unwrap_or_else(|| panic!("{place}: no row"));
    assert_eq!(done.reply.header("content-type"), Some(row.content_type), "{place}");
    assert_eq!(row.result.differences(&answer), Vec::<String>::new(), "{place}");
}

/// What callers without enough rights must be shown refused: the foreign one by 404, the one with too low a role by
/// 403.
fn refusals(row: &Endpoint) -> Vec<(&'static str, u16)> {
    let foreign = ("stranger", 404);
    if row.right != Right::Any {
        return vec![("", 403)];
    }
    match row.access {
        Access::Open | Access::Key => vec![],
        Access::Administrator => vec![("stranger", 403), ("viewer", 403)],
        // Lists of a project that is not the caller's are 404 by the walk over the table.
        Access::InProject(ProjectRole::Member) => vec![],
        Access::InProject(ProjectRole::Owner) => vec![("admin", 403)],
        Access::OfProject(ProjectRole::Member) | Access::OfCollection(CollectionRole::Viewer) => vec![foreign],
        Access::OfProject(ProjectRole::Owner)
        | Access::OfCollection(CollectionRole::Analyst | CollectionRole::Admin) => vec![foreign, ("", 403)],
    }
}

/// Rows that a scenario cannot reach, and where they are shown: an address stands in a compressed batch (`feeds.rs`),
/// an archive is finished a moment later (`archives.rs`), a session is in a cookie (`sessions.rs`), and a provider
/// signs people in where there is one (`oidc.rs`).
const ELSEWHERE: &[(&str, &str)] = &[
    ("GET", "/feeds/files/{token}/download"),
    ("GET", "/intelligence/zip_files/{id}/download"),
    ("GET", "/intelligence/zip_files/{id}/download_url"),
    ("DELETE", "/session"),
    ("GET", "/sign_in/provider"),
    ("GET", "/sign_in/callback"),
];

/// Rows of what Ambit does not have, which only ever refuse (docs/contract/wider.md §10), and with what.
const NEVER: &[(&str, &str, u16)] = &[
    ("GET", "/file_behaviours/{id}", 404),
    ("GET", "/file_behaviours/{id}/{relationship}", 404),
    ("GET", "/yara_rulesets/{id}", 404),
    ("GET", "/sigma_rules/{id}", 404),
    ("GET", "/threat_profiles/{id}", 404),
    ("GET", "/threat_profiles/{id}/{relationship}", 404),
    ("GET", "/references/{id}", 404),
    ("GET", "/references/{id}/{relationship}", 404),
    ("POST", "/references", 403),
    ("POST", "/private/files", 403),
    ("GET", "/private/files/upload_url", 403),
    ("GET", "/private/files/{id}", 404),
    ("GET", "/private/files/{id}/{relationship}", 404),
    ("POST", "/private/urls", 403),
    ("GET", "/private/urls/{id}", 404),
    ("GET", "/private/urls/{id}/{relationship}", 404),
    ("GET", "/private/analyses/{id}", 404),
    ("GET", "/private/analyses/{id}/{relationship}", 404),
];

#[tokio::test]
async fn every_scenario_runs_and_every_row_has_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut seen = BTreeSet::new();
    for (file, scenario) in read_folder(&folder).unwrap() {
        let server = TestServer::new().await.unwrap();
        server.add_groups(&scenario.groups).await.unwrap();
        let mut stage = server.stage();
        match scenario.needs {
            Some(Needs::Inventory) => stage.values.extend(inventory::fill(&server, "Welcome").await.unwrap().values()),
            None => {}
        }
        let done = run(&mut stage, &scenario).await.unwrap_or_else(|error| panic!("{file}: {error:#}"));
        for done in &done {
            check_shape(&file, done);
            if let Some(row) = row_of(done.method, &done.target) {
                let (row, status) = ((row.method.name(), row.path), done.reply.status);
                seen.extend([(row, String::new(), status), (row, done.caller.clone(), status)]);
            }
        }
    }
    let mut missing = Vec::new();
    for row in ENDPOINTS.iter().filter(|row| row.access != Access::Open) {
        let place = (row.method.name(), row.path);
        let never = NEVER.iter().find(|(method, path, _)| (*method, *path) == place);
        for (caller, status) in [vec![("", never.map_or(200, |row| row.2))], refusals(row)].concat() {
            let elsewhere = status == 200 && ELSEWHERE.contains(&place);
            if !elsewhere && !seen.contains(&(place, caller.to_owned(), status)) {
                missing.push(format!("{} {}: {status} {caller}", place.0, place.1));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "rows whose scenario does not show this");
}
