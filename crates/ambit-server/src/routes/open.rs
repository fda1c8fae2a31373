//! What is open to everyone: health, version, the description of the API and a page to try it that needs no network.
//! The documents are made and packed once.

use crate::answer::Answer;
use crate::call::Call;
use crate::document::Document;
use crate::health::{alive, not_ready};
use crate::signature::{Html, Json, Reply, Script, Style, Text};
use ambit_api::envelope::Version;
use ambit_api::{ApiError, Envelope, ErrorCode, Result, success};
use ambit_model::moment::DAY_MS;
use bytes::Bytes;
use tokio::sync::OnceCell;

/// The documents, in the order of their numbers.
static MADE: [OnceCell<Document>; 4] = [const { OnceCell::const_new() }; 4];

/// A document, made and packed when it is first asked for, which takes a moment; by one of those who ask then, while
/// the others wait for it.
async fn made<As: Reply>(
    number: usize,
    is: fn(Answer) -> As,
    make: impl FnOnce() -> Bytes + Send + 'static,
) -> Result<As> {
    let making = || tokio::task::spawn_blocking(move || Document::new(As::CONTENT_TYPE, make()));
    let document = MADE[number].get_or_try_init(making).await;
    document.map(|document| is(Answer::document(document))).map_err(|_| ApiError::new(ErrorCode::Internal))
}

/// How long a copy of the description of probes may be believed, in days.
const PROBING_DAYS: i64 = 30;

/// Read the OpenAPI document.
pub(crate) async fn openapi(call: Call) -> Result<Json> {
    let make = call.state.openapi;
    made(0, Json, move || make().to_string().into()).await
}

/// Show a page to read and try the API, which loads nothing from other hosts.
pub(crate) async fn page(_call: Call) -> Result<Html> {
    made(1, Html, || include_str!("../docs/page.html").into()).await
}

/// Load the script of the page at /docs.
pub(crate) async fn script(_call: Call) -> Result<Script> {
    made(2, Script, || include_str!("../docs/page.js").into()).await
}

/// Load the style sheet of the page at /docs.
pub(crate) async fn style(_call: Call) -> Result<Style> {
    made(3, Style, || include_str!("../docs/page.css").into()).await
}

/// Say that the process is alive.
pub(crate) async fn live(_call: Call) -> Result<Envelope<bool>> {
    Ok(alive())
}

/// Say whether requests can be answered.
pub(crate) async fn ready(call: Call) -> Result<Envelope<bool>> {
    match call.state.health.trouble(call.store(), call.state.index().ok()).await {
        None => Ok(success("Ready", true)),
        Some(why) => Err(not_ready(&why)),
    }
}

/// Explain to the owners of contacted systems what the probes are and whom to ask (RFC 9511).
///
/// It is not found if no contact is set.
pub(crate) async fn probing(call: Call) -> Result<Text> {
    let Some(contact) = &call.state.contact else { return Err(ApiError::not_found("Description of probes")) };
    let expires = call.now.plus_ms(PROBING_DAYS * DAY_MS);
    let text = format!(
        "# Description of probes (RFC 9511)\nContact: {contact}\nExpires: {expires}\nPreferred-Languages: en\n\
         Description: Ambit looks at what the organisation of this server exposes to the internet: questions of DNS, \
         connections to ports, requests of HTTP and TLS. Requests name themselves ambit in User-Agent. Whether a \
         contact came from here, and why, is known to whoever runs this server: name the address and the time in UTC.\n"
    );
    Ok(Text(Answer::text(Text::CONTENT_TYPE, text)))
}

/// Say which program and version this is.
pub(crate) async fn version(_call: Call) -> Result<Envelope<Version>> {
    let version = Version { name: "ambit", version: env!("CARGO_PKG_VERSION") };
    Ok(success("Version", version))
}
