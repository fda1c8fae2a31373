//! Somebody who calls a server: bodies and answers are values of types, and what is refused is told in a line.

use crate::client::{Ask, Reply, ask};
use crate::server::TestServer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

/// A caller of a server, by name.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    server: &'a TestServer,
    name: &'a str,
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub status: u16,
    /// The code of the contract; empty where the answer is no error of it.
    pub code: String,
    pub message: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.code, self.message)
    }
}

impl TestServer {
    /// The caller of that name (`nobody` has no key).
    pub fn by<'a>(&'a self, name: &'a str) -> Caller<'a> {
        Caller { server: self, name }
    }
}

impl Caller<'_> {
    /// Returns what an address shows.
    ///
    /// # Panics
    /// If the answer is an error or of another type.
    pub async fn get<T: DeserializeOwned>(self, target: &str) -> T {
        self.done("GET", target, self.ask("GET", target, None).await)
    }

    /// Returns what came of a change.
    ///
    /// # Panics
    /// If the answer is an error or of another type.
    pub async fn send<T: DeserializeOwned>(self, method: &str, target: &str, body: &impl Serialize) -> T {
        let body = serde_json::to_vec(body).expect("a body is JSON");
        self.done(method, target, self.ask(method, target, Some(body)).await)
    }

    /// Tries something with a body as it stands, none where it is empty: `Ok` where it was done.
    ///
    /// # Panics
    /// If the server does not answer.
    pub async fn attempt(self, method: &str, target: &str, body: &str) -> Result<Value, Refused> {
        let body = (!body.is_empty()).then(|| body.as_bytes().to_vec());
        let reply = self.ask(method, target, body).await;
        if (200..300).contains(&reply.status) {
            return Ok(reply.json());
        }
        let error = &reply.json()["error"];
        let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        Err(Refused { status: reply.status, code: word("code"), message: word("message") })
    }

    async fn ask(self, method: &str, target: &str, body: Option<Vec<u8>>) -> Reply {
        let key = self.server.keys.get(self.name).map(|key| ("x-apikey".to_owned(), key.clone()));
        let headers = key.into_iter().collect();
        let request = Ask { method: method.to_owned(), target: target.to_owned(), headers, body };
        ask(&self.server.address, &request).await.unwrap_or_else(|error| panic!("{method} {target}: {error:#}"))
    }

    /// What an answer holds: the `result` of one tree, the `data` of another.
    fn done<T: DeserializeOwned>(self, method: &str, target: &str, reply: Reply) -> T {
        assert!((200..300).contains(&reply.status), "{method} {target}: {} {}", reply.status, reply.text());
        let mut body = reply.json();
        let held = ["result", "data"].into_iter().find_map(|name| body.get_mut(name).map(Value::take));
        serde_json::from_value(held.unwrap_or(body)).unwrap_or_else(|error| panic!("{method} {target}: {error}"))
    }
}
