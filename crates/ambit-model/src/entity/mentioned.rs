//! What is known of entities that others name: interfaces for programs, mailboxes, tokens, organisations.

use super::Member;
use super::network;
use super::row::{
    Empty::{False, List, Null},
    Row, contract, seen,
};
use super::uri::Parameter;
use crate::task::TaskName::{ContentFocus, Crawl, LinkedHosts, Registration};

/// Where it was named.
pub const ORIGIN: Member = Member::named("origin");
/// The beginning of its answer.
pub const RESPONSE: Member = Member::named("response");
/// The status of its answer.
pub const CODE: Member = Member::named("code");
/// It answers with JSON.
pub const IS_JSON: Member = Member::named("is_json");
/// What may be done with it, as methods of HTTP, where a document says so.
pub const METHODS: Member<Vec<String>> = Member::named("hidden_methods");
/// Its parameters, and where each is mentioned.
pub const PARAMETERS: Member<Vec<Parameter>> = Member::named("hidden_parameters");
/// The title of what it describes.
pub const TITLE: Member = Member::named("title");
/// Where in the content the token stands.
pub const SNIPPET: Member = Member::named("snippet");
/// The service that gave the token out.
pub const TOKEN_PROVIDER: Member<String> = Member::named("provider");
/// The token opens something.
pub const SENSITIVE: Member<bool> = Member::named("sensitive");

/// What is known of an interface for programs.
pub(super) const API_ENDPOINT: &[Row] = &[
    contract(RESPONSE, Null).by(ContentFocus),
    contract(CODE, Null).by(ContentFocus),
    contract(IS_JSON, Null).by(ContentFocus),
    contract(network::FINGERPRINT, List).by(ContentFocus),
    contract(TITLE, Null).by(ContentFocus),
    seen(METHODS, Crawl),
    seen(PARAMETERS, Crawl),
];

/// What is known of a mailbox.
pub(super) const EMAIL_ADDRESS: &[Row] = &[contract(ORIGIN, Null).by(Registration)];

/// What is known of a token.
pub(super) const TOKEN: &[Row] = &[
    contract(SNIPPET, Null).by(LinkedHosts),
    contract(TOKEN_PROVIDER, Null).by(LinkedHosts),
    contract(SENSITIVE, False).by(LinkedHosts),
];

/// What is known of an organisation.
pub(super) const ORGANIZATION: &[Row] = &[contract(ORIGIN, Null).by(Registration)];

/// The members of a word, which no task probes.
pub(super) const WITH_ORIGIN: &[Row] = &[contract(ORIGIN, Null)];
