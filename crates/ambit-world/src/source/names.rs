//! Sources of names: a domain in, the names below it that archives tell of out, each source in its own form.

use crate::serve::connection::Connection;
use crate::serve::request::{Request, Response};
use ambit_sources::Key;

pub(super) fn respond(connection: &Connection, place: usize, request: &Request) -> Response {
    let known = ambit_sources::all().get(place);
    let Some((source, asked)) = known.and_then(|source| Some((source, source.asked(&request.target)?))) else {
        return Response::new(404, "text/plain", "Not Found");
    };
    let shown = source.key_header().and_then(|name| request.header(name)).map(str::to_owned).or(asked.key);
    if source.key == Key::Required && shown.is_none_or(|key| key.trim().is_empty()) {
        return Response::new(401, "text/plain", "a key is needed");
    }
    let below = format!(".{}", asked.domain);
    let names = &connection.internet.draft.names;
    let told = names.iter().filter(|(name, stated)| stated.archived && name.ends_with(&below));
    let told: Vec<&str> = told.map(|(name, _)| name.as_str()).filter(|_| asked.is_first).collect();
    let media = if source.answers_json() { "application/json" } else { "text/plain; charset=utf-8" };
    Response::new(200, media, source.answer(&asked.domain, &told))
}
