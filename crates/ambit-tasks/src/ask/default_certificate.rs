//! Decides whether an address may be asked for the certificate that it presents without SNI, and whether that
//! certificate proves ownership.
//!
//! Asking for it is one handshake on port 443, as a browser makes that sends no server name: what L2 allows. It is
//! asked only where their names lead straight to the address, no third party's name is known there, and neither the
//! reverse name nor the registration shows a platform. Anybody may obtain a certificate for a name that leads to them;
//! so it only tells that the machine is theirs alone, of an address that their own records lead to.

use crate::ask::host::is_theirs;
use crate::tasks::cloud_attribution::is_shared;
use crate::{Plan, Settings};
use ambit_model::entity::{GroundKind, domain};
use ambit_model::facts::ProbeOutcome;
use ambit_model::scope::spells;
use ambit_model::{EdgeKind, Facts, TaskName};
use ambit_net::tls::{Certificate, Problem, TlsFacts};

/// Where a browser goes.
pub(crate) const PORT: u16 = 443;

/// Whether the address is asked. While its registration or its reverse name give no answer it is not, and what it said
/// before holds.
pub(crate) fn plan(facts: &Facts, settings: &Settings) -> Plan {
    let has_looked = |task| matches!(facts.outcome(task), Some(ProbeOutcome::Found | ProbeOutcome::Absent));
    if has_looked(TaskName::Registration) && has_looked(TaskName::Ptr) {
        Plan::bound_if(may_be_asked(facts, settings))
    } else {
        Plan::No
    }
}

/// Where its block or its reverse name show that it is theirs, nothing hangs on it.
fn may_be_asked(facts: &Facts, settings: &Settings) -> bool {
    let ground = facts.decision.path.last().and_then(|step| step.ground.as_ref());
    let is_needed = match ground {
        None => !facts.decision.scoped(),
        Some(ground) => ground.kind == GroundKind::DefaultCertificate,
    };
    let names = || facts.from(EdgeKind::ResolvesTo);
    let is_straight = |name: &&ambit_model::facts::Neighbour| {
        domain::CNAME_CHAIN.texts(&name.details).all(|target| is_theirs(facts, target))
    };
    is_needed
        && !facts.seed
        && names().any(|name| name.scoped)
        && names().all(|name| (name.scoped && is_straight(&name)) || spells(&name.name, &facts.name))
        && !is_shared(facts, settings)
}

/// True for a certificate that a browser would accept and that names nothing but what is at or below a seed.
pub(crate) fn speaks_for_it(facts: &Facts, shown: &TlsFacts, leaf: &Certificate) -> bool {
    let bare = |name: &String| name.strip_prefix("*.").unwrap_or(name).to_ascii_lowercase();
    let addresses = leaf.ip_addresses.iter().all(|address| address.to_string() == facts.name);
    let names = leaf.dns_names.iter().map(bare).all(|name| is_theirs(facts, &name));
    // It was asked for no name, and so need not be for the address.
    let is_trusted = shown.verification.problems.iter().all(|problem| *problem == Problem::WrongName);
    is_trusted && !leaf.dns_names.is_empty() && names && addresses
}
