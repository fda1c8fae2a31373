//! A list that is asked for item by item of another one: what of it could be read, and what was known of the rest.

use crate::{Answer, Context, Result, TaskError};
use ambit_cloud::form::{Asset, Form, Place};
use ambit_model::facts::Neighbour;
use ambit_model::run::NotDoneReason;
use ambit_model::{Kind, TaskName};
use serde_json::Value;

/// Items in a row that may be denied before no more are asked about: the list itself is denied, or the keys ran out.
const DENIED_MAX: usize = 50;
/// The same where the provider does not answer, which takes long to notice.
const FAILED_MAX: usize = 3;
/// Members that name an item that is no entity.
const NAMES: &[&str] = &["Name", "name", "Id", "id"];

/// What a list shows.
pub(crate) struct Listed {
    pub(crate) assets: Vec<Asset>,
    /// The part that could not be read.
    pub(crate) unread: Option<Unread>,
}

/// Items of the list before about which nothing was answered.
pub(crate) struct Unread {
    /// Why, of the first.
    pub(super) error: TaskError,
    items: Vec<Item>,
}

/// An item about which nothing was answered.
struct Item {
    /// The entity that the list would say more of, where the item alone names it.
    entity: Option<(Kind, String)>,
    /// The zone that it is.
    zones: Vec<String>,
}

/// A list while it is asked for.
#[derive(Default)]
pub(super) struct Reading {
    assets: Vec<Asset>,
    error: Option<TaskError>,
    unread: Vec<Item>,
    read: usize,
    /// Refusals since the last answer, and those of them that are no denials.
    refused: usize,
    failed: usize,
}

impl Reading {
    /// Adds what was read of an item, or that nothing was. Fails if the budget is used up.
    pub(super) fn add(
        &mut self,
        read: Result<Vec<Asset>>,
        list: &'static Form,
        parent: &Asset,
        place: &Place<'_>,
    ) -> Result<()> {
        match read {
            Ok(more) => {
                // No other list is asked for these.
                self.assets.extend(more.into_iter().map(|asset| Asset { item: Value::Null, ..asset }));
                (self.read, self.refused, self.failed) = (self.read + 1, 0, 0);
            }
            Err(error) if error.reason() == NotDoneReason::OutOfBudget => return Err(error),
            Err(error) => {
                self.refused += 1;
                self.failed += usize::from(error.reason() != NotDoneReason::Denied);
                self.error.get_or_insert(error);
                self.pass_over(list, parent, place);
            }
        }
        Ok(())
    }

    /// Returns whether no more are asked about.
    pub(super) fn is_over(&self) -> bool {
        self.refused >= DENIED_MAX || self.failed >= FAILED_MAX
    }

    /// Leaves an item out.
    pub(super) fn pass_over(&mut self, list: &'static Form, parent: &Asset, place: &Place<'_>) {
        let named = list.without(&parent.item, place).and_then(|asset| asset.entity);
        let entity = named.and_then(|(kind, name)| {
            let kind = Kind::from_name(kind)?;
            Some((kind, kind.canonical(&name).ok()?))
        });
        let zones = match list.has_records() {
            true => parent.hosts.iter().filter_map(|host| Kind::of_host(host).ok()).map(|(_, name)| name).collect(),
            false => Vec::new(),
        };
        self.unread.push(Item { entity, zones });
    }

    /// Ends the list. Fails if nothing of it could be read.
    pub(super) fn end(self) -> Result<Listed> {
        let Some(error) = self.error else { return Ok(Listed { assets: self.assets, unread: None }) };
        let count = self.unread.len();
        let error = if count > 1 { beside(error, &format!("; items not read: {count}")) } else { error };
        match self.read {
            0 => Err(error),
            _ => Ok(Listed { assets: self.assets, unread: Some(Unread { error, items: self.unread }) }),
        }
    }
}

impl Unread {
    /// The pages of a list that could not be read may hold anything.
    pub(super) fn rest(error: TaskError) -> Self {
        Self { error, items: vec![Item { entity: None, zones: Vec::new() }] }
    }

    /// Returns whether what is known may be of an item about which nothing was answered.
    fn may_be(&self, known: &Neighbour) -> bool {
        self.items.iter().any(|item| match (&item.entity, known.kind) {
            (Some((kind, name)), of) if *kind == of => *name == known.name,
            (_, Kind::Domain | Kind::DnsRecord) if !item.zones.is_empty() => {
                item.zones.iter().any(|zone| is_in(&known.name, zone))
            }
            _ => true,
        })
    }
}

/// Ends a row that asked for a list: what was known of the items about which nothing was answered stands.
pub(crate) fn ended(cx: &Context<'_>, task: TaskName, unread: Option<Unread>) -> Answer {
    let Some(unread) = unread else { return Answer::Found };
    cx.facts.led_to(task, cx.argument).filter(|known| unread.may_be(known)).for_each(|known| cx.stands(known));
    Answer::InPart(unread.error)
}

/// What an item of a list is called where something fails for it.
pub(super) fn name_of(item: &Asset) -> &str {
    let entity = item.entity.as_ref().map(|(_, name)| name.as_str());
    let host = || item.hosts.first().map(String::as_str);
    let named = || NAMES.iter().find_map(|name| item.item.get(name)?.as_str());
    entity.or_else(host).or_else(|| item.item.as_str()).or_else(named).unwrap_or("an item")
}

/// Returns whether a name is this one, or below it.
fn is_in(name: &str, zone: &str) -> bool {
    name.strip_suffix(zone).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns the failure with an addition to its text.
fn beside(error: TaskError, more: &str) -> TaskError {
    match error {
        TaskError::Denied(said) => TaskError::Denied(said + more),
        TaskError::SourceDown(said) => TaskError::SourceDown(said + more),
        error => error,
    }
}
