//! The API without a socket: the commands over a data folder ask the same questions as those over a server, of the same
//! code.

use crate::ServerState;
use crate::gate::{Asker, answer_to};
use ambit_api::PROJECT_HEADERS;
use ambit_store::Principal;
use axum::body::Body;
use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use serde_json::Value;
use std::sync::Arc;

/// A request of somebody whom the program knows: no key is needed.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub method: &'a str,
    /// Path and query as they would stand in a request.
    pub target: &'a str,
    /// What the project header would name.
    pub project: Option<&'a str>,
    pub body: Option<&'a Value>,
}

/// Status and body of the answer. The error is the reason why the question is none: a target that is no path, a project
/// that is no header.
pub async fn ask(
    state: &Arc<ServerState>,
    principal: &Principal,
    question: Question<'_>,
) -> Result<(u16, Bytes), String> {
    let mut request = Request::builder().method(question.method).uri(question.target);
    if let Some(project) = question.project {
        request = request.header(PROJECT_HEADERS[0], project);
    }
    let body = match question.body {
        Some(value) => {
            request = request.header(CONTENT_TYPE, "application/json");
            Body::from(value.to_string())
        }
        None => Body::empty(),
    };
    let request = request.body(body).map_err(|error| error.to_string())?;
    let answer = answer_to(state.clone(), Asker::Known(Box::new(principal.clone())), request).await;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.map_err(|error| error.to_string())?;
    Ok((status, body.to_bytes()))
}
