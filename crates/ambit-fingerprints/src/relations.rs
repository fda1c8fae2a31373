//! How technologies of packs stand to each other and to our own rules: which count only beside others, which come with
//! others, and which are the same under another name.

use crate::product::{Product, Shown};
use crate::rule::{Hits, Relations, Rule, SURE, Says};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Of a hundred, how sure a technology must be to be told.
const WEIGHT_MIN: u32 = 50;
/// Steps in a chain of technologies that imply one another.
const STEPS_MAX: usize = 8;

/// Returns the products that rules of packs say after what they found.
pub(crate) fn products(hits: &Hits, rules: &[Rule], named: &HashMap<Box<str>, usize>) -> Vec<Product> {
    let mut found: BTreeMap<usize, Vec<Product>> = BTreeMap::new();
    let mut weights: BTreeMap<usize, u32> = BTreeMap::new();
    for (number, signs) in hits {
        let rule = &rules[*number];
        let weight: u32 = signs.keys().map(|sign| u32::from(rule.signs[*sign].weight)).sum();
        weights.insert(*number, weight);
        if weight >= WEIGHT_MIN && rule.holds(signs) {
            found.insert(*number, rule.said(signs));
        }
    }
    with_implied(&mut found, &mut weights, rules, named);
    keep_required(&mut found, rules, named);
    let related = |number: &usize| rules[*number].relations.as_deref();
    let excluded: BTreeSet<usize> = found
        .keys()
        .filter_map(related)
        .flat_map(|relations| &relations.excludes)
        .filter_map(|name| named.get(name).copied())
        .collect();
    found.into_iter().filter(|(number, _)| !excluded.contains(number)).flat_map(|(_, products)| products).collect()
}

/// Adds the technologies that come with those that were found.
fn with_implied(
    found: &mut BTreeMap<usize, Vec<Product>>,
    weights: &mut BTreeMap<usize, u32>,
    rules: &[Rule],
    named: &HashMap<Box<str>, usize>,
) {
    let mut fresh: Vec<usize> = found.keys().copied().collect();
    for _ in 0..STEPS_MAX {
        let mut next = Vec::new();
        for from in std::mem::take(&mut fresh) {
            let Some(relations) = &rules[from].relations else { continue };
            for (name, weight) in &relations.implies {
                let Some((to, names)) = named.get(name).and_then(|to| Some((*to, names(&rules[*to])?))) else {
                    continue;
                };
                let sure = weights.get(&from).copied().unwrap_or(0).min(SURE.into()) * u32::from(*weight) / 100;
                let total = weights.entry(to).or_default();
                *total += sure;
                if *total >= WEIGHT_MIN && !found.contains_key(&to) {
                    let place = found.get(&from).and_then(|products| products.first()?.shown.first());
                    let place = place.map_or("content_body", |shown| &shown.place);
                    let shown = vec![Shown::new(place, &format!("comes with {}", relations.name))];
                    let product = names.product(None, shown);
                    found.insert(to, vec![product]);
                    next.push(to);
                }
            }
        }
        if next.is_empty() {
            return;
        }
        fresh = next;
    }
}

fn names(rule: &Rule) -> Option<&crate::rule::Names> {
    match &rule.says {
        Says::Names(names) => Some(names),
        Says::Parameters(_) => None,
    }
}

/// Removes products that require others which were not found.
fn keep_required(found: &mut BTreeMap<usize, Vec<Product>>, rules: &[Rule], named: &HashMap<Box<str>, usize>) {
    for _ in 0..STEPS_MAX {
        let categories: BTreeSet<u32> = found
            .keys()
            .filter_map(|number| rules[*number].relations.as_deref())
            .flat_map(|relations| relations.categories.iter().copied())
            .collect();
        let is_there = |relations: &Relations| {
            let names = &relations.requires;
            let by_name = names.iter().any(|name| named.get(name).is_some_and(|number| found.contains_key(number)));
            let by_category = relations.requires_category.iter().any(|category| categories.contains(category));
            by_name || by_category || (names.is_empty() && relations.requires_category.is_empty())
        };
        let alone: Vec<usize> = found
            .keys()
            .filter(|number| rules[**number].relations.as_deref().is_some_and(|relations| !is_there(relations)))
            .copied()
            .collect();
        if alone.is_empty() {
            return;
        }
        for number in alone {
            found.remove(&number);
        }
    }
}

/// Adds products of packs to ours. One that ours name too keeps our names, and takes the version of the pack where ours
/// read none.
pub fn join(ours: &mut Vec<Product>, told: Vec<Product>) {
    let begin = ours.len();
    for product in told {
        let same: Vec<usize> = (0..begin).filter(|at| is_same(&ours[*at], &product)).collect();
        let Some(first) = same.first() else {
            if !ours[begin..].iter().any(|known| is_same(known, &product) && covers(known, &product)) {
                ours.push(product);
            }
            continue;
        };
        if same.iter().any(|at| covers(&ours[*at], &product)) {
            continue;
        }
        let known = &ours[*first];
        let named = Product {
            vendor: known.vendor.clone(),
            product: known.product.clone(),
            cpe: known.cpe.clone(),
            tag: known.tag.clone(),
            ..product
        };
        ours.push(named);
    }
}

/// Whether the version of the second adds nothing to that of the first.
fn covers(known: &Product, told: &Product) -> bool {
    told.version.is_none() || told.version == known.version
}

/// Whether two sources mean the same product: by CPE, or by a name that differs in nothing but writing.
fn is_same(a: &Product, b: &Product) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let product_of = |cpe: &Option<String>| cpe.as_deref().and_then(|cpe| cpe.split(':').nth(1)).map(plain);
    let (name_a, name_b) = (plain(&a.product), plain(&b.product));
    let (cpe_a, cpe_b) = (product_of(&a.cpe), product_of(&b.cpe));
    a.part == b.part
        && (name_a == name_b
            || (cpe_a.is_some() && (cpe_a == cpe_b || cpe_a.as_ref() == Some(&name_b)))
            || cpe_b.as_ref() == Some(&name_a))
}
