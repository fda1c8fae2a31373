//! The context of a probe: what it is given, and the only place where it reports what it saw.

use crate::history::within;
use crate::read::normal;
use crate::{Memory, Settings};
use ambit_model::entity::{Member, mentioned};
use ambit_model::facts::Neighbour;
use ambit_model::observation::{Discovery, EXCHANGE, Evidence, Found};
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, Uid};
use ambit_net::Session;
use ambit_net::http::HttpExchange;
use ambit_net::wire::WireTime;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The most entities that one probe may discover; a transfer of a large zone is the largest legitimate answer.
pub(crate) const LEADS_MAX: usize = 20_000;
/// The same with those that are known already.
const KNOWN_LEADS_MAX: usize = 2 * LEADS_MAX;
/// Items of a list in the details; longer lists are hostile or useless in a record.
const ITEMS_MAX: usize = 2_000;
/// Bytes of a text in the details: registration texts are the longest honest ones.
const TEXT_BYTES_MAX: usize = 64 * 1_024;
/// Depth of a value in the details; ours are at most five deep.
const DEPTH_MAX: usize = 12;
/// Bytes of one piece of evidence (docs/architecture.md §1.6: blobs of at most 1 MiB).
const EVIDENCE_BYTES_MAX: usize = 1_024 * 1_024;
/// The most pieces of evidence of one probe: a site that shows one of each exposure has fewer.
const EVIDENCE_MAX: usize = 64;

/// Longest time of a probe that nobody ends.
const ALONE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// What a probe is given, and where it reports.
pub struct Context<'a> {
    /// The only door to the outside.
    pub net: &'a Session,
    /// All that is known of the entity.
    pub facts: &'a Facts,
    /// The argument that `plan` gave, `""` for `Once`.
    pub argument: &'a str,
    /// Word list, ports, loaded data.
    pub settings: &'a Settings,
    /// What the run's rows remember for one another; `None` where the probe stands alone.
    pub(crate) memory: Option<&'a Memory>,
    /// Only what was found before is asked for.
    verifies: AtomicBool,
    /// When it is ended, on the wire's clock.
    ends: WireTime,
    /// Where the entity led before with the same argument; made once there is more than is kept.
    known: OnceLock<BTreeSet<Lead>>,
    report: Mutex<Report>,
}

/// An edge to an entity, by its kind and name.
type Lead = (EdgeKind, Kind, String);

#[derive(Default)]
struct Report {
    details: Details,
    leads: BTreeMap<Lead, Details>,
    standing: BTreeSet<(EdgeKind, Uid)>,
    evidence: Vec<Evidence>,
    left_out: Vec<String>,
    /// Members of which only the beginning is kept.
    cut: BTreeSet<String>,
    /// More was discovered than is kept.
    beyond: bool,
    refused: usize,
}

impl<'a> Context<'a> {
    /// Makes a context without any report.
    pub fn new(net: &'a Session, facts: &'a Facts, argument: &'a str, settings: &'a Settings) -> Self {
        let ends = net.now().saturating_add(ALONE_MAX);
        let (verifies, known, report) = (AtomicBool::new(false), OnceLock::new(), Mutex::default());
        Self { net, facts, argument, settings, memory: None, verifies, ends, known, report }
    }

    /// Makes it a probe of what was found before: an earlier run asked for everything, within the time to live.
    pub fn verifying(self, only: bool) -> Self {
        Self { verifies: AtomicBool::new(only), ..self }
    }

    /// Returns whether no more than what was found before has to be asked for.
    pub fn verifies(&self) -> bool {
        self.verifies.load(Ordering::Relaxed)
    }

    /// What was found before is not as it was, so that everything is asked for.
    pub(crate) fn ask_for_all(&self) {
        self.verifies.store(false, Ordering::Relaxed);
    }

    /// Puts the probe beside the others of its run, which may look at the same site.
    pub fn beside(self, memory: &'a Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Limits the time of the probe.
    pub fn within(self, most: Duration) -> Self {
        Self { ends: self.net.now().saturating_add(most), ..self }
    }

    /// The moment until which the probe may wait for what peers do, where so much is kept for what it says then.
    pub(crate) fn until(&self, kept: Duration) -> WireTime {
        self.ends.saturating_sub(kept)
    }

    /// Reports another entity that this one led to. A text that is no name of the kind is counted and left out. So is
    /// what is new and has no room: the run says that there is more.
    pub fn found(&self, kind: Kind, raw: &str, edge: EdgeKind) {
        self.found_with(kind, raw, edge, Details::new());
    }

    /// Like `found`, with details of that entity.
    pub fn found_with(&self, kind: Kind, raw: &str, edge: EdgeKind, details: Details) {
        let mut said = self.report();
        let Ok(name) = kind.canonical(raw) else {
            said.refused += 1;
            return;
        };
        let lead = (edge, kind, name);
        let has_room = match said.leads.len() {
            0..LEADS_MAX => true,
            LEADS_MAX..KNOWN_LEADS_MAX => self.known().contains(&lead),
            _ => false,
        };
        if !has_room && !said.leads.contains_key(&lead) {
            said.beyond = true;
            said.refused += 1;
            return;
        }
        let lead = said.leads.entry(lead).or_default();
        let mut cut = Vec::new();
        for (member, value) in details {
            let value = bounded(value, DEPTH_MAX, &mut || cut.push(member.clone()));
            lead.entry(member).or_insert(value);
        }
        said.cut.extend(cut);
    }

    fn known(&self) -> &BTreeSet<Lead> {
        self.known.get_or_init(|| {
            let known = self.facts.outward.iter().filter(|end| end.argument == self.argument);
            known.map(|end| (end.edge, end.kind, end.name.clone())).collect()
        })
    }

    /// Reports that where this task led before, with the same argument, could not be asked about now: it stays known
    /// and is not seen. Where something else led there, that says nothing.
    pub(crate) fn stands(&self, known: &Neighbour) {
        self.report().standing.insert((known.edge, known.uid));
    }

    /// Reports that not all could be looked at to which the task led before, with the same argument: what is not seen
    /// now stays known, as far as one probe may lead.
    pub(crate) fn all_stands(&self, task: TaskName) {
        self.facts.led_to(task, self.argument).take(LEADS_MAX).for_each(|known| self.stands(known));
    }

    /// Reports a host name that the entity led to: a `Domain` if it is registrable, otherwise a `DnsRecord`.
    pub fn found_host(&self, raw: &str, edge: EdgeKind) {
        self.found_host_with(raw, edge, Details::new());
    }

    /// Like `found_host`, with details of that name.
    pub(crate) fn found_host_with(&self, raw: &str, edge: EdgeKind, details: Details) {
        match Kind::of_host(raw) {
            Ok((kind, name)) => self.found_with(kind, &name, edge, details),
            Err(_) => self.report().refused += 1,
        }
    }

    /// Reports a token that the entity shows, by what names it without telling it.
    pub(crate) fn found_token(&self, token: &str, provider: &str, sensitive: bool) {
        let members = [
            mentioned::SNIPPET.is(json!(token)),
            mentioned::TOKEN_PROVIDER.is(provider.to_owned()),
            mentioned::SENSITIVE.is(sensitive),
        ];
        self.found_with(Kind::UniqueToken, token, EdgeKind::Token, Details::from_iter(members));
    }

    /// Reports a mailbox that the entity names.
    pub(crate) fn found_mailbox(&self, mailbox: &str) {
        let origin = Details::from_iter([mentioned::ORIGIN.is(json!(self.facts.name))]);
        self.found_with(Kind::EmailAddress, mailbox, EdgeKind::Contact, origin);
    }

    /// Reports a member of the entity's details, no value as null. Texts and lists are cut at their limits, and the run
    /// says so; NUL becomes U+FFFD.
    pub fn observe<T: Serialize>(&self, member: Member<T>, value: impl Into<Option<T>>) {
        self.observe_all([member.is(value)]);
    }

    /// Reports several members at once.
    pub(crate) fn observe_all(&self, members: impl IntoIterator<Item = (String, Value)>) {
        let mut cut = Vec::new();
        let members = members.into_iter().map(|(name, value)| {
            let value = bounded(value, DEPTH_MAX, &mut || cut.push(name.clone()));
            (name, value)
        });
        let members: Vec<(String, Value)> = members.collect();
        let mut said = self.report();
        said.details.extend(members);
        said.cut.extend(cut);
    }

    /// Keeps bytes as evidence, at most 1 MiB of each piece.
    pub fn evidence(&self, label: &str, bytes: &[u8]) {
        let mut said = self.report();
        if said.evidence.len() < EVIDENCE_MAX {
            let bytes = bytes[..bytes.len().min(EVIDENCE_BYTES_MAX)].to_vec();
            said.evidence.push(Evidence { label: label.to_owned(), bytes });
        }
    }

    /// Keeps an exchange as evidence: what was asked as it was sent, and what was answered.
    pub(crate) fn exchange(&self, shows: &str, exchange: &HttpExchange) {
        let request = exchange.request.as_slice();
        let bytes = [request, &normal::exchange(exchange)].concat();
        self.evidence(&format!("{EXCHANGE}{shows}"), &bytes);
    }

    /// Returns how many names were left out, because they were invalid or beyond the limit.
    pub fn refused(&self) -> usize {
        self.report().refused
    }

    /// Returns everything that was reported, in an order that does not depend on when it was reported.
    pub fn into_found(self) -> Found {
        let mut said = self.report.into_inner().unwrap_or_else(PoisonError::into_inner);
        said.details.sort_keys();
        if said.beyond {
            said.left_out.push(format!("what it leads to beyond {LEADS_MAX} entities"));
        }
        let beyond = |member| format!("what {member} holds beyond {ITEMS_MAX} items or {} KiB", TEXT_BYTES_MAX / 1_024);
        said.left_out.extend(said.cut.into_iter().map(beyond));
        let edges = said.leads.into_iter().map(|((edge, kind, name), mut details)| {
            details.sort_keys();
            Discovery { edge, kind, name, details }
        });
        Found {
            details: said.details,
            edges: edges.collect(),
            standing: said.standing,
            evidence: said.evidence,
            left_out: said.left_out,
        }
    }

    /// Returns the partial results of a probe that did not end; `None` if it led nowhere yet. What was known stands,
    /// since the probe did not check all of it. Known members belong to all arguments, so they stand only if there is
    /// no other argument.
    pub fn into_found_so_far(self, task: TaskName) -> Option<Found> {
        let (facts, own) = (self.facts, self.argument);
        let is_alone = facts.probes_of(task).all(|(argument, _)| argument == own);
        self.all_stands(task);
        let mut found = self.into_found();
        let known = facts.details.iter().filter(|(member, _)| is_alone && facts.kind.owner(member) == Some(task));
        for (member, value) in known {
            found.details.entry(member.clone()).or_insert_with(|| value.clone());
        }
        found.details.sort_keys();
        Some(found).filter(|found| !found.edges.is_empty())
    }

    /// As many of the names as a record has room for. Those to which the task led before with the same argument come
    /// first, and stand where there is no room, so that whatever is missing was seen to be gone. The run says how many
    /// are left out.
    pub(crate) fn kept<T: AsRef<str>>(
        &self,
        task: TaskName,
        names: impl IntoIterator<Item = T>,
        most: usize,
        what: &str,
    ) -> Vec<T> {
        let names: Vec<T> = names.into_iter().collect();
        let more = names.len().saturating_sub(most);
        if more == 0 {
            return names;
        }
        self.leave_out(format!("{more} {what} are left out: no more than {most} are kept"));
        let mut known: BTreeMap<&str, Vec<&Neighbour>> = BTreeMap::new();
        for end in self.facts.led_to(task, self.argument) {
            known.entry(end.name.as_str()).or_default().push(end);
        }
        let told = names.iter().filter_map(|name| known.get_key_value(name.as_ref()));
        let mut without_room: BTreeMap<&str, &Vec<&Neighbour>> = told.map(|(name, ends)| (*name, ends)).collect();
        let kept = within(names, most, |name| known.contains_key(name.as_ref()));
        for name in &kept {
            without_room.remove(name.as_ref());
        }
        without_room.into_values().flatten().for_each(|end| self.stands(end));
        kept
    }

    /// Says what there is beyond what is kept, a sentence. It keeps no judgement of the rest back.
    pub(crate) fn leave_out(&self, what: String) {
        self.report().left_out.push(what);
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value within the limits of a record. Calls `cut` where a list or a text is longer.
fn bounded(value: Value, depth: usize, cut: &mut dyn FnMut()) -> Value {
    match value {
        Value::String(text) => Value::String(short(text, cut)),
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::Null,
        Value::Array(mut items) => {
            if items.len() > ITEMS_MAX {
                items.truncate(ITEMS_MAX);
                cut();
            }
            items.into_iter().map(|item| bounded(item, depth - 1, cut)).collect()
        }
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (short(name, cut), bounded(value, depth - 1, cut))).collect()
        }
        plain => plain,
    }
}

fn short(mut text: String, cut: &mut dyn FnMut()) -> String {
    if text.len() > TEXT_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        cut();
    }
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}
