//! What intelligence search finds of the inventory and of submitted URLs (docs/contract/wider.md §5.1): the names of
//! the caller's projects are read in pieces, and what a name alone does not decide is looked up. Of all that is found
//! only the asked page is kept.

use super::objects;
use crate::call::Call;
use crate::failure::About;
use ambit_api::Result;
use ambit_api::objects::Object;
use ambit_model::canonical_url::canonical_url;
use ambit_model::moment::SECOND_MS;
use ambit_model::object::ObjectType;
use ambit_model::{Kind, Timestamp};
use ambit_query::intelligence::{Condition, Entity, Query};
use ambit_store::{FoundOrder, KnownObject, OrderValue};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Names that are read at once.
const NAMES: usize = 5_000;
/// Objects that are looked up together.
const CHUNK: usize = 500;

/// Where an object stands in an order. Files stand before everything else that has the same value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderKey {
    pub(crate) value: OrderValue,
    pub(crate) inventory: bool,
    /// The SHA-256 of a file, the canonical name of everything else.
    pub(crate) name: String,
    pub(crate) kind: ObjectType,
}

/// A page that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) query: &'a Query,
    pub(crate) order: FoundOrder,
    pub(crate) descending: bool,
    pub(crate) after: Option<OrderKey>,
    pub(crate) limit: usize,
}

impl Asked<'_> {
    fn is_behind(&self, place: &OrderKey) -> bool {
        let Some(after) = &self.after else { return true };
        if self.descending { place < after } else { place > after }
    }

    /// Orders places and keeps those of the page and one more, which says that there are more.
    pub(crate) fn keep_first(&self, places: &mut Vec<OrderKey>) {
        places.sort_unstable();
        if self.descending {
            places.reverse();
        }
        places.truncate(self.limit + 1);
    }
}

/// What all collections know of an object beside its name.
struct Sight {
    first: Timestamp,
    last: Timestamp,
    tags: Vec<String>,
}

/// Whether a condition holds of an object; `None`: what it asks for was not read yet.
fn holds(condition: &Condition, kind: ObjectType, name: Option<&str>, sight: Option<&Sight>) -> Option<bool> {
    match condition {
        Condition::Entity(entity) => Some(Entity::from_name(kind.name()) == Some(*entity)),
        Condition::Type(_) | Condition::Hash(_) | Condition::Size(_) | Condition::Submissions(_) => Some(false),
        // Ambit's own engine, the only one that looks at the inventory, calls nothing suspicious or malicious.
        Condition::Positives(range) => Some(range.holds(0)),
        Condition::Name(part) => name.map(|name| name.contains(part.as_str())),
        Condition::Tag(tag) => sight.map(|sight| sight.tags.contains(tag)),
        Condition::First(range) => sight.map(|sight| range.holds(sight.first.0.div_euclid(SECOND_MS))),
        Condition::Last(range) => sight.map(|sight| range.holds(sight.last.0.div_euclid(SECOND_MS))),
    }
}

/// The name under which an object is shown.
fn shown_name(kind: ObjectType, name: &str) -> String {
    let canonical = if kind == ObjectType::Url { canonical_url(name) } else { None };
    canonical.unwrap_or_else(|| name.to_owned())
}

fn value(order: FoundOrder, kind: ObjectType, name: &str, sight: Option<&Sight>) -> OrderValue {
    match order {
        FoundOrder::Name => OrderValue::Text(shown_name(kind, name)),
        FoundOrder::First => OrderValue::Number(sight.map_or(i64::MIN, |sight| sight.first.0)),
        FoundOrder::Last => OrderValue::Number(sight.map_or(i64::MIN, |sight| sight.last.0)),
        FoundOrder::Positives => OrderValue::Number(0),
        FoundOrder::Size | FoundOrder::Submissions => OrderValue::Number(i64::MIN),
    }
}

/// Finds objects of the inventory: how many there are, and the places of the first behind the page before.
pub(crate) async fn inventory(call: &Call, asked: &Asked<'_>) -> Result<(usize, Vec<OrderKey>)> {
    let (mut total, mut page) = (0, Vec::new());
    for kind in [ObjectType::Domain, ObjectType::IpAddress, ObjectType::Url] {
        if asked.query.verdict(&|condition| holds(condition, kind, None, None)) == Some(false) {
            continue;
        }
        let mut after: Option<String> = None;
        loop {
            let names = call.store().object_names_after(call.caller(), kind.kinds(), after.as_deref(), NAMES).await;
            let names = names.about("Object")?;
            let Some(last) = names.last() else { break };
            after = Some(last.clone());
            for place in matching(call, asked, kind, names).await? {
                total += 1;
                page.extend(Some(place).filter(|place| asked.is_behind(place)));
            }
            asked.keep_first(&mut page);
        }
    }
    total += submitted(call, asked, &mut page).await?;
    Ok((total, page))
}

/// Adds the URLs that people submitted and that the inventory does not know; returns how many match.
async fn submitted(call: &Call, asked: &Asked<'_>, page: &mut Vec<OrderKey>) -> Result<usize> {
    let kind = ObjectType::Url;
    if asked.query.verdict(&|condition| holds(condition, kind, None, None)) == Some(false) {
        return Ok(0);
    }
    let (mut total, mut after) = (0, String::new());
    loop {
        let urls = call.store().submitted_urls_after(&after, NAMES).await.about("Object")?;
        let Some(last) = urls.last() else { return Ok(total) };
        after = last.sha256.clone();
        let matching = urls.into_iter().filter_map(|url| {
            let sight = Sight { first: url.first_at, last: url.last_at, tags: Vec::new() };
            let name = url.url.to_lowercase();
            let holds = asked.query.verdict(&|condition| holds(condition, kind, Some(&name), Some(&sight)));
            let value = value(asked.order, kind, &url.url, Some(&sight));
            (holds == Some(true)).then_some(OrderKey { value, inventory: true, name: url.url, kind })
        });
        let matching: Vec<OrderKey> = matching.collect();
        for chunk in matching.chunks(CHUNK) {
            let names: Vec<(Kind, String)> = chunk.iter().flat_map(|place| kind.names(&place.name)).collect();
            let known = call.store().sights_of_objects(call.caller(), &names).await.about("Object")?;
            let known: HashSet<String> = known.iter().filter_map(|one| canonical_url(&one.name)).collect();
            for place in chunk.iter().filter(|place| !known.contains(&place.name)) {
                total += 1;
                page.extend(Some(place.clone()).filter(|place| asked.is_behind(place)));
            }
        }
        asked.keep_first(page);
    }
}

/// The places of those of some names that match.
async fn matching(call: &Call, asked: &Asked<'_>, kind: ObjectType, names: Vec<String>) -> Result<Vec<OrderKey>> {
    let by_time = matches!(asked.order, FoundOrder::First | FoundOrder::Last);
    let verdict = |name: &str, sight: Option<&Sight>| {
        let shown = shown_name(kind, name).to_lowercase();
        asked.query.verdict(&|condition| holds(condition, kind, Some(&shown), sight))
    };
    let place = |name: String, sight: Option<&Sight>| OrderKey {
        value: value(asked.order, kind, &name, sight),
        inventory: true,
        name,
        kind,
    };
    let (mut out, mut open) = (Vec::new(), Vec::new());
    for name in names {
        match verdict(&name, None) {
            Some(false) => {}
            Some(true) if !by_time => out.push(place(name, None)),
            _ => open.push(name),
        }
    }
    for chunk in open.chunks(CHUNK) {
        let sights = sights(call, kind, chunk).await?;
        for name in chunk {
            let Some(sight) = sights.get(name) else { continue };
            if verdict(name, Some(sight)) == Some(true) {
                out.push(place(name.clone(), Some(sight)));
            }
        }
    }
    Ok(out)
}

/// When some names were seen first and last, with the tags of all collections.
async fn sights(call: &Call, kind: ObjectType, names: &[String]) -> Result<HashMap<String, Sight>> {
    let mut out: HashMap<String, Sight> = HashMap::new();
    for one in call.store().sights_of_objects(call.caller(), &of_kinds(kind, names)).await.about("Object")? {
        let sight = Sight { first: one.first_seen, last: one.last_seen, tags: Vec::new() };
        let known = out.entry(one.name).or_insert(sight);
        known.first = known.first.min(one.first_seen);
        known.last = known.last.max(one.last_seen);
        known.tags.extend(one.tags);
    }
    Ok(out)
}

fn of_kinds(kind: ObjectType, names: &[String]) -> Vec<(Kind, String)> {
    names.iter().flat_map(|name| kind.kinds().iter().map(|kind| (*kind, name.clone()))).collect()
}

/// The objects of the inventory at some places, by type and name.
pub(crate) async fn objects_at(call: &Call, places: &[OrderKey]) -> Result<BTreeMap<(ObjectType, String), Object>> {
    let names: Vec<(Kind, String)> = places
        .iter()
        .filter(|place| place.inventory)
        .flat_map(|place| of_kinds(place.kind, std::slice::from_ref(&place.name)))
        .collect();
    let mut same = BTreeMap::<(ObjectType, String), Vec<KnownObject>>::new();
    for one in call.store().known_objects(call.caller(), &names).await.about("Object")? {
        let Some(kind) = ObjectType::of_kind(one.record.kind) else { continue };
        same.entry((kind, one.record.name.clone())).or_default().push(one);
    }
    let shown = same.into_iter().filter_map(|(key, known)| {
        let object = objects::shown(call, key.0, &known)?;
        Some((key, object))
    });
    let mut shown: BTreeMap<_, _> = shown.collect();
    for place in places.iter().filter(|place| place.inventory && place.kind == ObjectType::Url) {
        let key = (place.kind, place.name.clone());
        // What the inventory does not know was submitted.
        if !shown.contains_key(&key)
            && let Some(url) = objects::submitted_url(call, &objects::id_of(place.kind, &place.name)).await?
        {
            shown.insert(key, url);
        }
    }
    Ok(shown)
}
