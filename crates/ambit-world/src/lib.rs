//! The simulated internet: servers, zones, certificates and ground truth from one text file (`docs/worlds.md`).
//! Unprivileged, no sockets, deterministic: every answer is a function of the world, the epoch, the state, the wire's
//! time and the request.

mod clock;
mod contacts;
mod dns;
mod draft;
mod evidence;
mod exchange;
mod exposure;
mod fresh;
mod internet;
mod ledger;
mod name_sources;
mod package;
mod parse;
mod pki;
mod plan;
mod problem;
mod serve;
mod shown;
mod source;
mod text;
mod truth;
mod turns;
mod wire;

pub use contacts::Contact;
pub use exchange::{Exchange, Observer};
pub use problem::Problem;
pub use truth::{Truth, Verdict};
pub use wire::SimulatedWire;

use ambit_model::workflow::{self, Workflow};
use ambit_model::{Kind, Timestamp};
use draft::{Draft, STATE_MS};
use internet::Internet;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Statements that every world has in addition to its file.
const BUILT_IN: &str = include_str!("built_in.world");

/// A world file, read.
#[derive(Clone, Debug)]
pub struct World {
    name: String,
    title: String,
    seeds: Vec<String>,
    /// Names of issues in expectations, each with the first line that has it.
    issues: BTreeMap<String, usize>,
    states: Vec<Draft>,
    workflow: Workflow,
}

impl World {
    /// Reads a file; `file_name` is what errors call it.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, Vec<Problem>> {
        let (reading, mut faults) = parse::read(text);
        if faults.is_empty() {
            let states = reading.states.into_iter().map(with_built_in).collect();
            let workflow = workflow::EXTERNAL_DISCOVERY;
            let (name, title, seeds, issues) = (reading.name, reading.title, reading.seeds, reading.issues);
            return Ok(Self { name, title, seeds, issues, states, workflow });
        }
        faults.sort_by_key(|fault| fault.line);
        // A fault in one state is reported once, and not again for the states that follow.
        let mut told: Vec<problem::Fault> = Vec::new();
        for fault in faults {
            if told.len() < problem::PROBLEMS_MAX && !told.contains(&fault) {
                told.push(fault);
            }
        }
        Err(told.into_iter().map(|fault| fault.in_file(file_name)).collect())
    }

    /// The same world, as a run of this workflow is to find it.
    pub fn for_workflow(self, workflow: Workflow) -> Self {
        Self { workflow, ..self }
    }

    /// The world's name: a word.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The world's title, for people; may be empty.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The issues that expectations of any state name, each with the first line that does.
    pub fn expected_issues(&self) -> impl Iterator<Item = (&str, usize)> {
        self.issues.iter().map(|(name, line)| (name.as_str(), *line))
    }

    /// What discovery starts from, in canonical form.
    pub fn seeds(&self) -> &[String] {
        &self.seeds
    }

    /// What a run of this workflow begins with, sorted: the repositories and apps of the file, or its seeds.
    pub fn targets(&self, workflow: Workflow) -> Vec<(Kind, String)> {
        plan::targets(workflow, &self.seeds, &self.states[0])
    }

    /// The accounts of the first state: what opens each.
    pub fn accounts(&self) -> Vec<Account> {
        self.states[0].accounts.values().map(Account::of).collect()
    }

    /// What opens accounts at forges of code in the first state: what each is called, its URL, and its token.
    pub fn forge_tokens(&self) -> Vec<(String, String, String)> {
        let forges = self.states[0].forges.iter();
        forges.filter_map(|(url, forge)| Some((forge.title.clone(), url.clone(), forge.token.clone()?))).collect()
    }

    /// Sites of the first state that want to be signed in to: what each is called, its origin, who signs in, and the
    /// password.
    pub fn sessions(&self) -> Vec<(String, String, String, String)> {
        let guarded = self.states[0].sites.iter().filter_map(|(url, site)| Some((url, site, site.guarded.clone()?)));
        guarded.map(|(url, site, (user, password))| (site.title.clone(), url.clone(), user, password)).collect()
    }

    /// The packages of apps of the first state that are given to a run: name of the file, and bytes.
    pub fn packages(&self) -> Vec<(String, Vec<u8>)> {
        let given = self.states[0].apps.values().filter(|app| !app.mirrored);
        given.map(|app| (package::file_name(app), package::bytes(app))).collect()
    }

    /// How many states there are; the first is 1.
    pub fn states(&self) -> i64 {
        i64::try_from(self.states.len()).unwrap_or(i64::MAX)
    }

    /// The wire of a state. A state beyond the last is the last one at a later date; `epoch` is midnight UTC of the day
    /// that dates refer to.
    pub fn wire(&self, epoch: Timestamp, state: i64) -> Arc<SimulatedWire> {
        Arc::new(SimulatedWire::new(self.internet(epoch, state)))
    }

    /// What must be found, and what must not be reported, in a state.
    pub fn truth(&self, epoch: Timestamp, state: i64) -> Truth {
        let before = (1..state.min(self.states())).flat_map(|earlier| truth::revoked(&self.internet(epoch, earlier)));
        truth::derive(&self.internet(epoch, state), before)
    }

    fn internet(&self, epoch: Timestamp, state: i64) -> Internet {
        let state = state.max(1);
        let last = state.min(self.states());
        let mut draft = self.states[usize::try_from(last - 1).unwrap_or_default()].clone();
        draft.begins_ms += (state - last) * STATE_MS;
        Internet::build((&self.name, self.workflow), &self.seeds, draft, epoch, state)
    }
}

/// What opens an account of a world at a cloud provider.
#[derive(Clone, Debug)]
pub struct Account {
    /// What people call it.
    pub title: String,
    /// The provider: `aws`, `azure`, `gcp`, or the name of another.
    pub provider: String,
    /// Names and texts.
    pub secrets: Map<String, Value>,
    /// Texts, and lists of texts.
    pub settings: Map<String, Value>,
}

impl Account {
    fn of(account: &draft::Account) -> Self {
        let said = |setting: &draft::Setting| match setting {
            draft::Setting::Text(text) => json!(text),
            draft::Setting::List(texts) => json!(texts),
        };
        Self {
            title: account.title.clone(),
            provider: account.provider.clone(),
            secrets: account.secrets.iter().map(|(name, secret)| (name.clone(), json!(secret))).collect(),
            settings: account.settings.iter().map(|(name, setting)| (name.clone(), said(setting))).collect(),
        }
    }
}

/// Adds the statements of every world; the file's own come first.
fn with_built_in(mut draft: Draft) -> Draft {
    let (built_in, faults) = parse::understand(&format!("{BUILT_IN}{}", name_sources::statements()));
    debug_assert!(faults.is_empty(), "{faults:?}");
    let Some(more) = built_in.states.into_iter().next() else { return draft };
    for bucket in draft.buckets.values() {
        if let (draft::Storage::Azure, Some((account, _))) = (bucket.storage, bucket.name.split_once('/')) {
            let host = format!("{account}.blob.core.windows.net");
            let (reading, _) = parse::understand(&format!("name {host} A 198.19.0.22"));
            draft.names.extend(reading.states.into_iter().flat_map(|state| state.names));
        }
    }
    internet::add_regions(&mut draft);
    draft.orgs.extend(more.orgs);
    draft.blocks.extend(more.blocks);
    draft.zones.extend(more.zones);
    draft.names.extend(more.names);
    // A file may say how much resolvers answer.
    for (address, host) in more.hosts {
        draft.hosts.entry(address).or_insert(host);
    }
    for (name, address) in internet::stated_servers(&draft) {
        let zone = match plan::zone_of(&draft, &name) {
            Some(_) => String::new(),
            None => format!("zone {name} of internet\n  ns ns1.sources.example\n"),
        };
        let (reading, _) = parse::understand(&format!("{zone}name {name} A {address}"));
        for state in reading.states {
            draft.zones.extend(state.zones);
            draft.names.extend(state.names);
        }
    }
    parse::complete(&mut draft);
    draft
}
