//! What lies behind the front page of a site: a few pages that it links to on the same site, pages that these link to,
//! and the sources that the site's scripts were made from. A host that only such a page names is found by nothing else.

use crate::ask::{bindings, same_site, web};
use crate::front_pages::Visited;
use crate::read::front_links::FrontLinks;
use crate::read::handed_out::HandedOut;
use crate::read::mentions::is_in_folder_of_others;
use crate::read::page::Page;
use crate::read::source_map::{self, MapLocation};
use crate::tasks::linked_hosts;
use crate::tasks::robots_sitemap_wellknown::Robots;
use crate::walked_sites::Walked;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::uri;
use ambit_model::facts::ProbeOutcome;
use ambit_model::{Facts, Kind, TaskName, workflow};
use ambit_net::NetError;
use ambit_net::http::{BodyEnd, HttpExchange, Url};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) const TASK: Task = Task {
    name: TaskName::SitePages,
    pretty_name: "Pages of a site",
    description: "Reads pages one or two links behind a site's front page and published sources of its scripts for \
                  hosts, mailboxes, storage buckets and identifiers. Where a server shows one site under many names, \
                  one of them is read. It obeys robots.txt.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::Uri],
    produces: &[Kind::CloudStorageBucket, Kind::DnsRecord, Kind::Domain, Kind::EmailAddress, Kind::UniqueToken],
    cost: 20,
    gain: 10,
    slow: true,
    plan: |facts, _| behind_the_front_page(facts),
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Pages that are read behind the front page.
const PAGES_MAX: usize = 12;
/// Scripts and maps that are read. With the file for robots and the front page a site is asked for 22 files at most.
const FILES_MAX: usize = 8;
/// Bytes of the file for robots.
const ROBOTS_BYTES: usize = 256 * 1_024;
/// Bytes of a script.
const SCRIPT_BYTES: usize = 512 * 1_024;
/// Bytes of a map.
const MAP_BYTES: usize = 4 * 1_024 * 1_024;
/// Requests that may fail before the rest of the site is given up.
const FAILURES_MAX: usize = 3;

/// A site whose front page leads on, at one of its addresses, once it is known how the site says no: by that it is
/// told from others.
fn behind_the_front_page(facts: &Facts) -> Plan {
    if !uri::LEADS_ON.is_true(&facts.details) {
        return Plan::bound([]);
    }
    let bound: Vec<String> = bindings::of_root_site(facts).into_iter().take(1).collect();
    let is_profiled =
        |binding: &&String| facts.outcome_at(TaskName::Soft404Profile, binding) == Some(ProbeOutcome::Found);
    Plan::Bound { asked: bound.iter().filter(is_profiled).cloned().collect(), bound }
}

/// A site, and its front page with those of the site that it redirects to.
struct Site<'a> {
    url: Url,
    first: Option<&'a HttpExchange>,
    pages: Vec<(&'a Url, &'a Page)>,
}

impl<'a> Site<'a> {
    fn of(visit: &'a Visited, url: Url) -> Self {
        let stays = visit.exchanges.iter().filter(|exchange| web::is_same_site(&exchange.url, &url));
        let pages = stays.filter_map(|exchange| Some((&exchange.url, web::page(visit, exchange)?))).collect();
        Self { url, first: visit.exchanges.first(), pages }
    }

    fn front(&self, closed: BTreeSet<String>) -> FrontLinks {
        let mut front = FrontLinks::new(&self.url, closed);
        self.pages.iter().for_each(|(url, page)| front.follow(url, page, 0));
        front
    }
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    let Some(fetch) = web::answered(web::visit(cx, &url).await)? else { return Ok(Answer::Absent) };
    let site = Site::of(&fetch, url);
    if !site.front(BTreeSet::new()).leads_on() {
        return Ok(Answer::Absent);
    }
    let walked = walked(cx, &site).await?;
    let Walked { handed, unread, failure } = &*walked;
    let hosts = linked_hosts::say(cx, TASK.name, &site.url, handed);
    let is_empty = hosts.is_empty()
        && handed.text.mailboxes.is_empty()
        && handed.text.buckets.is_empty()
        && handed.tokens.is_empty();
    if *unread > 0 {
        cx.leave_out(format!("pages and scripts of the site that are not read: {unread}"));
    }
    // What is not read is so at each look: were all kept for that, nothing would ever be gone.
    if failure.is_some() {
        cx.all_stands(TASK.name);
    }
    Answer::despite(!is_empty, failure.clone())
}

/// Reads one of the sites that are the same; the others take what it says.
async fn walked(cx: &Context<'_>, site: &Site<'_>) -> Result<Arc<Walked>> {
    let paths = site.front(BTreeSet::new()).paths();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let key = site.first.and_then(|front| same_site::key_of(cx, &site.url, front, &paths));
    let entry = key.zip(cx.memory).and_then(|(key, memory)| memory.walked.entry(key));
    let Some(entry) = entry else { return walk(cx, site).await.map(Arc::new) };
    let mut own = None;
    // What could not be read here may be read by the next: only a whole look counts for all.
    let shared = entry.get_or_try_init(async || {
        let walked = Arc::new(walk(cx, site).await?);
        own = Some(Arc::clone(&walked));
        if walked.is_for_all() { Ok(walked) } else { Err(TaskError::Failed("read for one site alone".to_owned())) }
    });
    let shared = {
        let _waits = cx.net.waits();
        shared.await.cloned()
    };
    match own {
        Some(own) => Ok(own),
        None => shared,
    }
}

async fn walk(cx: &Context<'_>, site: &Site<'_>) -> Result<Walked> {
    let robots = web::get(cx, &site.url.with_path("/robots.txt"), ROBOTS_BYTES).await.and_then(HttpExchange::available);
    let closed = match robots {
        Ok(answer) if answer.status == 200 && !web::is_html(&answer) => Robots::parse(&web::text(&answer)).closed,
        Ok(_) => BTreeSet::new(),
        Err(error) if web::is_closed(&error) => BTreeSet::new(),
        Err(error) => return Err(error.into()),
    };
    let front = site.front(closed);
    let walked = Walked { handed: HandedOut::of(cx.facts), ..Walked::default() };
    let mut walk = Walk { cx, front, failures: 0, files: 0, walked };
    walk.pages().await?;
    walk.scripts().await?;
    Ok(walk.walked)
}

/// A walk under way.
struct Walk<'a> {
    cx: &'a Context<'a>,
    front: FrontLinks,
    failures: usize,
    /// Scripts and maps that were asked for.
    files: usize,
    walked: Walked,
}

impl Walk<'_> {
    async fn pages(&mut self) -> Result<()> {
        for _ in 0..PAGES_MAX {
            let Some((url, depth)) = self.front.pages.next() else { return Ok(()) };
            let Some(answer) = self.get(&url, web::PAGE_BYTES).await? else { continue };
            if let Some(target) = web::header(&answer, "location").and_then(|target| url.join(target).ok()) {
                self.front.pages.add(&target, depth);
                self.walked.handed.text.hosts.insert(target.host);
            }
            // What a page that is not there shows, each site has.
            if answer.status != 200 {
                continue;
            }
            let text = web::text(&answer);
            if web::is_html(&answer) {
                let page = Page::parse(&text, &url);
                let mailboxes = page.mailboxes.iter().filter_map(|mailbox| Kind::EmailAddress.canonical(mailbox).ok());
                self.walked.handed.text.mailboxes.extend(mailboxes);
                self.walked.handed.read_page(&text, &page, url.path_only());
                self.front.follow(&url, &page, depth);
            } else {
                self.walked.handed.read_text(&text, url.path_only());
            }
        }
        self.walked.unread += self.front.pages.waiting().len();
        Ok(())
    }

    /// Reads the scripts of the pages, and the sources that they were made from.
    async fn scripts(&mut self) -> Result<()> {
        let scripts: Vec<Url> = self.front.scripts.iter().filter_map(|script| Url::parse(script).ok()).collect();
        for script in scripts {
            let Some(answer) = self.file(&script, SCRIPT_BYTES).await? else { continue };
            let text = web::text(&answer);
            self.walked.handed.read_text(&text, script.path_only());
            let header = ["sourcemap", "x-sourcemap"].into_iter().find_map(|name| web::header(&answer, name));
            match source_map::named(&text, header, &script) {
                Some(MapLocation::Inside(map)) => self.map(&map, &script),
                Some(MapLocation::At(map)) if !web::is_same_site(&map, &script) => {}
                Some(MapLocation::At(map)) => self.map_at(&map).await?,
                None => self.map_at(&source_map::beside(&script)).await?,
            }
        }
        Ok(())
    }

    async fn map_at(&mut self, url: &Url) -> Result<()> {
        if let Some(answer) = self.file(url, MAP_BYTES).await? {
            self.map(&answer.body, url);
        }
        Ok(())
    }

    /// Takes up what the sources of a script say, in a map that stands at a URL.
    fn map(&mut self, body: &[u8], url: &Url) {
        for source in source_map::sources(body).into_iter().flatten() {
            if let Some(text) = source.text.filter(|_| !is_in_folder_of_others(&source.name)) {
                self.walked.handed.read_text(&text, url.path_only());
            }
        }
    }

    /// A script or a map, where it is one and there is room for it.
    async fn file(&mut self, url: &Url, bytes: usize) -> Result<Option<HttpExchange>> {
        if self.files == FILES_MAX {
            self.walked.unread += 1;
            return Ok(None);
        }
        self.files += 1;
        let answer = self.get(url, bytes).await?;
        Ok(answer.filter(|answer| answer.status == 200 && !web::is_html(answer)))
    }

    /// An answer; `None` where there is none, and where the site was given up.
    async fn get(&mut self, url: &Url, bytes: usize) -> Result<Option<HttpExchange>> {
        if self.failures == FAILURES_MAX {
            return Ok(None);
        }
        match web::get(self.cx, url, bytes).await.and_then(HttpExchange::available) {
            Ok(answer) => {
                let is_whole = matches!(answer.end, BodyEnd::Complete | BodyEnd::Opaque | BodyEnd::TooLarge);
                self.walked.unread += usize::from(!is_whole);
                Ok(Some(answer))
            }
            Err(error @ NetError::Budget(_)) => Err(error.into()),
            Err(
                error @ (NetError::Timeout(_)
                | NetError::Reset(_)
                | NetError::Closed(_)
                | NetError::Unreachable(_)
                | NetError::Unavailable(_)),
            ) => {
                self.failures += 1;
                self.walked.failure.get_or_insert_with(|| error.into());
                Ok(None)
            }
            Err(_) => {
                self.walked.unread += 1;
                Ok(None)
            }
        }
    }
}
