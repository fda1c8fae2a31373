//! The rows of browsers' sessions: signing in, which is open, and what a session or key then does with it.

use crate::endpoint::Access::{Key, Open};
use crate::endpoint::{Endpoint, delete, get, handler, post};
use ambit_api::shape::BOOLEAN;
use ambit_api::{Contract, sessions};

/// The row that needs no key.
pub(super) const OPEN_ROWS: &[Endpoint] = &[post("/session", Open, handler!(sessions::begin))
    .says("Sign a browser in, by an API key or the token of a link: the answer sets its cookie.")
    .takes(sessions::SignIn::SHAPE)
    .answers(sessions::Session::SHAPE)];

/// Those that do.
pub(super) const ROWS: &[Endpoint] = &[
    get("/session", Key, handler!(sessions::read))
        .in_one_project()
        .says("Say who is signed in.")
        .answers(sessions::Session::SHAPE),
    delete("/session", Key, handler!(sessions::end))
        .only_reads()
        .in_one_project()
        .says("Sign out: the session of the cookie ends.")
        .answers(BOOLEAN),
    post("/sign_in_links", Key, handler!(sessions::link))
        .says("Make a token that signs the caller in once, within 15 minutes: /sign_in#TOKEN is the link.")
        .answers(sessions::SignInLink::SHAPE),
];
