//! Providers beside AWS, which are data: a file for each in `providers/`, in the form of the lists of AWS, with where
//! it is asked, what opens it, and how that is shown.

use crate::Refusal;
use crate::form::{At, Form, Mark, Page, Place, Request, escaped, things};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::LazyLock;

/// The files: name and text.
const FILES: &[(&str, &str)] = &[
    ("azure", include_str!("providers/azure.toml")),
    ("cloudflare", include_str!("providers/cloudflare.toml")),
    ("digitalocean", include_str!("providers/digitalocean.toml")),
    ("fastly", include_str!("providers/fastly.toml")),
    ("gandi", include_str!("providers/gandi.toml")),
    ("gcp", include_str!("providers/gcp.toml")),
    ("hetzner", include_str!("providers/hetzner.toml")),
    ("kubernetes", include_str!("providers/kubernetes.toml")),
    ("linode", include_str!("providers/linode.toml")),
    ("netlify", include_str!("providers/netlify.toml")),
    ("ovh", include_str!("providers/ovh.toml")),
    ("scaleway", include_str!("providers/scaleway.toml")),
    ("vercel", include_str!("providers/vercel.toml")),
    ("vultr", include_str!("providers/vultr.toml")),
];
/// Forges of code, which are asked in the same form: what everybody may read of an account, and with a token what its
/// holder may.
const FORGES: &[(&str, &str)] = &[
    ("bitbucket", include_str!("forges/bitbucket.toml")),
    ("gitea", include_str!("forges/gitea.toml")),
    ("github", include_str!("forges/github.toml")),
    ("gitlab", include_str!("forges/gitlab.toml")),
];
/// Stores of apps, which say whether they have one.
const APP_STORES: &[(&str, &str)] = &[
    ("apple_app_store", include_str!("app_stores/apple_app_store.toml")),
    ("f_droid", include_str!("app_stores/f_droid.toml")),
    ("google_play", include_str!("app_stores/google_play.toml")),
];
/// How long a signed word for a token holds, in seconds: the most that is accepted.
const ASSERTION_SECONDS: i64 = 3_600;

/// A provider.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Provider {
    pub name: String,
    pub pretty_name: String,
    /// Where it is asked: scheme and host; a template of what opens it where that says so, of a forge of its `host`.
    base: String,
    /// Of a forge: the type of the integration that shows more of it than everybody sees.
    pub integration: Option<String>,
    /// Of a forge: where it runs for everybody; the first is where an integration's token is shown if it names no
    /// other place.
    pub forge_hosts: Vec<String>,
    /// Of a forge: the name beside which git shows a token.
    pub git_user: String,
    /// What opens it, by the names under which people give it.
    pub secrets: Vec<String>,
    /// A secret named `kubeconfig` replaces these: it has the server and the credentials.
    pub kubeconfig: bool,
    /// What its account is called, as a template of these.
    account: Option<String>,
    /// Headers that show who asks.
    headers: BTreeMap<String, String>,
    token: Option<Token>,
    signature: Option<Signature>,
    /// What the owner of its addresses is called where they are looked up; none where its accounts do not tell of all
    /// that they hold.
    pub owner: Option<String>,
    /// Addresses at which it answers for all of its customers.
    pub fronts: Vec<IpAddr>,
    /// Which list names further accounts that the same secrets open.
    pub members: Option<Members>,
    /// Regions in which lists are asked that are not of the account.
    pub regions: Vec<String>,
    #[serde(rename = "list")]
    pub lists: Vec<Form>,
}

/// Further accounts. The setting of the integration that narrows them has the name of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Members {
    pub list: String,
    /// The member of its items that names the account.
    pub id: String,
}

/// What has to be asked for first.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    /// Who gives it out: scheme and host. `{@login}` in the templates stands for it, `{@audience}` for where the
    /// provider is asked with the token.
    login: String,
    /// Where it is given out.
    post: String,
    form: BTreeMap<String, String>,
    assertion: Option<Assertion>,
}

/// How each request is signed: by a hash over what is asked and what only the account knows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    /// What is hashed: templates of what opens the account, and `@method`, `@url`, `@body` and `@time`.
    fields: Vec<String>,
    joint: String,
    /// The text before the hash.
    head: String,
    header: String,
    time_header: String,
}

/// A word signed by the key of a service account (RFC 7523).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Assertion {
    issuer: String,
    key: String,
    audience: String,
    scope: String,
}

/// Where the operator says that tokens are given out in place of a provider's usual place, and for asking whom.
#[derive(Clone, Copy, Debug)]
pub struct Login<'a> {
    pub host: &'a str,
    pub audience: &'a str,
}

static PROVIDERS: LazyLock<Vec<Provider>> = LazyLock::new(|| FILES.iter().map(read).collect());
static CODE: LazyLock<Vec<Provider>> = LazyLock::new(|| FORGES.iter().map(read).collect());
static APPS: LazyLock<Vec<Provider>> = LazyLock::new(|| APP_STORES.iter().map(read).collect());

fn read((name, text): &(&str, &str)) -> Provider {
    let mut provider: Provider =
        toml::from_str(text).unwrap_or_else(|why| panic!("a test reads the files: {name}: {why}"));
    for list in &mut provider.lists {
        list.service.clone_from(&provider.name);
    }
    provider
}

/// Every provider, in alphabetical order.
pub fn all() -> &'static [Provider] {
    &PROVIDERS
}

/// Every forge of code, in alphabetical order.
pub fn forges() -> &'static [Provider] {
    &CODE
}

/// The forge of a name.
pub fn forge(name: &str) -> Option<&'static Provider> {
    CODE.iter().find(|forge| forge.name == name)
}

/// The forge that runs for everybody at a host.
pub fn forge_at(host: &str) -> Option<&'static Provider> {
    CODE.iter().find(|forge| forge.forge_hosts.iter().any(|own| own == host))
}

/// Every store of apps, in alphabetical order.
pub fn app_stores() -> &'static [Provider] {
    &APPS
}

/// The store of apps of a name.
pub fn app_store(name: &str) -> Option<&'static Provider> {
    APPS.iter().find(|store| store.name == name)
}

/// The provider of a name.
pub fn find(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

impl Provider {
    /// The list of this name.
    pub fn list(&'static self, permission: &str) -> Option<&'static Form> {
        self.lists.iter().find(|list| list.permission == permission)
    }

    /// The lists of an account: one of the first, or of one that the first names.
    pub fn lists_of(&self, is_member: bool) -> impl Iterator<Item = &Form> {
        let names_members =
            move |list: &&Form| self.members.as_ref().is_some_and(|members| members.list == list.permission);
        self.lists.iter().filter(move |list| !is_member || !names_members(list))
    }

    /// The regions in which a list is asked; one without a name where it has none.
    pub fn places(&self, list: &Form) -> Vec<&str> {
        match list.of_account || self.regions.is_empty() {
            true => vec![""],
            false => self.regions.iter().map(String::as_str).collect(),
        }
    }

    /// Returns the base URL; `None` if the secrets do not determine it.
    pub fn base(&self, secrets: &Value) -> Option<String> {
        self.shown(&self.base, secrets).map(|base| base.trim_end_matches('/').to_owned())
    }

    /// What its account is called; empty where it has no name.
    pub fn account(&self, secrets: &Value) -> String {
        self.account.as_deref().and_then(|account| self.shown(account, secrets)).unwrap_or_default()
    }

    /// A template of what opens it, filled in.
    fn shown(&self, template: &str, secrets: &Value) -> Option<String> {
        let place = Place::default();
        At { item: secrets, parent: &Value::Null, place: &place }.template(template, str::to_owned)
    }

    /// The headers that show who asks, with the token where there is one.
    pub fn headers(&self, secrets: &Value, token: Option<&str>) -> Option<Vec<(String, String)>> {
        let header = |(name, template): (&String, &String)| {
            let template = token.map_or_else(|| template.clone(), |token| template.replace("{@token}", token));
            Some((name.clone(), self.shown(&template, secrets)?))
        };
        self.headers.iter().map(header).collect()
    }

    /// The headers that sign a request; none where requests are not signed. `None`: what opens the account lacks a
    /// part. `date` is the time of the wire in milliseconds since 1970.
    pub fn signature(&self, secrets: &Value, url: &str, request: &Request, date: i64) -> Option<Vec<(String, String)>> {
        let Some(signature) = &self.signature else { return Some(Vec::new()) };
        let time = (date / 1_000).to_string();
        let field = |field: &String| match field.as_str() {
            "@method" => Some(request.method.to_owned()),
            "@url" => Some(url.to_owned()),
            "@body" => Some(request.body.clone()),
            "@time" => Some(time.clone()),
            template => self.shown(template, secrets),
        };
        let text = signature.fields.iter().map(field).collect::<Option<Vec<String>>>()?.join(&signature.joint);
        let hash = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes());
        let hash: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let signed = (signature.header.clone(), format!("{}{hash}", signature.head));
        Some(vec![(signature.time_header.clone(), time), signed])
    }

    /// Returns whether a token has to be asked for first.
    pub fn has_login(&self) -> bool {
        self.token.is_some()
    }

    /// The request for a token: URL and request; `None` where none is needed. `date` is the time of the wire in
    /// milliseconds since 1970; `login` is where it is asked for in place of the usual place. Fails if what opens the
    /// account cannot sign.
    pub fn token_request(
        &self,
        secrets: &Value,
        login: Option<Login<'_>>,
        date: i64,
    ) -> Result<Option<(String, Request)>, Refusal> {
        let Some(token) = &self.token else { return Ok(None) };
        let usual = Login { host: &token.login, audience: &self.base };
        let Login { host, audience } = login.unwrap_or(usual);
        let placed = |template: &str| template.replace("{@login}", host).replace("{@audience}", audience);
        let unfit = |what: &str| Refusal::BadKeys(format!("{what} is missing or of another form"));
        let assertion = match &token.assertion {
            None => None,
            Some(assertion) => Some(self.signed(assertion, &placed(&assertion.audience), secrets, date)?),
        };
        let place = Place::default();
        let at = At { item: secrets, parent: &Value::Null, place: &place };
        let url = at.template(&placed(&token.post), escaped).ok_or_else(|| unfit("what opens it"))?;
        let mut pairs = Vec::new();
        for (name, template) in &token.form {
            let value = match &assertion {
                Some(assertion) if template == "{@assertion}" => assertion.clone(),
                _ => self.shown(&placed(template), secrets).ok_or_else(|| unfit(name))?,
            };
            pairs.push(format!("{name}={}", escaped(&value)));
        }
        let kind = ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned());
        let body = pairs.join("&");
        Ok(Some((url, Request { method: "POST", target: String::new(), headers: vec![kind], body })))
    }

    fn signed(&self, assertion: &Assertion, audience: &str, secrets: &Value, date: i64) -> Result<String, Refusal> {
        let unfit = |what: &str| Refusal::BadKeys(format!("{what} is missing or of another form"));
        let now = date / 1_000;
        let issuer = self.shown(&assertion.issuer, secrets).ok_or_else(|| unfit("the name of the account"))?;
        let claims = json!({
            "iss": issuer, "scope": assertion.scope, "aud": audience, "iat": now,
            "exp": now + ASSERTION_SECONDS,
        });
        let head = json!({"alg": "RS256", "typ": "JWT"});
        let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let said = format!("{}.{}", encoded(&head), encoded(&claims));
        let key = self.shown(&assertion.key, secrets).ok_or_else(|| unfit("the key"))?;
        let pem: String =
            key.replace("\\n", "\n").lines().filter(|line| !line.starts_with("-----")).map(str::trim).collect();
        let der = STANDARD.decode(pem).map_err(|_| unfit("the key"))?;
        let pair = RsaKeyPair::from_pkcs8(&der).map_err(|_| unfit("the key"))?;
        let mut signature = vec![0; pair.public().modulus_len()];
        let signing = pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), said.as_bytes(), &mut signature);
        signing.map_err(|_| unfit("the key"))?;
        Ok(format!("{said}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// Reads a token. Fails if the answer is a refusal, or holds none.
pub fn token(status: u16, body: &[u8]) -> Result<String, Refusal> {
    let answer = match answer(status, body) {
        // A grant that is refused is answered by 400.
        Err(Refusal::Other(said)) if status == 400 => return Err(Refusal::BadKeys(said)),
        answer => answer?,
    };
    let token = answer["access_token"].as_str().map(str::to_owned);
    token.ok_or_else(|| Refusal::Other("the answer holds no token".to_owned()))
}

/// Reads a page of a list. Where the refusal says that the item before has nothing of it, the page is empty. Fails if
/// the answer is a refusal, or nothing that can be read.
pub fn page(
    form: &'static Form,
    asked: Option<&Mark>,
    parent: &Value,
    place: &Place<'_>,
    (status, body): (u16, &[u8]),
) -> Result<Page, Refusal> {
    form.answered(answer_to(form, status, body), asked, parent, place, Page::default)
}

/// The answer to what a list asks, as a value.
pub(crate) fn answer_to(form: &Form, status: u16, body: &[u8]) -> Result<Value, Refusal> {
    match &form.scripts {
        None => answer(status, body),
        Some(media) => {
            let read = |body: &[u8]| things(body, media);
            answered(status, body, read, "the page holds nothing for machines")
        }
    }
}

/// What forges say in the text of a refusal by 403 that means patience.
const RATE_LIMIT: &str = "rate limit";

/// The answer as a value. Of a refusal the status alone is told: its text names keys and people. Fails if the answer is
/// a refusal, or no JSON.
pub fn answer(status: u16, body: &[u8]) -> Result<Value, Refusal> {
    let read = |body: &[u8]| serde_json::from_slice(body).ok();
    answered(status, body, read, "the answer is no JSON")
}

fn answered(
    status: u16,
    body: &[u8],
    read: impl Fn(&[u8]) -> Option<Value>,
    unreadable: &str,
) -> Result<Value, Refusal> {
    let said = format!("status {status}");
    let is_rate_limit = || String::from_utf8_lossy(body).to_lowercase().contains(RATE_LIMIT);
    match status {
        200..=299 => {
            let answer = read(body).filter(|answer| answer.is_object() || answer.is_array());
            answer.ok_or_else(|| Refusal::Other(unreadable.to_owned()))
        }
        401 => Err(Refusal::BadKeys(said)),
        403 if is_rate_limit() => Err(Refusal::Throttled(said)),
        402 | 403 => Err(Refusal::Denied(said)),
        429 | 503 => Err(Refusal::Throttled(said)),
        404 => Err(Refusal::Other("refused: status 404".to_owned())),
        _ => Err(Refusal::Other(format!("refused: {said}"))),
    }
}

/// What opens an account, as templates read it: secrets before settings.
pub fn opening(secrets: &Map<String, Value>, settings: &Map<String, Value>) -> Value {
    let mut all = settings.clone();
    all.extend(secrets.clone());
    Value::Object(all)
}

#[cfg(test)]
mod tests;
