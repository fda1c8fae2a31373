//! From statements to drafts, one per state. Every line fails by itself, so that a file's errors are all told at once.

mod cert;
mod cursor;
mod estate;
mod exposure;
mod host;
mod integrity;
mod names;
mod site;

use crate::draft::{Bucket, Draft, Expect, STATE_MS};
use crate::problem::Fault;
use crate::text::{self, Statement};
use ambit_model::Kind;
use ambit_model::entity::article;
use ambit_model::workflow::SUSPICIOUS_DOMAINS;
use cursor::{Below, Cursor};
use std::collections::{BTreeMap, BTreeSet};

/// States of one world; each is a whole copy of the former with changes.
const STATES_MAX: usize = 12;

/// A file, read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub name: String,
    pub title: String,
    pub seeds: Vec<String>,
    /// Names of issues in expectations, each with the first line that has it.
    pub issues: BTreeMap<String, usize>,
    /// At least one.
    pub states: Vec<Draft>,
}

const STATEMENTS: &str = "world, seeds, org, block, zone, name, host, site, cert, bucket, account, repository, forge, \
                          app, expect, state, remove";

/// Reads a file. With faults, the reading is what was understood.
pub(crate) fn read(text: &str) -> (Reading, Vec<Fault>) {
    let (reading, mut faults) = understand(text);
    if reading.name.is_empty() && faults.is_empty() {
        faults.push(Fault::new(1, "", "the file has no line `world NAME \"TITLE\"`"));
    }
    if reading.seeds.is_empty() && faults.is_empty() {
        faults.push(Fault::new(1, "", "the file has no line `seeds NAME…`"));
    }
    if faults.is_empty() {
        for draft in &reading.states {
            integrity::check(draft, &mut faults);
        }
    }
    (reading, faults)
}

/// Reads the statements, without asking whether they fit together.
pub(crate) fn understand(text: &str) -> (Reading, Vec<Fault>) {
    let (statements, mut faults) = text::statements(text);
    let mut reader = Reader {
        reading: Reading { states: vec![Draft::default()], ..Reading::default() },
        touched: BTreeSet::new(),
        replaces: false,
    };
    for statement in &statements {
        reader.statement(statement, &mut faults);
    }
    let mut reading = reader.reading;
    site::plant_rest(&mut reading.states);
    reading.states.iter_mut().for_each(complete);
    (reading, faults)
}

/// Adds what the statements imply: addresses of name servers, and names that exist because something stands below them.
pub(crate) fn complete(draft: &mut Draft) {
    let servers: Vec<(usize, String, Vec<std::net::IpAddr>)> = draft
        .zones
        .values()
        .flat_map(|zone| zone.servers.iter().map(|(name, given)| (zone.line, name.clone(), given.clone())))
        .collect();
    for (line, server, given) in servers {
        if !given.is_empty() && !draft.names.contains_key(&server) && crate::plan::zone_of(draft, &server).is_some() {
            draft.names.insert(server, names::server(line, &given));
        }
    }
    let plain = draft.names.keys().map(|name| name.strip_prefix("*.").unwrap_or(name));
    let all: BTreeSet<String> = plain
        .chain(draft.zones.keys().map(String::as_str))
        .flat_map(crate::plan::ancestors)
        .map(str::to_owned)
        .collect();
    draft.existing = all;
    draft.dedicated = crate::plan::dedicated(draft);
}

struct Reader {
    reading: Reading,
    /// Keys that this state has stated: the first statement of a state replaces what the state before said.
    touched: BTreeSet<String>,
    /// Past the first `state` line.
    replaces: bool,
}

/// Whether a statement begins a thing or adds to it.
enum Stand {
    Fresh,
    Again,
}

impl Reader {
    fn draft(&mut self) -> &mut Draft {
        self.reading.states.last_mut().expect("there is always one state")
    }

    /// Notes a key of this state.
    fn touch(&mut self, key: String) -> Stand {
        if self.touched.insert(key) { Stand::Fresh } else { Stand::Again }
    }

    /// A key that may be stated once a state.
    fn once(&mut self, cursor: &Cursor<'_>, key: String) -> Result<(), Fault> {
        match self.touch(key) {
            Stand::Fresh => Ok(()),
            Stand::Again => Err(cursor.fault("it was stated before; put all its lines under one statement")),
        }
    }

    fn statement(&mut self, statement: &Statement, faults: &mut Vec<Fault>) {
        let mut cursor = Cursor::new(&statement.head);
        if let Err(fault) = self.read(&mut cursor, statement, faults) {
            faults.push(fault);
        }
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, statement: &Statement, faults: &mut Vec<Fault>) -> Result<(), Fault> {
        let keyword = cursor.word(STATEMENTS)?;
        let has_body =
            ["zone", "name", "host", "site", "cert", "account", "repository", "forge", "app"].contains(&keyword);
        if let (false, Some(line)) = (has_body, statement.body.first()) {
            let message = format!("`{keyword}` takes no indented lines");
            faults.push(Fault::new(line.number, &line.words[0].text, message));
        }
        let mut below = Below { lines: &statement.body, faults };
        match keyword {
            "world" => {
                self.reading.name = cursor.word("a name")?.to_owned();
                self.reading.title = cursor.next().unwrap_or("").to_owned();
                cursor.end()
            }
            "seeds" => self.seeds(cursor),
            "org" => self.org(cursor),
            "block" => self.block(cursor),
            "zone" => self.zone(cursor, &mut below),
            "name" => self.name(cursor, &mut below),
            "host" => self.host(cursor, &mut below),
            "site" => self.site(cursor, &mut below),
            "cert" => self.cert(cursor, &mut below),
            "bucket" => self.bucket(cursor),
            "account" => self.account(cursor, &mut below),
            "repository" => self.repository(cursor, &mut below),
            "forge" => self.forge(cursor, &mut below),
            "app" => self.app(cursor, &mut below),
            "expect" => self.expect(cursor),
            "state" => self.state(cursor),
            "remove" => self.remove(cursor),
            _ => Err(cursor.unknown(STATEMENTS)),
        }
    }

    fn seeds(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        while let Some(word) = cursor.next() {
            // A word is a seed of the workflows that search by words.
            let seed = SUSPICIOUS_DOMAINS.target(word);
            let (_, name) = seed.map_err(|invalid| cursor.fault(format!("no seed: {}", invalid.why)))?;
            self.reading.seeds.push(name);
        }
        if self.reading.seeds.is_empty() {
            return Err(cursor.fault("at least one seed was expected"));
        }
        Ok(())
    }

    fn state(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let number: usize = cursor.number("the next state's number")?;
        let next = self.reading.states.len() + 1;
        if number != next || number > STATES_MAX {
            return Err(cursor.fault(format!("the next state is {next}, and there are at most {STATES_MAX}")));
        }
        let span_ms = if cursor.next_if_unquoted("after") { cursor.span_ms()? } else { STATE_MS };
        let mut copy = self.draft().clone();
        copy.begins_ms += span_ms;
        self.reading.states.push(copy);
        self.touched.clear();
        self.replaces = true;
        cursor.end()
    }

    fn bucket(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        use crate::draft::{Access, Storage};
        let storage = cursor.choice(&[
            ("s3", Storage::S3),
            ("gcs", Storage::Gcs),
            ("azure", Storage::Azure),
            ("firebase-database", Storage::Database),
            ("firestore", Storage::Firestore),
            ("firebase-storage", Storage::FirebaseFiles),
        ])?;
        let name = cursor.word("the bucket's name")?.to_owned();
        let key = format!("{storage:?} {name}");
        if name.bytes().any(|b| !(b.is_ascii_lowercase() || b.is_ascii_digit() || b"-./".contains(&b))) {
            return Err(
                cursor.fault("a bucket's name has small letters, digits, `-`, `.` and for azure ACCOUNT/CONTAINER")
            );
        }
        if storage == Storage::Azure
            && !name.split_once('/').is_some_and(|(account, container)| !account.is_empty() && !container.is_empty())
        {
            return Err(cursor.fault("no container of an account; expected ACCOUNT/CONTAINER"));
        }
        self.once(cursor, format!("bucket {key}"))?;
        let mut bucket = Bucket {
            line: cursor.line,
            storage,
            name,
            org: String::new(),
            access: Access::Closed,
            keys: Vec::new(),
            hidden: false,
            region: None,
        };
        while let Some(word) = cursor.next() {
            match word {
                "of" => bucket.org = cursor.word("an organisation's key")?.to_owned(),
                "listed" => bucket.access = Access::Listed,
                "open" => bucket.access = Access::Open,
                "closed" => bucket.access = Access::Closed,
                "hidden" => bucket.hidden = true,
                "region" => bucket.region = Some(region(cursor, storage)?),
                "keys" => bucket.keys = cursor.rest("names of files")?,
                _ => return Err(cursor.unknown("of, listed, open, closed, hidden, region, keys")),
            }
        }
        self.draft().buckets.insert(key, bucket);
        Ok(())
    }

    fn expect(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        const WORDS: &str = "issue, no-issue, entity, ignore, never";
        let expect = match cursor.word(WORDS)? {
            word @ ("issue" | "no-issue") => {
                let name = cursor.word("an issue's name")?.to_owned();
                self.reading.issues.entry(name.clone()).or_insert(cursor.line);
                let (kind, entity) = kind_and_name(cursor)?;
                if word == "issue" { Expect::Issue(name, kind, entity) } else { Expect::NoIssue(name, kind, entity) }
            }
            "entity" => kind_and_name(cursor).map(|(kind, name)| Expect::Entity(kind, name))?,
            "ignore" => kind_and_name(cursor).map(|(kind, name)| Expect::Ignore(kind, name))?,
            "never" => {
                let word = cursor.word("an address or block")?;
                let block = word.parse().or_else(|_| word.parse::<std::net::IpAddr>().map(ipnet::IpNet::from));
                Expect::Never(block.map_err(|_| cursor.fault("no address or block"))?)
            }
            _ => return Err(cursor.unknown(WORDS)),
        };
        self.draft().expects.push(expect);
        cursor.end()
    }

    fn remove(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        const WORDS: &str = "name, host, site, zone, cert, bucket, block, account, repository, forge, app, \
                             expects";
        if !self.replaces {
            return Err(cursor.fault("`remove` stands below a `state` line"));
        }
        let noun = cursor.word(WORDS)?;
        let draft = self.reading.states.last_mut().expect("there is always one state");
        let removed = match noun {
            "name" => draft.names.remove(&cursor.host_name(true)?).is_some(),
            "host" => draft.hosts.remove(&cursor.address()?).is_some(),
            "zone" => draft.zones.remove(&cursor.host_name(false)?).is_some(),
            "site" => draft.sites.remove(&site::key(cursor)?).is_some(),
            "cert" => draft.certs.remove(cursor.word("a certificate's name")?).is_some(),
            "bucket" => {
                let name = cursor.word("a bucket's name")?;
                let before = draft.buckets.len();
                draft.buckets.retain(|_, bucket| bucket.name != name);
                before != draft.buckets.len()
            }
            "block" => {
                let block = cursor.word("a block")?.parse().map_err(|_| cursor.fault("no block"))?;
                draft.blocks.remove(&block).is_some()
            }
            "account" => {
                let provider = cursor.word("a provider")?;
                draft.accounts.remove(&format!("{provider} {}", cursor.word("what the account is called")?)).is_some()
            }
            "repository" => draft.repositories.remove(&estate::place(cursor)?.0).is_some(),
            "forge" => draft.forges.remove(&estate::code_account(cursor)?.1).is_some(),
            "app" => {
                let system = cursor.word("android or ios")?;
                draft.apps.remove(&format!("{system} {}", cursor.word("an app's name")?)).is_some()
            }
            "expects" => {
                draft.expects.clear();
                true
            }
            _ => return Err(cursor.unknown(WORDS)),
        };
        if !removed {
            return Err(cursor.fault(format!("the state before has no such {noun}")));
        }
        cursor.end()
    }
}

/// The region of a bucket of S3.
fn region(cursor: &mut Cursor<'_>, storage: crate::draft::Storage) -> Result<String, Fault> {
    if storage != crate::draft::Storage::S3 {
        return Err(cursor.fault("only a bucket of s3 has a region"));
    }
    let region = cursor.word("a region such as eu-west-1")?;
    let host = format!("s3.{region}.amazonaws.com");
    let is_region = ambit_model::entity::bucket::in_no_region(&host) != host;
    is_region.then(|| region.to_owned()).ok_or_else(|| cursor.fault("expected a region such as eu-west-1"))
}

fn kind_and_name(cursor: &mut Cursor<'_>) -> Result<(Kind, String), Fault> {
    let word = cursor.word("a kind such as Uri")?;
    let kind = Kind::from_name(word).ok_or_else(|| cursor.fault("no kind such as Domain, IpAddress or Uri"))?;
    let word = cursor.word("an entity's name")?;
    let name = kind.canonical(word).map_err(|invalid| {
        cursor.fault(format!("no name of {} {}: {}", article(kind.name()), kind.name(), invalid.why))
    })?;
    Ok((kind, name))
}

/// The certificate of a site that says nothing about it.
pub(crate) fn usual_certificate() -> crate::draft::Cert {
    cert::usual(0)
}
