//! The provider of OpenID Connect by which people sign in at a server, from the settings, and the way to it: like
//! everything that leaves this program it goes through the door, as a contact of the operator's own choice.

use crate::config::Settings;
use crate::engine_config::{self, list};
use crate::failure::{Failure, Result};
use crate::output::plain;
use ambit_net::guard::OperatorOnly;
use ambit_net::http::{HttpRequest, Url};
use ambit_net::live::LiveWire;
use ambit_net::{Grant, Grants, Net, NetOptions, Pace, PaceLimits};
use ambit_server::{AskProvider, Provider, ProviderAsk, ProviderSettings, group_role};
use std::net::IpAddr;
use std::sync::Arc;

/// What the contact is for.
const PURPOSE: &str = "sign-in provider";
/// Bytes of an answer: keys and tokens are small.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

/// The provider that the settings name; `None` where there is none. Fails on a setting that is none, or one without
/// which the others say nothing.
pub(crate) fn provider(settings: &Settings) -> Result<Option<Provider>> {
    let Some(issuer) = settings.get("oidc_issuer") else { return Ok(None) };
    check_issuer(issuer)?;
    let client = settings
        .get("oidc_client")
        .ok_or_else(|| Failure::usage("setting oidc_client is missing: the provider knows this server by it"))?;
    let roles = list(settings, "oidc_roles").map(group_role).collect::<Result<_, _>>();
    let given = ProviderSettings {
        issuer: issuer.to_owned(),
        client: client.to_owned(),
        secret: settings.get("oidc_secret").map(str::to_owned),
        scopes: settings.get("oidc_scopes").unwrap_or_default().to_owned(),
        groups_claim: settings.get("oidc_groups_claim").unwrap_or_default().to_owned(),
        roles: roles.map_err(|why| Failure::usage(format!("setting oidc_roles: {}", plain(&why))))?,
        trusts_addresses: settings.trusts_addresses()?,
    };
    Ok(Some(Provider::new(given, ask(settings)?)))
}

/// Who listens on the way could sign in as anybody: without TLS only on this machine.
fn check_issuer(issuer: &str) -> Result<()> {
    let host = issuer.strip_prefix("http://").map(|rest| rest.split('/').next().unwrap_or(rest));
    let host = host.map(|host| host.rsplit_once(':').map_or(host, |(host, _)| host).trim_matches(['[', ']']));
    let is_here = |host: &str| host == "localhost" || host.parse::<IpAddr>().is_ok_and(|host| host.is_loopback());
    if issuer.starts_with("https://") || host.is_some_and(is_here) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "setting oidc_issuer {:?}: expected the https URL by which the provider names itself",
        plain(issuer)
    )))
}

fn ask(settings: &Settings) -> Result<AskProvider> {
    let options = engine_config::live(settings, &[], None)?;
    let wire = LiveWire::new(&options).map_err(|error| engine_config::unusable(&error))?;
    let pace = Arc::new(Pace::new(PaceLimits::default()));
    let net = Net::new(Arc::new(wire), Arc::new(OperatorOnly), pace, NetOptions::default());
    Ok(Arc::new(move |asked| {
        let session = net.session(Grants::operator(PURPOSE));
        Box::pin(async move {
            let request = request(asked)?;
            // A code or a secret follows nobody elsewhere: no redirect is followed.
            let exchange = session.http(&request).await.map_err(|error| format!("it cannot be reached: {error}"))?;
            if exchange.truncated {
                return Err("its answer is too large".to_owned());
            }
            Ok((exchange.status, exchange.body))
        })
    }))
}

fn request(asked: ProviderAsk) -> Result<HttpRequest, String> {
    let url = Url::parse(&asked.url).map_err(|_| "an endpoint in its metadata is no URL".to_owned())?;
    let mut request = HttpRequest::get(url, concat!("ambit/", env!("CARGO_PKG_VERSION")))
        .with_header("Accept", "application/json")
        .on(Grant::Operator(PURPOSE));
    request.body_kept = ANSWER_BYTES_MAX;
    if let Some(authorization) = &asked.authorization {
        request = request.with_header("Authorization", authorization);
    }
    Ok(match asked.form {
        Some(form) => request.with_method("POST").with_body("application/x-www-form-urlencoded", form.into_bytes()),
        None => request,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_reached_over_tls_or_on_this_machine() {
        for (issuer, is_taken) in [
            ("https://id.acme.test/realms/a", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080/a", true),
            ("http://localhost", true),
            ("http://id.acme.test", false),
            ("http://192.0.2.1", false),
            ("id.acme.test", false),
        ] {
            assert_eq!(check_issuer(issuer).is_ok(), is_taken, "{issuer}");
        }
    }
}
