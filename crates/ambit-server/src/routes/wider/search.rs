//! Search for anything by its name (docs/contract/wider.md §6.4): a file by hash, a URL, a domain, an address; else
//! comments by their tags and words.

use crate::call::Asking;
use crate::page::RelatedPage;
use crate::present::{comments, objects, relationships};
use crate::query::query;
use ambit_api::comments::hash_tags;
use ambit_api::objects::ObjectCollection;
use ambit_api::{ApiError, Result};

/// Characters of a query.
const QUERY_CHARS_MAX: usize = 4 * 1024;

query! { Named: query: Text = "A hash, URL, domain or address; or words and #tags." }

/// Find a file by hash, a URL, a domain or an address by its name; else comments by tags and words.
pub(crate) async fn find(call: Asking<(Named, RelatedPage)>) -> Result<ObjectCollection> {
    let text = Named::query(&call).text.map(str::trim).unwrap_or_default();
    if text.is_empty() || text.chars().count() > QUERY_CHARS_MAX {
        let message = format!("The parameter query is needed, with at most {QUERY_CHARS_MAX} characters");
        return Err(ApiError::bad(message));
    }
    if let Some((_, object)) = objects::named(&call, text).await? {
        return relationships::page_of(&call, vec![object]).await;
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    comments::latest(&call, &|comment| {
        let (tags, text) = (hash_tags(&comment.text), comment.text.to_lowercase());
        words.iter().all(|word| match word.strip_prefix('#') {
            Some(tag) => tags.iter().any(|one| one == tag),
            None => text.contains(word.as_str()),
        })
    })
    .await
}
