//! How AWS is asked in the name of an account: with requests signed by its keys, or by those of a role that they may
//! take. How its lists are gone through is the same as with other providers: `account.rs` beside this file.

use super::provider::{denied, opened, patiently, request};
use crate::{Account, Context, Result, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::aws::{self, Keys};
use ambit_cloud::form::{Form, Place, Request};
use ambit_model::entity::aws as known;
use ambit_net::http::{HttpRequest, Url};

/// The ground on which it is asked.
pub(crate) const PROVIDER: &str = "aws";
/// What people call it.
pub(super) const NAME: &str = "AWS";
/// The role that the provider itself makes in the accounts of an organisation, for those of its first one.
const ROLE: &str = "OrganizationAccountAccessRole";

/// Where a request goes: service and region as its signature names them, and the host.
struct At<'a> {
    service: &'a str,
    region: &'a str,
    host: &'a str,
}

/// Keys of an account, and where it is asked first.
pub(crate) struct Caller {
    /// The name of the account.
    pub(super) name: String,
    keys: Keys,
    /// The region for what is no region's own.
    pub(crate) region: String,
}

impl Caller {
    /// Returns the caller of the account of these facts. Where its integration names a role, the role is taken; then,
    /// for an account that its organisation named, the role of that account. Fails if the integration holds no keys and
    /// nothing that the installation's own open, or a role is refused.
    pub(crate) async fn of(cx: &Context<'_>) -> Result<Self> {
        Self::named(cx, &cx.facts.name).await
    }

    /// The same of an account of the collection by its name.
    pub(crate) async fn named(cx: &Context<'_>, name: &str) -> Result<Self> {
        let (first, member) = known::of_organization(name);
        let account = opened(cx, first)?;
        let secrets = account.opened()?;
        let secret = |name: &str| text(secrets, name);
        if let Some(missing) = known::missing(secrets, cx.settings.aws_keys.is_some()) {
            return Err(denied(&format!("its integration lacks {missing}")));
        }
        let own = secret("aws_access_key_id").zip(secret("aws_secret_access_key"));
        let own = own.map(|(id, key)| Keys { id, secret: key, token: secret("aws_session_token") });
        let keys = own.or_else(|| cx.settings.aws_keys.clone()).ok_or_else(|| denied("its integration lacks keys"))?;
        let region = text(&account.settings, "region").filter(|region| aws::is_region(region));
        let region = region.unwrap_or_else(|| aws::FIRST_REGION.to_owned());
        let mut caller = Self { name: name.to_owned(), keys, region };
        if let Some(role) = secret("aws_role_arn") {
            caller = caller.taking(cx, &role, account, "").await?;
        }
        let Some(member) = member else { return Ok(caller) };
        let role = text(&account.settings, "organization_role").unwrap_or_else(|| ROLE.to_owned());
        let arn = format!("arn:{}:iam::{member}:role/{role}", aws::partition(&caller.region));
        caller.taking(cx, &arn, account, &format!(" for the role {role} of account {member}")).await
    }

    /// The caller by the keys of a role that its own may take.
    async fn taking(self, cx: &Context<'_>, role: &str, account: &Account, what: &str) -> Result<Self> {
        let external_id = text(account.opened()?, "aws_external_id");
        let request = aws::assume_role(role, external_id.as_deref());
        let take = async || self.ask_at(cx, ("sts", &self.region), what, &request, aws::assumed).await;
        let known = async || match take().await {
            Err(TaskError::Denied(why)) => Ok(Err(why)),
            taken => taken.map(Ok),
        };
        let key = (self.keys.id.clone(), role.to_owned(), external_id);
        let keys = match cx.memory {
            Some(memory) => memory.roles.keys(cx.net, key, known).await?.map_err(TaskError::Denied)?,
            None => take().await?,
        };
        Ok(Self { keys, ..self })
    }

    /// Sends a request to a service in a region and reads its answer.
    pub(crate) async fn ask_service<T>(
        &self,
        cx: &Context<'_>,
        at: (&str, &str),
        request: &Request,
        read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
    ) -> Result<T> {
        self.ask_at(cx, at, "", request, read).await
    }

    /// Sends the same as somebody without keys, and reads the answer.
    pub(crate) async fn ask_openly<T>(
        &self,
        cx: &Context<'_>,
        (service, region): (&str, &str),
        what: &str,
        asked: &Request,
        read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
    ) -> Result<T> {
        let (base, named) = base(cx, &aws::host(service, region));
        let url = format!("{base}{}", asked.target);
        let dressed = || request(cx, PROVIDER, &url, named.clone(), asked);
        patiently(cx, (&self.name, &format!("{}{what}", words(service, region))), dressed, read).await
    }

    async fn ask_at<T>(
        &self,
        cx: &Context<'_>,
        (service, region): (&str, &str),
        what: &str,
        request: &Request,
        read: impl Fn(u16, &[u8]) -> Result<T, Refusal>,
    ) -> Result<T> {
        let host = aws::host(service, region);
        let dressed = || self.signed(cx, &At { service, region, host: &host }, request);
        patiently(cx, (&self.name, &format!("{}{what}", words(service, region))), dressed, read).await
    }

    /// The request for a list at a place; `None` where nobody knows how it is asked there.
    pub(super) fn of_list(
        &self,
        cx: &Context<'_>,
        list: &Form,
        place: &Place<'_>,
        request: &Request,
    ) -> Result<Option<HttpRequest>> {
        let Some(host) = aws::host_of(list, place) else { return Ok(None) };
        self.signed(cx, &At { service: &list.service, region: place.region, host: &host }, request).map(Some)
    }

    /// The request with its signature, to the provider's own host or to where the operator says.
    fn signed(&self, cx: &Context<'_>, at: &At<'_>, asked: &Request) -> Result<HttpRequest> {
        let At { service, region, host } = at;
        let (base, named) = base(cx, host);
        let url = format!("{base}{}", asked.target);
        let host = Url::parse(&url)?.authority();
        let headers = aws::sign(&self.keys, asked, (service, region), &host, cx.net.date().0);
        let headers = headers.map_err(|why| TaskError::Failed(why.to_string()))?;
        let bare = request(cx, PROVIDER, &url, named, asked)?;
        Ok(headers.iter().fold(bare, |asked, (name, value)| asked.with_header(name, value)))
    }
}

/// Where a host of the provider is asked: there, or where the operator says; and the places that are asked beside its
/// own.
fn base(cx: &Context<'_>, host: &str) -> (String, Vec<String>) {
    match cx.settings.aws_endpoint.as_deref().map(|url| url.trim_end_matches('/').to_owned()) {
        Some(named) => (named.clone(), vec![named]),
        None => (format!("https://{host}"), Vec::new()),
    }
}

/// What a service in a region is called where it fails.
pub(super) fn words(service: &str, region: &str) -> String {
    format!("{NAME}, {service} in {region}")
}

/// A text of an integration, if it says something.
fn text(members: &serde_json::Map<String, serde_json::Value>, name: &str) -> Option<String> {
    let text = members.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
