//! Rules of security groups at AWS that name a prefix list in place of blocks: what stands in it is read beside the
//! group, so that a list of everybody, which only its owner can see, opens the port as a block of everybody does.

use super::account::Caller;
use crate::{Context, Result, TaskError};
use ambit_cloud::aws;
use ambit_cloud::form::{Asset, Place};
use ambit_model::policy::is_everybody;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The list whose items have such rules.
pub(crate) const OF: &str = "ec2:DescribeSecurityGroups";
/// The list that returns the entries of a prefix list.
const ENTRIES: &str = "ec2:GetManagedPrefixListEntries";
/// Prefix lists of one region that are read at most: an account may have 100 of its own, and AWS has some ten.
const LISTS_MAX: usize = 200;

/// Prefix lists in all that may fail before no more are asked about.
const FAILED_MAX: usize = 3;

/// The blocks of prefix lists that are everybody, by the list, of those that could be read.
type Read = BTreeMap<String, Vec<String>>;

/// Says for each rule which of its prefix lists let everybody in, and which could not be read. Returns why, of the
/// first of these.
pub(crate) async fn fill(
    cx: &Context<'_>,
    caller: &Caller,
    place: &Place<'_>,
    groups: &mut [Asset],
) -> Option<TaskError> {
    let named: BTreeSet<String> = groups.iter_mut().flat_map(rules).flat_map(|rule| lists_of(rule)).collect();
    let (mut read, mut error, mut failed) = (Read::new(), None, 0);
    for id in named {
        if read.len() >= LISTS_MAX {
            error.get_or_insert(TaskError::OutOfBudget(format!("more than {LISTS_MAX} prefix lists")));
        }
        if read.len() >= LISTS_MAX || failed >= FAILED_MAX || matches!(error, Some(TaskError::Denied(_))) {
            break;
        }
        match everybodys(cx, caller, place, &id).await {
            Ok(blocks) => drop(read.insert(id, blocks)),
            Err(why) => {
                error.get_or_insert(why);
                failed += 1;
            }
        }
    }
    groups.iter_mut().flat_map(rules).for_each(|rule| fill_in(rule, &read));
    error
}

/// The blocks of a prefix list that are everybody.
async fn everybodys(cx: &Context<'_>, caller: &Caller, place: &Place<'_>, id: &str) -> Result<Vec<String>> {
    let list = aws::list(ENTRIES).ok_or_else(|| TaskError::Failed(format!("no list is named {ENTRIES}")))?;
    let entries = caller.about(cx, list, &json!({ "prefixListId": id }), place).await?;
    let blocks = entries.iter().filter_map(|entry| entry.says.get("block")?.as_str());
    Ok(blocks.filter(|block| is_everybody(block)).map(str::to_owned).collect())
}

fn rules(group: &mut Asset) -> impl Iterator<Item = &mut Value> {
    group.says.get_mut("inward").and_then(Value::as_array_mut).into_iter().flatten()
}

fn lists_of(rule: &Value) -> Vec<String> {
    let lists = rule["prefix_lists"].as_array().into_iter().flatten();
    lists.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn fill_in(rule: &mut Value, read: &Read) {
    let (mut wide, mut unread) = (Vec::new(), Vec::new());
    for id in lists_of(rule) {
        match read.get(&id) {
            Some(blocks) if blocks.is_empty() => {}
            Some(blocks) => {
                if let Some(sources) = rule["sources"].as_array_mut() {
                    sources.extend(blocks.iter().cloned().map(Value::String));
                }
                wide.push(id);
            }
            None => unread.push(id),
        }
    }
    for (name, lists) in [("wide_lists", wide), ("unread_lists", unread)] {
        if !lists.is_empty() {
            rule[name] = json!(lists);
        }
    }
}
