//! What a search demands of a document, in words that every engine can run: the query tree with the project's
//! collections and moments put in. The embedded engine and the Elasticsearch body are both made from it.

use crate::fields::{IN_ACCOUNT, SEEN_OUTSIDE};
use ambit_model::{Kind, Timestamp};
use ambit_query::{Clause, Comparison, Noun, Search, TimeValue, Value, VersionRange};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::net::IpAddr;
use uuid::Uuid;

/// A collection as far as a search needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionContext {
    pub uuid: Uuid,
    /// The internal name.
    pub name: String,
    /// The name that people gave it.
    pub printable_name: String,
    /// Starts of its last finished runs, newest first; the first is `last_refresh`.
    pub last_refreshes: Vec<Timestamp>,
    /// How many of them `configured_scan_count` means.
    pub configured_scan_count: usize,
    /// Severities with a due date: issues that were found at these moments, or before, are overdue.
    pub overdue_since: Vec<(i64, Timestamp)>,
}

/// Where a search looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchContext {
    /// The project's integer id.
    pub project: i64,
    /// The collections that the caller may see.
    pub collections: Vec<CollectionContext>,
    /// The caller sees the whole project, so that no filter by collection is needed.
    pub whole_project: bool,
}

/// Which time a search is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Window {
    /// What is shown now.
    #[default]
    Now,
    /// What was shown at a moment. The context's runs are those that had finished by then.
    AsOf(Timestamp),
    /// What happened after the first moment and until the second, as it was at the second.
    Between(Timestamp, Timestamp),
}

impl Window {
    /// The moment whose versions are asked for.
    pub fn moment(self) -> Option<Timestamp> {
        match self {
            Self::Now => None,
            Self::AsOf(moment) | Self::Between(_, moment) => Some(moment),
        }
    }

    /// The same as it can be answered at a moment: what is still to come is left out.
    pub fn until(self, now: Timestamp) -> Self {
        match self {
            Self::AsOf(moment) if moment >= now => Self::Now,
            Self::Between(from, until) => Self::Between(from.min(now), until.min(now)),
            Self::Now | Self::AsOf(_) => self,
        }
    }
}

/// A demand on a document. Members are paths of `fields::MEMBERS`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// Nothing fulfils it.
    Nothing,
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    /// A document of this noun in this project.
    Space(Noun, i64),
    /// The same as it was shown at a moment.
    SpaceAt(Noun, i64, i64),
    Collections(Vec<Uuid>),
    EqualText(&'static str, String),
    EqualInteger(&'static str, i64),
    EqualBool(&'static str, bool),
    EqualKind(&'static str, String),
    Contains(&'static str, String),
    /// Runs a product whose version is within bounds; name and versions are in lower case.
    Runs(VersionRange),
    AtLeast(&'static str, i64),
    AtMost(&'static str, i64),
    /// Its asset is that of a document that fulfils the condition, in whatever collection, or an address in a block
    /// that does.
    SameAsset(Box<Condition>),
}

/// The condition of a search: noun, project, visible collections and every clause.
pub(crate) fn resolve(search: &Search, noun: Noun, context: &SearchContext, window: Window) -> Condition {
    if search.matches_nothing() {
        return Condition::Nothing;
    }
    let mut all = vec![match window.moment() {
        None => Condition::Space(noun, context.project),
        Some(moment) => Condition::SpaceAt(noun, context.project, moment.0),
    }];
    if !context.whole_project {
        all.push(collections(context.collections.iter().map(|collection| collection.uuid).collect()));
    }
    for clause in &search.clauses {
        all.extend(of_clause(clause, context, window));
    }
    if let Window::Between(from, until) = window {
        all.push(or(CHANGES.iter().map(|change| changed(change, from, until)).collect()));
    }
    Condition::And(all)
}

/// The keyword that needs [`Window::Between`].
pub const CHANGE: &str = "change";

/// The values of `change`.
const CHANGES: [&str; 3] = ["appeared", "changed", "disappeared"];

/// What happened to a document that is in force at `until`.
fn changed(change: &str, from: Timestamp, until: Timestamp) -> Condition {
    let after = from.0.saturating_add(1);
    let there = |present: bool| Condition::EqualBool("present", present);
    let turned = Condition::And(vec![Condition::AtLeast("turned_at", after), Condition::AtMost("turned_at", until.0)]);
    match change {
        "appeared" => Condition::And(vec![there(true), turned]),
        "disappeared" => Condition::And(vec![there(false), turned]),
        _ => Condition::And(vec![
            there(true),
            Condition::AtMost("turned_at", from.0),
            Condition::AtLeast("valid_from", after),
        ]),
    }
}

fn of_clause(clause: &Clause, context: &SearchContext, window: Window) -> Vec<Condition> {
    let of_value = |value: &Value| of_value(clause, value, context, window);
    let mut conditions = Vec::new();
    if !clause.any.is_empty() {
        conditions.push(or(clause.any.iter().map(of_value).collect()));
    }
    conditions.extend(clause.none.iter().map(|value| Condition::Not(Box::new(of_value(value)))));
    conditions
}

fn of_value(clause: &Clause, value: &Value, context: &SearchContext, window: Window) -> Condition {
    let keyword = clause.keyword;
    if keyword.name == "collection" {
        return named_collections(value, context);
    }
    if let (CHANGE, Value::Word(change)) = (keyword.name, value) {
        return match window {
            Window::Between(from, until) => changed(change, from, until),
            // Between no two moments nothing happens; the server says so before it comes here.
            Window::Now | Window::AsOf(_) => Condition::Nothing,
        };
    }
    if let (SHADOW, Value::Word(which)) = (keyword.name, value) {
        return shadow(which, context, window);
    }
    if let (OVERDUE, Value::Bool(wanted)) = (keyword.name, value) {
        let overdue = or(context.collections.iter().map(overdue).collect());
        return if *wanted { overdue } else { Condition::Not(Box::new(overdue)) };
    }
    or(keyword
        .members
        .iter()
        .map(|member| {
            let condition = of_member(member, keyword.comparison, value, context);
            if *member == "last_seen" && window != Window::Now { seen_then(condition, context) } else { condition }
        })
        .collect())
}

fn of_member(member: &'static str, comparison: Comparison, value: &Value, context: &SearchContext) -> Condition {
    match (value, comparison) {
        (Value::Text(text), Comparison::Contains) => Condition::Contains(member, text.clone()),
        (Value::Text(text), Comparison::Runs) => match VersionRange::parse(&text.to_lowercase()) {
            Some(range) => Condition::Runs(range),
            None => Condition::Contains(member, text.clone()),
        },
        (Value::Text(text), Comparison::Host) => match text.parse::<IpAddr>() {
            Ok(address) => Condition::EqualText(member, address.to_string()),
            Err(_) => Condition::Contains(member, text.clone()),
        },
        (Value::Text(text), _) => Condition::EqualText(member, text.clone()),
        (Value::Word(word), _) => Condition::EqualText(member, (*word).to_owned()),
        (Value::Kind(kind), _) => Condition::EqualKind(member, kind.clone()),
        (Value::Bool(flag), _) => Condition::EqualBool(member, *flag),
        (Value::Integer(number), Comparison::AtLeast) => Condition::AtLeast(member, *number),
        (Value::Integer(number), Comparison::AtMost) => Condition::AtMost(member, *number),
        (Value::Integer(number), _) => Condition::EqualInteger(member, *number),
        (Value::Time(time), Comparison::AtMost) => of_time(member, *time, context, Condition::AtMost),
        (Value::Time(time), _) => of_time(member, *time, context, Condition::AtLeast),
    }
}

/// The keyword that asks for each collection's own due dates.
const OVERDUE: &str = "overdue";

/// What is overdue in a collection: open, and found before its days were over.
fn overdue(collection: &CollectionContext) -> Condition {
    let of_severity = |(severity, since): &(i64, Timestamp)| {
        Condition::And(vec![
            Condition::EqualInteger("summary.severity", *severity),
            Condition::AtMost("turned_at", since.0),
        ])
    };
    match or(collection.overdue_since.iter().map(of_severity).collect()) {
        Condition::Nothing => Condition::Nothing,
        any => Condition::And(vec![collections(vec![collection.uuid]), Condition::EqualBool("present", true), any]),
    }
}

/// The keyword that compares entities found outside with those in accounts.
const SHADOW: &str = "shadow";

/// Entities that are in scope but in no account of the project, or in an account but never seen from outside.
fn shadow(which: &str, context: &SearchContext, window: Window) -> Condition {
    let flag = |member: &'static str| Condition::EqualBool(member, true);
    // As far as the caller may see the project.
    let anywhere = |parts: Vec<Condition>| {
        let space = match window.moment() {
            None => Condition::Space(Noun::Entities, context.project),
            Some(moment) => Condition::SpaceAt(Noun::Entities, context.project, moment.0),
        };
        let visible = (!context.whole_project)
            .then(|| collections(context.collections.iter().map(|collection| collection.uuid).collect()));
        let there = [space, flag("present")].into_iter().chain(visible).chain(parts);
        Condition::SameAsset(Box::new(Condition::And(there.collect())))
    };
    let in_account = || anywhere(vec![flag(IN_ACCOUNT)]);
    let (of_them, elsewhere) = match which {
        "unmanaged" => (vec![hosting(), flag("summary.scoped")], in_account()),
        // A block answers nobody; what is in it does.
        _ => (
            vec![flag(IN_ACCOUNT), Condition::Not(Box::new(of_kind(Kind::NetBlock)))],
            anywhere(vec![flag(SEEN_OUTSIDE), in_account()]),
        ),
    };
    let not_elsewhere = Condition::Not(Box::new(elsewhere));
    Condition::And(of_them.into_iter().chain([flag("present"), not_elsewhere]).collect())
}

/// What something stands on: names and sites follow from these.
fn hosting() -> Condition {
    Condition::Or([Kind::CloudStorageBucket, Kind::IpAddress].map(of_kind).to_vec())
}

fn of_kind(kind: Kind) -> Condition {
    Condition::EqualKind("type", kind.name().to_lowercase())
}

/// A bound at a moment, or at each collection's own moment. A collection that was never refreshed has its last
/// refresh before all time: everything in it was seen after, nothing before.
fn of_time(
    member: &'static str,
    time: TimeValue,
    context: &SearchContext,
    bound: fn(&'static str, i64) -> Condition,
) -> Condition {
    let moment_of = |collection: &CollectionContext| match time {
        TimeValue::Absolute(moment) => moment,
        TimeValue::LastRefresh => scan_start(collection, 1),
        TimeValue::LastScanCount(count) => scan_start(collection, usize::from(count)),
        TimeValue::ConfiguredScanCount => scan_start(collection, collection.configured_scan_count),
    };
    if let TimeValue::Absolute(moment) = time {
        return bound(member, moment);
    }
    let mut groups: Vec<(i64, Vec<Uuid>)> = Vec::new();
    for collection in &context.collections {
        let moment = moment_of(collection);
        match groups.iter_mut().find(|(known, _)| *known == moment) {
            Some((_, uuids)) => uuids.push(collection.uuid),
            None => groups.push((moment, vec![collection.uuid])),
        }
    }
    or(groups
        .into_iter()
        .map(|(moment, uuids)| Condition::And(vec![collections(uuids), bound(member, moment)]))
        .collect())
}

/// When a record was last seen *then*: the last of the runs until then that saw it, or the opening of its version by
/// one. A document holds when its version was seen for the last time at all; it was seen by every run from its opening
/// until then. What opens a version without a sighting, because the record is gone or a person changed it, is later.
fn seen_then(condition: Condition, context: &SearchContext) -> Condition {
    let all = |parts: Vec<Condition>| parts.into_iter().map(|part| seen_then(part, context)).collect();
    match condition {
        Condition::AtLeast("last_seen", moment) => {
            let opened = ["valid_from", "last_seen"].map(|member| Condition::AtLeast(member, moment));
            let mut any = vec![Condition::And(opened.to_vec())];
            for collection in &context.collections {
                let starts = &collection.last_refreshes;
                if let Some(start) = starts.iter().rev().find(|start| start.0 >= moment) {
                    let seen = Condition::AtLeast("last_seen", start.0);
                    any.push(Condition::And(vec![collections(vec![collection.uuid]), seen]));
                }
            }
            or(any)
        }
        Condition::AtMost("last_seen", moment) => {
            let later = Condition::AtLeast("last_seen", moment.saturating_add(1));
            Condition::Not(Box::new(seen_then(later, context)))
        }
        Condition::And(parts) => Condition::And(all(parts)),
        Condition::Or(parts) => Condition::Or(all(parts)),
        other => other,
    }
}

/// The start of the n-th last finished run, from 1; of the oldest known when there were fewer.
fn scan_start(collection: &CollectionContext, count: usize) -> i64 {
    let starts = &collection.last_refreshes;
    let index = count.max(1).min(starts.len());
    index.checked_sub(1).map_or(i64::MIN, |index| starts[index].0)
}

fn named_collections(value: &Value, context: &SearchContext) -> Condition {
    let Value::Text(text) = value else { return Condition::Nothing };
    let wanted = text.to_lowercase();
    let of = |is_it: &dyn Fn(&CollectionContext) -> bool| -> Vec<Uuid> {
        context.collections.iter().filter(|collection| is_it(collection)).map(|collection| collection.uuid).collect()
    };
    let named = of(&|one| one.name.to_lowercase() == wanted || one.uuid.to_string() == wanted);
    // What people call a collection may be the name of another.
    let called = || of(&|one| one.printable_name.to_lowercase() == wanted);
    collections(if named.is_empty() { called() } else { named })
}

fn collections(uuids: Vec<Uuid>) -> Condition {
    if uuids.is_empty() { Condition::Nothing } else { Condition::Collections(uuids) }
}

fn or(mut conditions: Vec<Condition>) -> Condition {
    conditions.retain(|condition| *condition != Condition::Nothing);
    match conditions.len() {
        0 => Condition::Nothing,
        1 => conditions.remove(0),
        _ => Condition::Or(conditions),
    }
}

/// What identifies a query, for page tokens and walks: the text as it was understood, where it looks, its order.
/// Moments of collections are left out, and the window stands as it was asked for: a token stays valid while a
/// collection is refreshed and time goes by.
pub(crate) fn fingerprint(search: &Search, noun: Noun, context: &SearchContext, window: Window, sort: &str) -> String {
    let mut text = format!("{noun}\n{}\n{search}\n{sort}\n{window:?}\n", context.project);
    if !context.whole_project {
        for collection in &context.collections {
            let _ = writeln!(text, "{}", collection.uuid);
        }
    }
    ambit_model::id::blob_hash(text.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> SearchContext {
        let collection = |n: u128, name: &str, starts: &[i64]| CollectionContext {
            uuid: Uuid::from_u128(n),
            name: name.to_owned(),
            printable_name: name.to_uppercase().replace('_', " "),
            last_refreshes: starts.iter().map(|start| Timestamp(*start)).collect(),
            configured_scan_count: 2,
            overdue_since: if starts.len() > 1 { vec![(1, Timestamp(7)), (2, Timestamp(5))] } else { Vec::new() },
        };
        SearchContext {
            project: 7,
            collections: vec![
                collection(1, "a_1", &[30, 20, 10]),
                collection(2, "b_2", &[30]),
                collection(3, "c_3", &[]),
            ],
            whole_project: true,
        }
    }

    fn shown(text: &str) -> String {
        let search = ambit_query::parse_search(text, Noun::Entities).unwrap();
        let Condition::And(all) = resolve(&search, Noun::Entities, &context(), Window::Now) else {
            return "nothing".to_owned();
        };
        all[1..].iter().map(show).collect::<Vec<_>>().join(" & ")
    }

    fn show(condition: &Condition) -> String {
        let list = |all: &[Condition], sep: &str| all.iter().map(show).collect::<Vec<_>>().join(sep);
        match condition {
            Condition::Nothing => "nothing".to_owned(),
            Condition::And(all) => format!("({})", list(all, " & ")),
            Condition::Or(all) => format!("({})", list(all, " | ")),
            Condition::Not(one) => format!("!{}", show(one)),
            Condition::Collections(uuids) => {
                format!("in {}", uuids.iter().map(|uuid| uuid.as_u128().to_string()).collect::<Vec<_>>().join(","))
            }
            Condition::AtLeast(member, i64::MIN) => format!("{member}>=ever"),
            Condition::AtMost(member, i64::MIN) => format!("{member}<=ever"),
            Condition::AtLeast(member, n) => format!("{member}>={n}"),
            Condition::AtMost(member, n) => format!("{member}<={n}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn moments_of_collections_are_put_in() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected, "{text}");
        check("last_seen_after:1970-01-01", "last_seen>=0");
        check("last_seen_after:last_refresh", "((in 1,2 & last_seen>=30) | (in 3 & last_seen>=ever))");
        check("last_seen_before:last_refresh", "((in 1,2 & last_seen<=30) | (in 3 & last_seen<=ever))");
        check(
            "last_seen_after:last_scan_count_3",
            "((in 1 & last_seen>=10) | (in 2 & last_seen>=30) | (in 3 & last_seen>=ever))",
        );
        check(
            "last_seen_after:configured_scan_count",
            "((in 1 & last_seen>=20) | (in 2 & last_seen>=30) | (in 3 & last_seen>=ever))",
        );
    }

    #[test]
    fn what_is_overdue_follows_the_days_of_each_collection() {
        let search = ambit_query::parse_search("overdue:true", Noun::Issues).unwrap();
        let Condition::And(all) = resolve(&search, Noun::Issues, &context(), Window::Now) else { panic!("and") };
        let of_severity = |severity: i64, since: i64| {
            format!("(EqualInteger(\"summary.severity\", {severity}) & turned_at<={since})")
        };
        let either = format!("({} | {})", of_severity(1, 7), of_severity(2, 5));
        assert_eq!(show(&all[1]), format!("(in 1 & EqualBool(\"present\", true) & {either})"));
    }

    #[test]
    fn collections_are_named_or_nothing() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected, "{text}");
        check("collection:A_1 collection:b_2", "(in 1 | in 2)");
        check("collection:00000000-0000-0000-0000-000000000003", "in 3");
        check("collection:\"A 1\" collection:\"b 2\"", "(in 1 | in 2)");
        check("collection:!a_1", "!in 1");
        check("collection:nowhere", "nothing");
        check("asset_type:web", "nothing");
    }

    #[test]
    fn a_caller_with_few_collections_is_kept_in_them() {
        let mut context = context();
        context.whole_project = false;
        context.collections.truncate(1);
        let condition = resolve(&Search::default(), Noun::Issues, &context, Window::Now);
        assert_eq!(
            condition,
            Condition::And(vec![Condition::Space(Noun::Issues, 7), Condition::Collections(vec![Uuid::from_u128(1)])])
        );
        context.collections.clear();
        let condition = resolve(&Search::default(), Noun::Issues, &context, Window::Now);
        assert_eq!(condition, Condition::And(vec![Condition::Space(Noun::Issues, 7), Condition::Nothing]));
    }
}
