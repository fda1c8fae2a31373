//! The rows of browsers' sessions: signing in, which is open, and what a session or key then does with it.

use crate::endpoint::Access::{Key, Open};
use crate::endpoint::{Endpoint, Parameter, delete, get, handler, post, text};
use ambit_api::shape::BOOLEAN;
use ambit_api::{Contract, sessions};

/// The query with which a provider sends people back.
const BACK: &[Parameter] = &[
    text("code", "What the provider exchanges for a token."),
    text("state", "Which sign-in it is of."),
    text("error", "Why the provider signs nobody in."),
];

/// The rows that need no key.
pub(super) const OPEN_ROWS: &[Endpoint] = &[
    post("/session", Open, handler!(sessions::begin)).takes(sessions::SignIn::SHAPE).answers(sessions::Session::SHAPE),
    get("/sign_in/ways", Open, handler!(oidc::ways)).at_once().answers(sessions::SignInWays::SHAPE),
    get("/sign_in/provider", Open, handler!(oidc::begin)).as_type(PLAIN),
    get("/sign_in/callback", Open, handler!(oidc::finish)).asks(BACK).as_type(PLAIN),
];

const PLAIN: &str = "text/plain; charset=utf-8";

/// Those that do.
pub(super) const ROWS: &[Endpoint] = &[
    get("/session", Key, handler!(sessions::read)).in_one_project().answers(sessions::Session::SHAPE),
    delete("/session", Key, handler!(sessions::end)).only_reads().in_one_project().answers(BOOLEAN),
    post("/sign_in_links", Key, handler!(sessions::link)).answers(sessions::SignInLink::SHAPE),
];
