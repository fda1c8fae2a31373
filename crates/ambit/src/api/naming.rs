//! What people call a collection or a project, as the uuid that paths want. A name that several have is refused with
//! the list of them.

use crate::api::{ASM, Api};
use crate::failure::Failure;
use crate::output::plain;
use crate::output::table::text;
use serde_json::Value;
use uuid::Uuid;

/// Things that a refusal lists at most.
const LISTED_MAX: usize = 10;

/// The uuid of a collection that was typed as its uuid, its internal name, or the name that people gave it in this
/// project.
pub(crate) async fn collection(api: &Api, typed: &str) -> Result<String, Failure> {
    if Uuid::parse_str(typed).is_ok() {
        return Ok(typed.to_owned());
    }
    let rows = collections(api).await?;
    let found = choose(&rows, typed, &["name", "printable_name"], "collection", "ambit collection list")?;
    Ok(text(&found["uuid"]))
}

/// The collections of the project.
pub(crate) async fn collections(api: &Api) -> Result<Vec<Value>, Failure> {
    let mut reply = api.get(&format!("{ASM}/user_collections")).await?;
    Ok(reply.result.as_array_mut().map(std::mem::take).unwrap_or_default())
}

/// The uuid of a project that was typed as its uuid, its number or its name.
pub(crate) async fn project(api: &Api, typed: &str) -> Result<String, Failure> {
    if Uuid::parse_str(typed).is_ok() {
        return Ok(typed.to_owned());
    }
    let reply = api.get(&format!("{ASM}/projects")).await?.result;
    let rows = reply.as_array().map(Vec::as_slice).unwrap_or_default();
    let found = choose(rows, typed, &["id", "name"], "project", "ambit project list")?;
    Ok(text(&found["uuid"]))
}

/// The one row of which a member is what was typed: exactly, else in another letter case.
fn choose<'a>(
    rows: &'a [Value],
    typed: &str,
    members: &[&str],
    noun: &str,
    lister: &str,
) -> Result<&'a Value, Failure> {
    let shown = plain(typed);
    let pick = |same: &dyn Fn(&str) -> bool| -> Vec<&'a Value> {
        let is_meant = |row: &&Value| members.iter().any(|member| same(&text(&row[*member])));
        rows.iter().filter(is_meant).collect()
    };
    let mut found = pick(&|name| name == typed);
    if found.is_empty() {
        found = pick(&|name| name.to_lowercase() == typed.to_lowercase());
    }
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Failure::not_found(format!("no {noun} is called {shown}; `{lister}` shows them"))),
        several => {
            let listed = several
                .iter()
                .take(LISTED_MAX)
                .map(|row| format!("{} ({})", text(&row["uuid"]), plain(&text(&row[members[0]]))));
            let listed: Vec<String> = listed.collect();
            let count = several.len();
            Err(Failure::usage(format!(
                "{shown} is the name of {count} of them: give the uuid of one {noun}: {}",
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
        let (code, said) = chosen("elsewhere").unwrap_err();
        assert_eq!(code, crate::failure::NOT_FOUND);
        assert!(said.contains("ambit collection list"), "{said}");
    }
}
