//! Answers of the hosted product's API, and of ours: a search with its hits, a list of entities, or one entity; whole
//! or a line each.

use crate::error::Result;
use crate::gathered::Gathered;
use crate::json::{Object, each_object, moment, text};
use ambit_model::Kind;
use serde_json::Value;

const TOOL: &str = "the hosted product";
/// Members in which lists of entities lie.
const AROUND: [&str; 4] = ["result", "hits", "entities", "data"];

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    each_object(file, TOOL, |object| {
        let is_any = take(object, gathered);
        if is_any { Ok(()) } else { Err(format!("not output of {TOOL}: there are neither hits nor an entity")) }
    })
}

/// Kinds that an import brings: things with a place in the network. Others follow from what is looked at.
pub(crate) fn is_imported(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Domain
            | Kind::DnsRecord
            | Kind::IpAddress
            | Kind::NetBlock
            | Kind::AutonomousSystem
            | Kind::NetworkService
            | Kind::Uri
            | Kind::EmailAddress
    )
}

/// Kind and name of the entity that a record is or, where it is an issue's, that it concerns: the name of an issue is
/// that of what is wrong.
fn entity(record: &Object) -> Option<(&str, &str)> {
    let (of_entity, concerned) = (text(record, "entity_type"), text(record, "entity_name"));
    if !of_entity.is_empty() && !concerned.is_empty() {
        return Some((of_entity, concerned));
    }
    let kind = [text(record, "type"), of_entity].into_iter().find(|kind| !kind.is_empty())?;
    record.get("name")?.as_str().map(|name| (kind, name))
}

/// Takes an entity, or those within; false where there is nothing of that shape.
fn take(object: &Object, gathered: &mut Gathered) -> bool {
    if let Some((kind, name)) = entity(object) {
        match Kind::from_name(kind.rsplit("::").next().unwrap_or(kind)).filter(|kind| is_imported(*kind)) {
            Some(kind) => gathered.add(kind, name, moment(object.get("last_seen")), &[]),
            None => gathered.leave_out(),
        }
        return true;
    }
    let mut is_any = false;
    for within in AROUND.iter().filter_map(|member| object.get(*member)) {
        is_any |= match within {
            Value::Array(list) => {
                list.iter().filter_map(Value::as_object).for_each(|one| {
                    take(one, gathered);
                });
                true
            }
            Value::Object(one) => take(one, gathered),
            _ => false,
        };
    }
    is_any
}
