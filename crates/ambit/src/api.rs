//! The API as the client commands ask it: of a server over the network, or of a data folder without one. The same
//! paths, the same answers.

pub(crate) mod naming;

use crate::args::Target;
use crate::clock::now;
use crate::config::Settings;
use crate::engine_config;
use crate::failure::{Failure, Result};
use crate::output::plain;
use ambit_model::reserved::Reserved;
use ambit_net::guard::OperatorOnly;
use ambit_net::http::{HttpRequest, Url};
use ambit_net::live::LiveWire;
use ambit_net::{Grant, Grants, Net, NetError, NetOptions, Pace, PaceLimits, Session};
use ambit_server::{Question, ServerState};
use ambit_store::Principal;
use ambit_store::engine::Engine;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Where the contract's paths begin.
pub(crate) const ASM: &str = "/api/v3/asm";
/// Where our own begin.
pub(crate) const OURS: &str = "/api/ambit/v1";

/// What the contact with the operator's own server is for.
const PURPOSE: &str = "server";
/// Bytes of an answer: 1,000 of the largest search hits, and what the door reads at most.
const ANSWER_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Times that a busy server is asked the same again.
const TRIES: u32 = 4;
/// Longest pause before the next try, whatever the server asks for; a person waits.
const PAUSE_S_MAX: u64 = 10;

/// Whether a command searches: only then the index of a folder is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Rows,
    Index,
    /// Of a server: what it answers to everybody.
    NoKey,
}

/// The way to the API.
pub(crate) enum Api {
    Server(Box<Remote>),
    Folder(Box<Local>),
}

/// A server.
pub(crate) struct Remote {
    session: Session,
    base: Url,
    key: String,
    project: Option<String>,
}

/// A data folder.
pub(crate) struct Local {
    state: Arc<ServerState>,
    principal: Principal,
    project: Option<String>,
    /// Held where the place was free, so that this process brings the index up.
    _engine: Option<Engine>,
}

/// A successful answer.
pub(crate) struct Reply {
    pub(crate) message: String,
    pub(crate) result: Value,
}

impl Api {
    /// The server that the flags or the settings name; a folder named by flag, or no server at all, means a data
    /// folder.
    pub(crate) async fn open(target: &Target, settings: &Settings, needs: Needs) -> Result<Self> {
        let project = target.project.clone().or_else(|| settings.get("project").map(str::to_owned));
        let mut api = match Self::server(target, settings) {
            Some(server) => Self::Server(Box::new(Remote::new(server, target, settings, needs)?)),
            None => Self::Folder(Box::new(Local::open(target, settings, needs).await?)),
        };
        if let Some(project) = project {
            // The header takes a number or a uuid; a blank one and the word None mean the primary project.
            let is_id = needs == Needs::NoKey
                || project.trim().is_empty()
                || project == "None"
                || project.parse::<i64>().is_ok();
            let id = if is_id { project } else { naming::project(&api, &project).await? };
            match &mut api {
                Self::Server(server) => server.project = Some(id),
                Self::Folder(local) => local.project = Some(id),
            }
        }
        Ok(api)
    }

    /// The server that the flags or the settings name; `None` where a data folder is meant.
    pub(crate) fn server<'a>(target: &'a Target, settings: &'a Settings) -> Option<&'a str> {
        target.server.as_deref().or_else(|| settings.get("server")).filter(|_| target.data.is_none())
    }

    pub(crate) async fn get(&self, target: &str) -> Result<Reply> {
        self.ask("GET", target, None).await
    }

    /// The rows of a list.
    pub(crate) async fn list(&self, target: &str) -> Result<Vec<Value>> {
        let mut reply = self.get(target).await?;
        Ok(reply.result.as_array_mut().map(std::mem::take).unwrap_or_default())
    }

    pub(crate) async fn delete(&self, target: &str) -> Result<Reply> {
        self.ask("DELETE", target, None).await
    }

    pub(crate) async fn post(&self, target: &str, body: Value) -> Result<Reply> {
        self.ask("POST", target, Some(body)).await
    }

    /// Any method. `target` is path and query.
    pub(crate) async fn ask(&self, method: &str, target: &str, body: Option<Value>) -> Result<Reply> {
        let (status, bytes) = match self {
            Self::Server(server) => server.ask(method, target, body.as_ref()).await?,
            Self::Folder(local) => {
                let question = Question { method, target, project: local.project.as_deref(), body: body.as_ref() };
                let asked = ambit_server::ask(&local.state, &local.principal, question).await;
                let (status, bytes) = asked.map_err(|error| Failure::usage(format!("{}: {error}", plain(target))))?;
                (status, bytes.to_vec())
            }
        };
        reply(status, &bytes, matches!(self, Self::Server(_)))
    }

    /// Nothing carries runs for a folder whose engine's place this command could take.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Self::Folder(_))
    }
}

impl Remote {
    fn new(server: &str, target: &Target, settings: &Settings, needs: Needs) -> Result<Self> {
        let base = Url::parse(server).map_err(|_| {
            Failure::usage(format!("server {:?}: expected a URL such as https://ambit.example.org", plain(server)))
        })?;
        let key = settings.get("api_key").or((needs == Needs::NoKey).then_some("")).ok_or_else(|| {
            Failure::access(
                "no API key: set AMBIT_API_KEY, or AMBIT_API_KEY_FILE; `ambit key create` on the server's \
                             data folder makes one",
            )
        })?;
        let options = engine_config::live(settings, &[], target.ca.as_deref())?;
        let wire = LiveWire::new(&options).map_err(|error| engine_config::unusable(&error))?;
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(Arc::new(wire), Arc::new(OperatorOnly), pace, NetOptions::default());
        Ok(Self { session: net.session(Grants::operator(PURPOSE)), base, key: key.to_owned(), project: None })
    }

    async fn ask(&self, method: &str, target: &str, body: Option<&Value>) -> Result<(u16, Vec<u8>)> {
        let mut tries = 1;
        loop {
            let request = self.request(method, target, body);
            let exchange = self.session.http(&request).await.map_err(|error| self.unreachable(&error))?;
            let pause = exchange.header("retry-after").and_then(|value| value.raw().trim().parse::<u64>().ok());
            let busy = matches!(exchange.status, 429 | 503) && tries < TRIES;
            match pause.filter(|_| busy) {
                Some(seconds) => {
                    tries += 1;
                    self.session.sleep(Duration::from_secs(seconds.clamp(1, PAUSE_S_MAX))).await;
                }
                None if exchange.truncated => {
                    return Err(Failure::run_time(format!(
                        "{}: the answer was truncated; try again",
                        self.base.authority()
                    )));
                }
                None => return Ok((exchange.status, exchange.body)),
            }
        }
    }

    fn request(&self, method: &str, target: &str, body: Option<&Value>) -> HttpRequest {
        let mut request = HttpRequest::get(self.base.clone(), concat!("ambit/", env!("CARGO_PKG_VERSION")))
            .with_method(method)
            .with_header("Accept", "application/json")
            .with_header(ambit_api::KEY_NAME, &self.key)
            .on(Grant::Operator(PURPOSE));
        request.target = Some(format!("{}{target}", self.base.path_only().trim_end_matches('/')));
        request.body_kept = ANSWER_BYTES_MAX;
        if let Some(project) = &self.project {
            request = request.with_header(ambit_api::PROJECT_HEADERS[0], project);
        }
        match body {
            Some(body) => request.with_body("application/json", body.to_string().into_bytes()),
            None => request,
        }
    }

    fn unreachable(&self, error: &NetError) -> Failure {
        Failure::run_time(format!(
            "cannot reach the server at {}: {error}; --server or AMBIT_SERVER says where it is, --ca names an \
             authority of its own",
            self.base.authority()
        ))
    }
}

impl Local {
    async fn open(target: &Target, settings: &Settings, needs: Needs) -> Result<Self> {
        let folder = crate::folder::data(target.data.as_deref(), settings)?;
        let (store, principal) = crate::local_store::opened(target.data.as_deref(), settings).await?;
        let library = Arc::new(crate::library::library(
            engine_config::planned(settings)?,
            engine_config::aws_keys(settings)?.is_some(),
        ));
        let (mut state, engine) = match needs {
            Needs::Rows | Needs::NoKey => (ServerState::without_index(store, library, Arc::new(now)), None),
            Needs::Index => {
                let (index, engine) = crate::local_store::index(&folder, &store).await?;
                (ServerState::new(store, index, library, Arc::new(now)), engine)
            }
        };
        state.ledger = Some(crate::ledger::of_server(&folder));
        state.due_days = settings.due_days()?;
        state.reserved = Reserved::internal(crate::engine_config::reserved_ranges(settings)?);
        Ok(Self { state: Arc::new(state), principal, project: None, _engine: engine })
    }
}

/// The envelope of an answer, or the failure that it tells of.
fn reply(status: u16, bytes: &[u8], server: bool) -> Result<Reply> {
    let envelope: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let Some(message) = envelope["message"].as_str().map(plain) else {
        return Err(Failure::run_time(format!(
            "the answer (status {status}) is not one of this API: is that an Ambit server?"
        )));
    };
    match status {
        200 => Ok(Reply { message, result: envelope["result"].clone() }),
        400 | 405 | 409 | 413 | 415 => Err(Failure::usage(message)),
        401 if server => Err(Failure::access(format!("{message}; AMBIT_API_KEY holds the key that is sent"))),
        401 | 403 => Err(Failure::access(message)),
        404 => Err(Failure::not_found(with_lister(&message))),
        _ => Err(Failure::run_time(message)),
    }
}

/// What shows the things of which the server says that there is no such one.
const LISTERS: [(&str, &str); 10] = [
    ("Collection", "`ambit collection list`"),
    ("Collection run", "`ambit run list`"),
    ("Entity", "`ambit entities`"),
    ("Group", "`ambit group list`"),
    ("Invitation", "`ambit invitation list`"),
    ("Issue", "`ambit issues`"),
    ("Key", "`ambit key list`"),
    ("Project user", "`ambit project users`"),
    ("User", "`ambit user list`"),
    ("User or group", "`ambit user list` or `ambit group list`"),
];

/// The message, with the command that lists what there is.
fn with_lister(message: &str) -> String {
    let noun = message.strip_suffix(" not found");
    match noun.and_then(|noun| LISTERS.iter().find(|(listed, _)| *listed == noun)) {
        Some((_, lister)) => format!("{message}; {lister} shows what there is"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(status: u16, body: &str) -> u8 {
        reply(status, body.as_bytes(), true).err().map_or(0, |failure| failure.code)
    }

    #[test]
    fn what_is_not_there_is_said_with_what_shows_what_is() {
        let said = |message: &str| {
            let body = format!(r#"{{"success":false,"message":"{message}","result":null}}"#);
            reply(404, body.as_bytes(), true).err().map(|failure| failure.to_string()).unwrap_or_default()
        };
        assert_eq!(said("Collection run not found"), "Collection run not found; `ambit run list` shows what there is");
        assert_eq!(said("nobody has it"), "nobody has it");
    }

    #[test]
    fn statuses_become_exit_codes() {
        let body = r#"{"success":false,"message":"Why","result":null}"#;
        for (status, expected) in
            [(200, 0), (400, 2), (401, 3), (403, 3), (404, 4), (409, 2), (429, 1), (500, 1), (503, 1)]
        {
            assert_eq!(code(status, body), expected, "{status}");
        }
        assert_eq!(code(200, "<html>"), 1, "a page is no answer");
        let failure = reply(401, body.as_bytes(), true).err().expect("fails");
        assert!(failure.to_string().contains("AMBIT_API_KEY"), "{failure}");
    }
}
