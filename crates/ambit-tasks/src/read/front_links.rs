//! What the front page of a site leads to on the same site: pages and scripts. Pure.

use super::frontier::Frontier;
use super::login::origin;
use super::page::Page;
use ambit_net::http::Url;
use std::collections::BTreeSet;

/// Links from the front page to the furthest page that is read.
const DEPTH_MAX: usize = 2;

/// What the front page of a site leads to on the same site.
pub(crate) struct FrontLinks {
    /// Pages that are still to be read.
    pub(crate) pages: Frontier,
    /// Own scripts, absolute.
    pub(crate) scripts: BTreeSet<String>,
}

impl FrontLinks {
    /// Nothing yet, of a site of which robots shall not visit these paths.
    pub(crate) fn new(url: &Url, closed: BTreeSet<String>) -> Self {
        let mut frontier = Frontier::new(url, closed.into_iter().collect()).at_most(DEPTH_MAX);
        frontier.next();
        Self { pages: frontier, scripts: BTreeSet::new() }
    }

    /// Takes up what a page leads to, so far from the front page, which itself is at 0.
    pub(crate) fn follow(&mut self, url: &Url, page: &Page, depth: usize) {
        self.pages.pass(url);
        self.pages.follow(page, depth);
        let site = origin(url);
        let own = |script: &&String| Url::parse(script).is_ok_and(|script| origin(&script) == site);
        self.scripts.extend(page.scripts.iter().filter(own).cloned());
    }

    /// True where there is something to read behind it.
    pub(crate) fn leads_on(&self) -> bool {
        self.pages.waiting().len() > 0 || !self.scripts.is_empty()
    }

    /// The paths to which it leads: two sites with the same text may lead to different places.
    pub(crate) fn paths(&self) -> Vec<String> {
        let scripts = self.scripts.iter().filter_map(|script| Url::parse(script).ok()).map(|script| script.path);
        self.pages.waiting().map(|page| page.path.clone()).chain(scripts).collect()
    }
}
