//! What a task is: the declaration that the engine plans by, and the outcomes of a probe.

use crate::history::within;
use crate::{Context, Result, Settings, TaskError};
use ambit_model::facts::ProbeOutcome;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::workflow::{self, Workflow};
use ambit_model::{Clearance, Facts, Kind, TaskName, Wave};
use futures::future::BoxFuture;
use std::collections::BTreeSet;

/// One discovery step.
#[derive(Clone, Copy)]
pub struct Task {
    /// Its stable name, also that of its file.
    pub name: TaskName,
    /// Its name for people.
    pub pretty_name: &'static str,
    /// What it does, in a sentence.
    pub description: &'static str,
    /// Workflows that it belongs to.
    pub workflows: &'static [Workflow],
    /// Kinds of entity that it examines.
    pub watches: &'static [Kind],
    /// Kinds of entity it may lead to.
    pub produces: &'static [Kind],
    /// The clearance that the entity must have.
    pub footprint: Clearance,
    /// When its rows are leased: as its footprint says, except for tasks that guess names or sweep. Names are guessed
    /// and zones transferred before anything is visited, though both need the clearance of a sweep: only resolvers and
    /// servers of names are asked, and what is found is looked at together with the rest.
    pub wave: Wave,
    /// How long an answer is fresh, in milliseconds of wire time.
    pub ttl_ms: i64,
    /// What of it a person's run asks again while the answer of an earlier run is within its time to live.
    pub again: Again,
    /// About how many requests a probe costs.
    pub cost: i64,
    /// About how many new facts a probe gives; the priority is gain × 1,000 / cost.
    pub gain: i64,
    /// Whether a probe takes longer than what it changes should wait: what is known of an entity is reconciled while
    /// its slow probes go on.
    pub slow: bool,
    /// Members of its own (`Kind::owner`) that change without meaning anything.
    pub volatile: &'static [&'static str],
    /// What it contacts, for the partition of its work.
    pub contacts: Contacts,
    /// What counts as seen if it finds something.
    pub sights: Sights,
    /// Decides whether it may run yet, and with which arguments. Pure.
    pub plan: fn(&Facts, &Settings) -> Plan,
    /// Says what of the entity there is beyond what it asks about, a sentence. Pure.
    pub left_out: fn(&Facts) -> Option<String>,
    /// The probe itself.
    pub run: for<'a> fn(&'a Context<'a>) -> BoxFuture<'a, Result<Answer>>,
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Task").field(&self.name).finish()
    }
}

/// The ground on which providers of OpenID Connect are asked for tokens of applications.
pub(crate) const SESSIONS: &str = "session";

/// The stages of a run, as a person sees them, in the order in which they begin.
pub const STAGES: &[&str] = &["names", "sources", "addresses", "services", "sites"];

/// What tasks of a sort have in common: a task is `Task { …, ..Task::VISITS }` and says where it differs. Its name, its
/// texts, workflows and kinds, what it costs and gains, `plan` and `run` are always its own.
impl Task {
    /// Derives from what is known, and contacts nothing.
    pub(crate) const DERIVES: Self = Self {
        name: TaskName::AnnouncedBlocks,
        pretty_name: "",
        description: "",
        workflows: &[],
        watches: &[],
        produces: &[],
        footprint: Clearance::L0,
        wave: Wave::Passive,
        ttl_ms: DAY_MS,
        again: Again::All,
        cost: 0,
        gain: 0,
        slow: false,
        volatile: &[],
        contacts: Contacts::Nothing,
        sights: Sights::All(Sighting::Nothing),
        plan: |_, _| Plan::No,
        left_out: |_| None,
        run: |_| Box::pin(std::future::ready(Ok(Answer::Absent))),
    };

    /// Asks servers of names, through the resolvers.
    pub(crate) const ASKS_NAMES: Self = Self {
        footprint: Clearance::L1,
        contacts: Contacts::Zone,
        sights: Sights::All(Sighting::Ends),
        ..Self::DERIVES
    };

    /// Asks a data provider; which, each says.
    pub(crate) const ASKS_PROVIDERS: Self =
        Self { footprint: Clearance::L1, sights: Sights::All(Sighting::Entity), ..Self::DERIVES };

    /// Asks an address for what a visitor sees.
    pub(crate) const VISITS: Self = Self {
        footprint: Clearance::L2,
        wave: Wave::Visits,
        contacts: Contacts::Address,
        sights: Sights::All(Sighting::Entity),
        ..Self::DERIVES
    };

    /// Asks an address for more than a visitor would.
    pub(crate) const PROBES: Self = Self { footprint: Clearance::L3, wave: Wave::Probes, ..Self::VISITS };
}

/// The workflows that look at domains: who runs them, and what their zones say.
pub(crate) const OF_DOMAINS: &[Workflow] =
    &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::SUSPICIOUS_DOMAINS, workflow::THIRD_PARTIES];

/// The workflows that probe sites and what leads to them.
pub(crate) const OF_SITES: &[Workflow] =
    &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS, workflow::THIRD_PARTIES];

impl Task {
    /// Returns what counts as seen where the task finds something at an entity of the kind.
    pub fn sighting(&self, kind: Kind) -> Sighting {
        match self.sights {
            Sights::All(sighting) => sighting,
            Sights::Only(kinds) if kinds.contains(&kind) => Sighting::Entity,
            Sights::Only(_) => Sighting::Ends,
        }
    }

    /// Returns true where it asks data providers, and no target.
    pub fn asks_sources(&self) -> bool {
        matches!(self.contacts, Contacts::Provider(_) | Contacts::Source)
    }

    /// The data provider that a probe with this argument asks; `None` where it asks none.
    pub fn provider(&self, argument: &str) -> Option<&'static str> {
        match self.contacts {
            Contacts::Provider(provider) => Some(provider),
            Contacts::Source => ambit_sources::find(argument).map(|source| source.name),
            _ => None,
        }
    }

    /// Data providers that a task which contacts addresses asks beside: who gives a token for the application.
    pub fn also_asks(&self) -> &'static [&'static str] {
        match self.name {
            TaskName::Crawl | TaskName::HiddenParameters | TaskName::RedirectProbe => &[SESSIONS],
            _ => &[],
        }
    }

    /// The stage that the task belongs to, by what it contacts; `None` for one that only derives.
    pub fn stage(&self) -> Option<&'static str> {
        match self.contacts {
            Contacts::Nothing => None,
            Contacts::Zone => Some("names"),
            Contacts::Provider(_) | Contacts::Source => Some("sources"),
            Contacts::Address if self.watches.contains(&Kind::Uri) => Some("sites"),
            Contacts::Address if self.watches.contains(&Kind::NetworkService) => Some("services"),
            Contacts::Address => Some("addresses"),
        }
    }
}

/// What a person's run asks again of a task that an earlier run asked, within the time to live of its answer
/// (docs/decisions/0225-a-refresh-verifies-what-is-known.md). An answer to other settings is none, and so is one that
/// rests on what has changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// Everything.
    All,
    /// What was found, and no more ([`Context::verifies`]); nothing where nothing was found. Beside it the tasks whose
    /// answers at the same place must be those that it was asked on.
    Found(&'static [TaskName]),
    /// Nothing where nothing was found, else everything. Beside it the same.
    UnlessAbsent(&'static [TaskName]),
    /// Nothing, as long as the zone says of all names that it led to what it said when they were guessed: a guess of
    /// names, which is asked again when one of them is gone or handed to others.
    UnlessGone,
}

impl Again {
    /// Returns the tasks whose answers it rests on.
    pub fn rests_on(self) -> &'static [TaskName] {
        match self {
            Self::All => &[],
            Self::Found(tasks) | Self::UnlessAbsent(tasks) => tasks,
            Self::UnlessGone => &[TaskName::WildcardProfile],
        }
    }
}

/// What a task contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    /// Nothing: it derives.
    Nothing,
    /// The servers of the name's zone, through the resolvers.
    Zone,
    /// The address of the entity, or the address that the argument begins with.
    Address,
    /// A data provider, by its name.
    Provider(&'static str),
    /// The source of names that the argument names, and resolvers.
    Source,
}

/// What counts as seen where a task finds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sights {
    /// The same for all kinds that it watches.
    All(Sighting),
    /// The entity itself where it is of these kinds, else what the answer leads to.
    Only(&'static [Kind]),
}

/// What a task wants to do with an entity, given what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing, or nothing yet.
    No,
    /// One probe without an argument.
    Once,
    /// One probe for each argument: sorted, without duplicates.
    Each(Vec<String>),
    /// Like `Each`, where the arguments are what the entity refers to (such as the addresses that it resolves to) and
    /// `bound` names all of them. Observations under any other argument are orphaned and closed.
    Bound {
        /// What is asked: sorted, without duplicates.
        asked: Vec<String>,
        /// The arguments whose observations stay open, at least.
        bound: Vec<String>,
    },
    /// A large space as one row; the engine gives arguments `<prefix><from>-<to>` (`to` excluded).
    Sweep {
        /// What the argument begins with.
        prefix: String,
        /// Number of items.
        size: i64,
        /// Items per probe.
        step: i64,
    },
}

/// Says that of so many only some are asked about; `None` where all are.
pub(crate) fn beyond(count: usize, most: usize, what: &str) -> Option<String> {
    let more = count.saturating_sub(most);
    (more > 0).then(|| format!("{more} {what} are left out: no more than {most} are asked about"))
}

impl Plan {
    /// `Each` of sorted, distinct arguments; `No` without any.
    pub(crate) fn each(arguments: impl IntoIterator<Item = String>) -> Self {
        let sorted: BTreeSet<String> = arguments.into_iter().collect();
        if sorted.is_empty() { Self::No } else { Self::Each(sorted.into_iter().collect()) }
    }

    /// `Bound` of sorted, distinct arguments that are all asked.
    pub(crate) fn bound(arguments: impl IntoIterator<Item = String>) -> Self {
        let sorted: BTreeSet<String> = arguments.into_iter().collect();
        let asked: Vec<String> = sorted.into_iter().collect();
        Self::Bound { bound: asked.clone(), asked }
    }

    /// `Bound` of arguments of which only so many are asked: first those of which something is known, so that nothing
    /// is gone because others came before it. What is known of the rest stays.
    pub(crate) fn bound_within(facts: &Facts, task: TaskName, arguments: BTreeSet<String>, most: usize) -> Self {
        let is_known =
            |argument: &String| facts.outcome_at(task, argument).is_some_and(|outcome| outcome != ProbeOutcome::Absent);
        let bound: Vec<String> = arguments.into_iter().collect();
        Self::Bound { asked: within(bound.clone(), most, is_known), bound }
    }

    /// One probe without an argument if the condition holds; otherwise earlier observations are orphaned.
    pub(crate) fn bound_if(condition: bool) -> Self {
        Self::bound(condition.then(String::new))
    }

    /// `Once` where the condition holds.
    pub(crate) fn once_if(condition: bool) -> Self {
        if condition { Self::Once } else { Self::No }
    }
}

/// How a successful probe ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The probed thing is there; the context has the details.
    Found,
    /// Something is there, and the context has it; the rest could not be probed, and the context has what was known of
    /// it.
    InPart(TaskError),
    /// The thing is not there.
    Absent,
}

impl Answer {
    /// `Found` where the condition holds.
    pub(crate) fn found_if(condition: bool) -> Self {
        if condition { Self::Found } else { Self::Absent }
    }

    /// The answer where something was found or not, and a failure kept the rest from being looked at. Fails with that
    /// failure where nothing was found: nothing is known then.
    pub(crate) fn despite(found: bool, failure: Option<TaskError>) -> Result<Self> {
        match failure {
            None => Ok(Self::found_if(found)),
            Some(failure) if found => Ok(Self::InPart(failure)),
            Some(failure) => Err(failure),
        }
    }
}
