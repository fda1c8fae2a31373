//! Hunting: packs examine files that wait for an analysis, live rules every new file and page body, jobs everything
//! that is stored. The work and its progress are rows, so this loop can end at any instant.

use crate::run::Clock;
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use ambit_store::engine::{Engine, HeldJob, Hunted, JobPart, LiveRuleset, RuleMatch, Specimen, WaitingAnalysis};
use ambit_store::{Pack, Result};
use ambit_yara::{Bounds, LIVE, Match, PACK, RETRO, Rules, Source, TimedOut};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot, watch};

/// How often the loop looks for something new, wall time.
const HUNT_EVERY: Duration = Duration::from_millis(250);
/// Wait after a failure of the store, wall time.
const FAILED_WAIT: Duration = Duration::from_secs(5);
/// What one set of rules, or a pack, may take over one body: at 10 MB/s for the largest file. Wall time.
pub const LOOK_TIME: Duration = Duration::from_secs(10);
/// Rules look at the clock between steps; one step over a large body is given this much more before its thread is left
/// behind.
const LOOK_GRACE: Duration = Duration::from_secs(5);
/// Threads that look at once, those that were left behind included: when all are, hunting waits for one to end.
const LOOKS_AT_ONCE: usize = 4;
/// Specimens of one transaction, and bytes of theirs in memory at once.
const BATCH_MAX: i64 = 64;
const BATCH_BYTES_MAX: i64 = 64 << 20;
/// Analyses, and jobs, of one round.
const ANALYSES_MAX: i64 = 16;
const JOBS_MAX: i64 = 8;
/// What one owner's rules, or one job, may take at a time; what is left waits for their next turn. A look that has
/// begun may end. Wall time.
pub const SLICE: Duration = Duration::from_secs(2);
/// The wall time that all owners together may spend on one batch, and all jobs together in one round, so that the next
/// batch is not delayed longer.
const SLICES_AT_ONCE: u32 = 4;
/// Compiled sets that are kept; each takes up to some MB.
const COMPILED_MAX: usize = 200;

/// How a look at one body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Matches(Vec<Match>),
    TimedOut,
    Failed,
}

/// Rules that were compiled, or that do not compile any more.
type Compiled = Option<Arc<Rules>>;

/// The loop's memory: compiled rules, by what they are of.
pub struct Hunter {
    engine: Engine,
    time: Duration,
    slice: Duration,
    /// The job that was worked at last.
    last_job: i64,
    threads: Arc<Semaphore>,
    compiled: HashMap<String, Compiled>,
}

/// Hunts until `stop`. After a failure of the store it goes on.
pub async fn hunt(engine: &Engine, clock: &Clock, stop: &watch::Receiver<bool>) {
    let mut stop = stop.clone();
    let mut hunter = Hunter::new(engine.clone(), LOOK_TIME, SLICE);
    while !*stop.borrow() {
        let wait = match hunter.round(clock()).await {
            Ok(true) => continue,
            Ok(false) => HUNT_EVERY,
            Err(error) => {
                tracing::error!(%error, "applying live rules failed and is tried again");
                FAILED_WAIT
            }
        };
        tokio::select! {
            _ = tokio::time::sleep(wait) => {}
            _ = stop.changed() => {}
        }
    }
}

impl Hunter {
    /// A loop's memory. `time` is what a look may take, such as [`LOOK_TIME`], and `slice` what an owner's rules, or a
    /// job, may take at a time, such as [`SLICE`]; with none each owner's rules look once at a time.
    pub fn new(engine: Engine, time: Duration, slice: Duration) -> Self {
        Self {
            engine,
            time,
            slice,
            last_job: 0,
            threads: Arc::new(Semaphore::new(LOOKS_AT_ONCE)),
            compiled: HashMap::new(),
        }
    }

    /// Does a bounded part of what there is to do, people's analyses first; false: there was nothing.
    pub async fn round(&mut self, now: Timestamp) -> Result<bool> {
        if self.compiled.len() > COMPILED_MAX {
            self.compiled.clear();
        }
        let analysed = self.analyse(now).await?;
        let hunted = self.hunt(now).await?;
        let caught_up = self.hunt_deferred(now).await?;
        let described = self.engine.describe_bodies().await?;
        let worked = self.work(now).await?;
        Ok(analysed || hunted || caught_up || described || worked)
    }

    async fn analyse(&mut self, now: Timestamp) -> Result<bool> {
        let waiting = self.engine.waiting_analyses(ANALYSES_MAX).await?;
        if waiting.is_empty() {
            return Ok(false);
        }
        let mut packs = self.engine.packs().await?;
        packs.retain(|pack| ["rules", "hashes"].contains(&pack.kind.as_str()));
        for analysis in &waiting {
            let results = self.results(analysis, &packs).await?;
            self.engine.record_analysis(analysis.number, &results, now).await?;
        }
        Ok(true)
    }

    /// One row for each pack.
    async fn results(&mut self, analysis: &WaitingAnalysis, packs: &[Pack]) -> Result<Map<String, Value>> {
        let hashes = [analysis.sha256.to_string(), analysis.sha1.clone(), analysis.md5.clone()];
        let labels = self.engine.store().hash_labels(&hashes).await?;
        let bytes = self.bytes(analysis.sha256).await?;
        let mut results = Map::new();
        for pack in packs {
            let (category, result) = if pack.kind == "hashes" {
                let label = labels.iter().find(|(name, _)| *name == pack.name).map(|(_, label)| label.clone());
                (if label.is_some() { "malicious" } else { "undetected" }, label)
            } else {
                self.verdict(pack, bytes.as_ref()).await?
            };
            let day = pack.loaded_at.to_string().chars().filter(char::is_ascii_digit).take(8).collect::<String>();
            let row = json!({
                "category": category,
                "engine_name": pack.name,
                "engine_version": pack.version,
                "engine_update": day,
                "method": "blacklist",
                "result": result,
            });
            results.insert(pack.name.clone(), row);
        }
        Ok(results)
    }

    /// What a pack of rules says: the first rule that is true names what it is.
    async fn verdict(&mut self, pack: &Pack, bytes: Option<&Arc<Vec<u8>>>) -> Result<(&'static str, Option<String>)> {
        let Some(bytes) = bytes else { return Ok(("failure", None)) };
        let key = format!("pack {} {} {}", pack.name, pack.version, pack.loaded_at.0);
        if !self.compiled.contains_key(&key) {
            let sources = self.engine.store().pack_sources(&pack.name).await?;
            let rules = compiled(sources, &PACK).await;
            self.compiled.insert(key.clone(), rules);
        }
        let Some(rules) = self.compiled.get(&key).cloned().flatten() else {
            return Ok(("failure", None));
        };
        Ok(match self.look(&rules, bytes).await {
            Verdict::Matches(matches) => match matches.into_iter().next() {
                Some(first) => ("malicious", Some(first.rule)),
                None => ("undetected", None),
            },
            Verdict::TimedOut => ("timeout", None),
            Verdict::Failed => ("failure", None),
        })
    }

    async fn bytes(&self, hash: BlobHash) -> Result<Option<Arc<Vec<u8>>>> {
        Ok(self.engine.blob(hash).await?.map(Arc::new))
    }

    /// The live rules over the specimens that are new, owner by owner in turn, each for a slice of time.
    async fn hunt(&mut self, now: Timestamp) -> Result<bool> {
        let waiting = self.engine.waiting_specimens(BATCH_MAX).await?;
        let Some(last) = waiting.last() else { return Ok(false) };
        let owners = self.engine.live_rulesets_in_turn(now).await?;
        if owners.is_empty() {
            self.engine.pass_specimens(last.number, now).await?;
            return Ok(true);
        }
        let mut batch = Vec::new();
        for specimen in fitting(waiting) {
            let bytes = self.bytes(specimen.sha256).await?;
            batch.push((Hunted::new(specimen), bytes));
        }
        let (begun, mut served) = (Instant::now(), Vec::new());
        for (owner, rulesets) in &owners {
            let seen = self.engine.owners_seen_by(*owner).await?;
            let is_late = !served.is_empty() && begun.elapsed() >= self.slice * SLICES_AT_ONCE;
            if !is_late {
                served.push(*owner);
            }
            let ends = if is_late { None } else { Some(Instant::now() + self.slice) };
            self.hunt_for(rulesets, &seen, ends, &mut batch).await?;
        }
        let hunts = batch.into_iter().map(|(hunted, _)| hunted).collect();
        self.engine.record_hunts(hunts, now).await?;
        if served.len() < owners.len() {
            self.engine.note_hunt_turns(served).await?;
        }
        Ok(true)
    }

    /// One owner's sets over those of a batch that they look at and the owner may see, at least once and until the
    /// slice ends; `None`: not now. What is left waits for the owner's turn, and so does what stands behind a body that
    /// took a set too long.
    async fn hunt_for(
        &mut self,
        rulesets: &[LiveRuleset],
        seen: &BTreeSet<i64>,
        ends: Option<Instant>,
        batch: &mut [(Hunted, Option<Arc<Vec<u8>>>)],
    ) -> Result<()> {
        let mut has_looked = false;
        for ruleset in rulesets {
            let mut is_slow = false;
            for (hunted, bytes) in batch.iter_mut() {
                let Some(bytes) = bytes else { continue };
                let wanted = hunted.specimen.is_page || !ruleset.pages_only;
                if !wanted || !seen.contains(&hunted.specimen.collection) {
                    continue;
                }
                let has_time = ends.is_some_and(|ends| !has_looked || Instant::now() < ends);
                if !has_time || is_slow {
                    hunted.deferred.push(ruleset.clone());
                    continue;
                }
                has_looked = true;
                is_slow = !self.hunt_with(ruleset, hunted, bytes).await?;
            }
        }
        Ok(())
    }

    /// One set over one specimen; false where it did not come to an end.
    async fn hunt_with(&mut self, ruleset: &LiveRuleset, hunted: &mut Hunted, bytes: &Arc<Vec<u8>>) -> Result<bool> {
        let key = format!("set {} {}", ruleset.id, ruleset.edition);
        if !self.compiled.contains_key(&key) {
            // Another edition by now, which looks at what comes from now on.
            let Some(source) = self.engine.ruleset_source(ruleset).await? else {
                return Ok(true);
            };
            let rules = compiled(vec![(String::new(), source)], &LIVE).await;
            self.compiled.insert(key.clone(), rules);
        }
        let look = match self.compiled.get(&key).cloned().flatten() {
            Some(rules) => self.look(&rules, bytes).await,
            None => Verdict::Failed,
        };
        match look {
            Verdict::Matches(matches) if matches.is_empty() => {}
            Verdict::Matches(matches) => {
                hunted.matches.push((ruleset.clone(), matches.into_iter().map(rule_match).collect()))
            }
            Verdict::TimedOut | Verdict::Failed => {
                tracing::warn!(ruleset = ruleset.id, specimen = %hunted.specimen.sha256, ?look,
                "live rules did not finish in time");
                hunted.timed_out.push(ruleset.clone());
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What waits of the owner whose turn it is, for a slice of time.
    async fn hunt_deferred(&mut self, now: Timestamp) -> Result<bool> {
        let live = self.engine.live_rulesets(now).await?;
        let deferred = self.engine.take_deferred(&live, BATCH_MAX).await?;
        if deferred.owner == 0 {
            return Ok(false);
        }
        let seen = self.engine.owners_seen_by(deferred.owner).await?;
        let (begun, mut done, mut slow) = (Instant::now(), Vec::new(), BTreeSet::new());
        for (ruleset, specimen) in deferred.scans {
            if !done.is_empty() && begun.elapsed() >= self.slice {
                break;
            }
            if slow.contains(&ruleset.id) {
                continue;
            }
            let mut hunted = Hunted::new(specimen);
            // The owner may have lost the right to see it.
            let is_seen = seen.contains(&hunted.specimen.collection);
            let bytes = if is_seen { self.bytes(hunted.specimen.sha256).await? } else { None };
            if let Some(bytes) = bytes
                && !self.hunt_with(&ruleset, &mut hunted, &bytes).await?
            {
                slow.insert(ruleset.id.clone());
            }
            done.push((ruleset, hunted));
        }
        self.engine.record_deferred(done, now).await?;
        Ok(true)
    }

    /// A part of each open job, in turn, as far as there is time.
    async fn work(&mut self, now: Timestamp) -> Result<bool> {
        let mut jobs = self.engine.hold_jobs(JOBS_MAX, now).await?;
        let last = self.last_job;
        jobs.sort_by_key(|job| (job.number <= last, job.number));
        let begun = Instant::now();
        for job in &jobs {
            let part = self.part(job).await?;
            self.engine.record_job_part(job, part, now).await?;
            self.last_job = job.number;
            if begun.elapsed() >= self.slice * SLICES_AT_ONCE {
                break;
            }
        }
        Ok(!jobs.is_empty())
    }

    async fn part(&mut self, job: &HeldJob) -> Result<JobPart> {
        let mut part = JobPart { position: job.position, ..JobPart::default() };
        let key = format!("job {}", job.number);
        if !self.compiled.contains_key(&key) {
            let rules = compiled(vec![(String::new(), job.rules.clone())], &RETRO).await;
            self.compiled.insert(key.clone(), rules);
        }
        let Some(rules) = self.compiled.get(&key).cloned().flatten() else {
            part.over = Some("aborted");
            return Ok(part);
        };
        let collections = self.engine.owners_seen_by(job.user).await?;
        let next = self.engine.specimens_of(job, BATCH_MAX).await?;
        if next.is_empty() {
            part.over = Some("finished");
            self.compiled.remove(&key);
            return Ok(part);
        }
        let begun = Instant::now();
        for specimen in fitting(next) {
            if part.looked > 0 && begun.elapsed() >= self.slice {
                break;
            }
            part.position = specimen.number;
            if !collections.contains(&specimen.collection) {
                continue;
            }
            part.looked += 1;
            let Some(bytes) = self.bytes(specimen.sha256).await? else { continue };
            part.scanned_bytes += specimen.size;
            match self.look(&rules, &bytes).await {
                Verdict::Matches(matches) if matches.is_empty() => {}
                Verdict::Matches(matches) => {
                    part.matches.push((specimen, matches.into_iter().map(rule_match).collect()))
                }
                Verdict::TimedOut | Verdict::Failed => {
                    // What the part has is kept before more time goes.
                    part.timeouts += 1;
                    return Ok(part);
                }
            }
        }
        Ok(part)
    }

    /// Looks on a thread of its own, which is left behind where it does not end in time.
    async fn look(&self, rules: &Arc<Rules>, bytes: &Arc<Vec<u8>>) -> Verdict {
        let permit = Arc::clone(&self.threads).acquire_owned().await.expect("the semaphore is never closed");
        let (tell, told) = oneshot::channel();
        let (rules, bytes, time) = (Arc::clone(rules), Arc::clone(bytes), self.time);
        let thread = std::thread::Builder::new().name("rules".to_owned());
        let looking = thread.spawn(move || {
            let found = rules.matches(&bytes, time);
            // Nobody waits any more for one that was left behind.
            tell.send(found).ok();
            drop(permit);
        });
        if looking.is_err() {
            return Verdict::Failed;
        }
        match tokio::time::timeout(time + LOOK_GRACE, told).await {
            Ok(Ok(Ok(matches))) => Verdict::Matches(matches),
            Ok(Ok(Err(TimedOut))) | Err(_) => Verdict::TimedOut,
            Ok(Err(_)) => Verdict::Failed,
        }
    }
}

/// The first specimens whose bytes fit into memory together; at least one.
fn fitting(specimens: Vec<Specimen>) -> impl Iterator<Item = Specimen> {
    let mut bytes = 0;
    specimens
        .into_iter()
        .enumerate()
        .take_while(move |(index, specimen)| {
            bytes += specimen.size;
            *index == 0 || bytes <= BATCH_BYTES_MAX
        })
        .map(|(_, specimen)| specimen)
}

fn rule_match(found: Match) -> RuleMatch {
    RuleMatch { rule: found.rule, tags: found.tags, snippet: found.snippet }
}

/// Compiles what compiled when it was saved; another version of the compiler may think otherwise. On a thread with the
/// stack that the compiler needs.
async fn compiled(sources: Vec<(String, String)>, bounds: &'static Bounds) -> Compiled {
    let bytes = sources.iter().map(|(_, text)| text.len()).sum();
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().stack_size(bounds.stack_bytes(bytes));
    let compiling = thread.spawn(move || {
        let sources: Vec<Source<'_>> = sources.iter().map(|(name, text)| Source { name, text }).collect();
        tell.send(ambit_yara::compile(&sources, bounds)).ok();
    });
    if let Err(error) = compiling {
        tracing::error!(%error, "no thread could be started to compile rules");
        return None;
    }
    match told.await {
        Ok(Ok(rules)) => Some(Arc::new(rules)),
        Ok(Err(error)) => {
            tracing::error!(%error, "rules that were saved do not compile any more");
            None
        }
        Err(error) => {
            tracing::error!(%error, "the compiler of rules failed");
            None
        }
    }
}
