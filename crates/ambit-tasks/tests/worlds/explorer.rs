//! A small explorer: plans by facts, runs by the network over a world, decides scope, until nothing is left. Keeps
//! everything in memory.

use ambit_model::entity::{host_of, ip_address};
use ambit_model::exposure::{Place, Probe};
use ambit_model::facts::{Facts, LastProbe, Neighbour, ProbeOutcome, Probes};
use ambit_model::observation::Found;
use ambit_model::reserved::Reserved;
use ambit_model::scope::{self, Blocks, Decision, Edge, Node, Rules};
use ambit_model::seeds::Seeds;
use ambit_model::{Clearance, Details, EdgeKind, Kind, TaskName, Timestamp, Uid, workflow};
use ambit_net::net::NetOptions;
use ambit_net::{Contact, Grant, Grants, Guard, Net, Pace, PaceLimits, Refused, Wire};
use ambit_tasks::{Answer, Context, Plan, Settings, Task, TaskError};
use ambit_world::{SimulatedWire, World};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, RwLock};

/// Looks that run at once.
const AT_ONCE: usize = 64;
/// Rounds after which something plans for ever.
const ROUNDS_MAX: usize = 200;

/// An exposure to look for; those of the product belong to the crate that judges them.
const GIT: Probe = Probe {
    what: "git_repository",
    place: Place::Paths(&["/.git/HEAD"]),
    proof: |response| response.text().starts_with("ref: ").then(|| "ref".to_owned()),
    matches: &[],
    twins: &[],
};

type Key = (TaskName, String);
/// What a look with an argument said of an entity.
type Said<'a> = (TaskName, &'a str, &'a Details);
/// An edge seen from its end: what it is, the look that saw it, where it comes from.
type Inward = (EdgeKind, Key, Kind, String);

#[derive(Default)]
struct Entity {
    seed: bool,
    found: BTreeMap<Key, Found>,
    probes: Probes,
}

pub(crate) struct Explorer {
    entities: BTreeMap<(Kind, String), Entity>,
    decisions: BTreeMap<Uid, Decision>,
    by_evidence: BTreeSet<Uid>,
    /// Of each entity, where edges come from: made anew each round.
    inward: BTreeMap<(Kind, String), Vec<Inward>>,
    folded: BTreeMap<(Kind, String), Details>,
    failed: BTreeMap<String, String>,
    outside: Vec<String>,
}

/// Clearances of addresses and names, as the engine's guard keeps them.
#[derive(Default)]
struct ByScope {
    /// Clearance, whether nothing shows that it is theirs alone, and whether strangers are known to share it.
    addresses: RwLock<BTreeMap<IpAddr, (Clearance, bool, bool)>>,
    names: RwLock<BTreeMap<String, Clearance>>,
    buckets: RwLock<BTreeMap<String, Clearance>>,
    /// Blocks that a seed names, and the parts of them that are others'.
    blocks: RwLock<Blocks>,
}

impl Guard for ByScope {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        if contact.grant != Grant::Target {
            return Ok(());
        }
        let refuse = |why: &str| Err(Refused { address: contact.address, why: why.to_owned(), in_doubt: false });
        let bucket = contact.name.as_ref().and_then(|name| self.buckets.read().unwrap().get(name).copied());
        if bucket.is_some_and(|clearance| clearance >= contact.footprint) {
            return Ok(());
        }
        let addresses = self.addresses.read().unwrap();
        let known = addresses.get(&contact.address);
        let is_given = self.blocks.read().unwrap().given(contact.address).is_some();
        let in_block = is_given && known.is_none_or(|(_, _, shared)| !shared);
        let seeded = (Clearance::L3, false, false);
        let Some((clearance, unproven, shared)) = known.filter(|_| !in_block).or(in_block.then_some(&seeded)) else {
            return refuse("no edge of scope leads to this address");
        };
        let name = contact.name.as_deref().filter(|name| name.parse::<IpAddr>().is_err());
        let names = self.names.read().unwrap();
        let of_name = name.map(|name| names.get(name).copied().unwrap_or(Clearance::L0));
        if *clearance < contact.footprint || of_name.is_some_and(|known| known < contact.footprint.min(Clearance::L2)) {
            return refuse("clearance");
        }
        let by_name = name.is_some() && matches!(contact.port, 80 | 443);
        let asks_whose = name.is_none() && contact.port == 443 && contact.footprint <= Clearance::L2 && !shared;
        if *unproven && !by_name && !asks_whose {
            return refuse("not theirs alone");
        }
        Ok(())
    }

    fn named(&self, _address: IpAddr) -> bool {
        false
    }
}

struct Job {
    task: &'static Task,
    facts: Facts,
    argument: String,
}

fn uid(kind: Kind, name: &str) -> Uid {
    Uid::of_entity(uuid::Uuid::nil(), kind, name)
}

impl Explorer {
    pub(crate) fn run(world: &World, epoch: Timestamp, state: i64, ceiling: Clearance) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let wire = world.wire(epoch, state);
        let (send, receive) = std::sync::mpsc::channel();
        let seeds = world.seeds().to_vec();
        let tracked: Arc<SimulatedWire> = wire.clone();
        runtime.block_on(wire.track(Box::pin(async move {
            let explorer = Self::explore(&seeds, tracked, ceiling).await;
            send.send(explorer).unwrap();
        })));
        let mut explorer = receive.recv().unwrap();
        explorer.outside = wire.contacts_outside_clearance().iter().map(|contact| format!("{contact:?}")).collect();
        explorer
    }

    async fn explore(seeds: &[String], wire: Arc<SimulatedWire>, ceiling: Clearance) -> Self {
        let guard = Arc::new(ByScope::default());
        let net = Net::new(wire, guard.clone(), Arc::new(Pace::new(PaceLimits::default())), NetOptions::default());
        let settings = Settings { probes: vec![&GIT], ..Settings::default() };
        let mut explorer = Self {
            entities: BTreeMap::new(),
            decisions: BTreeMap::new(),
            by_evidence: BTreeSet::new(),
            inward: BTreeMap::new(),
            folded: BTreeMap::new(),
            failed: BTreeMap::new(),
            outside: Vec::new(),
        };
        for seed in seeds {
            let target = Kind::of_target(seed).unwrap();
            explorer.entities.entry(target).or_default().seed = true;
        }
        for _ in 0..ROUNDS_MAX {
            explorer.decide(&guard, ceiling);
            let jobs = explorer.jobs(&settings, ceiling);
            if jobs.is_empty() {
                return explorer;
            }
            for batch in jobs.chunks(AT_ONCE) {
                let probes = batch.iter().map(|job| look(&net, &settings, job));
                let answers = futures::future::join_all(probes).await;
                for (job, answer) in batch.iter().zip(answers) {
                    explorer.keep(job, answer);
                }
            }
        }
        panic!("still planning after {ROUNDS_MAX} rounds");
    }

    fn decide(&mut self, guard: &ByScope, ceiling: Clearance) {
        self.fold();
        let mut nodes = BTreeMap::new();
        let mut edges = BTreeSet::new();
        for ((kind, name), entity) in &self.entities {
            let from = uid(*kind, name);
            let shared = ip_address::shared_by(&self.details(*kind, name));
            let node = Node {
                uid: from,
                kind: *kind,
                name: name.clone(),
                seed: entity.seed,
                allow: false,
                deny: false,
                shared,
            };
            nodes.insert(from, node);
            for ((task, _), found) in &entity.found {
                edges.extend(found.edges.iter().map(|lead| Edge {
                    from,
                    to: uid(lead.kind, &lead.name),
                    kind: lead.edge,
                    task: task.to_string(),
                }));
            }
        }
        let rules = Rules { ceiling, never: Vec::new() };
        let (decided, blocks) = scope::decide_again(&nodes, &edges, &rules, &Reserved::default(), |_| None);
        self.by_evidence = decided.iter().filter(|node| node.by_evidence).map(|node| node.uid).collect();
        self.decisions = decided.into_iter().filter_map(|node| Some((node.uid, node.decision?))).collect();
        for node in nodes.values() {
            let clearance = self.decisions[&node.uid].clearance;
            match node.kind {
                Kind::IpAddress => {
                    // What is shared is theirs only in a block that was given.
                    let unproven = !self.decisions[&node.uid].scoped();
                    let address = node.name.parse().unwrap();
                    let known = (clearance, unproven, blocks.is_shared(address, node.shared));
                    guard.addresses.write().unwrap().insert(address, known);
                }
                Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver => {
                    let mut names = guard.names.write().unwrap();
                    let known = names.entry(node.name.clone()).or_insert(clearance);
                    *known = clearance.max(*known);
                }
                Kind::CloudStorageBucket => {
                    guard.buckets.write().unwrap().insert(host_of(&node.name).to_owned(), clearance);
                }
                _ => {}
            }
        }
        *guard.blocks.write().unwrap() = blocks;
    }

    /// Everything that may run now and has not: the quiet footprints first.
    fn jobs(&self, settings: &Settings, ceiling: Clearance) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (kind, name) in self.entities.keys() {
            let facts = self.facts(*kind, name);
            let clearance = facts.decision.clearance.min(ceiling);
            for task in ambit_tasks::ALL
                .iter()
                .filter(|task| task.watches.contains(kind) && task.footprint <= clearance)
                .filter(|task| task.workflows.contains(&workflow::EXTERNAL_DISCOVERY))
            {
                for argument in arguments((task.plan)(&facts, settings)) {
                    if facts.probe_at(task.name, &argument).is_none() {
                        jobs.push(Job { task, facts: facts.clone(), argument });
                    }
                }
            }
        }
        let quiet = jobs.iter().any(|job| job.task.footprint <= Clearance::L2);
        jobs.retain(|job| !quiet || job.task.footprint <= Clearance::L2);
        jobs
    }

    /// Folds what was said of every entity, by itself and by those that lead there.
    fn fold(&mut self) {
        let mut said: BTreeMap<(Kind, String), Vec<Said<'_>>> = BTreeMap::new();
        let mut inward: BTreeMap<(Kind, String), Vec<Inward>> = BTreeMap::new();
        for ((kind, name), entity) in &self.entities {
            for (key, found) in &entity.found {
                said.entry((*kind, name.clone())).or_default().push((key.0, &key.1, &found.details));
                for lead in &found.edges {
                    let to = (lead.kind, lead.name.clone());
                    inward.entry(to.clone()).or_default().push((lead.edge, key.clone(), *kind, name.clone()));
                    said.entry(to).or_default().push((key.0, name, &lead.details));
                }
            }
        }
        self.folded = said
            .into_iter()
            .map(|(key, mut said)| {
                said.sort_by_key(|(task, argument, _)| (*task, *argument));
                (key, fold(said.into_iter().map(|(_, _, details)| details)))
            })
            .collect();
        self.inward = inward;
    }

    pub(crate) fn details(&self, kind: Kind, name: &str) -> Details {
        self.folded.get(&(kind, name.to_owned())).cloned().unwrap_or_default()
    }

    fn neighbour(&self, edge: EdgeKind, (task, argument): &Key, kind: Kind, name: &str) -> Neighbour {
        let decision = self.decision(kind, name);
        Neighbour {
            edge,
            task: task.to_string(),
            argument: argument.clone(),
            uid: uid(kind, name),
            kind,
            name: name.to_owned(),
            scoped: decision.scoped(),
            by_evidence: self.by_evidence.contains(&uid(kind, name)),
            clearance: decision.clearance,
            details: self.details(kind, name).into(),
        }
    }

    fn decision(&self, kind: Kind, name: &str) -> Decision {
        self.decisions.get(&uid(kind, name)).cloned().unwrap_or_else(Decision::unreached)
    }

    pub(crate) fn facts(&self, kind: Kind, name: &str) -> Facts {
        let entity = &self.entities[&(kind, name.to_owned())];
        let outward = entity.found.iter().flat_map(|(key, found)| {
            found.edges.iter().map(move |lead| self.neighbour(lead.edge, key, lead.kind, &lead.name))
        });
        let inward = self.inward.get(&(kind, name.to_owned())).into_iter().flatten();
        let inward = inward.map(|(edge, key, from_kind, from)| self.neighbour(*edge, key, *from_kind, from));
        let seeds = self.entities.iter().filter(|(_, entity)| entity.seed);
        Facts {
            vulnerabilities: None,
            maintained: Vec::new(),
            uid: uid(kind, name),
            kind,
            name: name.to_owned(),
            seed: entity.seed,
            present: true,
            decision: self.decision(kind, name),
            details: self.details(kind, name),
            probes: entity.probes.clone(),
            inward: inward.collect(),
            outward: outward.collect(),
            seeds: Arc::new(seeds.map(|(key, _)| key.clone()).collect()),
        }
    }

    fn keep(&mut self, job: &Job, (answer, found): (Result<Answer, TaskError>, Found)) {
        let key = (job.facts.kind, job.facts.name.clone());
        let is_found = matches!(answer, Ok(Answer::Found | Answer::InPart(_)));
        let outcome = match &answer {
            Ok(Answer::Found) => ProbeOutcome::Found,
            Ok(Answer::Absent) => ProbeOutcome::Absent,
            Ok(Answer::InPart(error)) | Err(error) => {
                self.failed.insert(format!("{} {} {:?}", job.task.name, key.1, job.argument), error.to_string());
                ProbeOutcome::Unknown
            }
        };
        if is_found {
            for lead in &found.edges {
                self.entities.entry((lead.kind, lead.name.clone())).or_default();
            }
        }
        let entity = self.entities.get_mut(&key).unwrap();
        let look = LastProbe::new(outcome, Timestamp(0), 1);
        entity.probes.entry(job.task.name).or_default().insert(job.argument.clone(), look);
        if is_found {
            entity.found.insert((job.task.name, job.argument.clone()), found);
        }
    }

    /// Every entity.
    pub(crate) fn present(&self) -> impl Iterator<Item = (Kind, String)> + '_ {
        self.entities.keys().cloned()
    }

    /// Entities in scope.
    pub(crate) fn scoped(&self) -> impl Iterator<Item = (Kind, String)> + '_ {
        self.present().filter(|(kind, name)| self.decision(*kind, name).scoped())
    }

    /// What could not be looked at, and why.
    pub(crate) fn failures(&self) -> &BTreeMap<String, String> {
        &self.failed
    }

    /// Contacts that the world did not allow.
    pub(crate) fn outside(&self) -> Vec<String> {
        self.outside.clone()
    }

    /// Everything that was said, as text: equal explorations give equal texts.
    pub(crate) fn transcript(&self) -> String {
        let mut lines = Vec::new();
        for ((kind, name), entity) in &self.entities {
            for ((task, argument), found) in &entity.found {
                let owner = ambit_tasks::task(*task);
                let stable: Details = found
                    .details
                    .iter()
                    .filter(|(member, _)| !owner.volatile.contains(&member.as_str()))
                    .map(|(m, v)| (m.clone(), v.clone()))
                    .collect();
                lines.push(format!(
                    "{} {name} {task} {argument} {} {:?}",
                    kind.name(),
                    Value::Object(stable),
                    found.edges
                ));
            }
        }
        lines.join("\n")
    }
}

/// The first value of a scalar stands, lists are joined.
fn fold<'a>(said: impl Iterator<Item = &'a Details>) -> Details {
    let mut details = Details::new();
    for (member, value) in said.flatten() {
        match (details.entry(member.clone()).or_insert(Value::Null), value) {
            (known, value) if known.is_null() => *known = value.clone(),
            (Value::Array(known), Value::Array(more)) => {
                let new: Vec<Value> = more.iter().filter(|item| !known.contains(item)).cloned().collect();
                known.extend(new);
            }
            _ => {}
        }
    }
    details
}

fn arguments(plan: Plan) -> Vec<String> {
    match plan {
        Plan::No => Vec::new(),
        Plan::Once => vec![String::new()],
        Plan::Each(arguments) | Plan::Bound { asked: arguments, .. } => arguments,
        Plan::Sweep { prefix, size, step } => (0..size)
            .step_by(usize::try_from(step).unwrap())
            .map(|from| format!("{prefix}{from}-{}", size.min(from + step)))
            .collect(),
    }
}

async fn look(net: &Net, settings: &Settings, job: &Job) -> (Result<Answer, TaskError>, Found) {
    let sources: Vec<&'static str> = job.task.provider(&job.argument).into_iter().collect();
    let session = net.session(Grants::task(job.task.footprint, &sources));
    let context = Context::new(&session, &job.facts, &job.argument, settings);
    let answer = (job.task.run)(&context).await;
    (answer, context.into_found())
}

/// What a sweep below `acme.test` leads to when it begins at that moment, its wildcard profile having been taken at the
/// start.
pub(crate) fn guesses(world: &World, epoch: Timestamp, at_ms: u64) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wire = world.wire(epoch, 1);
    let (send, receive) = std::sync::mpsc::channel();
    let tracked: Arc<SimulatedWire> = wire.clone();
    runtime.block_on(wire.track(Box::pin(async move {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(tracked, Arc::new(ByScope::default()), pace, NetOptions::default());
        let session = net.session(Grants::task(Clearance::L3, &[]));
        session.wildcard("acme.test", ambit_net::dns::RecordType::A).await.unwrap();
        session.sleep(std::time::Duration::from_millis(at_ms).saturating_sub(session.now())).await;
        let settings =
            Settings { words: ["www", "mail", "shop"].map(str::to_owned).to_vec().into(), ..Settings::default() };
        let facts = empty_facts(Kind::Domain, "acme.test");
        let context = Context::new(&session, &facts, "0-3", &settings);
        let answer = (ambit_tasks::find("name_sweep").unwrap().run)(&context).await;
        assert_eq!(answer.unwrap(), Answer::Found);
        let leads = context.into_found().edges;
        send.send(leads.into_iter().map(|lead| lead.name).collect()).unwrap();
    })));
    receive.recv().unwrap()
}

pub(crate) fn empty_facts(kind: Kind, name: &str) -> Facts {
    Facts {
        uid: uid(kind, name),
        kind,
        name: name.to_owned(),
        seed: true,
        present: true,
        decision: Decision::unreached(),
        details: Details::new(),
        probes: BTreeMap::new(),
        inward: Vec::new(),
        outward: Vec::new(),
        seeds: Arc::new(Seeds::from_iter([(kind, name.to_owned())])),
        vulnerabilities: None,
        maintained: Vec::new(),
    }
}
