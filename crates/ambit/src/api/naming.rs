//! What people call a collection, a project or a receiver, as the uuid that paths want: its name, or the beginning of
//! its uuid where no other begins so. What several have is refused with the list of them.

use crate::api::{ASM, Api, OURS};
use crate::failure::{Failure, Result};
use crate::output::plain;
use crate::output::table::{shown, text};
use serde_json::Value;
use uuid::Uuid;

/// Things that a refusal lists at most.
const LISTED_MAX: usize = 10;
/// Characters of the beginning of a uuid.
const BEGINNING_MIN: usize = 4;

/// The uuid of a collection that was typed as its uuid, its internal name, or the name that people gave it in this
/// project.
pub(crate) async fn collection(api: &Api, typed: &str) -> Result<String> {
    if Uuid::parse_str(typed).is_ok() {
        return Ok(typed.to_owned());
    }
    let rows = collections(api).await?;
    let found = choose(&rows, typed, &["name", "printable_name"], "collection", "ambit collection list")?;
    Ok(text(&found["uuid"]))
}

/// The collections of the project.
pub(crate) async fn collections(api: &Api) -> Result<Vec<Value>> {
    api.list(&format!("{ASM}/user_collections")).await
}

/// The uuid of a project that was typed as its uuid, its number or its name.
pub(crate) async fn project(api: &Api, typed: &str) -> Result<String> {
    if Uuid::parse_str(typed).is_ok() {
        return Ok(typed.to_owned());
    }
    let rows = api.list(&format!("{ASM}/projects")).await?;
    let found = choose(&rows, typed, &["id", "name"], "project", "ambit project list")?;
    Ok(text(&found["uuid"]))
}

/// The uuid of the project that is asked about: the one that was named, else the primary one.
pub(crate) async fn own_project(api: &Api, named: Option<&str>) -> Result<String> {
    if let Some(typed) = named.filter(|typed| !typed.trim().is_empty() && *typed != "None") {
        return project(api, typed).await;
    }
    let rows = api.list(&format!("{ASM}/projects")).await?;
    let primary = rows.iter().find(|row| row["primary"] == true).or_else(|| rows.first());
    let primary = primary.ok_or_else(|| Failure::not_found("you are in no project".to_owned()))?;
    Ok(text(&primary["uuid"]))
}

/// The uuid of an integration at a place that was typed as its uuid or its name.
pub(crate) async fn integration(api: &Api, place: &str, typed: &str) -> Result<String> {
    let rows = api.list(place).await?;
    let found = choose(&rows, typed, &["name", "uuid"], "integration", "ambit integration list")?;
    Ok(text(&found["uuid"]))
}

/// The uuid of a receiver of notifications that was typed as its uuid or its name.
pub(crate) async fn receiver(api: &Api, typed: &str) -> Result<String> {
    let rows = api.list(&format!("{OURS}/receivers")).await?;
    let found = choose(&rows, typed, &["name", "uuid"], "receiver", "ambit notify list")?;
    Ok(text(&found["uuid"]))
}

/// The one row of which a member is what was typed: exactly, else in another letter case, else as the beginning of its
/// uuid.
fn choose<'a>(rows: &'a [Value], typed: &str, members: &[&str], noun: &str, lister: &str) -> Result<&'a Value> {
    let named = plain(typed);
    let pick = |same: &dyn Fn(&str) -> bool| -> Vec<&'a Value> {
        let is_meant = |row: &&Value| members.iter().any(|member| same(&text(&row[*member])));
        rows.iter().filter(is_meant).collect()
    };
    let mut found = pick(&|name| name == typed);
    if found.is_empty() {
        found = pick(&|name| name.to_lowercase() == typed.to_lowercase());
    }
    let is_beginning =
        typed.len() >= BEGINNING_MIN && typed.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if found.is_empty() && is_beginning {
        let begins = |row: &&Value| text(&row["uuid"]).starts_with(&typed.to_ascii_lowercase());
        found = rows.iter().filter(begins).collect();
    }
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let near = pick(&|name| name.to_lowercase().starts_with(&typed.to_lowercase()));
            let meant = near.first().map(|row| format!("did you mean {}? ", shown(row, members[0])));
            let meant = meant.unwrap_or_default();
            Err(Failure::not_found(format!("no {noun} is named {named}; {meant}`{lister}` shows them")))
        }
        several => {
            let listed = several
                .iter()
                .take(LISTED_MAX)
                .map(|row| format!("{} ({})", text(&row["uuid"]), shown(row, members[0])));
            let listed: Vec<String> = listed.collect();
            let count = several.len();
            Err(Failure::usage(format!(
                "{named} is ambiguous ({count} matches): give the uuid of one {noun}: {}",
                listed.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_means_one_row_or_says_which_it_could_mean() {
        let rows = [
            json!({"uuid": "u1", "name": "outside_1", "printable_name": "Outside"}),
            json!({"uuid": "u2", "name": "outside_2", "printable_name": "outside"}),
            json!({"uuid": "u3", "name": "inside_3", "printable_name": "Inside"}),
            json!({"uuid": "u4", "name": "inside_4", "printable_name": "Inside"}),
            json!({"uuid": "3fa8-1", "name": "far_5", "printable_name": "Far"}),
            json!({"uuid": "3fa8-2", "name": "far_6", "printable_name": "3fa8-1x"}),
        ];
        let chosen = |typed: &str| {
            let found = choose(&rows, typed, &["name", "printable_name"], "collection", "ambit collection list");
            found.map(|row| text(&row["uuid"])).map_err(|failure| (failure.code, failure.to_string()))
        };
        assert_eq!(chosen("outside_2"), Ok("u2".to_owned()));
        assert_eq!(chosen("Outside"), Ok("u1".to_owned()), "the exact spelling goes first");
        let (code, said) = chosen("OUTSIDE").unwrap_err();
        assert_eq!(code, crate::failure::USAGE);
        assert!(said.contains("u1 (outside_1), u2 (outside_2)"), "{said}");
        assert!(chosen("inside").unwrap_err().1.contains("u3 (inside_3), u4 (inside_4)"));
        assert_eq!(chosen("3FA8-2"), Ok("3fa8-2".to_owned()), "the beginning of a uuid is enough");
        assert_eq!(chosen("3fa8-1x"), Ok("3fa8-2".to_owned()), "a name goes before it");
        assert_eq!(chosen("3fa8").unwrap_err().0, crate::failure::USAGE);
        assert_eq!(chosen("3fa").unwrap_err().0, crate::failure::NOT_FOUND, "three characters begin too many");
        assert!(chosen("outs").unwrap_err().1.contains("did you mean outside_1?"), "a name is not completed, but said");
        let (code, said) = chosen("elsewhere").unwrap_err();
        assert_eq!(code, crate::failure::NOT_FOUND);
        assert!(said.contains("ambit collection list"), "{said}");
    }
}
