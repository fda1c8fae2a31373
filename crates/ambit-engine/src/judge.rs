//! How the judges' verdicts change the issues of an entity. Pure (docs/architecture.md §1.4).

use crate::plan::{is_fresh, new_work};
use crate::refresh::Refresh;
use ambit_checks::Judge;
use ambit_model::facts::{Facts, LastProbe, ProbeOutcome};
use ambit_model::id::RunId;
use ambit_model::issue::{Proof, Verdict};
use ambit_model::observation::SECOND_PROBE_AFTER_MS;
use ambit_model::{Kind, TaskName, Timestamp};
use ambit_store::engine::{IssueWrite, Known, KnownIssue, NewWork};
use ambit_tasks::{Plan, Settings};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Who reports what the judges find.
pub(crate) const UPSTREAM: &str = "ambit";

/// Second probes of issues begin on multiples of this, in milliseconds of wire time, so that issues that vanish one
/// soon after the other share one.
const ISSUE_PROBE_STEP_MS: i64 = 10_000;

/// The result of judging one entity.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Judged {
    pub(crate) writes: Vec<IssueWrite>,
    /// Second probes of what an issue was proven by.
    pub(crate) work: Vec<NewWork>,
}

/// What tells which facts an issue may be proven by: those that this run saw, and in a scheduled run those that it does
/// not ask again because they are within their time to live. Others are about to be replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    /// The probes that hold open edges to the entity, for a kind that is described by discoveries.
    pub(crate) leading: &'a [(TaskName, LastProbe)],
    pub(crate) run: RunId,
    /// A person started the run: every fact is asked again, but for what `refresh` says.
    pub(crate) by_person: bool,
    /// What the run relies on of earlier ones though a person started it.
    pub(crate) refresh: Option<Refresh>,
    /// The wire's date.
    pub(crate) date: Timestamp,
}

impl Ground<'_> {
    fn holds(&self, task: TaskName, probe: &LastProbe) -> bool {
        let task = ambit_tasks::task(task);
        let relies = self.refresh.is_some_and(|refresh| refresh.stands(task, probe));
        probe.run == self.run || relies || (!self.by_person && is_fresh(probe, task, self.date))
    }

    /// The facts as judges may take them: a probe that says nothing of today counts as failed.
    fn facts<'f>(&self, facts: &'f Facts) -> Cow<'f, Facts> {
        let mut facts = Cow::Borrowed(facts);
        let probes = facts.probes.iter().flat_map(|(task, probes)| probes.values().map(|probe| (*task, probe)));
        if !probes.into_iter().all(|(task, probe)| self.holds(task, probe)) {
            for (task, probes) in &mut facts.to_mut().probes {
                for probe in probes.values_mut().filter(|probe| !self.holds(*task, probe)) {
                    probe.outcome = ProbeOutcome::Unknown;
                }
            }
        }
        facts
    }

    /// True where one of the tasks led to the entity by an answer of today, or none of them leads to it any more. An
    /// edge is still there after a look that did not find it, until a second one has not either.
    fn leads(&self, tasks: &[TaskName]) -> bool {
        let found = |probe: &LastProbe| probe.outcome == ProbeOutcome::Found;
        let mut leading = self.leading.iter().filter(|(task, _)| tasks.contains(task)).peekable();
        leading.peek().is_none() || leading.any(|(task, probe)| found(probe) && self.holds(*task, probe))
    }
}

/// Returns true for a kind of which a judge reads what tasks said that do not probe it, such as a certificate: what
/// they discovered describes it.
pub(crate) fn is_judged_by_discoveries(kind: Kind) -> bool {
    ambit_checks::all().iter().any(|judge| judge.applies_to.contains(&kind) && reads_discoveries(judge, kind))
}

fn reads_discoveries(judge: &Judge, kind: Kind) -> bool {
    judge.reads.iter().all(|task| !ambit_tasks::task(*task).watches.contains(&kind))
}

/// Judges an entity. `present` and `scoped` are today's: a gone entity's issues are resolved, one out of scope is left
/// alone but for what others do under a name that resembles theirs.
pub(crate) fn judge(known: &Known, present: bool, scoped: bool, ground: &Ground<'_>, settings: &Settings) -> Judged {
    let mut judged = Judged::default();
    let date = ground.date;
    if !present {
        judged.writes.extend(
            known
                .issues
                .iter()
                .filter(|issue| issue.status.rests_on_fact())
                .map(|issue| IssueWrite::Resolve { issue: issue.uid }),
        );
        return judged;
    }
    let kind = known.facts.kind;
    let concerned = |judge: &&Judge| judge.applies_to.contains(&kind) && (scoped || judge.is_about_others());
    let mut judges = ambit_checks::all().iter().copied().filter(concerned).peekable();
    if judges.peek().is_none() {
        return judged;
    }
    let facts = ground.facts(&known.facts);
    let mut lost = Lost::of(&facts, settings);
    for judge in judges {
        if reads_discoveries(judge, kind) && !ground.leads(judge.reads) {
            continue;
        }
        match verdict(judge, &mut lost, ground) {
            Verdict::Unknown => {}
            Verdict::Clear => absent(&mut judged, judge, known, &[], date),
            Verdict::Proven(proofs) => {
                absent(&mut judged, judge, known, &proofs, date);
                judged.writes.extend(proofs.into_iter().map(|proof| IssueWrite::Prove {
                    entity: known.facts.uid,
                    kind: &judge.issue,
                    upstream: UPSTREAM.to_owned(),
                    proof: Box::new(proof),
                }));
            }
        }
    }
    // What a person leaves out is not asked a second time either.
    judged.work.retain(|work| TaskName::from_name(work.task).is_none_or(|task| !settings.skipped.contains(task)));
    judged
}

/// Returns whether a judge proves today, by looks of today, what an issue of its kind with this discriminator says;
/// `None` where the looks that it needs are missing.
pub(crate) fn still_proven(
    judge: &Judge,
    known: &Known,
    discriminator: &str,
    ground: &Ground<'_>,
    settings: &Settings,
) -> Option<bool> {
    if reads_discoveries(judge, known.facts.kind) && !ground.leads(judge.reads) {
        return None;
    }
    match verdict(judge, &mut Lost::of(&ground.facts(&known.facts), settings), ground) {
        Verdict::Unknown => None,
        Verdict::Clear => Some(false),
        Verdict::Proven(proofs) => Some(proofs.iter().any(|proof| proof.discriminator == discriminator)),
    }
}

/// Issues of this judge that rest on a fact and that the proofs do not name: once absent, then resolved by a later
/// probe.
fn absent(judged: &mut Judged, judge: &'static Judge, known: &Known, proofs: &[Proof], date: Timestamp) {
    let unproven = |issue: &&KnownIssue| {
        issue.name == judge.issue.name
            && issue.upstream == UPSTREAM
            && issue.status.rests_on_fact()
            && !proofs.iter().any(|proof| proof.discriminator == issue.discriminator)
    };
    for issue in known.issues.iter().filter(unproven) {
        match issue.absent_at {
            // Only discoveries describe it: whoever closed or changed them has asked, and nothing of its own could be
            // asked again.
            _ if !is_probed(judge, known) => judged.writes.push(IssueWrite::Resolve { issue: issue.uid }),
            None => {
                judged.writes.push(IssueWrite::AbsentOnce { issue: issue.uid, at: date });
                judged.work.extend(second_probes(judge, known, date));
            }
            Some(at) if probed_since(judge, known, at.plus_ms(SECOND_PROBE_AFTER_MS)) => {
                judged.writes.push(IssueWrite::Resolve { issue: issue.uid })
            }
            Some(_) => {}
        }
    }
}

/// What the judge says of facts as judges may take them. A task that has said nothing and finds nothing here to look at
/// any more counts as one that saw nothing, where each other task that the judge reads has looked today: what an issue
/// was proven by is gone, as when a site has begun to send everyone on to another.
fn verdict(judge: &Judge, lost: &mut Lost<'_>, ground: &Ground<'_>) -> Verdict {
    let facts = lost.facts;
    let said = judge.verdict(facts, ground.date);
    if said != Verdict::Unknown {
        return said;
    }
    let watching = judge.reads.iter().copied().filter(|task| ambit_tasks::task(*task).watches.contains(&facts.kind));
    let (lost, others): (Vec<TaskName>, Vec<TaskName>) = watching.partition(|task| lost.contain(*task));
    if lost.is_empty() || !others.iter().all(|task| facts.looked(*task)) {
        return said;
    }
    let mut facts = facts.clone();
    let (outcome, at, run) = (ProbeOutcome::Absent, ground.date, ground.run);
    for task in lost {
        let probe = LastProbe::new(outcome, at, run);
        facts.probes.insert(task, BTreeMap::from([(String::new(), probe)]));
    }
    judge.verdict(&facts, ground.date)
}

/// The tasks that have said nothing of an entity and find nothing there to look at any more. Many judges read the same
/// tasks: each task is asked once.
struct Lost<'a> {
    facts: &'a Facts,
    settings: &'a Settings,
    asked: BTreeMap<TaskName, bool>,
}

impl<'a> Lost<'a> {
    fn of(facts: &'a Facts, settings: &'a Settings) -> Self {
        Self { facts, settings, asked: BTreeMap::new() }
    }

    fn contain(&mut self, task: TaskName) -> bool {
        let Self { facts, settings, asked } = self;
        let plan = || (ambit_tasks::task(task).plan)(facts, settings);
        let is_lost =
            || !facts.probes.contains_key(&task) && matches!(plan(), Plan::Bound { bound, .. } if bound.is_empty());
        *asked.entry(task).or_insert_with(is_lost)
    }
}

/// True where a task that the judge reads probes this very entity.
fn is_probed(judge: &Judge, known: &Known) -> bool {
    judge.reads.iter().any(|task| known.facts.probes.contains_key(task))
}

/// True when every task that the judge reads probed the entity again at or after the moment.
fn probed_since(judge: &Judge, known: &Known, moment: Timestamp) -> bool {
    let mut probes = judge.reads.iter().flat_map(|task| known.facts.probes_of(*task));
    probes.all(|(_, probe)| probe.at >= moment)
}

/// Probes what the judge reads, a while after the issue was first not proven. Two issues may need them at different
/// times: the number of the probe follows from its time, and is even, so that an absent answer to it is itself
/// repeated.
fn second_probes(judge: &'static Judge, known: &Known, date: Timestamp) -> Vec<NewWork> {
    let step = date.plus_ms(SECOND_PROBE_AFTER_MS + ISSUE_PROBE_STEP_MS - 1).0 / ISSUE_PROBE_STEP_MS;
    let (number, not_before) = (2 * step, Timestamp(step * ISSUE_PROBE_STEP_MS));
    let tasks = known.facts.probes.keys().filter(|task| judge.reads.contains(task));
    let probes = tasks.flat_map(|task| known.facts.probes_of(*task).map(|(argument, _)| (*task, argument)));
    probes
        .map(|(task, argument)| {
            new_work(ambit_tasks::task(task), &known.facts, argument.to_owned(), number, not_before)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Uid;
    use ambit_model::issue::Status;
    use ambit_model::scope::Decision;

    const TASK: TaskName = TaskName::ServiceIdentify;
    const ISSUE: &str = "exposed_telnet_service";

    /// A service that the task saw speaking this at that moment, with one open issue.
    fn known(service: &str, looked: i64, absent_at: Option<i64>) -> Known {
        let uid = Uid::from_bytes([7; 32]);
        let probe = LastProbe::new(ProbeOutcome::Found, Timestamp(looked), 1);
        let details = serde_json::json!({"service": service, "port": 23, "ip_address": "192.0.2.1"});
        let facts = Facts {
            uid,
            kind: Kind::NetworkService,
            name: "192.0.2.1:23/tcp".to_owned(),
            seed: false,
            present: true,
            decision: Decision::unreached(),
            details: details.as_object().cloned().expect("an object"),
            probes: BTreeMap::from([(TASK, BTreeMap::from([(String::new(), probe)]))]),
            inward: Vec::new(),
            outward: Vec::new(),
            seeds: Default::default(),
            vulnerabilities: None,
            maintained: Vec::new(),
        };
        let issue = KnownIssue {
            uid: Uid::from_bytes([8; 32]),
            name: ISSUE.to_owned(),
            upstream: UPSTREAM.to_owned(),
            discriminator: String::new(),
            status: Status::OpenNew,
            absent_at: absent_at.map(Timestamp),
            proven_at: Timestamp(0),
        };
        Known { facts, issues: vec![issue], vulns: Default::default() }
    }

    /// In a run that a person started, with no edge that leads there.
    fn of_run(run: RunId, date: i64) -> Ground<'static> {
        Ground { leading: &[], run, by_person: true, refresh: None, date: Timestamp(date) }
    }

    #[test]
    fn only_facts_of_this_run_or_within_their_time_to_live_prove() {
        let ttl = ambit_tasks::task(TASK).ttl_ms;
        // The number of the run (the probe is of run 1), whether a person started it, how old the probe is.
        for (run, by_person, age, proves) in [
            (1, true, 0, true),
            (1, true, 2 * ttl, true),
            (2, true, 0, false),
            (2, false, ttl - 1, true),
            (2, false, ttl, false),
        ] {
            let ground = Ground { by_person, ..of_run(run, 1_000 + age) };
            let judged = judge(&known("TELNET", 1_000, None), true, true, &ground, &Settings::default());
            assert_eq!(!judged.writes.is_empty(), proves, "run {run}, by a person: {by_person}, {age} ms");
        }
    }

    #[test]
    fn a_certificate_is_judged_by_who_serves_it_today() {
        let mut certificate = known("", 1_000, None);
        certificate.facts.kind = Kind::SslCertificate;
        certificate.facts.probes.clear();
        certificate.issues[0].name = "invalid_certificate_expired".to_owned();
        let served = |run| LastProbe::new(ProbeOutcome::Found, Timestamp(0), run);
        let failed = LastProbe { outcome: ProbeOutcome::Unknown, ..served(2) };
        let gone_once = LastProbe { outcome: ProbeOutcome::Absent, ..served(2) };
        let other = (TaskName::CertificateLog, served(2));
        for (leading, judged) in [
            (vec![(TaskName::TlsGrab, served(1))], false),
            (vec![(TaskName::TlsGrab, served(1)), other.clone()], false),
            (vec![(TaskName::TlsGrab, failed)], false),
            (vec![(TaskName::TlsGrab, gone_once)], false),
            (vec![(TaskName::TlsGrab, served(1)), (TaskName::TlsGrab, served(2))], true),
            (vec![other], true),
        ] {
            let ground = Ground { leading: &leading, ..of_run(2, 1_000) };
            let writes = judge(&certificate, true, true, &ground, &Settings::default()).writes;
            assert_eq!(!writes.is_empty(), judged, "{leading:?}");
        }
    }

    #[test]
    fn an_issue_is_resolved_by_the_second_absent_look_only() {
        let first = judge(&known("SSH", 1_000, None), true, true, &of_run(1, 1_000), &Settings::default());
        assert!(
            matches!(first.writes[..], [IssueWrite::AbsentOnce { at: Timestamp(1_000), .. }]),
            "{:?}",
            first.writes
        );
        let probe = &first.work[0];
        assert_eq!((probe.task, probe.number, probe.not_before), (TASK.as_str(), 14, Timestamp(70_000)));
        // Another issue of the same probe vanishes later: the earlier second probe would come too soon for it.
        let later = judge(&known("SSH", 30_000, None), true, true, &of_run(1, 30_000), &Settings::default());
        assert_eq!((later.work[0].number, later.work[0].not_before), (18, Timestamp(90_000)));

        let waiting = judge(&known("SSH", 1_000, Some(1_000)), true, true, &of_run(1, 30_000), &Settings::default());
        assert_eq!(waiting, Judged::default(), "the second probe has not been made");

        let second = judge(&known("SSH", 61_000, Some(1_000)), true, true, &of_run(1, 61_000), &Settings::default());
        assert!(matches!(second.writes[..], [IssueWrite::Resolve { .. }]), "{:?}", second.writes);
    }

    #[test]
    fn proof_refreshes_and_missing_looks_change_nothing() {
        let proven = judge(&known("TELNET", 1_000, None), true, true, &of_run(1, 1_000), &Settings::default());
        assert!(matches!(proven.writes[..], [IssueWrite::Prove { .. }]), "{:?}", proven.writes);
        let mut blind = known("SSH", 1_000, None);
        for probe in blind.facts.probes.values_mut().flat_map(BTreeMap::values_mut) {
            probe.outcome = ProbeOutcome::Unknown;
        }
        blind.facts.details.clear();
        assert_eq!(judge(&blind, true, true, &of_run(1, 1_000), &Settings::default()), Judged::default());
    }

    #[test]
    fn one_issue_alone_is_there_gone_or_not_to_be_looked_at() {
        let judge = ambit_checks::all().iter().copied().find(|judge| judge.issue.name == ISSUE).expect("there is one");
        let said = |known: &Known, discriminator: &str, run| {
            still_proven(judge, known, discriminator, &of_run(run, 1_000), &Settings::default())
        };
        assert_eq!(said(&known("TELNET", 1_000, None), "", 1), Some(true));
        assert_eq!(
            said(&known("TELNET", 1_000, None), "another", 1),
            Some(false),
            "another of its kind is not this one"
        );
        assert_eq!(said(&known("SSH", 1_000, None), "", 1), Some(false));
        assert_eq!(said(&known("TELNET", 1_000, None), "", 2), None, "this run did not look");
        let mut blind = known("TELNET", 1_000, None);
        for probe in blind.facts.probes.values_mut().flat_map(BTreeMap::values_mut) {
            probe.outcome = ProbeOutcome::Unknown;
        }
        assert_eq!(said(&blind, "", 1), None, "nobody answered");
    }

    #[test]
    fn what_only_leads_describe_is_resolved_at_once() {
        let mut certificate = known("", 1_000, None);
        certificate.facts.kind = Kind::SslCertificate;
        certificate.facts.probes.clear();
        certificate.issues[0].name = "invalid_certificate_expired".to_owned();
        let judged = judge(&certificate, true, true, &of_run(1, 1_000), &Settings::default());
        assert!(matches!(judged.writes[..], [IssueWrite::Resolve { .. }]), "{:?}", judged.writes);
        assert!(judged.work.is_empty());
    }

    #[test]
    fn what_nothing_can_look_at_any_more_is_resolved() {
        let mut site = known("", 1_000, None);
        (site.facts.kind, site.facts.name) = (Kind::Uri, "http://www.acme.test:80".to_owned());
        site.facts.probes.clear();
        site.facts.decision.clearance = ambit_model::Clearance::L3;
        site.issues[0].name = "exposed_environment_file".to_owned();
        let sends_on = serde_json::json!({"hidden_https_redirect": true, "hidden_soft404": {"kind": "redirect"}});
        site.facts.details = sends_on.as_object().cloned().expect("an object");
        let judged = judge(&site, true, true, &of_run(1, 1_000), &Settings::default());
        assert!(matches!(judged.writes[..], [IssueWrite::Resolve { .. }]), "{:?}", judged.writes);
        let probe = known("", 1_000, None).facts.probe_at(TASK, "").cloned().expect("one");
        let (seen, unknown) = (probe.clone(), LastProbe { outcome: ProbeOutcome::Unknown, ..probe });
        let probes = BTreeMap::from([("192.0.2.1:80".to_owned(), unknown)]);
        site.facts.probes.insert(TaskName::ContentFocus, probes);
        assert_eq!(
            judge(&site, true, true, &of_run(1, 1_000), &Settings::default()),
            Judged::default(),
            "it could not ask"
        );
        // Another task that the judge reads still looks, and sees nothing of it either.
        site.facts.probes = BTreeMap::from([(TaskName::HttpEnrich, BTreeMap::from([(String::new(), seen)]))]);
        site.issues[0].name = "directory_listing".to_owned();
        let judged = judge(&site, true, true, &of_run(1, 1_000), &Settings::default());
        assert!(matches!(judged.writes[..], [IssueWrite::AbsentOnce { .. }]), "{:?}", judged.writes);
        // Where that one could not look, nothing is known.
        for probe in site.facts.probes.values_mut().flat_map(BTreeMap::values_mut) {
            probe.outcome = ProbeOutcome::Unknown;
        }
        assert_eq!(judge(&site, true, true, &of_run(1, 1_000), &Settings::default()), Judged::default());
    }

    #[test]
    fn a_gone_entity_takes_its_issues_along_and_one_out_of_scope_is_left_alone() {
        let gone = judge(&known("TELNET", 1_000, None), false, true, &of_run(1, 1_000), &Settings::default());
        assert!(matches!(gone.writes[..], [IssueWrite::Resolve { .. }]));
        assert_eq!(
            judge(&known("SSH", 1_000, None), true, false, &of_run(1, 1_000), &Settings::default()),
            Judged::default()
        );
    }
}
