//! The data providers of every world, under the names that are asked on the real network: registries, a certificate
//! log, storage, interfaces of clouds, repositories of code, what sites say of apps, stores of
//! apps.

mod app_links;
mod app_stores;
mod certificate_log;
mod forges;
mod interfaces;
mod names;
mod registry;
pub(crate) mod repositories;
mod storage;

use crate::internet::Source;
use crate::serve::connection::{Connection, Peer};
use crate::serve::http::answer;

/// Serves one connection of a provider.
pub(crate) async fn serve(connection: &Connection, source: Source, stream: &mut impl Peer) {
    match source {
        Source::CertificateLog => {
            answer(connection, stream, |request| certificate_log::respond(connection, request)).await
        }
        Source::RdapOrg | Source::RdapRegistry => {
            answer(connection, stream, |request| registry::rdap(connection, request)).await
        }
        Source::RdapBootstrap => answer(connection, stream, |request| registry::bootstrap(connection, request)).await,
        Source::WhoisRoot | Source::WhoisRegistry => registry::whois(connection, source, stream).await,
        Source::Routes => answer(connection, stream, |request| registry::routes(connection, request)).await,
        Source::Names(place) => answer(connection, stream, |request| names::respond(connection, place, request)).await,
        Source::Interfaces => answer(connection, stream, |request| interfaces::respond(connection, request)).await,
        Source::AppLinks => answer(connection, stream, |request| app_links::respond(connection, request)).await,
        Source::AppStores => answer(connection, stream, |request| app_stores::respond(connection, request)).await,
        Source::Repositories => answer(connection, stream, |request| repositories::respond(connection, request)).await,
        Source::Storage => answer(connection, stream, |request| storage::respond(connection, request)).await,
    }
}
