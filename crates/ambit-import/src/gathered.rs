//! The entities that were read so far: each once, with the newest date and everything reported about it.

use crate::error::{ImportError, Result};
use ambit_model::entity::host_of;
use ambit_model::entity::imported::Sighted;
use ambit_model::{Kind, Timestamp};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Things of one file at most: more are no longer held at once.
const SIGHTED_MAX: usize = 1_000_000;
/// Characters that are kept of what a tool says under one name, and of that name.
const SAYS_CHARS_MAX: usize = 300;
/// Rows that were left out and are named with their line; of the others it is said how many they are.
const ODD_ROWS_NAMED: usize = 5;
/// Labels that are kept of one entity.
const SAYS_MAX: usize = 50;

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// In the order of kinds and names; each once, with the newest date.
    pub sighted: Vec<Sighted>,
    /// Things whose kind is not imported or whose name is none.
    pub left_out: usize,
    /// What else a person should know of what was not read, a line each: rows that were left out with their line and
    /// the reason, columns that are not used, a file that breaks off.
    pub notes: Vec<String>,
    /// The account that the file describes, if what it lists belongs to that account.
    pub account: Option<Account>,
}

/// A state of Terraform, which is the account of what it manages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// What stays the same from one state to the next; what `terraform show` writes does not say it.
    pub lineage: Option<String>,
    /// The number of the state.
    pub serial: Option<u64>,
    /// The version of the program that wrote it.
    pub version: String,
}

/// When an entity was last seen, if the file says so, and what the tool reported.
type Thing = (Option<Timestamp>, BTreeMap<String, String>);

/// The type of an entity in a word or two, and its configuration.
type Setup = (Option<String>, Map<String, Value>);

pub(crate) struct Gathered {
    usual: Timestamp,
    things: BTreeMap<(Kind, String), Thing>,
    /// Those that the account holds, with what they are and how they are set up.
    owned: BTreeMap<(Kind, String), Setup>,
    pub(crate) account: Option<Account>,
    left_out: usize,
    /// Rows that cannot be read: the first of them with their line, and how many there are.
    odd_rows: (Vec<String>, usize),
    /// Why things are not imported that the file rightly holds, and how many.
    passed_over: BTreeMap<&'static str, usize>,
    notes: Vec<String>,
}

/// What a tool reports about an entity: labels with their texts. Blank texts are left out.
pub(crate) type Says<'a> = &'a [(&'a str, &'a str)];

impl Gathered {
    pub(crate) fn new(usual: Timestamp) -> Self {
        Self {
            usual,
            things: BTreeMap::new(),
            owned: BTreeMap::new(),
            account: None,
            left_out: 0,
            odd_rows: (Vec::new(), 0),
            passed_over: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Counts a thing that is not imported.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// Counts a row that cannot be read, and says where it is and why.
    pub(crate) fn leave_out_row(&mut self, line: usize, why: &str) {
        self.left_out += 1;
        let (named, count) = &mut self.odd_rows;
        *count += 1;
        if named.len() < ODD_ROWS_NAMED {
            named.push(format!("line {line} is left out: {why}"));
        }
    }

    /// Counts a thing that the file rightly holds and that is not imported; `why` says what and why, before
    /// the number of such.
    pub(crate) fn pass_over(&mut self, why: &'static str) {
        *self.passed_over.entry(why).or_default() += 1;
    }

    /// Says something of what was not read.
    pub(crate) fn note(&mut self, said: String) {
        self.notes.push(said);
    }

    /// Adds a thing by a name in any of its spellings.
    pub(crate) fn add(&mut self, kind: Kind, raw: &str, at: Option<Timestamp>, says: Says<'_>) {
        self.add_long((kind, raw), at, says, SAYS_MAX);
    }

    /// The same of a thing of which so many things may be said.
    pub(crate) fn add_long(&mut self, (kind, raw): (Kind, &str), at: Option<Timestamp>, says: Says<'_>, most: usize) {
        let Ok(name) = kind.canonical(raw) else { return self.leave_out() };
        let (seen_at, said) = self.things.entry((kind, name)).or_default();
        *seen_at = at.max(*seen_at);
        for (word, text) in says {
            let (word, text) = (plain(word), plain(text));
            if !word.is_empty() && !text.is_empty() && (said.len() < most || said.contains_key(&word)) {
                said.insert(word, text);
            }
        }
    }

    /// Adds what the account holds.
    pub(crate) fn own(&mut self, kind: Kind, raw: &str, says: Says<'_>) {
        if let Ok(name) = kind.canonical(raw) {
            self.owned.entry((kind, name)).or_default();
        }
        self.add(kind, raw, None, says);
    }

    /// The same with its type and configuration. If several resources describe one entity, their lists are joined.
    pub(crate) fn own_set_up(
        &mut self,
        (kind, raw): (Kind, &str),
        says: Says<'_>,
        what: &str,
        set: Map<String, Value>,
    ) {
        self.own(kind, raw, says);
        let Some((is, known)) = kind.canonical(raw).ok().and_then(|name| self.owned.get_mut(&(kind, name))) else {
            return;
        };
        *is = Some(what.to_owned());
        for (name, value) in set {
            match (known.get_mut(&name), value) {
                (Some(Value::Array(known)), Value::Array(more)) => {
                    let more: Vec<Value> = more.into_iter().filter(|one| !known.contains(one)).collect();
                    known.extend(more);
                }
                (_, value) => drop(known.insert(name, value)),
            }
        }
    }

    /// Adds an address, a domain or the name of a host.
    pub(crate) fn host(&mut self, raw: &str, at: Option<Timestamp>, says: Says<'_>) {
        let raw = raw.trim().trim_start_matches("*.");
        if raw.parse::<IpAddr>().is_ok() {
            return self.add(Kind::IpAddress, raw, at, says);
        }
        match Kind::of_host(raw) {
            Ok((kind, name)) => self.add(kind, &name, at, says),
            Err(_) => self.leave_out(),
        }
    }

    /// Adds a service and the address that it is on; of a host that is a name, the name alone.
    pub(crate) fn service(&mut self, host: &str, (port, protocol): (u16, &str), at: Option<Timestamp>, says: Says<'_>) {
        let host = host.trim().trim_start_matches('[').trim_end_matches(']');
        self.host(host, at, &[]);
        if let Ok(address) = host.parse::<IpAddr>() {
            let socket = std::net::SocketAddr::new(address, port);
            self.add(Kind::NetworkService, &format!("{socket}/{protocol}"), at, says);
        }
    }

    /// Adds a site and the host that it is on. Of a URL that shows a token, its front page stands for the site.
    pub(crate) fn site(&mut self, url: &str, at: Option<Timestamp>, says: Says<'_>) {
        let Ok(name) = Kind::Uri.canonical(url) else { return self.leave_out() };
        self.host(host_of(&name), at, &[]);
        match ambit_secrets::masked(&name).text == name {
            true => self.add(Kind::Uri, &name, at, says),
            false => self.add(Kind::Uri, origin(&name), at, says),
        }
    }

    pub(crate) fn end(self) -> Result<Import> {
        if self.things.len() > SIGHTED_MAX {
            return Err(ImportError::file(format!("it names more than {SIGHTED_MAX} things: import it in parts")));
        }
        let (usual, mut owned) = (self.usual, self.owned);
        let sighted = |(thing, (seen_at, says)): ((Kind, String), Thing)| {
            let setup = owned.remove(&thing);
            let is_owned = setup.is_some();
            let (resource_type, configuration) = setup.unwrap_or_default();
            Sighted {
                owned: is_owned,
                kind: thing.0,
                name: thing.1,
                seen_at: seen_at.unwrap_or(usual),
                says,
                resource_type,
                configuration,
            }
        };
        let sighted = self.things.into_iter().map(sighted).collect();
        let (mut notes, odd_rows) = self.odd_rows;
        if odd_rows > notes.len() {
            notes.push(format!("{} more lines are left out", odd_rows - notes.len()));
        }
        notes.extend(self.passed_over.into_iter().map(|(why, count)| format!("{why}: {count}")));
        notes.extend(self.notes);
        Ok(Import { sighted, left_out: self.left_out, notes, account: self.account })
    }
}

/// `https://www.example.org:443` of a URL there.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + "://".len());
    url[host..].find(['/', '?']).map_or(url, |path| &url[..host + path])
}

/// One line of bounded length, without control characters.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(SAYS_CHARS_MAX).collect()
}
