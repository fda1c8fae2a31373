//! Analyses of files and URLs: their ids, and what they are of.

use super::files::known;
use super::objects;
use crate::call::Call;
use crate::failure::About;
use ambit_api::files::{AnalysedFile, AnalysedUrl, AnalysisMeta, EngineResults};
use ambit_api::objects::{Object, OneObject, data};
use ambit_api::{Maybe, Result};
use ambit_model::Timestamp;
use ambit_model::canonical_url::canonical_url;
use ambit_model::moment::SECOND_MS;
use ambit_model::object::ObjectType;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// What an analysis is of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// `file` or `url`.
    pub(crate) kind: &'static str,
    /// SHA-256 in hexadecimal.
    pub(crate) id: String,
    /// Seconds since 1970.
    pub(crate) at: i64,
    pub(crate) finished: bool,
    /// By engine.
    pub(crate) results: EngineResults,
    pub(crate) meta: AnalysisMeta,
}

pub(crate) fn file_analysis_id(md5: &str, now: Timestamp) -> String {
    BASE64_STANDARD.encode(format!("{md5}:{}", now.0.div_euclid(SECOND_MS)))
}

/// The answer that says which analysis was asked for.
pub(crate) fn begun(call: &Call, id: &str) -> OneObject {
    let analysis = Object::new(&call.base, "analyses", "analysis", id, &());
    data(Object { attributes: None, ..analysis })
}

pub(crate) fn url_analysis_id(sha256: &str, now: Timestamp) -> String {
    format!("u-{sha256}-{}", now.0.div_euclid(SECOND_MS))
}

/// Kind, hash and second of an analysis' id: base64 of `md5:second`, `f-sha256-second` or `u-sha256-second`.
fn parse_analysis(id: &str) -> Option<(&'static str, String, i64)> {
    let hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some((kind, rest)) = id.split_once('-') {
        let kind = match kind {
            "f" => "file",
            "u" => "url",
            _ => return None,
        };
        let (hash, at) = rest.split_once('-')?;
        return (hash.len() == 64 && hexadecimal(hash)).then_some((kind, hash.to_owned(), at.parse().ok()?));
    }
    let text = String::from_utf8(BASE64_STANDARD.decode(id).ok()?).ok()?;
    let (md5, at) = text.split_once(':')?;
    (md5.len() == 32 && hexadecimal(md5)).then_some(("file", md5.to_owned(), at.parse().ok()?))
}

/// What the analysis of the path is of; `None`: there is no such analysis.
pub(crate) async fn item_of_analysis(call: &Call) -> Result<Option<Item>> {
    let Some((kind, hash, at)) = parse_analysis(call.id()) else {
        return Ok(None);
    };
    if kind == "file" {
        let Some(file) = known(call, &hash).await? else { return Ok(None) };
        let found = call.store().find_analysis(file.sha256, at).await.if_found()?;
        let Some(analysis) = found else { return Ok(None) };
        let id = file.sha256.to_string();
        let info = AnalysedFile { sha256: id.clone(), sha1: file.sha1, md5: file.md5, size: file.size };
        let meta = AnalysisMeta { file_info: Maybe(Some(info)), ..AnalysisMeta::default() };
        return Ok(Some(Item { kind, id, at, finished: analysis.finished, results: analysis.results, meta }));
    }
    let Some(url) = objects::known(call, ObjectType::Url, &hash).await? else { return Ok(None) };
    let asked = call.store().was_submitted_in(call.caller(), &url.id, at).await.about("Analysis")?;
    let text = url.text().map(|text| canonical_url(text).unwrap_or_else(|| text.to_owned())).unwrap_or_default();
    let info = AnalysedUrl { id: url.id.clone(), url: text };
    let meta = AnalysisMeta { url_info: Maybe(Some(info)), ..AnalysisMeta::default() };
    Ok(asked.then(|| Item { kind, id: url.id, at, finished: true, results: EngineResults::new(), meta }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analyses_are_named_in_three_ways() {
        let (md5, sha256) = ("9e107d9d372bb6826bd81d3542a419d6", "a".repeat(64));
        let id = file_analysis_id(md5, Timestamp(1_475_048_277_000));
        assert_eq!(parse_analysis(&id), Some(("file", md5.to_owned(), 1_475_048_277)));
        assert_eq!(parse_analysis(&format!("u-{sha256}-7")), Some(("url", sha256.clone(), 7)));
        assert_eq!(parse_analysis(&format!("f-{sha256}-7")), Some(("file", sha256, 7)));
        for id in ["nonsense", "x-1-2", "f-abc-1", "", "Zm9v"] {
            assert_eq!(parse_analysis(id), None, "{id}");
        }
    }
}
