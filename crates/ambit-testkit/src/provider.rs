//! A provider of OpenID Connect on loopback: it signs in whoever comes, at once, and says of that person what a test
//! wants said. It checks what a provider checks: the client and its secret, a code that works once, and its verifier.

use crate::client::{Ask, ask};
use ambit_server::{AskProvider, ProviderAsk};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The client that it knows, with its secret.
pub const CLIENT: (&str, &str) = ("ambit", "a secret: of two");

/// A provider, until the test ends.
#[derive(Clone)]
pub struct TestProvider {
    /// Its URL, as it names itself.
    pub issuer: String,
    state: Arc<Mutex<State>>,
}

struct State {
    /// The seconds since 1970 at which it makes tokens.
    now_s: i64,
    /// What it says of who signs in, over what is usual; null leaves a claim out.
    claims: Map<String, Value>,
    /// It names itself so, where not as it is.
    name: Option<String>,
    /// The seed of the key with which it signs; its name stays the same.
    seed: u8,
    /// Its token endpoint fails.
    fails: bool,
    /// Nonce and challenge of each code that was not used.
    codes: BTreeMap<String, (String, String)>,
    made: u64,
}

impl TestProvider {
    /// Starts one whose clock stands at a second. Fails if no port of loopback is free.
    pub fn start(now_s: i64) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let issuer = format!("http://{}", listener.local_addr()?);
        let state =
            State { now_s, claims: Map::new(), name: None, seed: 7, fails: false, codes: BTreeMap::new(), made: 0 };
        let provider = Self { issuer, state: Arc::new(Mutex::new(state)) };
        let serving = provider.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A client that goes away is no matter of the next one.
                drop(serving.answer(stream));
            }
        });
        Ok(provider)
    }

    /// What it says of the next who sign in, over what is usual; null leaves a claim out.
    pub fn says(&self, claims: Value) {
        let Value::Object(claims) = claims else { return };
        self.state.lock().expect("nobody panics").claims = claims;
    }

    /// Lets it name itself otherwise.
    pub fn calls_itself(&self, name: &str) {
        self.state.lock().expect("nobody panics").name = Some(name.to_owned());
    }

    /// Gives it another key under the name of the first.
    pub fn changes_key(&self) {
        self.state.lock().expect("nobody panics").seed += 1;
    }

    /// Lets its token endpoint fail, or be well again.
    pub fn fails(&self, fails: bool) {
        self.state.lock().expect("nobody panics").fails = fails;
    }

    /// Lets its clock stand at another second.
    pub fn set_clock(&self, now_s: i64) {
        self.state.lock().expect("nobody panics").now_s = now_s;
    }

    /// How a server in this process asks it.
    pub fn asked(&self) -> AskProvider {
        Arc::new(|asked: ProviderAsk| {
            Box::pin(async move {
                let (address, path) = parts(&asked.url).ok_or("no URL of loopback")?;
                let mut headers: Vec<(String, String)> = Vec::new();
                headers.extend(asked.authorization.map(|value| ("authorization".to_owned(), value)));
                let method = if asked.form.is_some() { "POST" } else { "GET" };
                let body = asked.form.map(String::into_bytes);
                let request = Ask { method: method.to_owned(), target: path, headers, body };
                let reply = ask(&address, &request).await.map_err(|error| error.to_string())?;
                Ok((reply.status, reply.body))
            })
        })
    }

    /// Signs in at a URL of its own, as a person in a browser does; answers with where the browser is sent back to.
    /// Fails if it cannot be reached, or sends nobody anywhere.
    pub async fn sign_in(&self, url: &str) -> anyhow::Result<String> {
        let (address, target) = parts(url).ok_or_else(|| anyhow::anyhow!("{url} is no URL of loopback"))?;
        let reply = ask(&address, &Ask { method: "GET".to_owned(), target, ..Ask::default() }).await?;
        let location = reply.header("location").map(str::to_owned);
        location.ok_or_else(|| anyhow::anyhow!("{}: {}", reply.status, reply.text()))
    }

    fn answer(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut length, mut authorization) = (0, String::new());
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "authorization" => authorization = value.trim().to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body = String::from_utf8_lossy(&body).into_owned();
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let (status, more, content) = self.state.lock().expect("nobody panics").answer(
            &self.issuer,
            path,
            &pairs(query),
            (&authorization, &pairs(&body)),
        );
        let content = content.to_string();
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n{more}");
        let length = content.len();
        reader.get_mut().write_all(format!("{head}Content-Length: {length}\r\n\r\n{content}").as_bytes())
    }
}

/// Status line, further headers, body.
type Answered = (&'static str, String, Value);

impl State {
    fn answer(
        &mut self,
        issuer: &str,
        path: &str,
        query: &BTreeMap<String, String>,
        (authorization, form): (&str, &BTreeMap<String, String>),
    ) -> Answered {
        let of = |name: &str| query.get(name).cloned().unwrap_or_default();
        match path {
            "/.well-known/openid-configuration" => {
                let name = self.name.as_deref().unwrap_or(issuer);
                let document = json!({
                    "issuer": name, "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys"),
                });
                ("200 OK", String::new(), document)
            }
            "/keys" => {
                let x = BASE64_URL_SAFE_NO_PAD.encode(key(self.seed).public_key().as_ref());
                let key = json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": "one", "x": x});
                ("200 OK", String::new(), json!({"keys": [key]}))
            }
            "/authorize" if of("client_id") == CLIENT.0 && of("code_challenge_method") == "S256" => {
                self.made += 1;
                let code = format!("code-{}", self.made);
                self.codes.insert(code.clone(), (of("nonce"), of("code_challenge")));
                let back = format!("{}?code={code}&state={}", of("redirect_uri"), of("state"));
                ("302 Found", format!("Location: {back}\r\n"), Value::Null)
            }
            "/token" if self.fails => ("503 Service Unavailable", String::new(), Value::Null),
            "/token" => match self.token(issuer, authorization, form) {
                Some(token) => ("200 OK", String::new(), json!({"id_token": token, "token_type": "Bearer"})),
                None => ("400 Bad Request", String::new(), json!({"error": "invalid_grant"})),
            },
            _ => ("404 Not Found", String::new(), Value::Null),
        }
    }

    /// The token of a code, which works once, for who knows the verifier and the client's secret.
    fn token(&mut self, issuer: &str, authorization: &str, form: &BTreeMap<String, String>) -> Option<String> {
        let client = BASE64_STANDARD.decode(authorization.strip_prefix("Basic ")?).ok()?;
        let client = String::from_utf8(client).ok()?;
        let (name, secret) = client.split_once(':')?;
        let (nonce, challenge) = self.codes.remove(form.get("code")?)?;
        let verifier = digest(&SHA256, form.get("code_verifier")?.as_bytes());
        let knows = (unescaped(name).as_str(), unescaped(secret).as_str()) == CLIENT;
        if !knows || BASE64_URL_SAFE_NO_PAD.encode(verifier) != challenge {
            return None;
        }
        let mut claims = json!({
            "iss": issuer, "aud": CLIENT.0, "sub": "ann-1", "nonce": nonce, "iat": self.now_s, "exp": self.now_s + 300,
            "email": "ann@acme.test", "email_verified": true, "groups": ["ops"],
        });
        for (name, value) in &self.claims {
            claims[name] = value.clone();
        }
        let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", encode(&json!({"alg": "EdDSA", "kid": "one"})), encode(&claims));
        let signature = BASE64_URL_SAFE_NO_PAD.encode(key(self.seed).sign(message.as_bytes()));
        Some(format!("{message}.{signature}"))
    }
}

fn key(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("32 bytes are a seed")
}

/// Host with port, and path with query, of a URL.
fn parts(url: &str) -> Option<(String, String)> {
    let rest = url.strip_prefix("http://")?;
    let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
    Some((address.to_owned(), format!("/{path}")))
}

fn pairs(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (unescaped(name), unescaped(value))).collect()
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits: Option<[u8; 2]> = (byte == b'%').then(|| [rest.next(), rest.next()].map(Option::unwrap_or_default));
        let escaped = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
