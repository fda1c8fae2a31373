//! The rows of browsers' sessions: signing in, which is open, and what a session or key then does with it.

use crate::endpoint::Access::{Key, Open};
use crate::endpoint::{Endpoint, delete, get, handler, post};

/// The rows that need no key.
pub(super) const OPEN_ROWS: &[Endpoint] = &[
    post("/session", Open, handler!(sessions::begin)),
    get("/sign_in/ways", Open, handler!(oidc::ways)).at_once(),
    get("/sign_in/provider", Open, handler!(oidc::begin)),
    get("/sign_in/callback", Open, handler!(oidc::finish)),
];

/// Those that do.
pub(super) const ROWS: &[Endpoint] = &[
    get("/session", Key, handler!(sessions::read)).in_one_project(),
    delete("/session", Key, handler!(sessions::end)).only_reads().in_one_project(),
    post("/sign_in_links", Key, handler!(sessions::link)),
];
