//! Signing in by a provider of OpenID Connect: the authorization code flow with PKCE. The provider is found by its
//! issuer (OpenID Connect Discovery 1.0); what is asked of it goes through a function that the binary gives, since
//! nothing here opens a connection.

mod token;

use ambit_model::Timestamp;
use ambit_model::percent::escaped;
use ambit_model::user::ProjectRole;
use ambit_store::{GroupRole, ProviderPerson};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use futures::future::BoxFuture;
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use token::{Claims, Expected, Keys, Refusal, verify};
use tokio::sync::Mutex;

/// How long what a provider says of itself is believed, in milliseconds.
const KEPT_MS: i64 = 3_600_000;
/// How often its keys are asked for because one was not among them, or did not sign, in milliseconds.
const AGAIN_MS: i64 = 60_000;
/// How long a failed request for the metadata is remembered, in milliseconds.
const FAILED_MS: i64 = 5_000;
/// Random bytes of a state, a nonce and a verifier.
const RANDOM_BYTES: usize = 32;
/// How long a sign-in may take, in milliseconds: a person looks for a second factor.
const SIGN_IN_MS: i64 = 600_000;

/// A question to the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderAsk {
    pub url: String,
    /// Pairs of a form to be posted; `None`: a GET.
    pub form: Option<String>,
    /// The header `Authorization`.
    pub authorization: Option<String>,
}

/// Asks the provider, and answers with the status and the body, or why there is no answer. Given by the binary.
pub type AskProvider = Arc<dyn Fn(ProviderAsk) -> BoxFuture<'static, Result<(u16, Vec<u8>), String>> + Send + Sync>;

/// What the operator says of the provider.
#[derive(Clone, Debug, Default)]
pub struct ProviderSettings {
    /// Its URL, as it names itself.
    pub issuer: String,
    pub client: String,
    /// `None`: a public client, by PKCE alone.
    pub secret: Option<String>,
    /// Beside `openid`.
    pub scopes: String,
    /// The claim that holds a person's groups.
    pub groups_claim: String,
    /// Which groups have which roles.
    pub roles: Vec<GroupRole>,
    /// Addresses count as their persons' own though the provider does not say that it verified them.
    pub trusts_addresses: bool,
}

/// A provider by which people sign in.
pub struct Provider {
    settings: ProviderSettings,
    ask: AskProvider,
    kept: Mutex<Kept>,
}

/// What was learned of a provider.
#[derive(Default)]
struct Kept {
    known: Option<Known>,
    /// When it could not be asked last, and why.
    failed: Option<(Timestamp, String)>,
}

/// The metadata that a provider published.
#[derive(Clone)]
struct Known {
    endpoints: Endpoints,
    keys: Keys,
    at: Timestamp,
}

#[derive(Clone, Debug, Deserialize)]
struct Endpoints {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

/// What a browser carries from the beginning of a sign-in to its end, sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Carried {
    pub(crate) state: String,
    nonce: String,
    verifier: String,
    until: Timestamp,
}

/// Why nobody is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotSignedIn {
    /// What the browser brought, or what the provider says of the person, does not do.
    Refused(String),
    /// The provider failed, or does not take this server for its client: nothing that the person did.
    Unavailable(String),
}

impl Provider {
    /// A provider as the operator describes it.
    pub fn new(settings: ProviderSettings, ask: AskProvider) -> Self {
        Self { settings, ask, kept: Mutex::default() }
    }

    /// Which groups have which roles.
    pub(crate) fn roles(&self) -> &[GroupRole] {
        &self.settings.roles
    }

    /// Where a browser is sent to sign in, and what it carries meanwhile.
    pub(crate) async fn begin(&self, back: &str, now: Timestamp) -> Result<(String, Carried), String> {
        let known = self.known(false, now).await?;
        let [state, nonce, verifier] = [random()?, random()?, random()?];
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes()));
        let scope = format!("openid {}", self.settings.scopes);
        let query = form(&[
            ("response_type", "code"),
            ("client_id", &self.settings.client),
            ("redirect_uri", back),
            ("scope", scope.trim()),
            ("state", &state),
            ("nonce", &nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        let endpoint = &known.endpoints.authorization_endpoint;
        let joined = if endpoint.contains('?') { '&' } else { '?' };
        let url = format!("{endpoint}{joined}{query}");
        Ok((url, Carried { state, nonce, verifier, until: now.plus_ms(SIGN_IN_MS) }))
    }

    /// Who signed in, by the code that the browser brought back.
    pub(crate) async fn finish(
        &self,
        carried: &Carried,
        code: &str,
        back: &str,
        now: Timestamp,
    ) -> Result<ProviderPerson, NotSignedIn> {
        if carried.until <= now {
            return Err(NotSignedIn::Refused("it took longer than ten minutes".to_owned()));
        }
        let known = self.known(false, now).await.map_err(NotSignedIn::Unavailable)?;
        let token = self.redeem(&known, carried, code, back).await?;
        let expected =
            Expected { issuer: &self.settings.issuer, client: &self.settings.client, nonce: &carried.nonce, now };
        let claims = match verify(&token, &known.keys, expected) {
            Err(Refusal::UnknownKey | Refusal::OtherSignature) if known.at.plus_ms(AGAIN_MS) <= now => {
                let known = self.known(true, now).await.map_err(NotSignedIn::Unavailable)?;
                verify(&token, &known.keys, expected)
            }
            claims => claims,
        };
        let claims =
            claims.map_err(|refusal| NotSignedIn::Refused(format!("the provider's token is refused: {refusal}")))?;
        Ok(self.person(&claims, carried))
    }

    fn person(&self, claims: &Claims, carried: &Carried) -> ProviderPerson {
        ProviderPerson {
            issuer: self.settings.issuer.clone(),
            subject: claims.text("sub").unwrap_or_default().to_owned(),
            email: claims.text("email").map(str::to_owned),
            is_verified: self.settings.trusts_addresses || claims.truth("email_verified"),
            groups: claims.texts(&self.settings.groups_claim),
            once: carried.state.clone(),
            until: carried.until,
        }
    }

    /// Exchanges a code for a token.
    async fn redeem(&self, known: &Known, carried: &Carried, code: &str, back: &str) -> Result<String, NotSignedIn> {
        let mut pairs = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", back),
            ("code_verifier", &carried.verifier),
        ];
        let authorization = self.settings.secret.as_deref().map(|secret| {
            // Each part is a form of its own first (RFC 6749 §2.3.1).
            let pair = format!("{}:{}", escaped(&self.settings.client), escaped(secret));
            format!("Basic {}", BASE64_STANDARD.encode(pair))
        });
        if authorization.is_none() {
            pairs.push(("client_id", &self.settings.client));
        }
        let url = known.endpoints.token_endpoint.clone();
        let asked = (self.ask)(ProviderAsk { url, form: Some(form(&pairs)), authorization }).await;
        let (status, body) = asked.map_err(NotSignedIn::Unavailable)?;
        if status != 200 {
            return Err(not_taken(status, &body));
        }
        let tokens: Result<Tokens, _> = serde_json::from_slice(&body);
        let none = |_| NotSignedIn::Unavailable("the provider gave no ID token".to_owned());
        tokens.map(|tokens| tokens.id_token).map_err(none)
    }

    /// What the provider says of itself; asked for again after an hour, or where `anew` after a minute.
    async fn known(&self, anew: bool, now: Timestamp) -> Result<Known, String> {
        let mut kept = self.kept.lock().await;
        let kept_ms = if anew { AGAIN_MS } else { KEPT_MS };
        if let Some(known) = kept.known.as_ref().filter(|known| known.at.plus_ms(kept_ms) > now) {
            return Ok(known.clone());
        }
        // Whoever comes meanwhile does not wait for another failure.
        if let Some((_, why)) = kept.failed.as_ref().filter(|(at, _)| at.plus_ms(FAILED_MS) > now) {
            return Err(why.clone());
        }
        let asked = self.discover(now).await;
        kept.failed = asked.as_ref().err().map(|why| (now, why.clone()));
        let known = asked?;
        kept.known = Some(known.clone());
        Ok(known)
    }

    async fn discover(&self, now: Timestamp) -> Result<Known, String> {
        let issuer = &self.settings.issuer;
        let place = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let endpoints: Endpoints = self.read(place).await?;
        if endpoints.issuer != *issuer {
            return Err("the issuer of the provider differs from the setting oidc_issuer".to_owned());
        }
        let urls = [&endpoints.authorization_endpoint, &endpoints.token_endpoint, &endpoints.jwks_uri];
        if issuer.starts_with("https:") && !urls.iter().all(|url| url.starts_with("https:")) {
            return Err("an endpoint of the provider has no TLS".to_owned());
        }
        let keys = self.read(endpoints.jwks_uri.clone()).await?;
        Ok(Known { endpoints, keys, at: now })
    }

    async fn read<T: serde::de::DeserializeOwned>(&self, url: String) -> Result<T, String> {
        let (status, body) = (self.ask)(ProviderAsk { url: url.clone(), form: None, authorization: None }).await?;
        let read = (status == 200).then(|| serde_json::from_slice(&body).ok()).flatten();
        read.ok_or_else(|| format!("{url} gives no metadata or keys that can be read (status {status})"))
    }
}

/// What the token endpoint says in place of a token (RFC 6749 §5.2): of the code, or of itself and of this server.
fn not_taken(status: u16, body: &[u8]) -> NotSignedIn {
    #[derive(Deserialize)]
    struct ErrorResponse {
        error: String,
    }
    let said = serde_json::from_slice(body).map_or_else(|_| String::new(), |said: ErrorResponse| said.error);
    match (status, said.as_str()) {
        (401, _) | (_, "invalid_client" | "unauthorized_client") => NotSignedIn::Unavailable(format!(
            "the provider rejects this server as its client (status {status}): the settings oidc_client and \
             oidc_secret must be those of the provider"
        )),
        (400..=499, _) if !matches!(status, 404 | 408 | 429) => {
            NotSignedIn::Refused(format!("the provider rejects the code (status {status})"))
        }
        _ => NotSignedIn::Unavailable(format!("the provider gives no token now (status {status})")),
    }
}

/// A role that a group has: `GROUP=PROJECT:ROLE`, the project by name or uuid. Fails on a text that is none.
pub fn group_role(text: &str) -> Result<GroupRole, String> {
    let read = text.rsplit_once('=').and_then(|(group, of)| {
        let (project, role) = of.rsplit_once(':')?;
        let role = ProjectRole::from_name(role.trim())?;
        let (group, project) = (group.trim().to_owned(), project.trim().to_owned());
        (!group.is_empty() && !project.is_empty()).then_some(GroupRole { group, project, role })
    });
    read.ok_or_else(|| format!("{text:?}: expected GROUP=PROJECT:ROLE with the role owner or member"))
}

fn random() -> Result<String, String> {
    let mut bytes = [0; RANDOM_BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "the operating system provides no randomness".to_owned())?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Pairs as a query or a form.
fn form(pairs: &[(&str, &str)]) -> String {
    pairs.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_of_groups_are_read_from_the_end() {
        let role = group_role("cn=ops,dc=acme=Acme: Europe:owner").expect("is one");
        assert_eq!((role.group.as_str(), role.project.as_str()), ("cn=ops,dc=acme", "Acme: Europe"));
        assert_eq!(role.role, ProjectRole::Owner);
        for text in ["ops", "ops=Acme", "ops=Acme:admin", "=Acme:owner", "ops=:owner"] {
            assert!(group_role(text).expect_err(text).contains("GROUP=PROJECT:ROLE"));
        }
    }

    #[test]
    fn what_the_provider_says_in_place_of_a_token_is_the_fault_of_whose_it_is() {
        let is_refused = |status, body: &str| matches!(not_taken(status, body.as_bytes()), NotSignedIn::Refused(_));
        assert!(is_refused(400, "{\"error\":\"invalid_grant\"}") && is_refused(403, ""));
        for (status, body) in
            [(401, ""), (400, "{\"error\":\"invalid_client\"}"), (404, ""), (429, ""), (500, "<html>"), (302, "")]
        {
            assert!(!is_refused(status, body), "{status} {body}");
        }
    }

    #[test]
    fn forms_are_escaped() {
        assert_eq!(form(&[("a", "b c&d"), ("e", "ä")]), "a=b%20c%26d&e=%C3%A4");
    }
}
