//! Walks through an application from the page that a person named: its pages, its scripts with the sources that they
//! were made from, and described interfaces, within a cap of requests. Nothing is sent that changes something.

mod places;
mod scripts;
mod sign_in;

use crate::ask::session::{self, Session};
use crate::ask::{bindings, web};
use crate::read::endpoints::unopened;
use crate::read::frontier::{Frontier, parameters, shape};
use crate::read::handed_out::HandedOut;
use crate::read::openapi::{self, Document};
use crate::read::page::Page;
use crate::read::parameters::{IN_DOCUMENT, IN_FORM, IN_LINK, IN_QUERY, IN_SCRIPT, Parameters};
use crate::read::{passive, script};
use crate::tasks::linked_hosts;
use crate::tasks::robots_sitemap_wellknown::Robots;
use crate::{Answer, Context, Plan, Task, TaskError};
use ambit_model::entity::uri::{self, Crawled, CrawledPage, Defect, HandedToken, Parameter, PublishedMap};
use ambit_model::entity::{host_of, mentioned};
use ambit_model::{Details, EdgeKind, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::http::{HttpExchange, Url, is_unavailable};
use places::Places;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::Crawl,
    pretty_name: "Crawl",
    description: "Crawls an application that is a seed: pages, scripts with their original sources, and described \
                  APIs; what they contain, and what they should not reveal. It follows links, submits no form except \
                  the sign-in that is configured for it, and obeys robots.txt.",
    workflows: &[workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    produces: &[
        Kind::ApiEndpoint,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::EmailAddress,
        Kind::UniqueToken,
    ],
    cost: 300,
    gain: 60,
    slow: true,
    plan: |facts, _| Plan::bound(bindings::one_of_site(facts).filter(|_| facts.seed && facts.decision.scoped())),
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Bytes of a script or a document.
const FILE_BYTES: usize = 1_024 * 1_024;
/// Interfaces of one application that scripts call.
const CALLED_MAX: usize = 2_000;
/// Pages that one defect names: the same template shows it on each.
const SAME_DEFECT_MAX: usize = 5;
/// Hosts of others that are kept.
const HOSTS_MAX: usize = 200;
/// Where frameworks describe their interfaces.
const DOCUMENTS: &[&str] = &[
    "openapi.json",
    "swagger.json",
    "v3/api-docs",
    "api-docs",
    "swagger/v1/swagger.json",
    "openapi.yaml",
    "swagger.yaml",
];

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let start = web::site(cx)?;
    let session = session::open(cx, &start).await?;
    let mut crawl = Crawl::new(cx, session);
    let forbidden = match crawl.get(&start.with_path("/robots.txt"), FILE_BYTES).await {
        Ok(Some(answer)) if answer.status == 200 && !web::is_html(&answer) => Robots::parse(&web::text(&answer)).closed,
        Ok(_) => BTreeSet::new(),
        Err(error) if web::is_closed(&error) => BTreeSet::new(),
        Err(error) if web::is_no_answer(&error) => return Ok(Answer::Absent),
        Err(error) => return Err(error.into()),
    };
    let mut frontier = Frontier::new(&start, forbidden.into_iter().collect());
    crawl.walk(&start, &mut frontier).await?;
    let is_empty = crawl.pages.is_empty();
    if !is_empty {
        crawl.report(&start, &frontier);
    }
    match crawl.ended {
        Some(ended) if is_empty => Err(ended),
        Some(ended) => Ok(Answer::InPart(ended)),
        None if is_empty => Err(TaskError::Failed(format!("{start}: no page could be read"))),
        None => Ok(Answer::Found),
    }
}

/// What a crawl has seen so far.
struct Crawl<'a> {
    cx: &'a Context<'a>,
    session: Session,
    /// Pages to sign in that were met in the session, and shown to who is in it.
    sign_ins: BTreeSet<String>,
    /// Why the session is over, where it ended on the way.
    ended: Option<TaskError>,
    requests: usize,
    places: Places,
    pages: BTreeMap<String, CrawledPage>,
    /// Paths of pages that showed something, where another one is kept of their shape.
    alike: BTreeSet<String>,
    scripts: BTreeSet<String>,
    /// Paths of those that were read.
    read_scripts: BTreeSet<String>,
    hosts: BTreeSet<String>,
    handed_out: HandedOut,
    maps: BTreeMap<String, PublishedMap>,
    /// Bytes of sources that were looked through.
    source_bytes: usize,
    interfaces: BTreeMap<String, Interface>,
    parameters: Parameters,
    documents: BTreeMap<String, Document>,
    defects: Vec<Defect>,
}

/// What documents and scripts say about an interface.
#[derive(Default)]
struct Interface {
    /// The methods that a document lists.
    methods: BTreeSet<String>,
    parameters: Parameters,
}

impl<'a> Crawl<'a> {
    fn new(cx: &'a Context<'a>, session: Session) -> Self {
        Self {
            cx,
            session,
            sign_ins: BTreeSet::new(),
            ended: None,
            requests: 0,
            places: Places::of(cx.facts, cx.net.date()),
            pages: BTreeMap::new(),
            alike: BTreeSet::new(),
            scripts: BTreeSet::new(),
            read_scripts: BTreeSet::new(),
            hosts: BTreeSet::new(),
            handed_out: HandedOut::of(cx.facts),
            maps: BTreeMap::new(),
            source_bytes: 0,
            interfaces: BTreeMap::new(),
            parameters: Parameters::default(),
            documents: BTreeMap::new(),
            defects: Vec::new(),
        }
    }

    async fn walk(&mut self, start: &Url, frontier: &mut Frontier) -> Result<(), TaskError> {
        self.pages(start, frontier).await?;
        if self.ended.is_none() {
            self.scripts().await?;
            self.documents(start).await?;
            self.try_session(start, None).await;
        }
        Ok(())
    }

    /// An answer within the cap; `None` beyond it.
    async fn get(&mut self, url: &Url, bytes: usize) -> Result<Option<HttpExchange>, NetError> {
        if self.requests >= self.cx.settings.application_requests.walk {
            self.places.capped = true;
            return Ok(None);
        }
        self.requests += 1;
        self.session.get(self.cx, url, bytes).await.map(Some)
    }

    /// The same, where an answer that does not come leaves this place unknown and the others to be visited.
    async fn try_get(&mut self, url: &Url) -> Result<Option<HttpExchange>, TaskError> {
        self.try_get_up_to(url, FILE_BYTES).await
    }

    async fn try_get_up_to(&mut self, url: &Url, bytes: usize) -> Result<Option<HttpExchange>, TaskError> {
        match self.get(url, bytes).await {
            // A server that throttles or fails now says nothing about what is at this place.
            Ok(Some(answer)) if is_unavailable(answer.status) && !self.is_out(url, answer.status) => {
                self.places.note(url.path_only(), false);
                Ok(None)
            }
            Ok(answer) => {
                // If the session ended, or may not see this page, what was there is not gone.
                let is_refused = |answer: &HttpExchange| matches!(answer.status, 401 | 403);
                if let Some(answer) = &answer {
                    self.places.note(url.path_only(), !(self.session.is_open() && is_refused(answer)));
                }
                Ok(answer)
            }
            Err(error @ NetError::Budget(_)) => Err(error.into()),
            Err(_) => {
                self.places.note(url.path_only(), false);
                Ok(None)
            }
        }
    }

    fn is_out(&mut self, url: &Url, status: u16) -> bool {
        let is_out = self.places.is_out(url.path_only(), status, self.cx.net.date());
        // A walk that reads no page reports no outage: since when that is so, the outcomes of the task tell. With an
        // integration they may tell of a session that could not be opened instead.
        let is_all_out = self.pages.values().all(|page| is_unavailable(page.status))
            && !self.session.is_open()
            && status != session::TOO_MANY_REQUESTS;
        is_out || (is_all_out && web::unless_outage(self.cx, TASK.name, status).is_ok())
    }

    async fn pages(&mut self, start: &Url, frontier: &mut Frontier) -> Result<(), TaskError> {
        while let Some((url, depth)) = frontier.next() {
            let Some(answer) = self.try_get(&url).await? else {
                if self.places.capped {
                    return Ok(());
                }
                continue;
            };
            let page = web::is_html(&answer).then(|| Page::parse(&web::text(&answer), &url));
            if self.is_outside(start, &answer, page.as_ref()).await {
                return Ok(());
            }
            self.note(&url, &answer, page.as_ref());
            match &page {
                Some(page) => self.handed_out.read_page(&web::text(&answer), page, url.path_only()),
                None => self.handed_out.read_text(&web::text(&answer), url.path_only()),
            }
            if let Some(target) = web::header(&answer, "location").and_then(|target| url.join(target).ok()) {
                frontier.add(&target, depth);
            }
            if let Some(page) = &page {
                self.follow(page, &url, depth, frontier);
            }
            let scripts = page.iter().flat_map(|page| &page.scripts);
            self.scripts.extend(scripts.filter(|script| host_of(script) == url.host).cloned());
            for text in page.iter().map(|page| page.inline.as_str()) {
                self.call(text, &url);
            }
        }
        Ok(())
    }

    /// Takes up what a page leads to.
    fn follow(&mut self, page: &Page, url: &Url, depth: usize, frontier: &mut Frontier) {
        for name in page.links.iter().chain(&page.refresh) {
            let Ok(link) = Url::parse(name) else { continue };
            if link.host != url.host {
                self.hosts.insert(link.host);
                continue;
            }
            self.take(IN_LINK, &link, &parameters(&link));
            if !page.sent.contains(name) {
                frontier.add(&link, depth);
            }
        }
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
            asks_password: page.is_some_and(|page| page.loose_password) || forms.iter().any(|form| form.password),
        });
        seen.parameters.extend(parameters);
        if seen.path != url.path_only() && places::is_open(answer.status) {
            self.alike.insert(url.path_only().to_owned());
        }
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
                Ok(_) if self.interfaces.len() >= CALLED_MAX && !self.interfaces.contains_key(&called) => {}
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

    /// Takes up what was seen before at places where this walk could not look.
    fn keep(&mut self) {
        let (known, places) = (&self.cx.facts.details, &self.places);
        for token in uri::TOKENS.items(known).filter(|token: &HandedToken| places.may_still_show(&token.path)) {
            self.handed_out.tokens.entry(token.token.clone()).or_insert(token);
        }
        for map in uri::SOURCE_MAPS.items(known).filter(|map: &PublishedMap| places.may_still_show(&map.path)) {
            self.maps.entry(map.path.clone()).or_insert(map);
        }
        let is_shown = |seen: &Defect, of: &Defect| (&seen.what, &seen.path) == (&of.what, &of.path);
        for defect in uri::DEFECTS.items(known).filter(|defect| places.may_still_show(&defect.path)) {
            if !self.defects.iter().any(|seen| is_shown(seen, &defect)) {
                self.defects.push(defect);
            }
        }
        let is_partial = self.places.has_lost_sight() || self.places.capped || self.places.outside;
        let unseen: BTreeSet<String> = self.places.unseen().cloned().collect();
        for known in uri::PARAMETERS.items(known) {
            if is_partial || known.paths.iter().any(|path| unseen.contains(path)) {
                self.parameters.keep(&known);
            }
        }
    }

    fn report(&mut self, start: &Url, frontier: &Frontier) {
        let cx = self.cx;
        self.keep();
        self.places.left_out().into_iter().for_each(|what| cx.leave_out(what));
        linked_hosts::say(cx, TASK.name, start, &self.handed_out);
        let hosts = self.hosts.iter().filter(|host| host.parse::<std::net::IpAddr>().is_err());
        for host in cx.kept(TASK.name, hosts, HOSTS_MAX, "hosts") {
            cx.found_host(host, EdgeKind::Link);
        }
        let titles: BTreeMap<&String, &String> = self
            .documents
            .values()
            .filter_map(|document| document.title.as_ref().map(|title| (document, title)))
            .flat_map(|(document, title)| document.operations.keys().map(move |url| (url, title)))
            .collect();
        // Nobody needs the name of one that a token opens: the token is told.
        let standing = self.stand();
        let named = self.interfaces.iter().filter(|(url, _)| unopened((*url).clone()) == **url);
        let named = named.filter(|(url, _)| !standing.contains(url.as_str()));
        for (url, Interface { methods, parameters }) in named {
            let mut details = Details::from_iter([mentioned::METHODS.is(methods.iter().cloned().collect::<Vec<_>>())]);
            if parameters.len() > 0 {
                details.extend([mentioned::PARAMETERS.is(parameters.list())]);
            }
            details.extend(titles.get(url).map(|title| mentioned::TITLE.is(json!(title))));
            cx.found_with(Kind::ApiEndpoint, url, EdgeKind::Api, details);
        }
        self.defects.sort();
        self.defects.dedup();
        cx.observe(uri::DEFECTS, self.defects.clone());
        if !self.handed_out.tokens.is_empty() {
            cx.observe(uri::TOKENS, self.handed_out.tokens.values().cloned().collect::<Vec<_>>());
        }
        if !self.maps.is_empty() {
            cx.observe(uri::SOURCE_MAPS, self.maps.values().cloned().collect::<Vec<_>>());
        }
        cx.observe(uri::PAGES, self.pages_and_known());
        let is_known = |one: &Parameter, of: &Parameter| one.name == of.name;
        let parameters = self.and_known(uri::PARAMETERS, self.parameters.list(), is_known);
        if !parameters.is_empty() {
            cx.observe(uri::PARAMETERS, parameters);
        }
        cx.observe(uri::CRAWL, self.crawled(frontier));
    }

    /// How far the walk came. What a session that ended left undone counts as before.
    fn crawled(&self, frontier: &Frontier) -> Crawled {
        let left_out = frontier.left_out;
        let known = uri::CRAWL.of(&self.cx.facts.details).filter(|_| self.ended.is_some());
        Crawled {
            alike: self.and_known_unseen(self.alike.iter(), |crawl| crawl.alike),
            documents: self.and_known_unseen(self.documents.keys(), |crawl| crawl.documents),
            scripts: self.and_known_unseen(self.read_scripts.iter(), |crawl| crawl.scripts),
            outages: self.places.outages(),
            unseen: self.places.unseen_since(self.cx.net.date()),
            ..known.unwrap_or_else(|| Crawled {
                requests: self.requests,
                pages: self.pages.len(),
                interfaces: self.interfaces.len(),
                parameters: self.parameters.len(),
                parameters_left_out: self.parameters.left_out,
                closed_to_robots: left_out.robots,
                traps: left_out.traps,
                doing: left_out.doing,
                capped: self.places.capped,
                ..Crawled::default()
            })
        }
    }
}
