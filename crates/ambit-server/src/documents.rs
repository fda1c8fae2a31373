//! What is open to everyone: health, version, the description of the API and a page to try it that needs no network. The documents are made and packed once.

use crate::answer::Answer;
use crate::call::Call;
use crate::encoding::{self, Coding};
use crate::openapi;
use ambit_api::shape::{Object, Shape, TEXT, member};
use ambit_api::{ApiError, ErrorCode, success};
use bytes::Bytes;
use serde_json::json;
use sha1::{Digest, Sha1};
use tokio::sync::OnceCell;

/// Seconds until a server that is not ready is asked again.
const RETRY_S: u32 = 1;

/// The result of `/version`.
pub(crate) static VERSION: Shape = Shape::Object(&Object {
    name: "Version",
    members: &[member("name", TEXT), member("version", TEXT)],
    open: false,
});

/// A document of the program, as it is and packed, with the name of its state.
pub(crate) struct Document {
    pub(crate) content_type: &'static str,
    plain: Bytes,
    packed: Vec<(Coding, Bytes)>,
    hash: String,
}

impl Document {
    fn new(content_type: &'static str, plain: Bytes) -> Self {
        let packed = encoding::ALL
            .into_iter()
            .filter_map(|coding| Some((coding, coding.pack_well(&plain).ok()?)));
        Self {
            content_type,
            packed: packed.filter(|(_, packed)| packed.len() < plain.len()).collect(),
            hash: Sha1::digest(&plain).iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
            plain,
        }
    }

    /// Its bytes in the coding that is wanted, where there is one.
    pub(crate) fn coded(&self, wanted: Option<Coding>) -> (Bytes, Option<Coding>) {
        let packed = self.packed.iter().find(|(coding, _)| Some(*coding) == wanted);
        packed.map_or((self.plain.clone(), None), |(coding, bytes)| (bytes.clone(), Some(*coding)))
    }

    /// The name of its state in a coding.
    pub(crate) fn tag(&self, coding: Option<Coding>) -> String {
        format!(
            "\"{}{}{}\"",
            self.hash,
            if coding.is_some() { "-" } else { "" },
            coding.map_or("", Coding::name)
        )
    }

    /// True where one of the names that a client has is of this state, in any coding.
    pub(crate) fn is_among(&self, tags: &str) -> bool {
        let mut tags = tags.split(',').map(str::trim);
        tags.any(|tag| tag == "*" || tag.trim_start_matches("W/").trim_matches('"').split('-').next() == Some(&self.hash))
    }
}

/// The documents, in the order of their numbers.
static MADE: [OnceCell<Document>; 5] = [const { OnceCell::const_new() }; 5];

/// A document, made and packed when it is first asked for, which takes a moment; by one of those who ask then, while the others wait for it.
async fn made(number: usize, content_type: &'static str, make: fn() -> Bytes) -> Result<Answer, ApiError> {
    let making = || tokio::task::spawn_blocking(move || Document::new(content_type, make()));
    let document = MADE[number].get_or_try_init(making).await;
    document.map(Answer::document).map_err(|_| ApiError::new(ErrorCode::Internal))
}

const HTML: &str = "text/html; charset=utf-8";

pub(crate) async fn openapi(_call: Call) -> Result<Answer, ApiError> {
    made(0, "application/json", || openapi::document().to_string().into()).await
}

pub(crate) async fn home(_call: Call) -> Result<Answer, ApiError> {
    made(1, HTML, || include_str!("docs/home.html").into()).await
}

pub(crate) async fn page(_call: Call) -> Result<Answer, ApiError> {
    made(2, HTML, || include_str!("docs/page.html").into()).await
}

pub(crate) async fn script(_call: Call) -> Result<Answer, ApiError> {
    made(3, "text/javascript; charset=utf-8", || include_str!("docs/page.js").into()).await
}

pub(crate) async fn style(_call: Call) -> Result<Answer, ApiError> {
    made(4, "text/css; charset=utf-8", || include_str!("docs/page.css").into()).await
}

/// The process is alive: said without a look at anything.
pub(crate) fn alive() -> Answer {
    Answer::json(&success("Alive", json!(true)))
}

pub(crate) async fn live(_call: Call) -> Result<Answer, ApiError> {
    Ok(alive())
}

/// Not ready, and why.
pub(crate) fn not_ready(why: &str) -> ApiError {
    ApiError::with(ErrorCode::Transient, format!("Not ready: {why}")).retry_after(RETRY_S)
}

pub(crate) async fn ready(call: Call) -> Result<Answer, ApiError> {
    match call.state.health.trouble(&call.state.store).await {
        None => Ok(Answer::json(&success("Ready", json!(true)))),
        Some(why) => Err(not_ready(&why)),
    }
}

pub(crate) async fn version(_call: Call) -> Result<Answer, ApiError> {
    let version = json!({"name": "ambit", "version": env!("CARGO_PKG_VERSION")});
    Ok(Answer::json(&success("Version", version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_one_state_in_every_coding() {
        let document = Document::new(HTML, "the same words again, ".repeat(200).into());
        let plain = document.coded(None);
        assert_eq!((plain.0.len(), plain.1), (4_400, None));
        for coding in encoding::ALL {
            let (bytes, found) = document.coded(Some(coding));
            assert!(found == Some(coding) && bytes.len() < 200);
            assert!(document.is_among(&document.tag(found)));
        }
        assert!(document.is_among("\"x\", W/\"y\", *"));
        assert!(document.is_among(&format!("\"x\", W/{}", document.tag(None))));
        assert!(!document.is_among("\"x\""));
        let small = Document::new(HTML, Bytes::from_static(b"x"));
        assert_eq!(small.coded(Some(Coding::Gzip)).1, None, "what does not shrink stays");
    }
}
