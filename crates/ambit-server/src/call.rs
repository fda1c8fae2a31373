//! A call that passed the gate: who calls, in which project, with which parameters and body. Handlers read their
//! arguments here.

use crate::attempts::count_wrong_key;
use crate::failure::About;
use crate::mount::{WIDER, is_ours};
use crate::parameter::{Headers, Names};
use crate::shares::Share;
use crate::state::ServerState;
use crate::upload::Upload;
use ambit_api::request::TEXT_CHARS_MAX;
use ambit_api::{ApiError, Contract, Maybe, Result, Shape};
use ambit_model::Timestamp;
use ambit_store::{Caller, Principal, Store, StoreError};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::marker::PhantomData;
use std::net::IpAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// What a handler is given.
pub struct Call {
    pub state: Arc<ServerState>,
    /// Wall time of the request.
    pub now: Timestamp,
    /// The project that lists, searches and creations work in; for objects by id, the one that narrows, where the row
    /// reads the project header. See `gate.rs`.
    pub project: Option<i64>,
    pub(crate) caller: Option<Caller>,
    pub(crate) parameters: Vec<(&'static str, String)>,
    pub(crate) query: Vec<(String, String)>,
    /// Says of a parameter whether it is documented: the signature of the handler names it.
    pub(crate) names: Names,
    pub(crate) body: Bytes,
    /// A file that came as the body; its bytes are in the store already.
    pub(crate) upload: Option<Upload>,
    /// Where the body is held; given back with the call.
    #[expect(dead_code, reason = "it is held, not read")]
    pub(crate) room: Option<Share>,
    /// The place among the requests that are worked on; `None` where none is needed.
    pub(crate) place: Option<Arc<Share>>,
    /// The root of links of the wider API, as the client called it.
    pub(crate) base: String,
    /// The media type of the body; empty if there is none.
    pub(crate) content_type: String,
    /// The path of the request, as it was sent.
    pub(crate) path: String,
    /// Only the head of the answer is asked for: `HEAD` where `GET` is.
    pub(crate) head_only: bool,
    /// Its headers, of which a handler reads those that its signature names.
    pub(crate) headers: Headers,
    /// The client shows pages: a browser at which a person sits.
    pub(crate) takes_pages: bool,
    /// The connection that the request came on, among all of this process.
    pub(crate) connection: Option<u64>,
    /// The address that wrong keys are counted by; `None` where the program itself asks.
    pub(crate) peer: Option<IpAddr>,
}

impl Call {
    /// Who calls. Only rows with the rule `open` have nobody, and their handlers do not ask.
    pub fn caller(&self) -> &Caller {
        self.caller.as_ref().expect("the gate lets nobody without a key through to this handler")
    }

    /// The principal of a key that stands in the request beside its credential: in the path, or as a confirmation. A
    /// wrong one counts like a wrong credential, and where there were too many of this address it is refused until the
    /// minute is over. Who is suspended has no key.
    pub(crate) async fn principal_of(&self, key: &str) -> Result<Option<Principal>> {
        match self.store().authenticate(key, self.now).await {
            Ok(None) | Err(StoreError::NotActive) => self.count_wrong_key().map(|()| None),
            found => found.about("Key"),
        }
    }

    /// Counts a wrong key in a request that has another credential.
    pub(crate) fn count_wrong_key(&self) -> Result<()> {
        self.peer.map_or(Ok(()), |peer| count_wrong_key(&self.state.failures, peer, self.now))
    }

    /// The store that answers the call.
    pub(crate) fn store(&self) -> &Store {
        &self.state.store
    }

    /// The root of links that lead beside the wider API.
    pub(crate) fn root(&self) -> &str {
        self.base.strip_suffix(WIDER).unwrap_or(&self.base)
    }

    /// The project to work in; a caller in no project has none, and what would be made there is 404.
    pub(crate) fn project_or_404(&self) -> Result<i64> {
        self.project.ok_or_else(|| ApiError::not_found("Project"))
    }

    /// A parameter of the path.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameter_of(&[name])
    }

    /// The parameter of the path that has one of these names.
    pub(crate) fn parameter_of(&self, names: &[&str]) -> &str {
        self.parameters
            .iter()
            .find(|(known, _)| names.contains(known))
            .map(|(_, value)| value.as_str())
            .expect("handlers name parameters of their own path")
    }

    /// The id in the path.
    pub(crate) fn id(&self) -> &str {
        self.parameter("id")
    }

    /// Waits for something that costs nothing here: meanwhile others have the place.
    pub(crate) async fn aside<T>(&self, wait: impl Future<Output = T>) -> T {
        match &self.place {
            Some(place) => place.aside(wait).await,
            None => wait.await,
        }
    }

    /// The body as an object.
    pub fn object(&self) -> Result<Map<String, Value>> {
        match self.json()? {
            Value::Object(object) => Ok(object),
            _ => Err(ApiError::bad("The body must be a JSON object")),
        }
    }

    /// The same; a bare list is an object with the list as its member `name`.
    pub(crate) fn object_or_list(&self, name: &str) -> Result<Map<String, Value>> {
        match self.json()? {
            Value::Object(object) => Ok(object),
            list @ Value::Array(_) => Ok(Map::from_iter([(name.to_owned(), list)])),
            _ => Err(ApiError::bad("The body must be a JSON object or a list")),
        }
    }

    fn json(&self) -> Result<Value> {
        if self.body.is_empty() {
            return Err(ApiError::bad("The body is empty; a JSON object is needed"));
        }
        serde_json::from_slice(&self.body).map_err(|error| not_json(&error))
    }

    /// The body as what a request says. An error names the member and what is expected of it. A member that there is
    /// not is refused at endpoints of our own; at those of the contract, recorded clients send more than it has.
    pub(crate) fn read_as<T: Contract + DeserializeOwned>(&self) -> Result<T> {
        let body = self.object()?;
        if is_ours(&self.path) {
            only_members(&body, T::SHAPE, T::SHAPE)?;
        }
        ambit_api::read(body)
    }
}

/// The refusal of a body that is no JSON, or has a number that no reader holds.
pub(crate) fn not_json(error: &serde_json::Error) -> ApiError {
    let said = error.to_string();
    ApiError::bad(match said.strip_prefix("number out of range ") {
        Some(place) => format!("The body has a number that is out of range {place}; at most {:e} is read", f64::MAX),
        None => format!("The body is not JSON: {said}"),
    })
}

/// A call with a body, and parameters in its query, its headers or its cookies: what may be sent is documented as
/// `Body`, which is a `Maybe` where nothing may be sent as well, and the parameters as `Asked`.
pub(crate) struct CallWith<Body, Asked = ()>(pub(crate) Call, PhantomData<fn() -> (Body, Asked)>);

/// A call with parameters and without a body.
pub(crate) type Asking<Asked> = CallWith<NoBody, Asked>;

pub(crate) enum NoBody {}

impl<Body, Asked> From<Call> for CallWith<Body, Asked> {
    fn from(call: Call) -> Self {
        Self(call, PhantomData)
    }
}

impl<Body, Asked> Deref for CallWith<Body, Asked> {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.0
    }
}

impl<Body, Asked> DerefMut for CallWith<Body, Asked> {
    fn deref_mut(&mut self) -> &mut Call {
        &mut self.0
    }
}

impl<Body: Contract + DeserializeOwned, Asked> CallWith<Maybe<Body>, Asked> {
    /// The body, if there is one.
    pub(crate) fn read_if_sent(&self) -> Result<Option<Body>> {
        if self.body.is_empty() { Ok(None) } else { self.read_as().map(Some) }
    }
}

impl<Body: Contract + DeserializeOwned, Asked> CallWith<Body, Asked> {
    /// The body.
    pub(crate) fn read(&self) -> Result<Body> {
        self.read_as()
    }
}

impl<Body: Contract, Asked> CallWith<Body, Asked> {
    /// The body of a change: at least one member, and none that it does not have. `Whole` is what is changed: a
    /// member of it that cannot be changed is named, so that nobody takes a change for made that was not.
    pub(crate) fn change<Whole: Contract>(&self) -> Result<Map<String, Value>> {
        let body = self.members_of::<Whole>()?;
        if body.is_empty() {
            let allowed: Vec<&str> = Body::SHAPE.names().collect();
            return Err(ApiError::invalid(format!("nothing is to be changed: give one of {}", allowed.join(", "))));
        }
        Ok(body)
    }

    /// The body, with no member that it does not have.
    pub(crate) fn members_of<Whole: Contract>(&self) -> Result<Map<String, Value>> {
        let body = self.object()?;
        only_members(&body, Body::SHAPE, Whole::SHAPE)?;
        Ok(body)
    }
}

/// Refuses a member that `settings` does not have, by its name; likewise in objects that are members.
fn only_members(object: &Map<String, Value>, settings: &Shape, whole: &Shape) -> Result<()> {
    let Some(beyond) = object.keys().find(|name| !settings.names().any(|known| known == name.as_str())) else {
        let inner = object.iter().filter_map(|(name, value)| Some((settings.member(name), value.as_object()?)));
        return inner
            .filter(|(shape, _)| !shape.members().is_empty())
            .try_for_each(|(shape, object)| only_members(object, shape, shape));
    };
    let allowed: Vec<&str> = settings.names().collect();
    let allowed = allowed.join(", ");
    // A client's own text goes back to it cut, and as it came.
    let shown: String = beyond.chars().take(TEXT_CHARS_MAX).collect();
    Err(ApiError::invalid(if whole.names().any(|known| known == beyond) {
        format!("{shown} cannot be changed; what can be is {allowed}")
    } else {
        format!("there is no member {shown}; there are {allowed}")
    }))
}
