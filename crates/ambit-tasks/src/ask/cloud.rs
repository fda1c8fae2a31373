//! How providers beside AWS are asked in the name of an account: what opens it goes to the provider's own host alone,
//! or to where the operator says. How their lists are gone through is the same as with AWS: `account.rs` beside this
//! file.

use super::provider::{NOBODY, denied, opened, patiently, refused, request};
use crate::{Account, Context, Result};
use ambit_cloud::form::{Form, Request};
use ambit_cloud::kubeconfig;
use ambit_cloud::provider::{self, Provider};
use ambit_model::entity::cloud as known;
use ambit_net::http::HttpRequest;
use ambit_net::tls::Peer;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The ground on which they are asked.
pub(crate) const PROVIDER: &str = "cloud";
/// The ground on which forges of code are asked.
pub(crate) const FORGE: &str = "forge";

/// An account, and how it is asked.
#[derive(Clone)]
pub(crate) struct Caller {
    /// The name in which it is asked: that of the account here; forges are asked in nobody's.
    pub(super) name: String,
    pub(super) provider: &'static Provider,
    /// The ground on which it is asked.
    ground: &'static str,
    base: String,
    /// The operator configured the endpoint, whatever hosts its lists have of their own.
    is_elsewhere: bool,
    /// The endpoint for tokens that the operator configured.
    login: Option<String>,
    /// The name of the account at the provider.
    pub(crate) account: String,
    /// The same where a first account named it.
    member: Option<String>,
    headers: Vec<(String, String)>,
    /// What opens the account, for requests that are signed one by one.
    opening: Value,
    /// What holds between us and its host alone, and the name that its certificate is for.
    peer: Option<Arc<Peer>>,
    server_name: Option<String>,
}

/// The provider of an account: of its own type of integration, or the one that its setting names.
pub(crate) fn provider_of(cx: &Context<'_>) -> Result<&'static Provider> {
    let first = known::of_organization(&cx.facts.name).0;
    let settings = cx.settings.accounts.get(first).map(|account| &account.settings);
    provider_by(cx.facts.kind, settings).ok_or_else(|| {
        let names: Vec<&str> = provider::all().iter().map(|provider| provider.name.as_str()).collect();
        denied(&format!("the setting provider of its integration is none of {}", names.join(", ")))
    })
}

/// The same by the kind of the account and the settings of its integration.
pub(crate) fn provider_by(kind: ambit_model::Kind, settings: Option<&Map<String, Value>>) -> Option<&'static Provider> {
    let none = Map::new();
    provider::find(ambit_model::workflow::cloud_provider(kind.name(), settings.unwrap_or(&none))?)
}

/// Whether an account is opened by a file of its cluster that cannot be used.
pub(crate) fn is_unfit(provider: &Provider, account: &Account) -> bool {
    let Some(secrets) = account.secrets.as_ref().filter(|_| provider.kubeconfig) else { return false };
    let opening = provider::opening(secrets, &account.settings);
    opening["kubeconfig"].as_str().is_some_and(|file| kubeconfig::read(file).is_err())
}

/// The name under which the operator says where a provider's tokens are given out.
pub(crate) fn login_of(provider: &Provider) -> String {
    format!("{}.login", provider.name)
}

impl Caller {
    /// Returns the caller of the account of these facts, with a token where the provider demands one. Fails if the
    /// integration lacks a secret, or the provider does not accept what it has.
    pub(crate) async fn of(cx: &Context<'_>) -> Result<Self> {
        Self::named(cx, provider_of(cx)?, &cx.facts.name).await
    }

    /// The same of an account of the collection by its name.
    pub(crate) async fn named(cx: &Context<'_>, provider: &'static Provider, name: &str) -> Result<Self> {
        let (first, member) = known::of_organization(name);
        let account = opened(cx, first)?;
        let mut opening = provider::opening(account.opened()?, &account.settings);
        if provider.kubeconfig && opening["kubeconfig"].is_string() {
            return Ok(Self { name: name.to_owned(), ..Self::of_cluster(cx, provider, &mut opening)? });
        }
        let lacks = |name: &&String| opening[name.as_str()].as_str().is_none_or(|text| text.trim().is_empty());
        if let Some(missing) = provider.secrets.iter().find(lacks) {
            return Err(denied(&format!("its integration has no secret named {missing}")));
        }
        let account = provider.account(&opening);
        let mut caller = Self { name: name.to_owned(), ..Self::new(cx, provider, PROVIDER, &opening, account)? };
        let words = caller.words("token");
        let login = caller.login.as_deref().map(|host| provider::Login { host, audience: &caller.base });
        let asked = provider.token_request(&opening, login, cx.net.date().0).map_err(|why| refused(&words, &why))?;
        let token = match asked {
            None => None,
            Some((url, request)) => Some(caller.token(cx, &url, &request).await?),
        };
        let headers = provider.headers(&opening, token.as_deref());
        caller.headers = headers.ok_or_else(|| denied("its secrets cannot be shown to the provider"))?;
        caller.opening = opening;
        Ok(member.map_or(caller.clone(), |id| caller.of_member(id)))
    }

    /// The caller of a further account that the first one named.
    pub(crate) fn of_member(&self, id: &str) -> Self {
        Self { account: id.to_owned(), member: Some(id.to_owned()), ..self.clone() }
    }

    /// The caller of a cluster by the file that its people have: its authority and the certificate of its user hold
    /// for its host alone.
    fn of_cluster(cx: &Context<'_>, provider: &'static Provider, opening: &mut Value) -> Result<Self> {
        let unfit = |why: &str| denied(&format!("the secret kubeconfig of its integration cannot be used: {why}"));
        let file = kubeconfig::read(opening["kubeconfig"].as_str().unwrap_or_default()).map_err(|why| unfit(&why))?;
        opening["server"] = json!(file.server);
        let mut caller = Self::new(cx, provider, PROVIDER, opening, String::new())?;
        if let Some(token) = &file.token {
            opening["token"] = json!(token);
            caller.headers = provider.headers(opening, None).unwrap_or_default();
        }
        let shown = file.certificate.as_ref().map(|(chain, key)| (chain.as_slice(), key.as_slice()));
        let peer = Peer::new(&file.authorities, shown).map_err(|why| unfit(&why.to_string()))?;
        caller.peer = Some(Arc::new(peer));
        caller.server_name = file.server_name;
        Ok(caller)
    }

    /// Returns the caller that asks a forge about an account, which everybody may, and shows a token where the
    /// collection has one. Fails if it is not known where the forge is asked.
    pub(crate) fn of_forge(
        cx: &Context<'_>,
        forge: &'static Provider,
        (host, account): (&str, String),
    ) -> Result<Self> {
        let mut caller = Self::new(cx, forge, FORGE, &json!({"host": host}), account)?;
        caller.headers = forge.headers(&Value::Null, None).unwrap_or_default();
        if let Some(token) = cx.settings.forge_token(forge, host)? {
            caller.headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        Ok(caller)
    }

    /// The caller that shows nothing yet.
    fn new(
        cx: &Context<'_>,
        provider: &'static Provider,
        ground: &'static str,
        opening: &Value,
        account: String,
    ) -> Result<Self> {
        let named = cx.settings.cloud_endpoints.get(&provider.name).cloned();
        let is_elsewhere = named.is_some();
        let base = named.or_else(|| provider.base(opening));
        let base = base.ok_or_else(|| denied("its integration does not say where it is asked"))?;
        let login = cx.settings.cloud_endpoints.get(&login_of(provider)).cloned();
        Ok(Self {
            name: NOBODY.to_owned(),
            provider,
            ground,
            base,
            is_elsewhere,
            login,
            account,
            member: None,
            headers: Vec::new(),
            opening: Value::Null,
            peer: None,
            server_name: None,
        })
    }

    /// Asks for a token, at the provider's own place or at the one that the operator names.
    async fn token(&self, cx: &Context<'_>, url: &str, request: &Request) -> Result<String> {
        let url = match cx.settings.cloud_endpoints.get(&self.provider.name).filter(|_| self.login.is_none()) {
            Some(base) => {
                format!("{base}{}", url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default())
            }
            None => url.to_owned(),
        };
        let dressed = || self.dressed(cx, &url, request);
        patiently(cx, (&self.name, &self.words("token")), dressed, provider::token).await
    }

    /// The URL of a target of a list.
    pub(super) fn url(&self, list: &Form, target: &str) -> String {
        match list.host.as_ref().filter(|_| !self.is_elsewhere) {
            Some(host) => format!("https://{host}{target}"),
            None => format!("{}{target}", self.base),
        }
    }

    /// The request with what opens the account.
    pub(super) fn dressed(&self, cx: &Context<'_>, url: &str, asked: &Request) -> Result<HttpRequest> {
        let places = [Some(&self.base), self.login.as_ref()].into_iter().flatten().cloned().collect();
        let mut bare = request(cx, self.ground, url, places, asked)?;
        bare.peer = self.peer.clone();
        bare.sni = self.server_name.clone();
        let signature = self.provider.signature(&self.opening, url, asked, cx.net.date().0);
        let signature = signature.ok_or_else(|| denied("its secrets sign nothing for the provider"))?;
        let headers = asked.headers.iter().chain(&self.headers).chain(&signature);
        Ok(headers.fold(bare, |asked, (name, value)| asked.with_header(name, value)))
    }

    /// What a question is called where it fails.
    pub(super) fn words(&self, what: &str) -> String {
        let member = self.member.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
        format!("{}, {what}{member}", self.provider.pretty_name)
    }
}
