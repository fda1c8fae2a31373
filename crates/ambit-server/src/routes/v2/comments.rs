//! Comments in version 2: on files by hash, on URLs by themselves.

use super::{required, without};
use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::present::{files, objects};
use crate::query::query;
use ambit_api::objects::{Form, value};
use ambit_api::v2::{Comment, Comments, Done};
use ambit_api::{Maybe, Result};
use ambit_model::Timestamp;
use ambit_model::canonical_url::canonical_url;
use ambit_model::object::ObjectType;
use serde_json::Value;

const NOUN: &str = "Comment";
/// Comments of one call.
const COMMENTS_MAX: usize = 25;

query! { Made: resource: Text = "A hash or a URL.", comment: Text = "The text." }

query! { Listed: resource: Text = "A hash or a URL.", before: Text = "The date of a comment: those before it." }

/// Type and id of what is commented on, if it is known.
async fn item(call: &Call, resource: &str) -> Result<Option<(&'static str, String)>> {
    if let Some(file) = files::known(call, resource).await? {
        return Ok(Some(("file", file.sha256.to_string())));
    }
    let url = canonical_url(resource).unwrap_or_else(|| resource.to_owned());
    Ok(objects::find(call, ObjectType::Url, &url).await?.map(|found| ("url", found.id)))
}

fn unknown(resource: &str) -> Value {
    without(0, resource, "Could not find resource")
}

/// Comment on a file or URL.
pub(crate) async fn put(call: CallWith<Maybe<Form>, Made>) -> Result<Value> {
    let (resource, text) = (required(Made::resource(&call))?, required(Made::comment(&call))?);
    let Some((kind, id)) = item(&call, resource).await? else {
        return Ok(unknown(resource));
    };
    call.store().add_comment(call.caller(), kind, &id, text).await.about(NOUN)?;
    Ok(value(&Done { response_code: 1, verbose_msg: "Your comment was successfully posted" }))
}

/// `YYYYMMDDhhmmss`: the token of the comments before it.
fn token(at: Timestamp) -> String {
    at.to_string()[..19].chars().filter(char::is_ascii_digit).collect()
}

/// List the comments on a file or URL, newest first.
///
/// The newest comments, or those before the moment of a token.
pub(crate) async fn get(call: Asking<Listed>) -> Result<Value> {
    let resource = required(Listed::resource(&call))?;
    let Some((kind, id)) = item(&call, resource).await? else {
        return Ok(unknown(resource));
    };
    let found = call.store().comments_on(call.caller(), kind, &id).await.about(NOUN)?;
    let before = Listed::before(&call).text.map(str::trim).filter(|text| !text.is_empty());
    let comments = found
        .iter()
        .map(|comment| (token(comment.at), &comment.text))
        .filter(|(token, _)| before.is_none_or(|before| token.as_str() < before))
        .take(COMMENTS_MAX)
        .map(|(date, text)| Comment { date, comment: text.clone() })
        .collect();
    Ok(value(&Comments { response_code: 1, verbose_msg: "Resource found", resource: resource.to_owned(), comments }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_sort_as_their_moments() {
        assert_eq!(token(Timestamp(1_769_860_800_123)), "20260131120000");
    }
}
