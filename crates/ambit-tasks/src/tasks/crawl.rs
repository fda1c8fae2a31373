//! Walks through an application from the page that a person named: its pages, scripts and described interfaces, within
//! a cap of requests. Nothing is sent but what a browser would send, and nothing that changes something.

use crate::ask::session::{self, Session};
use crate::ask::{bindings, web};
use crate::read::frontier::{Frontier, parameters, shape};
use crate::read::openapi::{self, Document};
use crate::read::page::Page;
use crate::read::parameters::{IN_DOCUMENT, IN_FORM, IN_LINK, IN_QUERY, IN_SCRIPT, Parameters};
use crate::read::{passive, script, web_token};
use crate::tasks::robots_sitemap_wellknown::Robots;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::uri::{self, Crawled, CrawledPage, Defect};
use ambit_model::entity::{host_of, mentioned};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use ambit_net::http::{HttpExchange, Url};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::Crawl,
    pretty_name: "Crawl",
    description: "Walks through an application that is a seed: pages, scripts, described interfaces, and what they \
                  show that they should not. It follows links, fills in no form but that of a session which is \
                  opened for it, and leaves what robots shall not visit.",
    workflows: &[workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    produces: &[Kind::ApiEndpoint, Kind::DnsRecord, Kind::Domain],
    footprint: Clearance::L3,
    wave: Wave::Probes,
    ttl_ms: DAY_MS,
    cost: 300,
    gain: 60,
    slow: true,
    volatile: &[],
    contacts: Contacts::Address,
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| Plan::bound(bindings::one_of_site(facts).filter(|_| facts.seed && facts.decision.scoped())),
    run: |cx| Box::pin(run(cx)),
};

/// Requests to one application, whatever is found.
const REQUESTS_MAX: usize = 300;
/// Scripts among them.
const SCRIPTS_MAX: usize = 40;
/// Bytes of a script or a document.
const FILE_BYTES: usize = 1_024 * 1_024;
/// Pages that one defect names: the same template shows it on each.
const SAME_DEFECT_MAX: usize = 5;
/// Hosts of others that are kept.
const HOSTS_MAX: usize = 200;
/// Where frameworks describe their interfaces.
const DOCUMENTS: &[&str] = &["openapi.json", "swagger.json", "v3/api-docs", "api-docs", "swagger/v1/swagger.json"];

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let start = web::site(cx)?;
    let session = session::open(cx, &start).await?;
    let mut crawl = Crawl::new(cx, session);
    let forbidden = match crawl.get(&start.with_path("/robots.txt")).await {
        Ok(Some(answer)) if answer.status == 200 && !web::is_html(&answer) => Robots::parse(&web::text(&answer)).closed,
        Ok(_) => BTreeSet::new(),
        Err(error) if web::is_closed(&error) => BTreeSet::new(),
        Err(error) if web::is_no_answer(&error) => return Ok(Answer::Absent),
        Err(error) => return Err(error.into()),
    };
    let mut frontier = Frontier::new(&start, forbidden.into_iter().collect());
    crawl.pages(&mut frontier).await?;
    crawl.scripts().await?;
    crawl.documents(&start).await?;
    if crawl.pages.is_empty() {
        return Err(TaskError::Failed(format!("{start}: no page could be read")));
    }
    crawl.report(&frontier);
    Ok(Answer::Found)
}

/// What a crawl has seen so far.
struct Crawl<'a> {
    cx: &'a Context<'a>,
    session: Session,
    requests: usize,
    /// It ended before all was visited.
    capped: bool,
    pages: BTreeMap<String, CrawledPage>,
    /// Paths that could not be looked at.
    failed: BTreeSet<String>,
    scripts: BTreeSet<String>,
    hosts: BTreeSet<String>,
    interfaces: BTreeMap<String, Interface>,
    parameters: Parameters,
    documents: BTreeMap<String, Document>,
    defects: Vec<Defect>,
}

/// What is said of an interface.
#[derive(Default)]
struct Interface {
    /// What may be done with it, where a document says it.
    methods: BTreeSet<String>,
    parameters: Parameters,
}

impl<'a> Crawl<'a> {
    fn new(cx: &'a Context<'a>, session: Session) -> Self {
        Self {
            cx,
            session,
            requests: 0,
            capped: false,
            pages: BTreeMap::new(),
            failed: BTreeSet::new(),
            scripts: BTreeSet::new(),
            hosts: BTreeSet::new(),
            interfaces: BTreeMap::new(),
            parameters: Parameters::default(),
            documents: BTreeMap::new(),
            defects: Vec::new(),
        }
    }

    /// An answer within the cap; `None` beyond it.
    async fn get(&mut self, url: &Url) -> Result<Option<HttpExchange>, NetError> {
        if self.requests >= REQUESTS_MAX {
            self.capped = true;
            return Ok(None);
        }
        self.requests += 1;
        self.session.get(self.cx, url, FILE_BYTES).await.map(Some)
    }

    /// The same, where an answer that does not come leaves this place unknown and the others to be visited.
    async fn try_get(&mut self, url: &Url) -> Result<Option<HttpExchange>, TaskError> {
        match self.get(url).await {
            Ok(answer) => {
                // A session that ended on the way, or may not see this: what stood here is not gone.
                if self.session.is_open() && answer.as_ref().is_some_and(|answer| matches!(answer.status, 401 | 403)) {
                    self.failed.insert(url.path.clone());
                }
                Ok(answer)
            }
            Err(error @ NetError::Budget(_)) => Err(error.into()),
            Err(_) => {
                self.failed.insert(url.path.clone());
                Ok(None)
            }
        }
    }

    async fn pages(&mut self, frontier: &mut Frontier) -> Result<(), TaskError> {
        while let Some((url, depth)) = frontier.next() {
            let Some(answer) = self.try_get(&url).await? else {
                if self.capped {
                    return Ok(());
                }
                continue;
            };
            let page = web::is_html(&answer).then(|| Page::parse(&web::text(&answer), &url));
            self.note(&url, &answer, page.as_ref());
            if let Some(target) = web::header(&answer, "location").and_then(|target| url.join(target).ok()) {
                frontier.add(&target, depth);
            }
            for link in page.iter().flat_map(|page| &page.links).filter_map(|link| Url::parse(link).ok()) {
                if link.host == url.host {
                    self.take(IN_LINK, &link, &parameters(&link));
                    frontier.add(&link, depth);
                } else {
                    self.hosts.insert(link.host);
                }
            }
            let scripts = page.iter().flat_map(|page| &page.scripts);
            self.scripts.extend(scripts.filter(|script| host_of(script) == url.host).cloned());
            for text in page.iter().map(|page| page.inline.as_str()) {
                self.call(text, &url);
            }
        }
        Ok(())
    }

    fn note(&mut self, url: &Url, answer: &HttpExchange, page: Option<&Page>) {
        let forms = page.map_or_else(Vec::new, |page| page.forms.clone());
        self.take(IN_QUERY, url, &parameters(url));
        for form in &forms {
            let action = Url::parse(&form.action).ok().filter(|action| action.host == url.host);
            self.take(IN_FORM, action.as_ref().unwrap_or(url), &form.fields);
        }
        let parameters = parameters(url).into_iter().chain(forms.iter().flat_map(|form| form.fields.iter().cloned()));
        let seen = self.pages.entry(shape(url)).or_insert_with(|| CrawledPage {
            path: url.path_only().to_owned(),
            status: answer.status,
            title: page.and_then(|page| page.title.clone()),
            parameters: BTreeSet::new(),
            asks_password: forms.iter().any(|form| form.password),
        });
        seen.parameters.extend(parameters);
        for (what, proof) in passive::defects(answer, page) {
            self.add_defect(what, url.path_only(), proof);
        }
        if let Some(document) = openapi::read(&answer.body, url).filter(|_| answer.status == 200) {
            self.describe(url, document);
        }
    }

    /// Takes up parameters of a URL that were named in a place.
    fn take(&mut self, place: &str, url: &Url, names: &BTreeSet<String>) {
        for name in names {
            self.parameters.add(name, place, url.path_only());
        }
    }

    /// Takes up an interface of the application, with what it takes as a place says.
    fn interface(&mut self, place: &str, target: &Url, url: &str, names: &BTreeSet<String>) -> &mut Interface {
        self.take(place, target, names);
        let known = self.interfaces.entry(url.to_owned()).or_default();
        for name in names {
            known.parameters.add(name, place, target.path_only());
        }
        known
    }

    fn add_defect(&mut self, what: &str, path: &str, proof: String) {
        let same = self.defects.iter().filter(|defect| defect.what == what);
        let is_known = same.clone().any(|defect| defect.path == path);
        // One policy, one template: what is alike everywhere is one defect.
        let is_alike = same.clone().any(|defect| defect.proof == proof);
        if !is_known && !is_alike && same.count() < SAME_DEFECT_MAX {
            self.defects.push(Defect { what: what.to_owned(), path: path.to_owned(), proof });
        }
    }

    /// Takes up what a script calls.
    fn call(&mut self, text: &str, url: &Url) {
        for (called, names) in script::calls(text, url) {
            match Url::parse(&called) {
                Ok(target) if target.host == url.host => {
                    self.interface(IN_SCRIPT, &target, &called, &names);
                }
                Ok(target) => {
                    self.hosts.insert(target.host);
                }
                Err(_) => {}
            }
        }
    }

    fn describe(&mut self, url: &Url, document: Document) {
        for (described, methods) in &document.operations {
            match Url::parse(described) {
                Ok(target) if target.host == url.host => {
                    let names = document.parameters.get(described).cloned().unwrap_or_default();
                    let known = self.interface(IN_DOCUMENT, &target, described, &names);
                    known.methods.extend(methods.iter().cloned());
                }
                Ok(target) => {
                    self.hosts.insert(target.host);
                }
                Err(_) => {}
            }
        }
        self.documents.insert(url.path_only().to_owned(), document);
    }

    async fn scripts(&mut self) -> Result<(), TaskError> {
        let scripts = self.scripts.iter().take(SCRIPTS_MAX).filter_map(|script| Url::parse(script).ok());
        for url in scripts.collect::<Vec<_>>() {
            let Some(answer) = self.try_get(&url).await? else { continue };
            if answer.status != 200 || web::is_html(&answer) {
                continue;
            }
            let text = web::text(&answer);
            self.call(&text, &url);
            for (what, proof) in web_token::defects(&answer) {
                self.add_defect(what, url.path_only(), proof);
            }
            let Some(map) = script::source_map(&text, &url).filter(|map| map.host == url.host) else { continue };
            let Some(answer) = self.try_get(&map).await? else { continue };
            if let Some(count) = script::sources_in(&answer.body).filter(|_| answer.status == 200) {
                self.add_defect("exposed_source_map", map.path_only(), format!("the text of {count} files"));
            }
        }
        Ok(())
    }

    /// Asks for documents where frameworks put them.
    async fn documents(&mut self, start: &Url) -> Result<(), TaskError> {
        let below = start.path_only().rsplit_once('/').map_or("", |(folder, _)| folder);
        for name in DOCUMENTS {
            let url = start.with_path(&format!("{below}/{name}"));
            if self.documents.contains_key(url.path_only()) {
                continue;
            }
            let Some(answer) = self.try_get(&url).await? else { continue };
            if let Some(document) = openapi::read(&answer.body, &url).filter(|_| answer.status == 200) {
                self.describe(&url, document);
            }
        }
        Ok(())
    }

    fn report(&mut self, frontier: &Frontier) {
        let cx = self.cx;
        for host in self.hosts.iter().filter(|host| host.parse::<std::net::IpAddr>().is_err()).take(HOSTS_MAX) {
            cx.found_host(host, EdgeKind::Link);
        }
        let titles: BTreeMap<&String, &String> = self
            .documents
            .values()
            .filter_map(|document| document.title.as_ref().map(|title| (document, title)))
            .flat_map(|(document, title)| document.operations.keys().map(move |url| (url, title)))
            .collect();
        for (url, Interface { methods, parameters }) in &self.interfaces {
            let mut details = Details::from_iter([mentioned::METHODS.is(methods.iter().cloned().collect::<Vec<_>>())]);
            if parameters.len() > 0 {
                details.extend([mentioned::PARAMETERS.is(parameters.list())]);
            }
            details.extend(titles.get(url).map(|title| mentioned::TITLE.is(json!(title))));
            cx.found_with(Kind::ApiEndpoint, url, EdgeKind::Api, details);
        }
        self.defects.extend(kept(cx.facts, &self.failed));
        self.defects.sort();
        self.defects.dedup();
        cx.observe(uri::DEFECTS, self.defects.clone());
        cx.observe(uri::PAGES, self.pages.values().cloned().collect::<Vec<_>>());
        if self.parameters.len() > 0 {
            cx.observe(uri::PARAMETERS, self.parameters.list());
        }
        let left_out = frontier.left_out;
        cx.observe(
            uri::CRAWL,
            Crawled {
                requests: self.requests,
                pages: self.pages.len(),
                interfaces: self.interfaces.len(),
                parameters: self.parameters.len(),
                parameters_left_out: self.parameters.left_out,
                documents: self.documents.keys().cloned().collect(),
                closed_to_robots: left_out.robots,
                traps: left_out.traps,
                doing: left_out.doing,
                capped: self.capped,
            },
        );
    }
}

/// What was seen before at places that could not be looked at now.
fn kept(facts: &Facts, failed: &BTreeSet<String>) -> Vec<Defect> {
    let known = uri::DEFECTS.items(&facts.details);
    known.filter(|defect| failed.iter().any(|path| path.split('?').next() == Some(&defect.path))).collect()
}
