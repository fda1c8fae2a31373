//! What the mail policies of a domain leave open to forgers. Judges and the posture score ask here, so that both say
//! the same. Pure.

use crate::entity::domain::SpfTree;

/// DNS look-ups that a receiver makes for one SPF record at most (RFC 7208 §4.6.4).
pub const SPF_LOOKUPS_MAX: usize = 10;
/// What pct is where a DMARC record does not say it (RFC 7489 §6.3), in per cent.
const WHOLE_PERCENT: i64 = 100;

/// What an SPF record leaves open, the worst first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpfGap {
    /// It hands on to this name, in a domain that nobody has registered.
    Unregistered(String),
    /// There are so many records, so that none counts (RFC 7208 §4.5).
    Several(usize),
    /// Some record of its tree lets every address pass.
    Open,
    /// Senders that are not listed pass.
    PassesAll,
    /// The record makes no statement about senders that are not listed.
    Neutral,
}

/// What a DMARC record leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmarcGap {
    /// There are so many records, so that none counts (RFC 7489 §6.6.3).
    Several(usize),
    /// It asks to let forged mail through.
    Monitors,
    /// It has no policy that receivers know, so that it asks for nothing.
    NoPolicy,
    /// It asks to act on a part of forged mail: on some per cent, or not on names below.
    Partial,
}

/// Returns what an SPF record with its tree leaves open; `None` where receivers shall reject whoever is not listed.
pub fn spf_gap(record: &str, tree: &SpfTree) -> Option<SpfGap> {
    if let Some(free) = tree.unregistered.first() {
        return Some(SpfGap::Unregistered(free.clone()));
    }
    match ending(record, tree) {
        _ if tree.records > 1 => Some(SpfGap::Several(tree.records)),
        _ if tree.open => Some(SpfGap::Open),
        Some('+') => Some(SpfGap::PassesAll),
        Some('?') => Some(SpfGap::Neutral),
        _ => None,
    }
}

/// RFC 7208 §4.7, §5.1 and §6.1: mechanisms after `all` are ignored, `redirect` counts only without it and ends as its
/// target does, and a record with neither is neutral.
fn ending(record: &str, tree: &SpfTree) -> Option<char> {
    let terms: Vec<String> = record.split_ascii_whitespace().skip(1).map(str::to_ascii_lowercase).collect();
    let all = terms.iter().find(|term| term.trim_start_matches(['+', '-', '~', '?']) == "all");
    match all {
        Some(all) => all.chars().next().map(|sign| if sign == 'a' { '+' } else { sign }),
        None if terms.iter().any(|term| term.starts_with("redirect=")) => {
            let is_whole = tree.complete && tree.errors.is_empty();
            tree.all.or(is_whole.then_some('?'))
        }
        None => Some('?'),
    }
}

/// Returns what a DMARC record, of so many, leaves open; `None` where receivers shall act on all forged mail.
pub fn dmarc_gap(record: &str, records: usize) -> Option<DmarcGap> {
    let tag = |name: &str| {
        let tags = record.split(';').filter_map(|tag| tag.split_once('='));
        tags.map(|(key, value)| (key.trim(), value.trim())).find(|(key, _)| key.eq_ignore_ascii_case(name))
    };
    let is_asked = |policy: &str| ["quarantine", "reject"].iter().any(|known| policy.eq_ignore_ascii_case(known));
    // Whoever forges mail takes a name below that nobody uses, where those are let through.
    let spares_names_below = tag("sp").is_some_and(|(_, policy)| !is_asked(policy));
    let percent = tag("pct").and_then(|(_, percent)| percent.parse::<i64>().ok()).unwrap_or(WHOLE_PERCENT);
    match tag("p") {
        _ if records > 1 => Some(DmarcGap::Several(records)),
        Some((_, policy)) if policy.eq_ignore_ascii_case("none") => Some(DmarcGap::Monitors),
        Some((_, policy)) if is_asked(policy) => {
            (percent < WHOLE_PERCENT || spares_names_below).then_some(DmarcGap::Partial)
        }
        _ => Some(DmarcGap::NoPolicy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_spf_record_is_judged_by_its_end_and_its_tree() {
        let tree = |all: Option<char>| SpfTree { records: 1, all, ..SpfTree::default() };
        for (record, tree, gap) in [
            ("v=spf1 mx -all", tree(Some('-')), None),
            ("v=spf1 mx ~ALL", tree(Some('~')), None),
            ("v=spf1 all", tree(Some('+')), Some(SpfGap::PassesAll)),
            ("v=spf1 mx", tree(None), Some(SpfGap::Neutral)),
            ("v=spf1 ?all +all", tree(Some('?')), Some(SpfGap::Neutral)),
            ("v=spf1 redirect=x.test", tree(Some('+')), Some(SpfGap::PassesAll)),
            ("v=spf1 redirect=x.test", tree(None), None),
            ("v=spf1 redirect=x.test", SpfTree { complete: true, ..tree(None) }, Some(SpfGap::Neutral)),
            ("v=spf1 -all", SpfTree { records: 2, ..tree(Some('-')) }, Some(SpfGap::Several(2))),
            ("v=spf1 include:x.test -all", SpfTree { open: true, ..tree(Some('-')) }, Some(SpfGap::Open)),
            (
                "v=spf1 include:x.test -all",
                SpfTree { unregistered: ["x.test".to_owned()].into(), ..tree(Some('-')) },
                Some(SpfGap::Unregistered("x.test".to_owned())),
            ),
        ] {
            assert_eq!(spf_gap(record, &tree), gap, "{record} {tree:?}");
        }
    }

    #[test]
    fn a_dmarc_record_acts_on_all_forged_mail_or_leaves_a_gap() {
        for (record, records, gap) in [
            ("v=DMARC1; p=reject", 1, None),
            ("v=DMARC1;P=Quarantine;sp=reject;pct=100", 1, None),
            ("v=DMARC1; p=reject", 2, Some(DmarcGap::Several(2))),
            ("v=DMARC1; p=None", 1, Some(DmarcGap::Monitors)),
            ("v=DMARC1; p=foo", 1, Some(DmarcGap::NoPolicy)),
            ("v=DMARC1; rua=mailto:a@x.test", 1, Some(DmarcGap::NoPolicy)),
            ("v=DMARC1; p=reject; pct=0", 1, Some(DmarcGap::Partial)),
            ("v=DMARC1; p=reject; sp=none", 1, Some(DmarcGap::Partial)),
        ] {
            assert_eq!(dmarc_gap(record, records), gap, "{record}");
        }
    }
}
