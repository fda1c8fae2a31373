//! Records that lead to nothing: aliases, delegations and mail exchangers whose target does not exist. The DNS half of
//! a takeover.

use crate::ask::delegation::fails_alone;
use crate::ask::denial::is_denied;
use crate::ask::host::levels;
use crate::history::within;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::domain::{Dangling, DanglingReason};
use ambit_model::entity::{domain, listed_domain, registrable};
use ambit_model::platforms::claimable;
use ambit_model::{Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, Rcode, RecordType};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) const TASK: Task = Task {
    name: TaskName::Dangling,
    pretty_name: "Dangling records",
    description: "Checks whether the targets of aliases (CNAME, HTTPS), delegations and mail exchangers exist.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::DnsRecord, Kind::Domain],
    cost: 3,
    gain: 4,
    plan: |facts, _| match facts.decision.scoped() {
        true if !aliases(facts).is_empty() => Plan::bound(["", HTTPS].map(str::to_owned)),
        true => Plan::bound_if(true),
        false => Plan::No,
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// What HTTPS records make the name an alias of, known once it was resolved.
const HTTPS: &str = "HTTPS";

fn aliases(facts: &Facts) -> BTreeSet<String> {
    domain::HTTPS.items(&facts.details).filter_map(|record| record.alias().map(str::to_owned)).collect()
}

/// Targets of one kind that are looked at.
const TARGETS_MAX: usize = 20;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let name = cx.facts.name.as_str();
    let known: Vec<Dangling> = domain::DANGLING.items(&cx.facts.details).collect();
    let of = |record: &str| known.iter().filter(|item| item.record == record).cloned().collect::<Vec<_>>();
    if cx.argument == HTTPS {
        let looked = gone(cx, HTTPS, &aliases(cx.facts).into(), &of(HTTPS)).await;
        return said(cx, together([looked])?);
    }
    let (cnames, exchanges, servers) = (of("CNAME"), of("MX"), of("NS"));
    let looked = [
        alias(cx, name).await.unwrap_or_else(|error| Looked::failed(cnames, error)),
        exchangers(cx, name, &exchanges).await.unwrap_or_else(|error| Looked::failed(exchanges, error)),
        delegation(cx, name, &servers).await.unwrap_or_else(|error| Looked::failed(servers, error)),
    ];
    said(cx, together(looked)?)
}

fn said(cx: &Context<'_>, items: Vec<Dangling>) -> Result<Answer> {
    let answer = Answer::found_if(!items.is_empty());
    cx.observe(domain::DANGLING, items);
    Ok(answer)
}

/// What of the records of a kind leads to nothing, and why something of it could not be looked at.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    pub(crate) items: Vec<Dangling>,
    failure: Option<TaskError>,
}

impl Looked {
    fn of(items: Vec<Dangling>) -> Self {
        Self { items, failure: None }
    }

    /// A failed probe keeps what was known.
    fn failed(known: Vec<Dangling>, failure: TaskError) -> Self {
        Self { items: known, failure: Some(failure) }
    }
}

/// Returns the records that lead to nothing. If there are none among those that could be checked, the failure is
/// returned.
pub(crate) fn together(looked: impl IntoIterator<Item = Looked>) -> Result<Vec<Dangling>> {
    let (mut items, mut failure) = (Vec::new(), None);
    for looked in looked {
        items.extend(looked.items);
        failure = failure.or(looked.failure);
    }
    match failure {
        Some(error) if items.is_empty() => Err(error),
        _ => Ok(items),
    }
}

fn item(record: &str, target: &str, reason: DanglingReason) -> Dangling {
    Dangling {
        record: record.to_owned(),
        target: target.to_owned(),
        reason,
        provider: claimable::of_target(target).map(|rule| rule.provider.to_owned()),
    }
}

/// A name server that is not there.
pub(crate) fn server_gone(target: &str, reason: DanglingReason) -> Dangling {
    item("NS", target, reason)
}

/// Returns the end of an alias chain if it does not exist, or if a provider gives it to anybody who claims it.
pub(crate) async fn alias(cx: &Context<'_>, name: &str) -> Result<Looked> {
    let answer = cx.net.lookup(name, RecordType::A).await?;
    let Some(last) = answer.chain.last() else {
        return Ok(Looked::default());
    };
    if is_denied(cx, &answer).await? {
        if answer.own_alias().is_none() {
            return renamed(cx, &answer).await;
        }
        // Every link but the last is there: at its provider it is claimed.
        let reason = missing(cx, &last.target).await?;
        return Ok(Looked::of(vec![item("CNAME", &last.target, reason)]));
    }
    let pattern =
        answer.chain.iter().find(|alias| claimable::of_target(&alias.target).is_some_and(|rule| rule.says.is_some()));
    let items = pattern.map(|alias| item("CNAME", &alias.target, DanglingReason::UnclaimedPattern));
    Ok(Looked::of(items.into_iter().collect()))
}

/// The targets of DNAME records that do not exist, of a name that nobody made: it is no alias that leads nowhere.
async fn renamed(cx: &Context<'_>, answer: &DnsAnswer) -> Result<Looked> {
    let mut looked = Looked::default();
    for renaming in &answer.renamings {
        let gone = gone_at(cx, &renaming.target).await?;
        looked.items.extend(gone.map(|(end, reason)| item("DNAME", &end, reason)));
    }
    Ok(looked)
}

/// The domain of a name, where anybody may register it as soon as nobody has it.
fn open_domain(target: &str) -> Option<&str> {
    listed_domain(target).filter(|domain| Kind::Domain.canonical(domain).is_ok())
}

/// `unregistered` where even the target's domain does not exist; a provider's names are not registered but claimed.
pub(crate) async fn missing(cx: &Context<'_>, target: &str) -> Result<DanglingReason> {
    if claimable::of_target(target).is_some() {
        return Ok(DanglingReason::Nxdomain);
    }
    let Some(domain) = open_domain(target) else {
        return Ok(DanglingReason::Nxdomain);
    };
    if domain == target {
        return Ok(DanglingReason::Unregistered);
    }
    let answer = cx.net.lookup(domain, RecordType::SOA).await?;
    Ok(if answer.is_nxdomain() { DanglingReason::Unregistered } else { DanglingReason::Nxdomain })
}

/// What records of one kind lead to.
pub(crate) struct Targets {
    names: BTreeSet<String>,
    /// There are more.
    is_cut: bool,
}

impl From<BTreeSet<String>> for Targets {
    fn from(names: BTreeSet<String>) -> Self {
        Self { names, is_cut: false }
    }
}

impl Targets {
    /// Targets of records at this very name.
    fn of(answer: &DnsAnswer, name: &str) -> Self {
        let own = answer.records.iter().filter(|record| record.name == name);
        let names = own.filter_map(|record| record.data.target()).map(str::to_owned).collect();
        Self { names, is_cut: answer.cut }
    }

    /// Those that are looked at. Where there are more, those that were gone come first, also those that may be among
    /// what was not read.
    fn asked(&self, cx: &Context<'_>, record: &str, known: &[Dangling]) -> BTreeSet<String> {
        let known: BTreeSet<&String> = known.iter().map(|item| &item.target).collect();
        let behind = known.iter().copied().filter(|_| self.is_cut);
        let names: BTreeSet<&String> = self.names.iter().chain(behind).filter(|name| !name.is_empty()).collect();
        if self.is_cut || names.len() > TARGETS_MAX {
            cx.leave_out(format!("targets of {record} records beyond {TARGETS_MAX}"));
        }
        let asked = within(names.into_iter().collect(), TARGETS_MAX, |name| known.contains(*name));
        asked.into_iter().cloned().collect()
    }
}

/// Targets of one kind of record that do not exist. One that could not be looked up stays what it was.
pub(crate) async fn gone(cx: &Context<'_>, record: &str, targets: &Targets, known: &[Dangling]) -> Looked {
    let mut looked = Looked::default();
    let targets = targets.asked(cx, record, known);
    for target in &targets {
        match gone_at(cx, target).await {
            Ok(gone) => looked.items.extend(gone.map(|(end, reason)| item(record, &end, reason))),
            Err(error) => {
                // What is known may be of it, or of what it is an alias to.
                let of_others = |item: &Dangling| item.target != *target && targets.contains(&item.target);
                looked.items.extend(known.iter().filter(|item| !of_others(item)).cloned());
                looked.failure.get_or_insert(error);
            }
        }
    }
    let mut seen = BTreeSet::new();
    looked.items.retain(|item| seen.insert(item.target.clone()));
    looked
}

/// The target, or the end of the aliases that it leads to, where that does not exist.
pub(crate) async fn gone_at(cx: &Context<'_>, target: &str) -> Result<Option<(String, DanglingReason)>> {
    let answer = cx.net.lookup(target, RecordType::A).await?;
    if !is_denied(cx, &answer).await? {
        return Ok(None);
    }
    let end = answer.chain.last().map_or(target, |alias| &alias.target);
    Ok(Some((end.to_owned(), missing(cx, end).await?)))
}

/// Name servers of a cut at this very name that do not exist, or that do not answer for it.
pub(crate) async fn delegation(cx: &Context<'_>, name: &str, known: &[Dangling]) -> Result<Looked> {
    let servers = match cx.net.lookup(name, RecordType::NS).await {
        Ok(answer) => Targets::of(&answer, name),
        // A resolver says so when no server of the zone answers: the name was handed to servers that do not know it.
        Err(NetError::Dns(Rcode::SERVFAIL)) => return lame(cx, name).await,
        Err(error) => return Err(error.into()),
    };
    Ok(gone(cx, "NS", &servers, known).await)
}

/// A name fails while all that is above it answers: its delegation is lame. Where a level above fails too, it may be
/// that one's, and nothing is known of the name.
async fn lame(cx: &Context<'_>, name: &str) -> Result<Looked> {
    let silent = |level: &str| TaskError::Failed(format!("no server of {level} answers"));
    let domain = registrable(name).filter(|domain| *domain != name).ok_or_else(|| silent(name))?;
    for level in levels(name, domain).iter().filter(|level| **level != name).copied().chain([domain]) {
        let above: Arc<DnsAnswer> = match cx.net.lookup(level, RecordType::SOA).await {
            Err(NetError::Dns(_)) => return Err(silent(level)),
            answer => answer?,
        };
        if level == domain && above.is_empty() {
            return Err(silent(name));
        }
    }
    match fails_alone(cx, name).await {
        Ok(true) => Ok(Looked::of(vec![item("NS", name, DanglingReason::Lame)])),
        Ok(false) => Ok(Looked::default()),
        Err(error) => Err(error.into()),
    }
}

async fn exchangers(cx: &Context<'_>, name: &str, known: &[Dangling]) -> Result<Looked> {
    let answer = cx.net.lookup(name, RecordType::MX).await?;
    Ok(gone(cx, "MX", &Targets::of(&answer, name), known).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_records_that_could_not_be_looked_at_is_not_gone() {
        let of = |record: &str| vec![item(record, "gone.vendor.test", DanglingReason::Nxdomain)];
        let found = |record: &str| Looked::of(of(record));
        let failed = |known| Looked::failed(known, TaskError::Failed("no answer".into()));
        let all = |looked: [Looked; 3]| together(looked).ok();
        let nothing = Looked::default;
        assert_eq!(all([found("CNAME"), nothing(), found("NS")]), Some([of("CNAME"), of("NS")].concat()));
        assert_eq!(all([nothing(), nothing(), nothing()]), Some(vec![]));
        assert_eq!(all([found("CNAME"), failed(of("MX")), nothing()]), Some([of("CNAME"), of("MX")].concat()));
        assert_eq!(all([failed(vec![]), nothing(), found("NS")]), Some(of("NS")));
        assert_eq!(all([failed(vec![]), nothing(), nothing()]), None, "nothing was found, and not all was looked at");
    }

    #[test]
    fn nobody_registers_a_domain_of_odd_bytes_a_suffix_or_below_one_that_no_list_has() {
        assert_eq!(open_domain("mail.vendor.com"), Some("vendor.com"));
        assert_eq!(open_domain("odd\\032label.vendor.com"), Some("vendor.com"));
        for target in ["mail.vendor.com\\032", "mail.ven\\032dor.com", "co.uk", "localhost", "mail.vendor.corp"] {
            assert_eq!(open_domain(target), None, "{target}");
        }
    }

    #[test]
    fn an_item_names_the_provider_of_its_target() {
        assert_eq!(item("CNAME", "acme.github.io", DanglingReason::Nxdomain).provider.as_deref(), Some("GitHub Pages"));
        assert_eq!(item("MX", "mail.vendor.test", DanglingReason::Nxdomain).provider, None);
    }
}
