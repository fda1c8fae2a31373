//! Rules put together so that a text is read once: one pass finds the literals of all rules of its place, and only the
//! rules whose literals occur are looked at.

use crate::place::{Place, Subject};
use crate::product::Product;
use crate::relations;
use crate::rule::{Hits, Rule, Test};
use aho_corasick::AhoCorasick;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rules that are ready to be asked.
#[derive(Debug)]
pub struct Set {
    rules: Vec<Rule>,
    groups: HashMap<Place, Group>,
    /// Those that look at other pages than the front page, by path.
    pages: BTreeMap<Box<str>, HashMap<Place, Group>>,
    /// The pages that most rules look at.
    paths: Vec<Box<str>>,
    /// Where the rules of packs begin; those before are ours.
    packs_begin: usize,
    /// Technologies of packs by name.
    named: HashMap<Box<str>, usize>,
}

/// The signs of one place.
#[derive(Debug)]
struct Group {
    /// Rule and sign, in the order of the rules.
    signs: Vec<(usize, usize)>,
    /// Finds literals; none where no sign of the place has one.
    search: Option<AhoCorasick>,
    /// For each literal, the positions in `signs` of those that need it or another.
    by_literal: Vec<Vec<u32>>,
    /// Positions in `signs` of those without any literal.
    always: Vec<u32>,
}

/// The signs of each place: the number of a rule, and of a sign in it.
type Signs = HashMap<Place, Vec<(usize, usize)>>;

impl Set {
    /// Puts rules together: ours, then those of packs.
    pub(crate) fn new(ours: Vec<Rule>, packs: impl IntoIterator<Item = Rule>) -> Self {
        let packs_begin = ours.len();
        let mut rules = ours;
        rules.extend(packs);
        let mut places: BTreeMap<Option<Box<str>>, Signs> = BTreeMap::new();
        let mut named = HashMap::new();
        for (number, rule) in rules.iter().enumerate() {
            let signs = places.entry(rule.path.clone()).or_default();
            // A status tells nothing alone: it is looked at where another sign of its rule is there.
            for (at, sign) in rule.signs.iter().enumerate().filter(|(_, sign)| sign.place != Place::Status) {
                signs.entry(sign.place.clone()).or_default().push((number, at));
            }
            if let Some(relations) = &rule.relations {
                named.insert(relations.name.clone(), number);
            }
        }
        let (mut groups, mut pages) = (HashMap::new(), BTreeMap::new());
        for (path, signs) in places {
            let made = signs.into_iter().map(|(place, signs)| (place, Group::new(signs, &rules))).collect();
            match path {
                None => groups = made,
                Some(path) => drop(pages.insert(path, made)),
            }
        }
        let paths = most_wanted(&rules);
        Self { rules, groups, pages, paths, packs_begin, named }
    }

    /// Returns the products that show. One of ours that shows at several places is listed once for each.
    pub fn products(&self, subject: &Subject<'_>) -> Vec<Product> {
        self.shown(&self.groups, subject)
    }

    /// Returns the products that show in the page of a path, by the rules that look there.
    pub fn products_at(&self, path: &str, subject: &Subject<'_>) -> Vec<Product> {
        self.pages.get(path).map_or(Vec::new(), |groups| self.shown(groups, subject))
    }

    /// Returns the pages beside the front page at which rules look: those that most do, [`PATHS_MAX`] at most.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| &**path)
    }

    fn shown(&self, groups: &HashMap<Place, Group>, subject: &Subject<'_>) -> Vec<Product> {
        let mut hits = Hits::new();
        for (place, text) in &subject.texts {
            if let Some(group) = groups.get(place) {
                group.search(text, &self.rules, &mut hits);
            }
        }
        for (place, status) in subject.texts.iter().filter(|(place, _)| *place == Place::Status) {
            for (number, hits) in &mut hits {
                let rule = &self.rules[*number];
                let signs = rule.signs.iter().enumerate().filter(|(_, sign)| sign.place == *place);
                hits.extend(signs.filter_map(|(at, _)| Some((at, rule.find(at, status)?))));
            }
        }
        let packs = hits.split_off(&self.packs_begin);
        let ours = hits.iter().map(|(rule, hits)| (&self.rules[*rule], hits)).filter(|(rule, hits)| rule.holds(hits));
        let mut found: Vec<Product> = ours.flat_map(|(rule, hits)| rule.said(hits)).collect();
        if !packs.is_empty() {
            let told = relations::products(&packs, &self.rules, &self.named);
            relations::join(&mut found, told);
        }
        found
    }

    /// Returns the values that the first rule of a file of recog gives for a text.
    #[cfg(test)]
    pub(crate) fn values(&self, place: &Place, text: &str) -> Vec<BTreeMap<String, String>> {
        let mut hits = Hits::new();
        self.groups[place].search(text, &self.rules, &mut hits);
        hits.into_values().flat_map(BTreeMap::into_values).map(|hit| hit.values).collect()
    }

    /// Returns the rules and signs that are found in a text.
    #[cfg(test)]
    pub(crate) fn hits(&self, place: &Place, text: &str) -> Vec<(usize, usize)> {
        let mut hits = Hits::new();
        self.groups[place].search(text, &self.rules, &mut hits);
        hits.into_iter().flat_map(|(rule, signs)| signs.into_keys().map(move |sign| (rule, sign))).collect()
    }

    /// Returns the rules.
    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns how many rules there are, ours and those of packs.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

/// Pages beside the front page that are asked for at one site: each is a request.
pub const PATHS_MAX: usize = 24;

/// The paths at which most rules look.
fn most_wanted(rules: &[Rule]) -> Vec<Box<str>> {
    let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
    for path in rules.iter().filter_map(|rule| rule.path.as_deref()) {
        *wanted.entry(path).or_default() += 1;
    }
    let mut wanted: Vec<(&str, usize)> = wanted.into_iter().collect();
    wanted.sort_by_key(|(path, rules)| (std::cmp::Reverse(*rules), *path));
    wanted.into_iter().take(PATHS_MAX).map(|(path, _)| path.into()).collect()
}

impl Group {
    fn new(signs: Vec<(usize, usize)>, rules: &[Rule]) -> Self {
        let mut literals: BTreeMap<Vec<u8>, Vec<u32>> = BTreeMap::new();
        let mut always = Vec::new();
        for (position, (rule, sign)) in (0..).zip(&signs) {
            let needed = needed(&rules[*rule].signs[*sign].test);
            if needed.is_empty() {
                always.push(position);
            }
            for literal in needed {
                literals.entry(literal).or_default().push(position);
            }
        }
        // An automaton of too many literals is none, and then each sign is looked at.
        let search = AhoCorasick::builder().ascii_case_insensitive(true).build(literals.keys()).ok();
        let search = search.filter(|_| !literals.is_empty());
        if search.is_none() {
            always = (0..).zip(&signs).map(|(position, _)| position).collect();
        }
        Self { signs, search, by_literal: literals.into_values().collect(), always }
    }

    fn search(&self, text: &str, rules: &[Rule], hits: &mut Hits) {
        let mut candidates: BTreeSet<u32> = self.always.iter().copied().collect();
        if let Some(search) = &self.search {
            let mut seen = vec![false; self.by_literal.len()];
            for found in search.find_overlapping_iter(text) {
                let literal = found.pattern().as_usize();
                if !std::mem::replace(&mut seen[literal], true) {
                    candidates.extend(&self.by_literal[literal]);
                }
            }
        }
        let mut chains_done = BTreeSet::new();
        for position in candidates {
            let (rule, sign) = self.signs[position as usize];
            let chain = rules[rule].chain;
            let is_done = chain.is_some_and(|chain| chains_done.contains(&chain))
                || hits.get(&rule).is_some_and(|known| known.contains_key(&sign));
            if is_done {
                continue;
            }
            if let Some(hit) = rules[rule].find(sign, text) {
                chains_done.extend(chain);
                hits.entry(rule).or_default().insert(sign, hit);
            }
        }
    }
}

/// The literals of which one must occur in a text for a sign to stand there; none where it can stand without any.
fn needed(test: &Test) -> Vec<Vec<u8>> {
    match test {
        Test::Present => Vec::new(),
        Test::Text(text) if text.text.is_empty() => Vec::new(),
        Test::Text(text) => vec![text.text.to_ascii_lowercase().into_bytes()],
        Test::Pattern { literals, .. } => literals.clone(),
    }
}
