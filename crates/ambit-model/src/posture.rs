//! How well an organisation protects what everybody can see of its domain: a score with its reasons. Pure: what was
//! seen of the domain in, a score out. What could not be looked at counts neither way, and is named.

mod organization;

use crate::entity::domain::{
    self, CAA, DANGLING, DMARC, DMARC_POLICY, FRONT_PAGE, MTA_STS, NAMESERVERS, POSTURE, REGISTRATION, SIGNED,
    SPF_RECORD, SPF_TREE, SpfTree, TAKEOVER, ZONE_TRANSFER,
};
use crate::entity::front_page::{FrontPage, Https};
pub use crate::entity::posture::{Area, Finding, Grade, Posture};
use crate::facts::ProbeOutcome;
use crate::mail_policy::{DmarcGap, SPF_LOOKUPS_MAX, SpfGap, dmarc_gap, spf_gap};
use crate::moment::DAY_MS;
use crate::task::{self, NamedProbe};
use crate::{Facts, TaskName, Timestamp};
pub use organization::{History, OrganizationPosture, Score, WeighedDomain, history, organizations, scores};
use std::collections::BTreeSet;

/// Grades with the least score of each.
const GRADES: [(Grade, i32); 5] = [(Grade::A, 90), (Grade::B, 80), (Grade::C, 70), (Grade::D, 60), (Grade::E, 45)];
/// Days before its end from which a certificate, and a registration, is about to end.
const CERTIFICATE_DAYS: i64 = 14;
const REGISTRATION_DAYS: i64 = 30;

/// Members of a domain that the posture is made of.
pub const READ: &[&str] = &[
    CAA.name(),
    DANGLING.name(),
    DMARC.name(),
    DMARC_POLICY.name(),
    FRONT_PAGE.name(),
    MTA_STS.name(),
    NAMESERVERS.name(),
    REGISTRATION.name(),
    SIGNED.name(),
    SPF_RECORD.name(),
    SPF_TREE.name(),
    TAKEOVER.name(),
    ZONE_TRANSFER.name(),
];

/// Looks that answer for an area.
const LOOKS: &[(NamedProbe, Area)] = &[
    (look(TaskName::ZoneProfile, ""), Area::Dns),
    (task::CAA, Area::Dns),
    (task::SPF, Area::Mail),
    (task::DMARC, Area::Mail),
    (look(TaskName::Registration, ""), Area::Registration),
];

const fn look(task: TaskName, argument: &'static str) -> NamedProbe {
    NamedProbe { task, argument }
}

fn grade_of(score: i32) -> Grade {
    GRADES.iter().find(|(_, least)| score >= *least).map_or(Grade::F, |(grade, _)| *grade)
}

/// Whether there is anything to give a score for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Something was seen of it.
    Seen,
    /// Neither its zone nor its mail could be looked at.
    Unseen,
    /// Name servers say that there is no such domain.
    Missing,
}

/// Says whether a domain can be given a score.
pub fn sight(facts: &Facts) -> Sight {
    let looks = [look(TaskName::ZoneProfile, ""), task::SPF, task::DMARC];
    match looks.iter().any(|look| has_answer(facts, look)) {
        _ if facts.does_not_exist() => Sight::Missing,
        true => Sight::Seen,
        false => Sight::Unseen,
    }
}

/// Assesses a domain that was probed, at a wire date. An area that could not be probed again keeps what the details say
/// about it.
pub fn assess(facts: &Facts, date: Timestamp) -> Posture {
    let mut weighing = Weighing { facts, date, findings: Vec::new() };
    weighing.mail();
    weighing.names();
    weighing.registration();
    weighing.page();
    let mut findings = weighing.findings;
    findings.sort_by(|a, b| a.points.cmp(&b.points).then_with(|| a.text.cmp(&b.text)));
    let score = (100 + findings.iter().map(|finding| finding.points).sum::<i32>()).clamp(0, 100);
    Posture {
        score,
        grade: grade_of(score),
        organization: REGISTRATION.of(&facts.details).and_then(|registration| registration.registrant),
        findings,
        unknown: unknown(facts),
    }
}

/// Areas of which a look failed, or was not made.
fn unknown(facts: &Facts) -> BTreeSet<Area> {
    let failed = |(look, _): &&(NamedProbe, Area)| !has_answer(facts, look);
    let mut unknown: BTreeSet<Area> = LOOKS.iter().filter(failed).map(|(_, area)| *area).collect();
    if SPF_TREE.of(&facts.details).is_some_and(|tree| has_unseen_branch(&tree)) {
        unknown.insert(Area::Mail);
    }
    if !facts.looked(TaskName::FrontPage) && FRONT_PAGE.of(&facts.details).is_none() {
        unknown.extend([Area::Encryption, Area::Web]);
    }
    unknown
}

fn has_answer(facts: &Facts, look: &NamedProbe) -> bool {
    matches!(facts.outcome_at(look.task, look.argument), Some(ProbeOutcome::Found | ProbeOutcome::Absent))
}

/// Some record of the tree could not be asked for. One that goes on for too long was not asked for whole either, and
/// says enough.
fn has_unseen_branch(tree: &SpfTree) -> bool {
    !tree.complete && tree.lookups <= SPF_LOOKUPS_MAX
}

struct Weighing<'a> {
    facts: &'a Facts,
    date: Timestamp,
    findings: Vec<Finding>,
}

impl Weighing<'_> {
    fn add(&mut self, area: Area, points: i32, text: impl Into<String>) {
        self.findings.push(Finding { area, points, text: text.into() });
    }

    fn answered(&self, look: NamedProbe) -> bool {
        has_answer(self.facts, &look)
    }

    /// Adds the findings of a probe. If it failed, in whole or in part, earlier findings remain if they weigh more: an
    /// unreadable setting protects nobody. `policy` is the word by which its findings are known.
    fn weigh(&mut self, area: Area, policy: &str, is_seen: bool, shown: Option<(i32, String)>) {
        let shown = shown.map(|(points, text)| Finding { area, points, text });
        let before = POSTURE.of(&self.facts.details).filter(|_| !is_seen).map(|posture| posture.findings);
        let before = before.into_iter().flatten().filter(|said| said.area == area && said.text.contains(policy));
        self.findings.extend(before.chain(shown).min_by_key(|finding| finding.points));
    }

    fn mail(&mut self) {
        let tree = SPF_TREE.of(&self.facts.details).unwrap_or_default();
        let (spf, dmarc) = (self.answered(task::SPF), self.answered(task::DMARC));
        let is_seen = spf && !(SPF_RECORD.of(&self.facts.details).is_some() && has_unseen_branch(&tree));
        self.weigh(Area::Mail, "SPF", is_seen, self.senders(spf, &tree));
        self.weigh(Area::Mail, "DMARC", dmarc, self.forged_mail(dmarc));
    }

    fn senders(&self, answered: bool, tree: &SpfTree) -> Option<(i32, String)> {
        let Some(record) = SPF_RECORD.of(&self.facts.details) else {
            return answered.then(|| (-12, "says nowhere who may send its mail (no SPF)".to_owned()));
        };
        let (points, text) = match spf_gap(&record, tree) {
            Some(SpfGap::Unregistered(name)) => {
                return Some((-15, format!("lets whoever registers the domain of {name} send its mail (SPF)")));
            }
            Some(SpfGap::Several(_)) => (-12, "has several SPF records, so that none counts"),
            Some(SpfGap::Open | SpfGap::PassesAll) => (-15, "lets anybody send its mail (SPF)"),
            Some(SpfGap::Neutral) => (-8, "lets anybody send its mail (SPF without an end)"),
            None if !tree.errors.is_empty() || tree.lookups > SPF_LOOKUPS_MAX => {
                (-8, "receivers cannot evaluate who may send its mail (SPF)")
            }
            None => return None,
        };
        Some((points, text.to_owned()))
    }

    fn forged_mail(&self, answered: bool) -> Option<(i32, String)> {
        let Some(record) = DMARC.text(&self.facts.details) else {
            return answered.then(|| (-15, "says nowhere what becomes of forged mail (no DMARC)".to_owned()));
        };
        let records = DMARC_POLICY.of(&self.facts.details).map_or(1, |policy| policy.records);
        let (points, text) = match dmarc_gap(record, records)? {
            DmarcGap::Several(_) => (-15, "has several DMARC records, so that none counts"),
            DmarcGap::Monitors => (-8, "lets forged mail through (DMARC p=none)"),
            DmarcGap::NoPolicy => (-8, "lets forged mail through (DMARC without a policy)"),
            DmarcGap::Partial => (-8, "lets a part of forged mail through (DMARC)"),
        };
        Some((points, text.to_owned()))
    }

    fn names(&mut self) {
        let (caa, ds) = (self.answered(task::CAA), self.answered(look(TaskName::ZoneProfile, "DS")));
        let unlimited = caa && CAA.raw(&self.facts.details).is_none();
        let text = || "lets every authority sign certificates for it (no CAA)".to_owned();
        self.weigh(Area::Dns, "CAA", caa || CAA.raw(&self.facts.details).is_some(), unlimited.then(|| (-4, text())));
        let is_signed = SIGNED.is_true(&self.facts.details);
        let text = || "its zone is not signed (no DNSSEC)".to_owned();
        self.weigh(Area::Dns, "DNSSEC", ds || is_signed, (ds && !is_signed).then(|| (-4, text())));
        if NAMESERVERS.texts(&self.facts.details).count() == 1 {
            self.add(Area::Dns, -3, "one name server answers for it");
        }
        let dangling = DANGLING.items(&self.facts.details).count();
        if dangling > 0 {
            self.add(Area::Dns, -10, format!("records lead nowhere ({dangling})"));
        }
        if TAKEOVER.of(&self.facts.details).is_some() {
            self.add(Area::Dns, -20, "its name can be taken over at a provider");
        }
        if ZONE_TRANSFER.items(&self.facts.details).next().is_some() {
            self.add(Area::Dns, -8, "hands its whole zone to anybody");
        }
    }

    fn registration(&mut self) {
        let expires = REGISTRATION.of(&self.facts.details).and_then(|registration| registration.expires);
        let Some(end) = expires.as_deref().and_then(Timestamp::parse) else { return };
        if end < self.date.plus_ms(REGISTRATION_DAYS * DAY_MS) {
            self.add(Area::Registration, -10, format!("its registration ends on {}", end.date()));
        }
    }

    /// A site that cannot answer now shows nothing, and what it showed before stands.
    fn page(&mut self) {
        let Some(page) = domain::FRONT_PAGE.of(&self.facts.details) else { return };
        match &page.https {
            None => self.add(Area::Encryption, -25, "has no encrypted site"),
            Some(https) => self.encryption(https),
        }
        if page.https.is_some() && page.plain {
            self.add(Area::Web, -8, "shows its site without encryption as well");
        }
        self.protections(&page);
    }

    fn encryption(&mut self, https: &Https) {
        if !https.trusted {
            self.add(Area::Encryption, -20, "browsers refuse its certificate");
        }
        if !matches!(https.version.as_str(), "TLSv1.2" | "TLSv1.3") {
            self.add(Area::Encryption, -12, format!("speaks {} at most", https.version));
        }
        let soon = self.date.plus_ms(CERTIFICATE_DAYS * DAY_MS);
        if let Some(end) = https.ends.filter(|end| https.trusted && *end < soon) {
            self.add(Area::Encryption, -5, format!("its certificate ends on {}", end.date()));
        }
    }

    fn protections(&mut self, page: &FrontPage) {
        let has = |name: &str| page.protections.contains(name);
        let framed = has("x-frame-options") || has("content-security-policy");
        for (lacks, points, text) in [
            (page.https.is_some() && !has("strict-transport-security"), -5, "does not insist on encryption (no HSTS)"),
            (!has("content-security-policy"), -4, "lets any content into its page (no content policy)"),
            (!framed, -2, "lets others frame its page"),
            (!has("x-content-type-options"), -2, "lets browsers guess types of content"),
        ] {
            if lacks {
                self.add(Area::Web, points, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{LastProbe, Probes};
    use crate::scope::Decision;
    use crate::{Kind, Uid};
    use serde_json::{Value, json};

    const DATE: &str = "2026-06-01T00:00:00Z";

    fn careful() -> Value {
        json!({
            "nameservers": ["ns1.globex.test", "ns2.globex.test"],
            "spf_record": "v=spf1 mx -all", "hidden_spf": {"all": "-", "records": 1, "complete": true},
            "dmarc": "v=DMARC1; p=reject", "hidden_dmarc": {"records": 1, "policy": "reject"},
            "hidden_caa": [{"tag": "issue"}], "hidden_ds": true,
            "hidden_registration": {"registrant": "Globex Ltd", "expires": "2028-01-01T00:00:00Z"},
            "hidden_front_page": {"url": "https://globex.test/", "status": 200, "plain": false,
                "protections": ["content-security-policy", "strict-transport-security", "x-content-type-options"],
                "https": {"version": "TLSv1.3", "trusted": true, "certificate": "aa", "ends": "2026-12-01T00:00:00Z"}},
        })
    }

    /// Facts of `globex.test` of which all was asked and these members were found, less the failed look.
    fn facts(details: Value, failed: Option<TaskName>) -> Facts {
        let mut probes = Probes::new();
        let front = look(TaskName::FrontPage, "203.0.113.70:443");
        let looks = LOOKS.iter().map(|(look, _)| *look).chain([look(TaskName::ZoneProfile, "DS"), front]);
        for asked in looks {
            let outcome = if failed == Some(asked.task) { ProbeOutcome::Unknown } else { ProbeOutcome::Found };
            let probe = LastProbe::new(outcome, Timestamp(0), 1);
            probes.entry(asked.task).or_default().insert(asked.argument.to_owned(), probe);
        }
        Facts {
            uid: Uid::from_bytes([0; 32]),
            kind: Kind::Domain,
            name: "globex.test".to_owned(),
            seed: true,
            present: true,
            decision: Decision::unreached(),
            details: details.as_object().cloned().unwrap(),
            probes,
            inward: Vec::new(),
            outward: Vec::new(),
            seeds: Default::default(),
            vulnerabilities: None,
            maintained: Vec::new(),
        }
    }

    fn made(details: Value, failed: Option<TaskName>) -> Posture {
        assess(&facts(details, failed), Timestamp::parse(DATE).unwrap())
    }

    #[test]
    fn a_careful_domain_loses_nothing_and_a_careless_one_says_why() {
        let best = made(careful(), None);
        assert_eq!((best.score, best.grade, best.findings.len()), (100, Grade::A, 0), "{best:?}");
        assert_eq!(best.organization.as_deref(), Some("Globex Ltd"));
        let worst =
            made(json!({"hidden_front_page": {"url": "http://globex.test/", "status": 200, "plain": true}}), None);
        assert!(worst.grade == Grade::F && worst.score < 45, "{worst:?}");
        assert_eq!(worst.findings[0].text, "has no encrypted site");
        assert!(worst.unknown.is_empty(), "{worst:?}");
    }

    #[test]
    fn each_weakness_takes_its_points() {
        for (more, points, text) in [
            (json!({"dmarc": "v=DMARC1; p=none"}), 8, "lets forged mail through (DMARC p=none)"),
            (json!({"spf_record": "v=spf1 mx ?all"}), 8, "lets anybody send its mail (SPF without an end)"),
            (json!({"hidden_ds": false}), 4, "its zone is not signed (no DNSSEC)"),
            (json!({"nameservers": ["ns1.globex.test"]}), 3, "one name server answers for it"),
            (
                json!({"hidden_registration": {"expires": "2026-06-20T00:00:00Z"}}),
                10,
                "its registration ends on 2026-06-20",
            ),
        ] {
            let mut details = careful();
            details.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            let made = made(details, None);
            assert_eq!((100 - made.score, made.findings[0].text.as_str()), (points, text), "{more}");
        }
    }

    #[test]
    fn mail_policies_that_only_seem_strict_take_points_as_their_issues_say() {
        for (more, points, text) in [
            (json!({"spf_record": "v=spf1 +all"}), 15, "lets anybody send its mail (SPF)"),
            (json!({"hidden_spf": {"all": "-", "records": 1, "open": true}}), 15, "lets anybody send its mail (SPF)"),
            (json!({"hidden_spf": {"records": 2}}), 12, "has several SPF records, so that none counts"),
            (
                json!({"hidden_spf": {"errors": ["x: y"], "unregistered": ["spf.free.test"]}}),
                15,
                "lets whoever registers the domain of spf.free.test send its mail (SPF)",
            ),
            (json!({"hidden_spf": {"errors": ["x: y"]}}), 8, "receivers cannot evaluate who may send its mail (SPF)"),
            (json!({"hidden_spf": {"lookups": 11}}), 8, "receivers cannot evaluate who may send its mail (SPF)"),
            (json!({"hidden_dmarc": {"records": 2}}), 15, "has several DMARC records, so that none counts"),
            (json!({"dmarc": "v=DMARC1; p=foo"}), 8, "lets forged mail through (DMARC without a policy)"),
            (json!({"dmarc": "v=DMARC1; p=reject; pct=0"}), 8, "lets a part of forged mail through (DMARC)"),
            (json!({"dmarc": "v=DMARC1; p=quarantine; sp=none"}), 8, "lets a part of forged mail through (DMARC)"),
        ] {
            let mut details = careful();
            details.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            let made = made(details, None);
            let texts: Vec<&str> = made.findings.iter().map(|finding| finding.text.as_str()).collect();
            assert_eq!((100 - made.score, texts), (points, vec![text]), "{more}");
        }
    }

    #[test]
    fn what_could_not_be_looked_at_counts_neither_way() {
        let blind = made(json!({}), Some(TaskName::MailPolicy));
        assert!(blind.unknown.contains(&Area::Mail), "{blind:?}");
        assert!(!blind.findings.iter().any(|finding| finding.area == Area::Mail), "{blind:?}");
        let mut details = careful();
        details.as_object_mut().unwrap().remove("hidden_front_page");
        let unseen = made(details, Some(TaskName::FrontPage));
        assert_eq!(unseen.unknown.into_iter().collect::<Vec<_>>(), [Area::Encryption, Area::Web]);
        assert_eq!(unseen.score, 100);
    }

    #[test]
    fn a_look_at_mail_or_names_that_fails_makes_no_supplier_better() {
        let mut bare = careful();
        for member in ["spf_record", "hidden_spf", "dmarc", "hidden_dmarc", "hidden_caa", "hidden_ds"] {
            bare.as_object_mut().unwrap().remove(member);
        }
        let before = made(bare.clone(), None);
        assert_eq!(before.score, 100 - 12 - 15 - 4 - 4, "{before:?}");
        bare["hidden_posture"] = serde_json::to_value(&before).unwrap();
        for failed in [TaskName::MailPolicy, TaskName::ZoneProfile] {
            let now = made(bare.clone(), Some(failed));
            assert_eq!(now.findings, before.findings, "{failed}");
            assert!(!now.unknown.is_empty(), "{failed}: it says so as well");
        }
        // What was mended is seen once it can be looked at.
        let mut mended = careful();
        mended["hidden_posture"] = bare["hidden_posture"].clone();
        assert_eq!(made(mended, None).score, 100);
    }

    #[test]
    fn a_branch_of_the_senders_that_fails_makes_no_supplier_better() {
        let mut open = careful();
        open["hidden_spf"] = json!({"all": "-", "records": 1, "complete": true, "open": true, "lookups": 2});
        let before = made(open.clone(), None);
        open["hidden_posture"] = serde_json::to_value(&before).unwrap();
        open["hidden_spf"] = json!({"all": "-", "records": 1, "complete": false, "lookups": 2});
        let now = made(open, None);
        assert_eq!((before.score, now.score, now.unknown.contains(&Area::Mail)), (85, 85, true), "{now:?}");
    }

    #[test]
    fn a_site_that_cannot_answer_now_makes_no_supplier_better() {
        let mut details = careful();
        details["hidden_front_page"]["https"] = Value::Null;
        let (before, now) = (made(details.clone(), None), made(details, Some(TaskName::FrontPage)));
        assert!(before.score == 75 && now == before, "{before:?}, {now:?}");
    }

    #[test]
    fn there_is_nothing_to_score_where_nothing_could_be_looked_at_or_there_is_no_such_domain() {
        let of = |outcomes: &[(TaskName, ProbeOutcome)]| {
            let mut facts = facts(json!({}), None);
            for (task, outcome) in outcomes {
                for probe in facts.probes.entry(*task).or_default().values_mut() {
                    probe.outcome = *outcome;
                }
            }
            let probe = LastProbe::new(ProbeOutcome::Absent, Timestamp(0), 1);
            facts.probes.entry(TaskName::Resolve).or_default().insert(String::new(), probe);
            sight(&facts)
        };
        let (mail, zone) = (TaskName::MailPolicy, TaskName::ZoneProfile);
        let (absent, unknown) = (ProbeOutcome::Absent, ProbeOutcome::Unknown);
        assert_eq!(of(&[(mail, unknown), (zone, unknown)]), Sight::Unseen);
        assert_eq!(of(&[(mail, absent), (zone, absent)]), Sight::Missing);
        for seen in [&[][..], &[(mail, absent)], &[(mail, unknown)], &[(zone, unknown)]] {
            assert_eq!(of(seen), Sight::Seen, "{seen:?}");
        }
    }

    #[test]
    fn grades_follow_scores() {
        for (score, letter) in [(100, "A"), (90, "A"), (89, "B"), (70, "C"), (60, "D"), (45, "E"), (44, "F"), (0, "F")]
        {
            assert_eq!(grade_of(score).letter(), letter, "{score}");
        }
    }
}
