//! Collects who may send mail in a domain's name, and what receivers should do with forgeries: SPF with its whole tree,
//! DMARC, MTA-STS, TLS reports, BIMI.

use crate::ask::delegation::found_own;
use crate::ask::host::{is_resembling, same_domain};
use crate::read::spf::{self, Mechanism, Record};
use crate::task::OF_DOMAINS;
use crate::tasks::dangling::missing;
use crate::tasks::zone_profile::is_spf;
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::domain::{DanglingReason, DmarcTags, SpfTree};
use ambit_model::entity::{Member, domain, mentioned};
use ambit_model::observation::Sighting;
use ambit_model::{EdgeKind, Kind, TaskName};
use ambit_net::NetError;
use ambit_net::dns::RecordType;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::MailPolicy,
    pretty_name: "Mail policy",
    description: "Reads SPF with all it includes, DMARC, MTA-STS, TLS reporting and BIMI.",
    workflows: OF_DOMAINS,
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::EmailAddress],
    cost: 10,
    gain: 6,
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| {
        if is_resembling(facts) {
            return Plan::bound([SPF, DMARC].map(str::to_owned));
        }
        let records = TEXTS.iter().map(|(record, ..)| *record).chain([SPF, DMARC]);
        if facts.decision.scoped() { Plan::bound(records.map(str::to_owned)) } else { Plan::No }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Look-ups of one tree: receivers stop at 10 (RFC 7208 §4.6.4); we go on a little to say by how much.
const LOOKUPS_MAX: usize = 40;

// Each policy is asked for by itself, so that each has its own answer.
const SPF: &str = ambit_model::task::SPF.argument;
const DMARC: &str = ambit_model::task::DMARC.argument;

/// Policies of one text: name, member, label, and the beginning of the record.
const TEXTS: &[(&str, Member, &str, &str)] = &[
    ("BIMI", domain::BIMI, "default._bimi", "v=BIMI1"),
    ("MTA-STS", domain::MTA_STS, "_mta-sts", "v=STSv1"),
    ("TLS-RPT", domain::TLS_RPT, "_smtp._tls", "v=TLSRPTv1"),
];

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let name = cx.facts.name.as_str();
    let seen = match cx.argument {
        SPF => return observe_spf(cx, name).await,
        DMARC => observe_dmarc(cx, name).await?,
        argument => {
            let policy = TEXTS.iter().find(|(policy, ..)| *policy == argument);
            let (_, member, label, tag) =
                policy.ok_or_else(|| TaskError::Failed(format!("not a policy: {argument:?}")))?;
            let found = records(cx, &format!("{label}.{name}"), |text| text.starts_with(tag)).await?.pop_first();
            if let Some(text) = &found {
                cx.observe(*member, json!(text));
            }
            found.is_some()
        }
    };
    Ok(Answer::found_if(seen))
}

/// Found in part where a record of the tree gave no answer: what that record led to before stands then, and what others
/// named does not.
async fn observe_spf(cx: &Context<'_>, name: &str) -> Result<Answer> {
    let records = records(cx, name, is_spf).await?;
    let Some(first) = records.first() else {
        return Ok(Answer::Absent);
    };
    let mut tree = walk(cx, name, first).await?;
    let before = domain::SPF_TREE.of(&cx.facts.details).unwrap_or_default();
    tree.keep(&before);
    cx.observe(domain::SPF_RECORD, first.clone());
    cx.observe(domain::SPF_TREE, tree.value(records.len(), &before));
    if tree.is_cut {
        cx.leave_out(format!("what its SPF record hands on to, beyond {LOOKUPS_MAX} look-ups"));
    }
    let known = cx.facts.led_to(TASK.name, cx.argument);
    known.filter(|known| tree.stands(&known.name, &before)).for_each(|known| cx.stands(known));
    // The senders of a domain that resembles theirs are recorded, and are not followed.
    if is_resembling(cx.facts) {
        return Ok(tree.answer());
    }
    for include in tree.includes.iter().filter(|include| !same_domain(include, name)) {
        cx.found_host(include, EdgeKind::Vendor);
    }
    for host in &tree.hosts {
        found_own(cx, host).await?;
    }
    Ok(tree.answer())
}

async fn observe_dmarc(cx: &Context<'_>, name: &str) -> Result<bool> {
    let records = records(cx, &format!("_dmarc.{name}"), is_dmarc).await?;
    let Some(first) = records.first() else {
        return Ok(false);
    };
    let policy = Dmarc::parse(first);
    cx.observe(domain::DMARC, first.clone());
    cx.observe(domain::DMARC_POLICY, policy.value(records.len()));
    for address in policy.reports.iter().filter(|_| !is_resembling(cx.facts)) {
        cx.found_with(Kind::EmailAddress, address, EdgeKind::Contact, origin(&format!("_dmarc.{name}")));
        if let Some((_, host)) = address.rsplit_once('@') {
            found_own(cx, host).await?;
        }
    }
    Ok(true)
}

/// The mailboxes to which a domain wants reports on its mail sent.
pub(crate) async fn dmarc_mailboxes(cx: &Context<'_>, name: &str) -> Result<BTreeSet<String>> {
    let records = records(cx, &format!("_dmarc.{name}"), is_dmarc).await?;
    Ok(records.first().map(|text| Dmarc::parse(text).reports).unwrap_or_default())
}

fn origin(of: &str) -> ambit_model::Details {
    ambit_model::Details::from_iter([mentioned::ORIGIN.is(json!(of))])
}

/// Records of a policy among the texts at a name, sorted. Fails where none was read and not all texts were.
async fn records(cx: &Context<'_>, name: &str, is_record: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let answer = cx.net.lookup(name, RecordType::TXT).await?;
    let texts = answer.records.iter().filter_map(|record| record.data.text()).map(|text| text.stored());
    let records: BTreeSet<String> = texts.filter(|text| is_record(text)).collect();
    if records.is_empty() && answer.cut {
        return Err(NetError::TooLarge("records of one DNS answer").into());
    }
    Ok(records)
}

/// What the whole tree of an SPF record comes to.
#[derive(Debug, Default)]
struct Tree {
    all: Option<char>,
    lookups: usize,
    void: usize,
    /// It goes on beyond the look-ups that are made.
    is_cut: bool,
    open: bool,
    includes: BTreeSet<String>,
    /// Hosts that may send, by their names.
    hosts: BTreeSet<String>,
    errors: BTreeSet<String>,
    /// Names that it hands on to, in domains that nobody has registered.
    unregistered: BTreeSet<String>,
    /// What each record below the first names.
    named: BTreeMap<String, BTreeSet<String>>,
    /// Names whose records gave no answer, and how that failed.
    unread: BTreeMap<String, TaskError>,
    /// What such records named when they were read last, and records behind them that nothing else leads to now.
    kept: BTreeSet<String>,
}

impl Tree {
    /// How the look at the whole tree ended.
    fn answer(&self) -> Answer {
        let Some((first, why)) = self.unread.first_key_value() else { return Answer::Found };
        let records = match self.unread.len() {
            1 => format!("the SPF record of {first}"),
            more => format!("{more} SPF records, that of {first} the first,"),
        };
        Answer::InPart(TaskError::Failed(format!("{records} could not be read: {why}")))
    }

    /// Returns whether a name that was known before may be one that a record without an answer still names.
    fn stands(&self, name: &str, known: &SpfTree) -> bool {
        self.kept.contains(name) || self.may_name_all(known)
    }

    /// Returns whether a record without an answer may name anything that was known: older observations do not say which
    /// record named what.
    fn may_name_all(&self, known: &SpfTree) -> bool {
        !self.unread.is_empty() && known.named.is_empty()
    }

    /// Keeps what was known behind records that gave no answer.
    fn keep(&mut self, known: &SpfTree) {
        if self.may_name_all(known) {
            self.kept.extend(known.includes.iter().cloned());
        }
        let mut open: Vec<String> = self.unread.keys().cloned().collect();
        while let Some(record) = open.pop() {
            let names = known.named.get(&record).filter(|_| !self.named.contains_key(&record));
            let Some(names) = names else { continue };
            self.named.insert(record, names.clone());
            // A record that was read says itself what it names now.
            open.extend(names.iter().filter(|name| !self.includes.contains(*name)).cloned());
            self.kept.extend(names.iter().cloned());
        }
    }

    fn value(&self, records: usize, known: &SpfTree) -> SpfTree {
        let kept = self.kept.intersection(&known.includes).cloned();
        SpfTree {
            records,
            all: self.all,
            lookups: self.lookups,
            void_lookups: self.void,
            complete: self.unread.is_empty() && !self.is_cut,
            open: self.open,
            errors: self.errors.clone(),
            includes: self.includes.iter().cloned().chain(kept).collect(),
            named: self.named.clone(),
            unregistered: self.unregistered.clone(),
        }
    }
}

/// A record of the tree, and how a receiver comes to it.
struct Branch {
    /// The domain, and those whose records lead there.
    path: Vec<String>,
    text: String,
    /// Its `all` is that of the whole.
    own: bool,
    /// Whoever passes there passes.
    passes: bool,
}

/// Follows includes and redirects, counting look-ups as a receiver does: what is included twice is looked up twice.
async fn walk(cx: &Context<'_>, name: &str, text: &str) -> Result<Tree> {
    let mut tree = Tree::default();
    let mut open = vec![Branch { path: vec![name.to_owned()], text: text.to_owned(), own: true, passes: true }];
    while let Some(branch) = open.pop() {
        let record = spf::parse(&branch.text);
        let domain = branch.path.last().map_or(name, String::as_str);
        if branch.path.len() > 1 && !names(&record).is_empty() {
            tree.named.insert(domain.to_owned(), names(&record));
        }
        tree.errors.extend(record.errors.iter().map(|error| format!("{domain}: {error}")));
        if branch.own {
            tree.all = tree.all.or(record.all);
        }
        tree.open |= branch.passes && (record.open || (!branch.own && record.all == Some('+')));
        for (target, passes, redirect) in count(&mut tree, &record) {
            if tree.lookups > LOOKUPS_MAX {
                tree.is_cut = true;
                return Ok(tree);
            }
            if branch.path.contains(&target) {
                tree.errors.insert(format!("{target}: included in a loop"));
                continue;
            }
            match spf_record(cx, &target).await {
                Ok(Some(text)) => open.push(Branch {
                    path: branch.path.iter().cloned().chain([target]).collect(),
                    text,
                    own: branch.own && redirect,
                    passes: branch.passes && passes,
                }),
                Ok(None) => {
                    tree.void += 1;
                    tree.errors.insert(format!("{target}: has no SPF record"));
                    if branch.passes && passes && missing(cx, &target).await? == DanglingReason::Unregistered {
                        tree.unregistered.insert(target);
                    }
                }
                Err(error) if error.is_no_answer() => drop(tree.unread.insert(target, error)),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(tree)
}

/// The other records and the hosts that a record names.
fn names(record: &Record) -> BTreeSet<String> {
    let of = record.mechanisms.iter().filter_map(|mechanism| match mechanism {
        Mechanism::Include { of, .. } | Mechanism::Host(of) => Some(of),
        Mechanism::Other => None,
    });
    of.chain(record.redirect.as_ref().filter(|_| record.all.is_none())).cloned().collect()
}

/// Counts a record's look-ups, and returns the names that it refers to: whether a sender that passes there passes here,
/// and whether the reference is a redirect.
fn count(tree: &mut Tree, record: &Record) -> Vec<(String, bool, bool)> {
    let mut targets = Vec::new();
    for mechanism in &record.mechanisms {
        tree.lookups += 1;
        match mechanism {
            Mechanism::Include { of, passes } => {
                tree.includes.insert(of.clone());
                targets.push((of.clone(), *passes, false));
            }
            Mechanism::Host(host) => {
                tree.hosts.insert(host.clone());
            }
            Mechanism::Other => {}
        }
    }
    if let Some(target) = record.redirect.as_ref().filter(|_| record.all.is_none()) {
        tree.lookups += 1;
        tree.includes.insert(target.clone());
        targets.push((target.clone(), true, true));
    }
    targets
}

/// The SPF record of a name.
pub(crate) async fn spf_record(cx: &Context<'_>, name: &str) -> Result<Option<String>> {
    Ok(records(cx, name, is_spf).await?.pop_first())
}

/// True for a DMARC record: the version must be the first tag (RFC 7489 §6.3).
fn is_dmarc(text: &str) -> bool {
    let first = text.split(';').next().unwrap_or("");
    let mut parts = first.splitn(2, '=').map(str::trim);
    parts.next().is_some_and(|tag| tag.eq_ignore_ascii_case("v")) && parts.next() == Some("DMARC1")
}

#[derive(Debug, Default, PartialEq)]
struct Dmarc {
    policy: Option<String>,
    subdomain_policy: Option<String>,
    percent: u8,
    reports: BTreeSet<String>,
}

impl Dmarc {
    fn parse(text: &str) -> Self {
        let mut dmarc = Self { percent: 100, ..Self::default() };
        for (tag, value) in text.split(';').filter_map(|part| part.split_once('=')) {
            let value = value.trim();
            match tag.trim().to_ascii_lowercase().as_str() {
                "p" => dmarc.policy = Some(value.to_ascii_lowercase()),
                "sp" => dmarc.subdomain_policy = Some(value.to_ascii_lowercase()),
                "pct" => dmarc.percent = value.parse().unwrap_or(100).min(100),
                "rua" | "ruf" => dmarc.reports.extend(value.split(',').filter_map(mailbox)),
                _ => {}
            }
        }
        dmarc
    }

    fn value(&self, records: usize) -> DmarcTags {
        DmarcTags {
            records,
            policy: self.policy.clone(),
            subdomain_policy: self.subdomain_policy.clone(),
            percent: self.percent,
            rua: self.reports.iter().cloned().collect(),
        }
    }
}

/// The address of a `mailto:` URI, without the size limit that may follow a `!`.
fn mailbox(uri: &str) -> Option<String> {
    let uri = uri.trim();
    let address = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:")).and(uri.get(7..))?;
    let address = address.split(['!', '?']).next().unwrap_or(address);
    Kind::EmailAddress.canonical(address).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dmarc_is_read_with_its_defaults() {
        let dmarc =
            Dmarc::parse("v=DMARC1; p=Reject; pct=50; rua=mailto:a@acme.test!10m, mailto:b@acme.test; ruf=https://x");
        assert_eq!(dmarc.policy.as_deref(), Some("reject"));
        assert_eq!(dmarc.percent, 50);
        assert_eq!(dmarc.reports.iter().collect::<Vec<_>>(), ["a@acme.test", "b@acme.test"]);
        assert_eq!(Dmarc::parse("v=DMARC1; p=none").percent, 100);
        assert_eq!(Dmarc::parse("v=DMARC1; pct=900").percent, 100);
    }

    #[test]
    fn behind_a_record_without_an_answer_stands_what_it_told_and_nothing_else() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let known = SpfTree {
            includes: set(&["_spf.birdpost.test", "_spf.owlpost.test", "_spf.sparrow.test", "_spf.wren.test"]),
            named: [
                ("_spf.birdpost.test".to_owned(), set(&["_spf.wren.test"])),
                ("_spf.owlpost.test".to_owned(), set(&["_spf.sparrow.test", "mail.owlpost.test"])),
                ("_spf.sparrow.test".to_owned(), set(&["_spf.owlpost.test"])),
            ]
            .into(),
            ..SpfTree::default()
        };
        let mut tree = Tree { includes: set(&["_spf.owlpost.test"]), ..Tree::default() };
        tree.unread.insert("_spf.owlpost.test".to_owned(), TaskError::Failed("no answer".to_owned()));
        tree.keep(&known);
        assert_eq!(tree.kept, set(&["_spf.owlpost.test", "_spf.sparrow.test", "mail.owlpost.test"]));
        let now = tree.value(1, &known);
        assert_eq!(now.includes, set(&["_spf.owlpost.test", "_spf.sparrow.test"]));
        assert_eq!(now.named.keys().collect::<Vec<_>>(), ["_spf.owlpost.test", "_spf.sparrow.test"]);
    }

    #[test]
    fn only_a_record_that_begins_with_the_version_counts() {
        assert!(is_dmarc("v=DMARC1; p=none"));
        assert!(is_dmarc("v = DMARC1;p=none"));
        assert!(!is_dmarc("p=none; v=DMARC1"));
        assert!(!is_dmarc("v=DMARC12"));
        assert!(!is_dmarc("v=spf1 -all"));
    }
}
