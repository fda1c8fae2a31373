//! The tables of docs/reference.md: settings, exit codes, operations and kinds of issue, made from what the program
//! knows. The last column of settings and exit codes is written by hand, in the page, and is carried over. `cargo xtask
//! docs` writes the page; the test here fails while it is not current.

use crate::{config, failure};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_server::{Access, ENDPOINTS, Endpoint, MOUNTS, Price};
use std::fs;
use std::path::PathBuf;

/// Set by `cargo xtask docs`: the page is written instead of compared.
const WRITE: &str = "AMBIT_WRITE_DOCS";
/// What a new row has until somebody says what it means.
const UNWRITTEN: &str = "TO BE WRITTEN";

/// A table between its markers. `by_hand` says that its last column stands only in the page.
struct Table {
    name: &'static str,
    head: &'static [&'static str],
    rows: Vec<Vec<String>>,
    by_hand: bool,
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn settings() -> Table {
    let rows = config::ROWS.iter().map(|row| {
        let mut takes = Vec::new();
        takes.extend(row.list.then_some("list"));
        takes.extend(row.truth.then_some("`true`, `false`"));
        takes.extend(row.by_file.then_some("also `…_file`"));
        takes.extend(row.secret.then_some("secret"));
        let default = if row.default.is_empty() { String::new() } else { code(row.default) };
        vec![code(row.name), code(&config::variable(row.name)), default, takes.join(", ")]
    });
    Table {
        name: "settings",
        head: &["setting", "environment", "default", "takes", "meaning"],
        rows: rows.collect(),
        by_hand: true,
    }
}

fn exit_codes() -> Table {
    let codes = [
        0,
        failure::RUN_TIME,
        failure::USAGE,
        failure::ACCESS,
        failure::NOT_FOUND,
        failure::PARTIAL,
        failure::SCOPE,
        failure::THRESHOLD,
        failure::INTERRUPTED,
    ];
    Table {
        name: "exit codes",
        head: &["code", "meaning"],
        rows: codes.map(|code| vec![code.to_string()]).to_vec(),
        by_hand: true,
    }
}

fn access(access: Access) -> String {
    match access {
        Access::Open => "anybody".to_owned(),
        Access::Key => "a key".to_owned(),
        Access::Administrator => "administrator of the installation".to_owned(),
        Access::InProject(ProjectRole::Member) | Access::OfProject(ProjectRole::Member) => {
            "member of the project".to_owned()
        }
        Access::InProject(ProjectRole::Owner) | Access::OfProject(ProjectRole::Owner) => {
            "owner of the project".to_owned()
        }
        Access::OfCollection(CollectionRole::Viewer) => "viewer of the collection".to_owned(),
        Access::OfCollection(CollectionRole::Analyst) => "analyst of the collection".to_owned(),
        Access::OfCollection(CollectionRole::Admin) => "admin of the collection".to_owned(),
    }
}

fn price(endpoint: &Endpoint) -> String {
    match endpoint.cost.price {
        Price::Unmetered => String::new(),
        _ => endpoint.cost.name.to_owned(),
    }
}

fn operations() -> Table {
    let rows = ENDPOINTS.iter().map(|endpoint| {
        let mount = MOUNTS.iter().find(|mount| mount.tree == endpoint.tree).expect("every tree is mounted");
        let path = format!("{} {}{}", endpoint.method.name(), mount.prefix, endpoint.path.replace("{*", "{"));
        vec![code(&path), access(endpoint.access), price(endpoint), endpoint.summary.to_owned()]
    });
    Table {
        name: "operations",
        head: &["operation", "for", "price", "what it does"],
        rows: rows.collect(),
        by_hand: false,
    }
}

fn issues() -> Table {
    let mut kinds = ambit_checks::library();
    kinds.sort_by(|one, other| (one.severity, &one.name).cmp(&(other.severity, &other.name)));
    let rows = kinds.into_iter().map(|kind| {
        vec![code(&kind.name), kind.severity.to_string(), kind.confidence, kind.category, kind.pretty_name]
    });
    Table {
        name: "kinds of issue",
        head: &["name", "severity", "confidence", "category", "title"],
        rows: rows.collect(),
        by_hand: false,
    }
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
}

impl Table {
    fn markers(&self) -> (String, String) {
        (format!("<!-- {}: written by cargo xtask docs -->\n", self.name), format!("<!-- end of {} -->", self.name))
    }

    /// The table, with the last column of `old` where it is written by hand.
    fn text(&self, old: &str) -> String {
        let head: Vec<String> = self.head.iter().map(|name| (*name).to_owned()).collect();
        let rule: Vec<String> = self.head.iter().map(|_| "---".to_owned()).collect();
        let rows = self.rows.iter().map(|row| {
            let mut row = row.clone();
            if self.by_hand {
                row.push(by_hand(old, &row[0]).unwrap_or_else(|| UNWRITTEN.to_owned()));
            }
            line(&row)
        });
        [line(&head), line(&rule)].into_iter().chain(rows).collect()
    }
}

/// The last cell of the row of a table that begins with `key`.
fn by_hand(table: &str, key: &str) -> Option<String> {
    let row = table.lines().find(|row| row.starts_with(&format!("| {key} |")))?;
    row.trim_end_matches(" |").rsplit_once(" | ").map(|(_, last)| last.to_owned())
}

#[test]
fn the_reference_page_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut made = page.clone();
    for table in [settings(), exit_codes(), operations(), issues()] {
        let (begin, end) = table.markers();
        let (head, rest) = made.split_once(&begin).unwrap_or_else(|| panic!("docs/reference.md lacks {begin}"));
        let (old, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("docs/reference.md lacks {end}"));
        made = format!("{head}{begin}{}{end}{tail}", table.text(old));
    }
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, &made).unwrap();
    } else {
        assert!(made == page, "docs/reference.md is not current: run cargo xtask docs");
    }
    assert!(!made.contains(UNWRITTEN), "docs/reference.md: a new row needs its meaning, in the last column");
}
