//! The tables of docs/reference.md (settings, exit codes, operations, kinds of issue) and of docs/search.md (keywords),
//! and the page docs/commands.md, made from what the program knows. `cargo xtask docs` writes the pages; the tests here
//! fail while one is not current.

use crate::commands::Cli;
use crate::{config, failure};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_query::ValueType;
use ambit_query::keywords::KEYWORDS;
use ambit_server::{Access, ENDPOINTS, Endpoint, MOUNTS, Price};
use ambit_testkit::assert_file;
use clap::CommandFactory as _;
use std::fs;
use std::path::Path;

/// A table between its markers.
struct Table {
    name: &'static str,
    head: &'static [&'static str],
    rows: Vec<Vec<String>>,
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
        vec![code(row.name), code(&config::variable(row.name)), default, takes.join(", "), row.meaning.to_owned()]
    });
    Table { name: "settings", head: &["setting", "environment", "default", "takes", "meaning"], rows: rows.collect() }
}

fn exit_codes() -> Table {
    let rows = failure::CODES.iter().map(|(code, meaning)| vec![code.to_string(), (*meaning).to_owned()]);
    Table { name: "exit codes", head: &["code", "meaning"], rows: rows.collect() }
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
        vec![code(&path), access(endpoint.access), price(endpoint), endpoint.summary().to_owned()]
    });
    Table { name: "operations", head: &["operation", "for", "price", "what it does"], rows: rows.collect() }
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
    }
}

/// The keywords of the search language.
fn keywords() -> Table {
    let rows = KEYWORDS.iter().map(|row| {
        let nouns: Vec<&str> = row.nouns.iter().map(|noun| noun.as_str()).collect();
        vec![code(row.name), nouns.join(", "), values(row.value), row.doc.to_owned()]
    });
    Table { name: "keywords", head: &["keyword", "searches", "value", "meaning"], rows: rows.collect() }
}

/// What a keyword may be given, in words.
fn values(value: ValueType) -> String {
    match value {
        ValueType::Text => "text".to_owned(),
        ValueType::Integer { min, max: i64::MAX } => format!("number from {min}"),
        ValueType::Integer { min, max } => format!("number, {min} to {max}"),
        ValueType::Bool => "`true`, `false`".to_owned(),
        ValueType::Time => "time".to_owned(),
        ValueType::Kind => "kind".to_owned(),
        ValueType::OneOf(words) => {
            let own = words.iter().filter(|(word, meaning)| word == meaning).map(|(word, _)| code(word));
            own.collect::<Vec<_>>().join(", ")
        }
    }
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
}

impl Table {
    fn markers(&self) -> (String, String) {
        (format!("<!-- {}: written by cargo xtask docs -->\n", self.name), format!("<!-- end of {} -->", self.name))
    }

    fn text(&self) -> String {
        let head: Vec<String> = self.head.iter().map(|name| (*name).to_owned()).collect();
        let rule: Vec<String> = self.head.iter().map(|_| "---".to_owned()).collect();
        let rows = self.rows.iter().map(|row| line(row));
        [line(&head), line(&rule)].into_iter().chain(rows).collect()
    }
}

/// A page with its tables as the program has them now.
fn page(path: &str, tables: &[Table]) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let mut made = fs::read_to_string(&file).unwrap();
    for table in tables {
        let (begin, end) = table.markers();
        let (head, rest) = made.split_once(&begin).unwrap_or_else(|| panic!("{path} lacks {begin}"));
        let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("{path} lacks {end}"));
        made = format!("{head}{begin}{}{end}{tail}", table.text());
    }
    made
}

#[test]
fn the_reference_pages_are_current() {
    let pages: [(&str, &[Table]); 2] =
        [("docs/reference.md", &[settings(), exit_codes(), operations(), issues()]), ("docs/search.md", &[keywords()])];
    for (path, tables) in pages {
        assert_file(path, &page(path, tables));
    }
}

#[test]
fn the_page_of_commands_is_current() {
    let mut text = "# Commands\n\nWhat `ambit COMMAND -h` says, without the options of all commands, which `ambit -h` \
                    lists; `--help` says more of some.\nWritten by `cargo xtask docs`.\n"
        .to_owned();
    let mut root = Cli::command().term_width(100);
    root.build();
    write_help(&root, &mut text);
    assert_file("docs/commands.md", &text);
}

/// Writes the help of a command and of those below it, each under a heading.
fn write_help(command: &clap::Command, text: &mut String) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let below_root = name.contains(' ');
    let mut shown = command.clone().mut_args(|arg| {
        let of_all = arg.is_global_set() || ["help", "version"].iter().any(|id| arg.get_id() == *id);
        arg.hide(of_all && below_root)
    });
    let shown = shown.render_help().to_string();
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    text.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
    for next in command.get_subcommands() {
        write_help(next, text);
    }
}
