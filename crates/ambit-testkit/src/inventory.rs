//! A small inventory in the collection of a test server, written through the engine's side of the store exactly as a
//! run writes it.

use crate::TestServer;
use ambit_model::TaskName::Screenshot;
use ambit_model::entity::PathStep;
use ambit_model::issue::{Confidence, Identifier, IssueKind, Proof};
use ambit_model::observation::{Discovery, Evidence, Found, ProbeResult, SCREENSHOT, Sighting};
use ambit_model::run::RunState;
use ambit_model::scope::{Decision, ScopeReason};
use ambit_model::{Clearance, Details, EdgeKind, Kind, Timestamp, Uid};
use ambit_store::Principal;
use ambit_store::engine::{Commit, Engine, IssueWrite, NewWork, Outcome, Reconciliation, Room};
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use uuid::Uuid;

/// The name of the site that the inventory has.
pub const SITE: &str = "https://www.acme.test:443";

/// The index looks at the feed several times a second; a busy machine gets longer.
const INDEX_WAIT: Duration = Duration::from_secs(20);

/// An issue that the inventory has at the domain.
static CAA_MISSING: IssueKind = IssueKind {
    name: "dns_caa_missing",
    pretty_name: "Domain without a CAA record",
    severity: 4,
    confidence: Confidence::Confirmed,
    category: "misconfiguration",
    added: "2026-01-31",
    description: "Any authority may issue certificates for this domain.",
    remediation: "Add a CAA record that names the authorities you use.",
    references: &[("https://www.rfc-editor.org/rfc/rfc8659", "description")],
};

/// An issue that it has at the site.
static OLD_SERVER: IssueKind = IssueKind {
    name: "server_end_of_life",
    pretty_name: "Server beyond its end of life",
    severity: 2,
    confidence: Confidence::Potential,
    category: "vulnerability",
    added: "2026-01-31",
    description: "The server no longer receives fixes.",
    remediation: "Update it.",
    references: &[],
};

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    pub domain: Uid,
    pub host: Uid,
    pub address: Uid,
    pub site: Uid,
    /// At the domain.
    pub issue: Uid,
    /// At the site.
    pub grave_issue: Uid,
}

/// Whose inventory it is, and what its things are called.
#[derive(Clone, Debug)]
pub struct Ground {
    pub owner: Principal,
    pub collection: Uuid,
    /// The seed; the host is `www` below it, the site is that host's.
    pub domain: String,
    pub address: String,
}

impl Ground {
    /// The collection that a test server begins with.
    pub async fn first(server: &TestServer) -> anyhow::Result<Self> {
        Ok(Self {
            owner: server.store.local_operator().await?,
            collection: server.collection,
            domain: "acme.test".to_owned(),
            address: "203.0.113.7".to_owned(),
        })
    }

    fn host(&self) -> String {
        format!("www.{}", self.domain)
    }

    /// The name of its site.
    pub fn site(&self) -> String {
        format!("https://{}:443", self.host())
    }
}

/// A finished run that found: the seed's host, its address with two ports, a site with its title, and two issues.
/// `title` is that of the site.
pub async fn fill(server: &TestServer, title: &str) -> anyhow::Result<Inventory> {
    let ground = Ground::first(server).await?;
    let site = found(site_details(&ground.site(), title), &[]);
    fill_on(server, &ground, site).await
}

/// The same with another look at the site.
pub async fn fill_with(server: &TestServer, site: ProbeResult) -> anyhow::Result<Inventory> {
    fill_on(server, &Ground::first(server).await?, site).await
}

/// The same in another collection.
pub(crate) async fn fill_on(server: &TestServer, ground: &Ground, site: ProbeResult) -> anyhow::Result<Inventory> {
    let engine = server.store.engine("a test", Duration::from_secs(1)).await?;
    server.store.start_run(&ground.owner.at(server.now()), ground.collection, false).await?;
    let run = engine.claim_next(&BTreeSet::new(), Room::Any, server.now()).await?.context("the run is there")?.run;
    let uid = |kind, name: &str| Uid::of_entity(ground.collection, kind, name);
    let (domain, host, site_name) = (ground.domain.as_str(), ground.host(), ground.site());
    let inventory = Inventory {
        domain: uid(Kind::Domain, domain),
        host: uid(Kind::DnsRecord, &host),
        address: uid(Kind::IpAddress, &ground.address),
        site: uid(Kind::Uri, &site_name),
        issue: issue_uid(ground.collection, &CAA_MISSING, uid(Kind::Domain, domain)),
        grave_issue: issue_uid(ground.collection, &OLD_SERVER, uid(Kind::Uri, &site_name)),
    };
    let mut round = Round { server, engine: &engine, run: run.id };
    round.reconcile(&[(inventory.domain, Vec::new())], &[("zone_profile", inventory.domain)], Vec::new()).await?;
    round.commit(|_| found(domain_details(domain), &[(EdgeKind::Subdomain, Kind::DnsRecord, host.as_str())])).await?;
    let to_host = vec![step(Kind::Domain, domain, EdgeKind::Subdomain)];
    round.reconcile(&[(inventory.host, to_host.clone())], &[("resolve", inventory.host)], Vec::new()).await?;
    let resolutions = json!({"resolutions": [{"response_data": ground.address, "response_type": "A"}]});
    let to_address = (EdgeKind::ResolvesTo, Kind::IpAddress, ground.address.as_str());
    let edges = [to_address, (EdgeKind::Site, Kind::Uri, site_name.as_str())];
    round.commit(|_| found(resolutions.clone(), &edges)).await?;
    let hop = |edge| [to_host.clone(), vec![step(Kind::DnsRecord, &host, edge)]].concat();
    let decisions = [(inventory.address, hop(EdgeKind::ResolvesTo)), (inventory.site, hop(EdgeKind::Site))];
    let work =
        [("port_sweep", inventory.address), ("http_probe", inventory.site), (Screenshot.as_str(), inventory.site)];
    round.reconcile(&decisions, &work, Vec::new()).await?;
    round
        .commit(|task| match task {
            "port_sweep" => found(address_details(), &[]),
            task if task == Screenshot.as_str() => picture(),
            _ => site.clone(),
        })
        .await?;
    let issues = vec![
        prove(inventory.domain, &CAA_MISSING, Vec::new()),
        prove(
            inventory.site,
            &OLD_SERVER,
            vec![Identifier { kind: "CVE".to_owned(), name: "CVE-2019-10081".to_owned() }],
        ),
    ];
    round.reconcile(&[], &[], issues).await?;
    engine.finish(run.id, RunState::Finished, &[], server.now()).await?;
    let written = server.store.last_revision().await?;
    anyhow::ensure!(server.index.wait_for(written, INDEX_WAIT).await?, "the index did not catch up");
    Ok(inventory)
}

/// What a task saw of an entity of the first collection.
#[derive(Clone, Debug)]
pub struct Look<'a> {
    pub task: &'static str,
    pub kind: Kind,
    pub name: &'a str,
    pub details: Value,
    pub edges: &'a [(EdgeKind, Kind, &'a str)],
}

/// Another finished run on the inventory, in which tasks saw this, one after another.
pub async fn look(server: &TestServer, looks: &[Look<'_>]) -> anyhow::Result<()> {
    look_beside(server, looks, async || {}).await
}

/// The same, with something else that happens after each of them, while the run goes on.
pub async fn look_beside(server: &TestServer, looks: &[Look<'_>], mut beside: impl AsyncFnMut()) -> anyhow::Result<()> {
    let ground = Ground::first(server).await?;
    let engine = server.store.engine("a test", Duration::from_secs(1)).await?;
    server.store.start_run(&ground.owner.at(server.now()), ground.collection, false).await?;
    let run = engine.claim_next(&BTreeSet::new(), Room::Any, server.now()).await?.context("the run is there")?.run;
    let mut round = Round { server, engine: &engine, run: run.id };
    for look in looks {
        let uid = Uid::of_entity(ground.collection, look.kind, look.name);
        let way = match look.name == ground.domain {
            true => Vec::new(),
            false => vec![step(Kind::Domain, &ground.domain, EdgeKind::Subdomain)],
        };
        round.reconcile(&[(uid, way)], &[(look.task, uid)], Vec::new()).await?;
        round.commit(|_| found(look.details.clone(), look.edges)).await?;
        beside().await;
    }
    engine.finish(run.id, RunState::Finished, &[], server.now()).await?;
    let written = server.store.last_revision().await?;
    anyhow::ensure!(server.index.wait_for(written, INDEX_WAIT).await?, "the index did not catch up");
    Ok(())
}

impl Inventory {
    /// The values that scenarios name: `${site}` and so on.
    pub fn values(&self) -> impl Iterator<Item = (String, String)> {
        let uids = [
            ("domain", self.domain),
            ("host", self.host),
            ("address", self.address),
            ("site", self.site),
            ("issue", self.issue),
            ("grave_issue", self.grave_issue),
        ];
        uids.into_iter().map(|(name, uid)| (name.to_owned(), uid.to_string()))
    }
}

fn issue_uid(collection: Uuid, kind: &IssueKind, entity: Uid) -> Uid {
    Uid::of_issue(collection, kind.name, "ambit", "", entity)
}

fn prove(entity: Uid, kind: &'static IssueKind, identifiers: Vec<Identifier>) -> IssueWrite {
    IssueWrite::Prove {
        entity,
        kind,
        upstream: "ambit".to_owned(),
        proof: Box::new(Proof {
            discriminator: String::new(),
            description: "It was looked at.".to_owned(),
            details: json!({"looked_at": "it"}),
            severity: None,
            confidence: None,
            identifiers,
            words: None,
            exploitation: None,
        }),
    }
}

fn step(from_kind: Kind, from_name: &str, edge: EdgeKind) -> PathStep {
    PathStep {
        from_kind,
        from_name: from_name.to_owned(),
        edge,
        task: "resolve".to_owned(),
        own: 990,
        cap: Clearance::L4,
        ground: None,
    }
}

fn found(details: Value, edges: &[(EdgeKind, Kind, &str)]) -> ProbeResult {
    let lead = |(edge, kind, name): &(EdgeKind, Kind, &str)| Discovery {
        edge: *edge,
        kind: *kind,
        name: (*name).to_owned(),
        details: Details::new(),
    };
    ProbeResult::Found(Found {
        details: details.as_object().cloned().unwrap_or_default(),
        edges: edges.iter().map(lead).collect(),
        ..Found::default()
    })
}

/// A picture of the site, as small as one can be.
fn picture() -> ProbeResult {
    let bytes = b"\x89PNG\r\n\x1a\n\0\0\0\0IEND\xaeB\x60\x82".to_vec();
    let details = json!({"screenshot_exists": true});
    ProbeResult::Found(Found {
        details: details.as_object().cloned().unwrap_or_default(),
        evidence: vec![Evidence { label: SCREENSHOT.to_owned(), bytes }],
        ..Found::default()
    })
}

fn domain_details(domain: &str) -> Value {
    let findings = json!([{"area": "mail", "points": -8, "text": "lets anybody send its mail (SPF without an end)"}]);
    json!({
        "nameservers": [format!("ns1.{domain}")],
        "hidden_posture": {
            "score": 92, "grade": "A", "organization": "Acme Ltd", "findings": findings, "unknown": ["web"],
        },
        "hidden_suppliers": [{"name": "Stripe", "by": "page", "value": "js.stripe.com"}],
    })
}

fn address_details() -> Value {
    json!({
        "ports": [{"number": 80, "protocol": "tcp"}, {"number": 443, "protocol": "tcp"}],
        "version": 4,
        "net_name": "ACME-NET",
        "geolocation": {"city": "Bern", "country": "Switzerland", "country_code": "CH", "latitude": 46.9,
        "longitude": 7.4},
    })
}

fn site_details(site: &str, title: &str) -> Value {
    json!({
        "uri": site,
        "code": "200",
        "title": title,
        "port": 443,
        "ssl": 1,
        "auth.any": false,
        "extended_configuration": {"kept": "for raw"},
        "fingerprint": [{
            "cpe": "cpe:2.3:a:nginx:nginx:1.2.3:", "hide": false, "tags": ["Web Server"], "type": "fingerprint",
            "tasks": null, "issues": null,
            "method": "ident", "update": null, "vendor": "Nginx", "product": "nginx", "version": "1.2.3",
            "inference": false,
            "description": "nginx by its header", "match_logic": "all",
            "positive_matches": [{"match_type": "content_headers", "match_content": "nginx"}],
        }],
    })
}

/// Writes of one run.
struct Round<'a> {
    server: &'a TestServer,
    engine: &'a Engine,
    run: i64,
}

impl Round<'_> {
    /// Reconciles decisions (the way from the seed), plans work, writes issues.
    async fn reconcile(
        &mut self,
        ways: &[(Uid, Vec<PathStep>)],
        work: &[(&'static str, Uid)],
        issues: Vec<IssueWrite>,
    ) -> anyhow::Result<()> {
        let now = self.server.now();
        let decide = |(uid, path): &(Uid, Vec<PathStep>)| {
            let decision = Decision {
                ownership: if path.is_empty() { 1000 } else { 990 },
                clearance: Clearance::L3,
                reason: path.last().map_or(ScopeReason::Seed, |step| ScopeReason::Edge(step.edge)),
                path: path.clone(),
                evidence: Vec::new(),
            };
            (*uid, decision, true)
        };
        let plan = |(task, uid): &(&'static str, Uid)| NewWork {
            task,
            uid: *uid,
            argument: String::new(),
            number: 0,
            wave: ambit_model::Wave::Passive,
            footprint: Clearance::L1,
            priority: 1,
            not_before: Timestamp(0),
            partition: 0,
        };
        let reconciled = self.engine.dirty(self.run, 100).await?;
        self.engine
            .reconcile(Reconciliation {
                vulns: Vec::new(),
                run: self.run,
                reconciled,
                following: Vec::new(),
                decisions: ways.iter().map(decide).collect(),
                lost: Vec::new(),
                orphaned: Vec::new(),
                work: work.iter().map(plan).collect(),
                sweeps: Vec::new(),
                issues,
                not_done: Vec::new(),
                at: now,
                now,
            })
            .await?;
        Ok(())
    }

    /// Leases all open work and commits what each task saw.
    async fn commit(&mut self, see: impl Fn(&str) -> ProbeResult) -> anyhow::Result<()> {
        let now = self.server.now();
        let leased = self.engine.lease(self.run, 100, now).await?;
        let outcomes = leased
            .into_iter()
            .map(|work| Outcome {
                result: see(&work.task),
                work,
                volatile: &[],
                sighting: Sighting::Entity,
                at: now,
                searched: None,
            })
            .collect();
        self.engine.commit(Commit { run: self.run, outcomes, returned: Vec::new(), not_done: Vec::new(), now }).await?;
        Ok(())
    }
}
