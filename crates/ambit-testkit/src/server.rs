//! A whole server on a free port of loopback, over a store and an index in a folder of its own, with people in every
//! role.

use crate::client::{Ask, Reply, ask};
use crate::scenario::Stage;
use ambit_model::Timestamp;
use ambit_model::estimate::{About, Sends, Volume, Volumes};
use ambit_model::library::{CloudEntry, FingerprintEntry, FingerprintMatch, IssueEntry, KindEntry, Library, TaskEntry};
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, Kind, TaskName, workflow};
use ambit_search::Index;
use ambit_server::{Door, Interface, Limits, Listener, Outside, Phase, Provider, Sample, ServerState};
use ambit_store::{NewCollection, NewKey, NewOwner, NewUser, Options, Principal, Store};
use anyhow::Context;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use uuid::Uuid;

/// Where the clock begins: 2026-01-31T12:00:00Z, in milliseconds. It advances by one at each look.
const START_MS: i64 = 1_769_860_800_000;

/// A server with its people: `owner` of the installation and of the first project, `admin`, `analyst` and `viewer` of
/// the collection, `member` of the project without any collection, `stranger` with a project of its own.
pub struct TestServer {
    pub address: String,
    pub store: Store,
    pub index: Index,
    /// Caller to key.
    pub keys: BTreeMap<String, String>,
    /// The owner's project.
    pub project: i64,
    pub project_uuid: Uuid,
    /// The stranger's project.
    pub foreign_project: i64,
    pub foreign_project_uuid: Uuid,
    /// A collection of the owner's project, with the seed `acme.test`.
    pub collection: Uuid,
    pub collection_name: String,
    clock: Arc<AtomicI64>,
    folder: PathBuf,
    /// Dropping it ends the loop that fills the index.
    index_loop: Option<watch::Sender<bool>>,
    shutdown: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<std::io::Result<()>>>,
}

impl TestServer {
    /// Starts a server.
    pub async fn new() -> anyhow::Result<Self> {
        Self::with(usual()).await
    }

    /// Starts a server with other limits.
    pub async fn with(limits: Limits) -> anyhow::Result<Self> {
        Self::start(limits, Outside::default(), Interface::default(), None).await
    }

    /// Starts a server that is reached in some way.
    pub async fn behind(outside: Outside) -> anyhow::Result<Self> {
        Self::start(usual(), outside, Interface::default(), None).await
    }

    /// Starts a server with a web interface.
    pub async fn with_interface(interface: Interface) -> anyhow::Result<Self> {
        Self::start(usual(), Outside::default(), interface, None).await
    }

    /// Starts a server at which people sign in by a provider.
    pub async fn with_provider(provider: Provider) -> anyhow::Result<Self> {
        Self::start(usual(), Outside::default(), Interface::default(), Some(provider)).await
    }

    async fn start(
        limits: Limits,
        reached: Outside,
        interface: Interface,
        provider: Option<Provider>,
    ) -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("ambit-test-{}", Uuid::new_v4()));
        let ticks = Arc::new(AtomicI64::new(START_MS));
        let now = || Timestamp(ticks.fetch_add(1, Ordering::Relaxed));
        let new = NewOwner { email: "owner@acme.test".to_owned(), organization: "Acme".to_owned(), username: None };
        let (store, issued) = Store::init(&Options::folder(&folder), &new, now()).await?;
        let owner_key = issued.context("a fresh folder gives a key")?.key;
        let owner = store.local_operator().await?;
        let first = store.list_projects(&owner).await?.into_iter().next().context("the owner has a project")?.project;
        let view = store.create_collection(&owner.at(now()), first.id, &outside()).await?;
        let mut keys = BTreeMap::from([("owner".to_owned(), owner_key)]);
        let place = Workspace { project: first.uuid, collection: view.collection.uuid };
        keys.extend(add_members(&store, &owner, place, &now).await?);
        let key = add_person(&store, &owner, "stranger", now()).await?;
        let stranger = store.authenticate(&key, now()).await?.context("the key is valid")?;
        let foreign = store.create_project(&stranger.at(now()), "Elsewhere").await?.project;
        keys.insert("stranger".to_owned(), key);
        let index = Index::open(&folder.join("index"))?;
        let (stop_index, stopped) = watch::channel(false);
        tokio::spawn(ambit_search::follow(index.clone(), store.clone(), stopped));
        let clock = ticks.clone();
        let wall: ambit_server::Clock = Arc::new(move || Timestamp(clock.fetch_add(1, Ordering::Relaxed)));
        let mut state = ServerState::new(store.clone(), index.clone(), Arc::new(library()), wall);
        state.set_limits(limits);
        state.interface = interface;
        state.sample = Some(sample());
        state.oidc = provider.map(Arc::new);
        state.contact = Some("mailto:probes@acme.test".to_owned());
        let listener = Listener::bind("127.0.0.1:0".parse()?).await?;
        let address = listener.address()?.to_string();
        let (shutdown, ended) = oneshot::channel::<()>();
        let (door, phase) = Door::new(limits, reached, None);
        phase.send_replace(Phase::Ready(Arc::new(state)));
        let serving = tokio::spawn(ambit_server::serve(listener, door, async {
            let _ = ended.await;
        }));
        Ok(Self {
            address,
            store,
            index,
            keys,
            project: first.id,
            project_uuid: first.uuid,
            foreign_project: foreign.id,
            foreign_project_uuid: foreign.uuid,
            collection: view.collection.uuid,
            collection_name: view.collection.name,
            clock: ticks,
            folder,
            index_loop: Some(stop_index),
            shutdown: Some(shutdown),
            serving: Some(serving),
        })
    }

    /// The moment after the last one.
    pub fn now(&self) -> Timestamp {
        Timestamp(self.clock.fetch_add(1, Ordering::Relaxed))
    }

    /// Lets time pass.
    pub fn advance(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    /// A request by a caller (`nobody` has no key).
    pub async fn call(&self, caller: &str, method: &str, target: &str, body: Option<&Value>) -> anyhow::Result<Reply> {
        let key = self.keys.get(caller).map(|key| ("x-apikey".to_owned(), key.clone()));
        let request = Ask {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: key.into_iter().collect(),
            body: body.map(|body| body.to_string().into_bytes()),
        };
        ask(&self.address, &request).await
    }

    /// Returns the answer to a GET of a caller (`nobody` has no key).
    ///
    /// # Panics
    /// If the server does not answer.
    pub async fn get(&self, caller: &str, target: &str) -> Reply {
        let answer = self.call(caller, "GET", target, None).await;
        answer.unwrap_or_else(|error| panic!("GET {target}: {error:#}"))
    }

    /// Makes a user with a key, who is in no project and no group, and calls from now on by that name.
    pub async fn add_user(&mut self, name: &str) -> anyhow::Result<()> {
        let owner = self.store.local_operator().await?;
        let key = add_person(&self.store, &owner, name, self.now()).await?;
        self.keys.insert(name.to_owned(), key);
        Ok(())
    }

    /// A caller as the store knows it.
    pub async fn principal(&self, caller: &str) -> anyhow::Result<Principal> {
        let key = self.keys.get(caller).context("a caller with a key")?;
        self.store.authenticate(key, self.now()).await?.context("the key is valid")
    }

    /// Makes groups of users by name.
    pub async fn add_groups(&self, groups: &BTreeMap<String, Vec<String>>) -> anyhow::Result<()> {
        let owner = self.store.local_operator().await?;
        for (name, members) in groups {
            self.store.create_group(&owner.at(self.now()), name, members).await?;
        }
        Ok(())
    }

    /// What scenarios run on.
    pub fn stage(&self) -> Stage {
        let values = [
            ("project", self.project.to_string()),
            ("project_uuid", self.project_uuid.to_string()),
            ("foreign_project", self.foreign_project.to_string()),
            ("foreign_project_uuid", self.foreign_project_uuid.to_string()),
            ("collection", self.collection.to_string()),
            ("collection_name", self.collection_name.clone()),
        ];
        let keys = self.keys.iter().map(|(name, key)| (format!("{name}_key"), key.clone()));
        Stage {
            address: self.address.clone(),
            keys: self.keys.clone(),
            clock: Some(self.clock.clone()),
            store: Some(self.store.clone()),
            values: values.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(keys).collect(),
        }
    }

    /// Ends the loop that fills the index: what changes from now on is not found.
    pub fn stop_index(&mut self) {
        drop(self.index_loop.take());
    }

    /// Asks the server to end and waits until it has.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        drop(self.shutdown.take());
        if let Some(serving) = self.serving.take() {
            serving.await??;
        }
        Ok(())
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.shutdown.take());
        // A folder that cannot be removed is in the system's folder for what is temporary: nothing is lost.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The limits of a server, but that events are told once: who reads to the end of an answer does not wait for more.
fn usual() -> Limits {
    Limits { events_time: Duration::ZERO, ..Limits::default() }
}

/// A sample of one domain.
fn sample() -> Sample {
    Sample {
        project: "Demo",
        internet: "the internet of a sample",
        wire: |blob| WireChoice::Simulated { blob, state: 1 },
        seeds: || Ok(vec![(Kind::Domain, "sample.test".to_owned())]),
    }
}

/// What the tasks of the library send.
fn volumes() -> Vec<Volume> {
    let of = |task, footprint, about, sends, count| Volume { task, footprint, about, sends, count };
    vec![
        of(TaskName::Resolve, Clearance::L1, About::Name, Sends::Questions, 10),
        of(TaskName::HttpProbe, Clearance::L2, About::Site, Sends::Requests, 8),
        of(TaskName::ContentFocus, Clearance::L3, About::Site, Sends::Requests, 92),
        of(TaskName::NameSweep, Clearance::L3, About::Domain, Sends::Tries, 2_000),
        of(TaskName::PtrSweep, Clearance::L1, About::OfBlock, Sends::Questions, 1),
        of(TaskName::PortSweep, Clearance::L3, About::Address, Sends::Knocks, 200),
        of(TaskName::BlockSweep, Clearance::L3, About::OfLargeBlock, Sends::Knocks, 9),
        of(TaskName::BlockSweep, Clearance::L3, About::OfSmallBlock, Sends::Knocks, 200),
    ]
}

/// A library of one entry each, and a second issue, so that there is more than one page.
fn library() -> Library {
    let issue = |name: &str| IssueEntry {
        name: name.to_owned(),
        pretty_name: "Domain without a CAA record".to_owned(),
        severity: 4,
        confidence: "confirmed".to_owned(),
        category: "misconfiguration".to_owned(),
        added: "2026-01-31".to_owned(),
        description: "Any authority may issue certificates for this domain.".to_owned(),
        remediation: "Add a CAA record.".to_owned(),
        references: Vec::new(),
        reads: vec![TaskName::ZoneProfile],
    };
    Library {
        kinds: vec![KindEntry {
            kind: Kind::Domain,
            description: "A registered domain".to_owned(),
            user_creatable: true,
            example: "acme.test".to_owned(),
        }],
        tasks: vec![TaskEntry {
            name: "resolve".to_owned(),
            pretty_name: "Resolve a name".to_owned(),
            description: "Asks resolvers for addresses".to_owned(),
            footprint: Clearance::L1,
            workflows: vec![workflow::EXTERNAL_DISCOVERY.name, workflow::THIRD_PARTIES.name],
            watches: vec![Kind::Domain, Kind::DnsRecord],
            produces: vec![Kind::IpAddress],
        }],
        issues: vec![issue("dns_caa_missing"), issue("dns_caa_permissive")],
        volumes: Volumes {
            of_tasks: volumes(),
            names_alike_max: 0,
            at_once: 256,
            connections_per_address_s: 50,
            connections_per_block_s: 300,
            requests_per_host_s: 10,
            questions_per_server_s: 100,
            requests_per_provider_s: 2,
            total_s: None,
        },
        aws_keys: false,
        clouds: vec![CloudEntry { name: "moon".to_owned(), secrets: vec!["token".to_owned()], kubeconfig: None }],
        aws_services: BTreeSet::from(["ec2".to_owned(), "s3".to_owned()]),
        fingerprints: vec![FingerprintEntry {
            vendor: "F5".to_owned(),
            product: "nginx".to_owned(),
            cpe: Some("cpe:2.3:a:f5:nginx:*:*:*:*:*:*:*:*".to_owned()),
            tags: vec!["Web Server".to_owned()],
            matches: vec![FingerprintMatch {
                place: "content_headers".to_owned(),
                content: "Server: nginx".to_owned(),
            }],
        }],
    }
}

/// The collection that every test begins with.
fn outside() -> NewCollection {
    NewCollection::usual("Outside", vec![(Kind::Domain, "acme.test".to_owned())])
}

/// A user with a key.
async fn add_person(store: &Store, owner: &Principal, name: &str, now: Timestamp) -> anyhow::Result<String> {
    let email = format!("{name}@acme.test");
    let new = NewUser { email: email.clone(), ..NewUser::default() };
    store.create_user(&owner.at(now), &new).await?;
    let new = NewKey { user: Some(email), label: name.to_owned(), expires_at: None, ..NewKey::default() };
    Ok(store.create_key(&owner.at(now), &new).await?.key)
}

/// Where people get their roles.
struct Workspace {
    project: Uuid,
    collection: Uuid,
}

/// Members of the project, three of them with a role in the collection; their keys.
async fn add_members(
    store: &Store,
    owner: &Principal,
    place: Workspace,
    now: &impl Fn() -> Timestamp,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut keys = BTreeMap::new();
    for (name, role) in [
        ("admin", Some(CollectionRole::Admin)),
        ("analyst", Some(CollectionRole::Analyst)),
        ("viewer", Some(CollectionRole::Viewer)),
        ("member", None),
    ] {
        let key = add_person(store, owner, name, now()).await?;
        let email = format!("{name}@acme.test");
        let added = store.add_members(&owner.at(now()), place.project, &[email], ProjectRole::Member, false).await?;
        let member = added.members.first().context("the member was added")?;
        if let Some(role) = role {
            store.set_collection_role(&owner.at(now()), place.collection, &member.id.to_string(), role).await?;
        }
        keys.insert(name.to_owned(), key);
    }
    Ok(keys)
}
