//! What is open to everyone: health, version, the description of the API and a page to try it that needs no network.

use crate::answer::Answer;
use crate::call::Call;
use crate::openapi;
use ambit_api::shape::{Object, Shape, TEXT, member};
use ambit_api::{ApiError, ErrorCode, success};
use ambit_store::StoreError;
use serde_json::{Value, json};

/// Seconds until a server that is not ready is asked again.
const RETRY_S: u32 = 1;

/// The result of `/version`.
pub(crate) static VERSION: Shape = Shape::Object(&Object {
    name: "Version",
    members: &[member("name", TEXT), member("version", TEXT)],
    open: false,
});

pub(crate) async fn live(_call: Call) -> Result<Answer, ApiError> {
    Ok(Answer::json(&success("Alive", json!(true))))
}

pub(crate) async fn ready(call: Call) -> Result<Answer, ApiError> {
    if let Err(error) = call.state.store.ready().await {
        tracing::warn!(%error, "not ready");
        // Anybody may ask: the file stands in the log.
        let reason = match error {
            StoreError::Full { .. } => "The disk is full",
            StoreError::ReadOnly { .. } => "The database can only be read",
            StoreError::Damaged { .. } => "The database is damaged",
            _ => "The database does not answer",
        };
        return Err(ApiError::with(ErrorCode::Transient, reason).retry_after(RETRY_S));
    }
    Ok(Answer::json(&success("Ready", json!(true))))
}

pub(crate) async fn version(_call: Call) -> Result<Answer, ApiError> {
    let version = json!({"name": "ambit", "version": env!("CARGO_PKG_VERSION")});
    Ok(Answer::json(&success("Version", version)))
}

pub(crate) async fn openapi(_call: Call) -> Result<Answer, ApiError> {
    let document: Value = openapi::document();
    Ok(Answer::json(&document))
}

pub(crate) async fn home(_call: Call) -> Result<Answer, ApiError> {
    Ok(Answer::file("text/html; charset=utf-8", include_str!("docs/home.html")))
}

pub(crate) async fn page(_call: Call) -> Result<Answer, ApiError> {
    Ok(Answer::file("text/html; charset=utf-8", include_str!("docs/page.html")))
}

pub(crate) async fn script(_call: Call) -> Result<Answer, ApiError> {
    Ok(Answer::file("text/javascript; charset=utf-8", include_str!("docs/page.js")))
}

pub(crate) async fn style(_call: Call) -> Result<Answer, ApiError> {
    Ok(Answer::file("text/css; charset=utf-8", include_str!("docs/page.css")))
}
