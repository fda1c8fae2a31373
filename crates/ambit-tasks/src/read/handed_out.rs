//! What a site hands out to everybody in its texts: hosts, mailboxes, storage buckets, identifiers and keys. Pure.

use super::mentions::Mentions;
use super::page::Page;
use super::seed_tokens::{self, SeedTokens};
use super::{buckets, firebase};
use crate::ask::host::same_domain;
use ambit_model::entity::bucket;
use ambit_model::entity::uri::HandedToken;
use ambit_model::{Facts, Kind};
use ambit_net::http::Url;
use ambit_secrets::Look;
use std::collections::{BTreeMap, BTreeSet};

/// Tokens of one site, beside those that are known of it.
const TOKENS_MAX: usize = 300;

/// What texts of a site hand out.
#[derive(Debug, Default)]
pub(crate) struct HandedOut {
    pub(crate) text: Mentions,
    /// Tokens by name, each with the first place where it stood.
    pub(crate) tokens: BTreeMap<String, HandedToken>,
    /// There are more tokens than are kept.
    pub(crate) more_tokens: bool,
    wanted: SeedTokens,
    /// Tokens to which the site led before.
    known: BTreeSet<String>,
    /// Stores of the projects of Firebase that its texts are configured with.
    configured: BTreeSet<String>,
}

impl HandedOut {
    /// Nothing yet, of a site with these facts.
    pub(crate) fn of(facts: &Facts) -> Self {
        let known = facts.outward.iter().filter(|end| end.kind == Kind::UniqueToken).map(|end| end.name.clone());
        Self { wanted: SeedTokens::of(facts), known: known.collect(), ..Self::default() }
    }

    /// Takes up what a text of the site hands out, and at which path.
    pub(crate) fn read_text(&mut self, text: &str, path: &str) {
        let mut own = Mentions::default();
        own.read(text);
        for (store, is_configured) in firebase::stores(text) {
            if is_configured {
                self.configured.insert(store.clone());
            }
            own.buckets.insert(store);
        }
        self.text.add(own);
        for found in ambit_secrets::own().find(text, Look::Site) {
            if self.tokens.len() < TOKENS_MAX || self.known.contains(&found.name) {
                self.tokens.entry(found.name.clone()).or_insert_with(|| HandedToken {
                    token: found.name,
                    provider: found.provider,
                    sensitive: found.sensitive,
                    path: path.to_owned(),
                });
            } else if !self.tokens.contains_key(&found.name) {
                self.more_tokens = true;
            }
        }
        for token in self.wanted.in_text(text) {
            self.tokens.entry(token.clone()).or_insert_with(|| HandedToken {
                token: token.clone(),
                provider: seed_tokens::PROVIDER.to_owned(),
                sensitive: false,
                path: path.to_owned(),
            });
        }
    }

    /// The same of a page.
    pub(crate) fn read_page(&mut self, text: &str, page: &Page, path: &str) {
        self.read_text(text, path);
        let mut linked = Mentions::default();
        for url in page.links.iter().filter_map(|link| Url::parse(link).ok()) {
            linked.buckets.extend(buckets::of_url(&url));
            linked.hosts.insert(url.host);
        }
        self.text.add(linked);
    }

    /// True for a store that is likely theirs: it bears the name of one of their domains, or the site is configured
    /// with its project. That pages point at a bucket or load from it shows nothing: anybody's pages may.
    pub(crate) fn is_likely_theirs<'a>(&self, store: &str, mut domains: impl Iterator<Item = &'a str>) -> bool {
        self.configured.contains(store)
            || buckets::given_name(store).is_some_and(|name| domains.any(|domain| bucket::bears(&name, domain)))
    }

    /// The hosts that are named beside the site's own. What only looks like one counts within the site's domain.
    pub(crate) fn hosts_beside<'a>(&'a self, site: &'a Url) -> impl Iterator<Item = String> + 'a {
        let near = self.text.maybe_hosts.iter().filter(|host| same_domain(host, &site.host));
        self.text.hosts.iter().chain(near).filter(|host| **host != site.host).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_token_is_kept_once_with_the_first_place_where_it_stood() {
        let key = ["sk_", "live_7hQ2wXv9KpLd4TsRb8NzYm3c"].concat();
        let mut handed = HandedOut::default();
        handed.read_text(&format!("pay('{key}')"), "/a.js");
        handed.read_text(
            &format!("\n\npay('{key}'); ga('UA-12345-1'); x='//cdn.acme.test/a'; y='//see.other.test'"),
            "/b.js",
        );
        let tokens: Vec<_> = handed.tokens.values().map(|token| (token.sensitive, token.path.as_str())).collect();
        assert_eq!(tokens, [(false, "/b.js"), (true, "/a.js")]);
        assert!(handed.tokens.keys().all(|name| !name.contains(&key)), "{handed:?}");
        let site = Url::parse("https://www.acme.test/").unwrap();
        assert_eq!(handed.hosts_beside(&site).collect::<Vec<_>>(), ["cdn.acme.test"]);
    }

    #[test]
    fn a_known_token_behind_many_others_is_kept_and_more_are_told() {
        let key = |number: usize| format!("pay('sk_{}{number:04}')", "live_7hQ2wXv9KpLd4TsRb8Nz");
        let mut last = HandedOut::default();
        last.read_text(&key(TOKENS_MAX), "/a.js");
        let mut handed = HandedOut { known: last.tokens.keys().cloned().collect(), ..HandedOut::default() };
        (0..=TOKENS_MAX).for_each(|number| handed.read_text(&key(number), "/a.js"));
        assert_eq!((handed.tokens.len(), handed.more_tokens), (TOKENS_MAX + 1, false));
        handed.read_text(&key(TOKENS_MAX + 1), "/a.js");
        assert_eq!((handed.tokens.len(), handed.more_tokens), (TOKENS_MAX + 1, true));
    }

    #[test]
    fn a_text_behind_many_hosts_is_read_too() {
        let mut handed = HandedOut::default();
        let many: String = (0..2_500).map(|number| format!("https://h{number}.acme.test/ ")).collect();
        handed.read_text(&many, "/a.js");
        handed.read_text("see https://acme-files.s3.amazonaws.com/x.png or write to help@acme.test", "/b.js");
        assert_eq!((handed.text.buckets.len(), handed.text.mailboxes.len()), (1, 1));
    }

    #[test]
    fn a_token_that_is_a_seed_is_looked_for_whatever_form_it_has() {
        let mut facts = crate::tests::facts(Kind::Uri, "https://www.acme.test:443", serde_json::json!({}));
        let seeds = [(Kind::UniqueToken, "acme-7Q1".to_owned()), (Kind::Domain, "acme.test".to_owned())];
        facts.seeds = Arc::new(seeds.into_iter().collect());
        let mut handed = HandedOut::of(&facts);
        handed.read_text("tag('acme-7Q2'); see('acme.test')", "/a.js");
        assert_eq!(handed.tokens.len(), 0, "{handed:?}");
        handed.read_text("tag('acme-7Q1')", "/b.js");
        let tokens: Vec<_> = handed.tokens.values().map(|token| (token.token.as_str(), token.path.as_str())).collect();
        assert_eq!(tokens, [("acme-7Q1", "/b.js")]);
    }

    #[test]
    fn what_documents_print_and_what_only_a_name_calls_a_secret_is_handed_out_by_nobody() {
        let mut handed = HandedOut::default();
        let example = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        handed.read_text(&format!("key = '{example}'; password = 'Tr0ub4dor-and-3-more'"), "/a.js");
        assert_eq!(handed.tokens.len(), 0, "{handed:?}");
    }
}
