//! Exports: what a search finds, as a document that other programs and people read. Rows are asked of the index page by
//! page while the document is sent, so that neither is ever whole in memory.

use crate::answer::Answer;
use crate::call::{Asking, Call};
use crate::present::exports::Walk;
use crate::query::query;
use crate::searching::{page_token, sealed};
use crate::signature::{File, Reply};
use crate::window::{AsOf, Past, moment, start};
use ambit_api::exports::{ExportRows, PROBED_MAX};
use ambit_api::{ApiError, Envelope, Result, success};
use ambit_export::{Document, FORMATS, Format, Head};
use ambit_query::Noun;
use ambit_search::PAGE_SIZE_MAX;
use bytes::Bytes;
use futures::stream::{BoxStream, try_unfold};
use std::io;

/// Entities that are there now: the search that is meant where none is given.
const PRESENT: &str = "present:true";
/// Rows of a page where the caller does not say.
const ROWS: u64 = 500;

query! { Selection:
    search_string: Text =
        "Search string; by default open issues, and entities that are present.",
    of: Text = "issues (the default), or entities (in csv, jsonl and stix only).",
}

query! { Since:
    since: When =
        "Marks what appeared or disappeared since this date or moment, in formats that can show it.",
}

query! { Rows:
    page_size: Count = "Rows of a page: 500 by default, at most 1,000.",
    page_token: Text = "`next_page_token` of the page before.",
    probed: Count =
        "How many open issues of the page, the first ones, come with their `probes`: what was asked and answered, with \
         secrets masked. 0 by default, at most 200.",
    since: When = "Issues that have changed from this date or moment on say whether they were open then (`was_open`).",
}

/// Write what a search finds as a document: csv, jsonl, sarif, vex, defectdojo, ocsf, stix or html, the worst issues
/// first.
pub(crate) async fn document(mut call: Asking<((Selection, Since), Past)>) -> Result<File> {
    let name = call.parameter("format");
    let format = ambit_export::format(name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        ApiError::invalid(format!("there is no such format; there are {}", known.join(", ")))
    })?;
    let noun = noun(&call)?;
    if noun == Noun::Entities && !format.takes_assets() {
        return Err(ApiError::invalid(format!("{name} tells of issues only")));
    }
    let usual = if noun == Noun::Entities { PRESENT } else { format.usual_query };
    let query = Selection::search_string(&call).text.map_or_else(|| usual.to_owned(), str::to_owned);
    let head = Head {
        made_at: call.now,
        query: query.clone(),
        of_entities: noun == Noun::Entities,
        since: start(Since::since(&call))?,
        as_of: moment(AsOf::as_of(&call))?,
        version: env!("CARGO_PKG_VERSION"),
    };
    let mut walk = Walk::begin(&call, noun, &query, PAGE_SIZE_MAX, None)?;
    walk.since = head.since;
    walk.probed = if format.takes_probes { probed(&call, PROBED_MAX) } else { 0 };
    // What is wrong with the search is said before anything is sent.
    let first = walk.next(&call).await?;
    let message = walk.message.take();
    let file_name = format!("ambit-{}-{}.{}", noun.as_str(), call.now.date(), format.extension);
    // Sending lasts as long as the client likes; each search waits for its own turn.
    call.place = None;
    let sent = Answer::growing(File::CONTENT_TYPE, file_name, pieces(call.0, walk, format, head, first));
    Ok(File(match message {
        Some(message) => sent.saying(message),
        None => sent,
    }))
}

/// List what a search finds as the rows that exports are written from, a page at a time.
pub(crate) async fn rows(call: Asking<((Selection, Rows), Past)>) -> Result<Envelope<ExportRows>> {
    let noun = noun(&call)?;
    let size = Rows::page_size(&call).whole_number()?.unwrap_or(ROWS).clamp(1, PAGE_SIZE_MAX);
    let query = Selection::search_string(&call).or_empty();
    let mut walk = Walk::begin(&call, noun, query, size, page_token(&call, Rows::page_token(&call))?)?;
    walk.since = start(Rows::since(&call))?;
    walk.probed = probed(&call, Rows::probed(&call).whole_number()?.unwrap_or(0));
    let mut rows = walk.next(&call).await?;
    rows.next_page_token = walk.token.as_deref().map(|token| sealed(&call, token));
    Ok(success(walk.message.as_deref().unwrap_or("Rows"), rows))
}

/// How many issues are told with their probes: of the past no answers are kept.
fn probed(call: &Call, wanted: u64) -> u64 {
    if AsOf::as_of(call).text.is_none_or(str::is_empty) { wanted.min(PROBED_MAX) } else { 0 }
}

fn noun(call: &Call) -> Result<Noun> {
    match Selection::of(call).text {
        None | Some("" | "issues") => Ok(Noun::Issues),
        Some("entities") => Ok(Noun::Entities),
        Some(_) => Err(ApiError::invalid("of must be issues or entities")),
    }
}

/// A document under way.
struct Sending {
    call: Call,
    walk: Walk,
    /// `None`: its end was sent.
    document: Option<Document>,
    /// Rows that are not in it yet.
    rows: Option<ExportRows>,
}

fn pieces(
    call: Call,
    walk: Walk,
    format: &'static Format,
    head: Head,
    first: ExportRows,
) -> BoxStream<'static, io::Result<Bytes>> {
    let document = Some(Document::new(format, head));
    let sending = Sending { call, walk, document, rows: Some(first) };
    Box::pin(try_unfold(sending, |mut sending| async move {
        let piece = sending.next().await.map_err(|error| {
            tracing::warn!(%error, "an export could not be written to its end");
            io::Error::other(error)
        })?;
        Ok(piece.map(|piece| (piece, sending)))
    }))
}

impl Sending {
    /// The next piece of text; `None` after the last.
    async fn next(&mut self) -> Result<Option<Bytes>, String> {
        let Some(mut document) = self.document.take() else { return Ok(None) };
        let rows = match self.rows.take() {
            Some(rows) => rows,
            None => self.walk.next(&self.call).await.map_err(|error| error.message)?,
        };
        for finding in &rows.findings {
            document.finding(finding).map_err(|error| error.to_string())?;
        }
        for asset in &rows.assets {
            document.asset(asset).map_err(|error| error.to_string())?;
        }
        let mut text = document.take();
        if self.walk.token.is_none() {
            text.push_str(&document.end());
        } else {
            self.document = Some(document);
        }
        Ok(Some(text.into()))
    }
}
