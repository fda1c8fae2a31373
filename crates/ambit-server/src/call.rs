//! A call that passed the gate: who calls, in which project, with which parameters and body. Handlers read their arguments here.

use crate::attempts::count_wrong_key;
use crate::failure::About;
use crate::mount::WIDER;
use crate::shares::Share;
use crate::state::ServerState;
use crate::upload::Upload;
use ambit_api::shape::Shape;
use ambit_api::{ApiError, ErrorCode};
use ambit_model::{Timestamp, Uid};
use ambit_store::{Principal, Store, StoreError};
use bytes::Bytes;
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::Arc;
use uuid::Uuid;

/// Characters of a name that people give.
pub(crate) const NAME_CHARS_MAX: usize = 200;

/// What a handler is given.
pub struct Call {
    pub state: Arc<ServerState>,
    /// Wall time of the request.
    pub now: Timestamp,
    /// The project that lists, searches and creations work in; for objects by id, the one that narrows. See `gate.rs`.
    pub project: Option<i64>,
    pub(crate) caller: Option<Principal>,
    pub(crate) parameters: Vec<(&'static str, String)>,
    pub(crate) query: Vec<(String, String)>,
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
    /// What the body says it is; empty: nothing.
    pub(crate) content_type: String,
    /// The path of the request, as it was sent.
    pub(crate) path: String,
    /// What stands in `x-user-password`.
    pub(crate) password: Option<String>,
    /// Whose name stands in `x-confirm-delete`.
    pub(crate) confirmation: Option<String>,
    /// What the client calls itself; empty: nothing.
    pub(crate) agent: String,
    /// The connection that the request came on, among all of this process.
    pub(crate) connection: Option<u64>,
    /// The address that wrong keys are counted by; `None` where the program itself asks.
    pub(crate) peer: Option<IpAddr>,
}

impl Call {
    /// Who calls. Only rows with the rule `open` have nobody, and their handlers do not ask.
    pub fn caller(&self) -> &Principal {
        self.caller.as_ref().expect("the gate lets nobody without a key through to this handler")
    }

    /// The principal of a key that stands in the request beside its credential: in the path, or as a confirmation. A wrong one counts like a wrong
    /// credential, and where there were too many of this address it is refused until the minute is over. Who is suspended has no key.
    pub(crate) async fn principal_of(&self, key: &str) -> Result<Option<Principal>, ApiError> {
        match self.store().authenticate(key, self.now).await {
            Ok(None) | Err(StoreError::NotActive) => self.count_wrong_key().map(|()| None),
            found => found.about("Key"),
        }
    }

    /// Counts a wrong key that stands in the request beside its credential.
    pub(crate) fn count_wrong_key(&self) -> Result<(), ApiError> {
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
    pub fn project_or_404(&self) -> Result<i64, ApiError> {
        self.project.ok_or_else(|| ApiError::not_found("Project"))
    }

    /// The project header narrows what is found by its id: elsewhere it is not there.
    pub fn narrowed_to(&self, project: i64, noun: &str) -> Result<(), ApiError> {
        match self.project {
            Some(named) if named != project => Err(ApiError::not_found(noun)),
            Some(_) | None => Ok(()),
        }
    }

    /// A parameter of the path.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
            .expect("handlers name parameters of their own path")
    }

    /// A uuid in the path; anything else names nothing.
    pub fn uuid(&self, name: &str, noun: &str) -> Result<Uuid, ApiError> {
        Uuid::parse_str(self.parameter(name)).map_err(|_| ApiError::not_found(noun))
    }

    /// A uid in the path; anything else names nothing.
    pub fn uid(&self, name: &str, noun: &str) -> Result<Uid, ApiError> {
        self.parameter(name).parse().map_err(|_| ApiError::not_found(noun))
    }

    /// A parameter of the query, the last one where it stands twice.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Waits for something that costs nothing here: meanwhile others have the place.
    pub(crate) async fn aside<T>(&self, wait: impl Future<Output = T>) -> T {
        match &self.place {
            Some(place) => place.aside(wait).await,
            None => wait.await,
        }
    }

    /// The body as an object.
    pub fn object(&self) -> Result<Map<String, Value>, ApiError> {
        if self.body.is_empty() {
            return Err(ApiError::with(ErrorCode::BadRequest, "The body is empty; a JSON object is needed"));
        }
        let value: Value =
            serde_json::from_slice(&self.body).map_err(|error| ApiError::with(ErrorCode::BadRequest, format!("The body is not JSON: {error}")))?;
        match value {
            Value::Object(object) => Ok(object),
            _ => Err(ApiError::with(ErrorCode::BadRequest, "The body must be a JSON object")),
        }
    }

    /// The body of a change: at least one member, and none that `settings` does not have. `whole` is what is changed: a member of it that cannot be
    /// changed is named, so that nobody takes a change for made that was not.
    pub fn change(&self, settings: &Shape, whole: &Shape) -> Result<Map<String, Value>, ApiError> {
        let body = self.members_of(settings, whole)?;
        if body.is_empty() {
            let allowed: Vec<&str> = settings.names().collect();
            return Err(ApiError::invalid(format!("nothing is to be changed: give one of {}", allowed.join(", "))));
        }
        Ok(body)
    }

    /// The body, with no member that `settings` does not have.
    pub fn members_of(&self, settings: &Shape, whole: &Shape) -> Result<Map<String, Value>, ApiError> {
        let body = self.object()?;
        only_members(&body, settings, whole)?;
        Ok(body)
    }
}

/// Refuses a member that `settings` does not have, by its name.
pub(crate) fn only_members(object: &Map<String, Value>, settings: &Shape, whole: &Shape) -> Result<(), ApiError> {
    let Some(beyond) = object.keys().find(|name| !settings.names().any(|known| known == name.as_str())) else {
        return Ok(());
    };
    let allowed: Vec<&str> = settings.names().collect();
    let allowed = allowed.join(", ");
    // A client's own text goes back to it cut, and as it came.
    let shown: String = beyond.chars().take(NAME_CHARS_MAX).collect();
    Err(ApiError::invalid(if whole.names().any(|known| known == beyond) {
        format!("{shown} cannot be changed; what can be is {allowed}")
    } else {
        format!("there is no member {shown}; there are {allowed}")
    }))
}

/// A text member of a body that must be there and not be blank; at most `chars_max` characters, without NUL.
pub(crate) fn text_member(object: &Map<String, Value>, name: &str, chars_max: usize) -> Result<String, ApiError> {
    let text = match object.get(name) {
        Some(Value::String(text)) => text.trim(),
        Some(_) => return Err(ApiError::invalid(format!("{name} must be text"))),
        None => return Err(ApiError::invalid(format!("{name} is missing"))),
    };
    if text.is_empty() {
        return Err(ApiError::invalid(format!("{name} is empty")));
    }
    if text.chars().count() > chars_max {
        return Err(ApiError::invalid(format!("{name} is longer than {chars_max} characters")));
    }
    if text.contains('\0') {
        return Err(ApiError::invalid(format!("{name} has a NUL character")));
    }
    Ok(text.to_owned())
}

/// A text member that may be missing, null or empty: then there is none.
pub(crate) fn optional_text(object: &Map<String, Value>, name: &str, chars_max: usize) -> Result<Option<String>, ApiError> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(_) => text_member(object, name, chars_max).map(Some),
    }
}

/// A member that is true or false, or missing.
pub(crate) fn flag_member(object: &Map<String, Value>, name: &str) -> Result<Option<bool>, ApiError> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(ApiError::invalid(format!("{name} must be true or false"))),
    }
}

/// A member of a body that is a list of texts, at least one.
pub(crate) fn texts_member(object: &Map<String, Value>, name: &str) -> Result<Vec<String>, ApiError> {
    let items = object.get(name).and_then(Value::as_array);
    let texts = items.and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>());
    texts
        .filter(|texts| !texts.is_empty())
        .ok_or_else(|| ApiError::invalid(format!("{name} must be a list of texts, at least one")))
}

/// A whole number from 0 in the query; empty is the same as absent.
pub(crate) fn whole_number(call: &Call, name: &str) -> Result<Option<u64>, ApiError> {
    match call.query(name) {
        None | Some("") => Ok(None),
        Some(text) => {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            // Beyond every count is the same as just beyond the window.
            let number = digits.then(|| text.parse().unwrap_or(u64::MAX));
            number
                .map(Some)
                .ok_or_else(|| ApiError::invalid(format!("{name} must be a whole number from 0")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_member_is_there_and_says_something() {
        let read = |value: Value| text_member(value.as_object().expect("an object"), "name", 5).map_err(|error| error.message);
        assert_eq!(read(json!({"name": " Acme ", "more": 1})), Ok("Acme".to_owned()));
        assert_eq!(read(json!({})), Err("name is missing".to_owned()));
        assert_eq!(read(json!({"name": 1})), Err("name must be text".to_owned()));
        assert_eq!(read(json!({"name": "  "})), Err("name is empty".to_owned()));
        assert_eq!(read(json!({"name": "Acmeee"})), Err("name is longer than 5 characters".to_owned()));
        assert_eq!(read(json!({"name": "a\0b"})), Err("name has a NUL character".to_owned()));
    }
}
