//! The rows of the web interface, which everybody may load: what it shows, it asks with a session. The list of open
//! rows stands in a test as well.

use crate::endpoint::Access::Open;
use crate::endpoint::{Endpoint, get, handler};

const fn page(path: &'static str) -> Endpoint {
    get(path, Open, handler!(interface::page)).at_once()
}

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    page("/"),
    page("/sign_in"),
    page("/issues"),
    page("/issues/{id}"),
    page("/entities"),
    page("/entities/{entity_uid}"),
    page("/collections"),
    page("/collections/{collection_uuid}"),
    page("/runs"),
    page("/runs/{id}"),
    page("/changes"),
    page("/technologies"),
    page("/graphs"),
    page("/graphs/{id}"),
    page("/library"),
    page("/help"),
    // Where clients lead people: to what they know by its type and id.
    page("/gui/{*object}"),
    page("/settings"),
    get("/assets/{file}", Open, handler!(interface::asset)).at_once(),
];
