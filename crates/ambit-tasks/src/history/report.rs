//! Reports what earlier looks at a history and this one found.

use super::leaks::{self, Holders};
use super::unread::kept_elsewhere;
use super::{Known, Looked, Sought, kept, submodules};
use crate::Context;
use crate::read::seed_tokens;
use ambit_model::entity::repository;
use ambit_model::{EdgeKind, Kind};

/// Where a repository is, as it is shown.
pub(crate) struct Location {
    /// Who has it there, where that is known.
    pub(crate) owner: Option<String>,
    pub(crate) name: String,
    pub(crate) url: String,
    /// Anybody may read it; `None` where that means nothing.
    pub(crate) is_public: Option<bool>,
}

/// Says what earlier looks and this one found. `tips`: as they are written down.
pub(crate) fn say(cx: &Context<'_>, place: Location, tips: Vec<String>, known: Known, looked: Looked) {
    let (commits, is_whole) = (known.commits + looked.commits, looked.is_whole());
    let elsewhere = looked.elsewhere_beside(&known);
    elsewhere.iter().map(kept_elsewhere).for_each(|what| cx.leave_out(what));
    cx.observe(repository::KEPT_ELSEWHERE, elsewhere);
    let mut leaks = leaks::beside(looked.leaks, known.leaks, known.is_anew);
    for leak in leaks.values_mut() {
        leaks::place(leak, looked.holders.get(&leak.token).unwrap_or(&Holders::default()), &looked.placed);
    }
    let leaks = kept::of_leaks(leaks.into_values().collect(), cx.facts);
    for leak in &leaks {
        cx.found_token(&leak.token, &leak.provider, true);
    }
    for token in looked.tokens.union(&known.tokens) {
        cx.found_token(token, seed_tokens::PROVIDER, false);
    }
    // The same whether this look saw it or an earlier one.
    for (edge, kind, name) in &known.named {
        match kind {
            Kind::EmailAddress => cx.found_mailbox(name),
            kind => cx.found(*kind, name, *edge),
        }
    }
    looked.named.left_out().for_each(|what| cx.leave_out(what));
    for host in &looked.named.hosts {
        cx.found_host(host, EdgeKind::Link);
    }
    // Nothing shows that any of it is theirs: a link passes on no more than that somebody knows of it.
    for address in &looked.named.addresses {
        cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::Link);
    }
    for (url, kind) in looked.named.urls() {
        cx.found(kind, url, EdgeKind::Link);
    }
    for mailbox in &looked.named.mailboxes {
        cx.found_mailbox(mailbox);
    }
    for bucket in &looked.named.buckets {
        cx.found(Kind::CloudStorageBucket, bucket, EdgeKind::Bucket);
    }
    let within = looked.submodules.unwrap_or(known.submodules);
    submodules::told(&within).into_iter().for_each(|what| cx.leave_out(what));
    for (kind, name) in within.iter().filter_map(|one| submodules::repository(one, &place.url)) {
        cx.found(kind, &name, EdgeKind::Link);
    }
    cx.observe(repository::SUBMODULES, within);
    let (packages, flaws): (Vec<_>, Vec<_>) = looked.files.unwrap_or(known.files).into_values().unzip();
    cx.observe(repository::OWNER, place.owner);
    cx.observe(repository::REPOSITORY_NAME, place.name);
    cx.observe(repository::REPOSITORY_URI, place.url);
    cx.observe(repository::REPOSITORY_PUBLIC, place.is_public);
    // What is missing or broken may come with no branch moved: all is looked at again.
    cx.observe(repository::TIPS, if is_whole { tips } else { Vec::new() });
    cx.observe(repository::RULES, Sought::of(cx).edition());
    cx.observe(repository::COMMITS, commits);
    cx.observe(repository::PACKAGES, kept::of_packages(packages.into_iter().flatten().collect(), cx.facts));
    cx.observe(repository::FLAWS, kept::of_flaws(flaws.into_iter().flatten().collect(), cx.facts));
    cx.observe(repository::LEAKS, leaks);
}
