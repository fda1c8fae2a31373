//! The form of a finding about a response, and how much of a response is searched.

use crate::ask::web;
use ambit_net::http::HttpExchange;

/// Bytes of an answer that are searched.
pub(super) const SEARCHED_BYTES: usize = 256 * 1_024;

/// The text of an answer, as far as it is searched.
pub(super) fn searched(exchange: &HttpExchange) -> String {
    let mut text = web::text(exchange);
    text.truncate(text.floor_char_boundary(SEARCHED_BYTES));
    text
}

/// A defect: the name of its issue, and what shows it.
pub(crate) type Shown = (&'static str, String);
