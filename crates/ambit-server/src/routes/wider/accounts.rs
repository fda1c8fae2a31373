//! Users and service accounts (v3-wire §4): who sees which attributes, what may be changed and by whom.

use super::page;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::objects::{data, object};
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Timestamp;
use ambit_model::quota::{FOREIGN, PRIVILEGES};
use ambit_store::{Account, Collaborator, GroupAccount, Principal, Standing, StoreError};
use serde_json::{Map, Value, json};

const NOUN: &str = "User";
/// What people may write about themselves.
const PROFILE: [&str; 4] = ["first_name", "last_name", "profile_phrase", "preferences"];
/// Characters of an API key, which is another name of its user.
const KEY_CHARS: usize = 64;
/// Relationships of users that are only for the user and administrators.
const PRIVATE: [&str; 5] = [
    "api_quota_group",
    "intelligence_quota_group",
    "monitor_quota_group",
    "groups",
    "groups_managed",
];
/// Relationships to what Ambit does not keep by user.
const NOTHING: [&str; 2] = ["mentions", "votes"];

/// The user of a path: by username, address, or API key. By key only the user and administrators find anybody; for others the key of somebody else is a
/// wrong one, and counts as such.
pub(crate) async fn named(call: &Call, id: &str) -> Result<Account, ApiError> {
    if let Some(account) = by_name(call, id).await? {
        return Ok(account);
    }
    if is_like_a_key(id) {
        if let Some(principal) = call.principal_of(id).await? {
            if let Some(account) = under(call, &principal).await? {
                return Ok(account);
            }
            call.count_wrong_key()?;
        }
        // What may be a key is not said again: errors stand in logs.
        return Err(ApiError::not_found(NOUN));
    }
    Err(ApiError::with(ErrorCode::NotFound, format!("User \"{id}\" not found")))
}

/// The same before anything was decided: nothing counts yet, and who is not found is `None`.
pub(crate) async fn known(call: &Call, id: &str) -> Result<Option<Account>, ApiError> {
    if let Some(account) = by_name(call, id).await? {
        return Ok(Some(account));
    }
    let found = match is_like_a_key(id) {
        true => call.state.store.authenticate(id, call.now).await,
        false => return Ok(None),
    };
    match found {
        Ok(Some(principal)) => under(call, &principal).await,
        Ok(None) | Err(StoreError::NotActive) => Ok(None),
        Err(error) => Err(of_store(error, NOUN)),
    }
}

fn is_like_a_key(id: &str) -> bool {
    id.len() == KEY_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Everybody may know who there is; service accounts are for themselves and for whoever administers their group, since their names say what groups there are.
async fn by_name(call: &Call, id: &str) -> Result<Option<Account>, ApiError> {
    let account = match call.state.store.account(id).await {
        Ok(account) => account,
        Err(StoreError::NotFound) => return Ok(None),
        Err(error) => return Err(of_store(error, NOUN)),
    };
    let hidden = account.service_of.is_some() && standing(call, &account).await? == Standing::Anybody;
    Ok((!hidden).then_some(account))
}

/// The account of a key, if it is the caller's or the caller stands above it.
async fn under(call: &Call, principal: &Principal) -> Result<Option<Account>, ApiError> {
    let account = call.state.store.account_by_id(principal.user_id()).await;
    let account = account.map_err(|error| of_store(error, NOUN))?;
    Ok((standing(call, &account).await? != Standing::Anybody).then_some(account))
}

pub(crate) async fn standing(call: &Call, account: &Account) -> Result<Standing, ApiError> {
    let standing = call.state.store.standing_to(call.caller(), account.user.id).await;
    standing.map_err(|error| of_store(error, NOUN))
}

/// Refuses everybody but the user of the path.
pub(crate) async fn require_oneself(call: &Call) -> Result<(), ApiError> {
    let account = named(call, call.parameter("id")).await?;
    match standing(call, &account).await? {
        Standing::Oneself => Ok(()),
        Standing::Administrator | Standing::Anybody => Err(ApiError::new(ErrorCode::Forbidden)),
    }
}

fn profile_text(profile: &Map<String, Value>, name: &str) -> Value {
    profile.get(name).filter(|value| value.is_string()).cloned().unwrap_or_else(|| json!(""))
}

/// The attributes that everybody sees.
fn open_attributes(account: &Account) -> Map<String, Value> {
    let mut out = Map::new();
    for name in ["first_name", "last_name", "profile_phrase"] {
        out.insert(name.to_owned(), profile_text(&account.profile, name));
    }
    out.insert("reputation".to_owned(), json!(0));
    out.insert("status".to_owned(), json!(account.status));
    out.insert("user_since".to_owned(), page::seconds(account.user.created_at));
    out
}

fn as_object(call: &Call, account: &Account, attributes: Map<String, Value>) -> Value {
    let (collection, kind) = match account.service_of {
        Some(_) => ("service_accounts", "service_account"),
        None => ("users", "user"),
    };
    object(&call.base, collection, kind, &account.user.username, attributes)
}

/// A user as everybody sees it.
pub(crate) fn brief(call: &Call, account: &Account) -> Value {
    as_object(call, account, open_attributes(account))
}

/// A user as this caller sees it.
pub(crate) async fn shown(call: &Call, account: &Account) -> Result<Value, ApiError> {
    let standing = standing(call, account).await?;
    let mut attributes = open_attributes(account);
    if standing >= Standing::Administrator {
        attributes.insert("email".to_owned(), json!(account.user.email));
        if let Some(at) = account.last_login {
            attributes.insert("last_login".to_owned(), page::seconds(at));
        }
        attributes.insert("quotas".to_owned(), quotas(call, account).await?);
    }
    if standing == Standing::Oneself {
        attributes.insert("has_2fa".to_owned(), json!(false));
        let preferences = account.profile.get("preferences").cloned().unwrap_or_else(|| json!({}));
        attributes.insert("preferences".to_owned(), preferences);
        attributes.insert("privileges".to_owned(), privileges(call, account).await?);
    }
    Ok(as_object(call, account, attributes))
}

async fn quotas(call: &Call, account: &Account) -> Result<Value, ApiError> {
    let standings = call.state.store.quota_standings(account.user.id, call.now).await;
    let standings = standings.map_err(|error| of_store(error, NOUN))?;
    let own = standings
        .iter()
        .map(|one| (one.name.to_owned(), json!({"allowed": one.user.allowed, "used": one.user.used})));
    let foreign = FOREIGN.iter().map(|name| ((*name).to_owned(), json!({"allowed": 0, "used": 0})));
    Ok(Value::Object(own.chain(foreign).collect()))
}

async fn privileges(call: &Call, account: &Account) -> Result<Value, ApiError> {
    let found = call.state.store.list_privileges(call.caller(), &account.user.username).await;
    let found = found.map_err(|error| of_store(error, NOUN))?;
    let mut out: Map<String, Value> = PRIVILEGES.iter().map(|name| ((*name).to_owned(), json!({"granted": false}))).collect();
    for one in found.iter().filter(|one| one.expires_at.is_none_or(|end| end > call.now)) {
        // One's own comes first in the list and says more than an inherited one.
        if out.get(&one.name).is_some_and(|known| known["granted"] == json!(true)) {
            continue;
        }
        let mut entry = json!({"granted": true});
        if let Some(end) = one.expires_at {
            entry["expiration_date"] = page::seconds(end);
        }
        if let Some(group) = &one.inherited_from {
            entry["inherited_from"] = json!(group);
            let via = if account.api_quota_group.as_ref() == Some(group) {
                "api_quota_group"
            } else {
                "intelligence_quota_group"
            };
            entry["inherited_via"] = json!(via);
        }
        out.insert(one.name.clone(), entry);
    }
    Ok(Value::Object(out))
}

/// Whoever calls: clients try their key with it.
pub(crate) async fn me(call: Call) -> Result<Answer, ApiError> {
    let account = call.state.store.account_by_id(call.caller().user_id()).await;
    let account = account.map_err(|error| of_store(error, NOUN))?;
    Ok(Answer::json(&data(shown(&call, &account).await?)))
}

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let account = named(&call, call.parameter("id")).await?;
    let mut found = shown(&call, &account).await?;
    for name in page::names(&call, "relationships").unwrap_or_default() {
        let related = related(&call, &account, &name).await?;
        let described = match related {
            Value::Array(all) => Value::Array(all.iter().map(page::described).collect()),
            Value::Null => Value::Null,
            one => page::described(&one),
        };
        let own = found["links"]["self"].as_str().unwrap_or_default().to_owned();
        found["relationships"][&name] = json!({
            "data": described,
            "links": {"self": format!("{own}/relationships/{name}"), "related": format!("{own}/{name}")},
        });
    }
    Ok(page::one(&call, found))
}

pub(crate) async fn change(call: Call) -> Result<Answer, ApiError> {
    let account = named(&call, call.parameter("id")).await?;
    if standing(&call, &account).await? == Standing::Anybody {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    let mut attributes = page::body_attributes(&call, "user", Some(&account.user.username))?;
    let caps = caps(&mut attributes)?;
    let granted = attributes.remove("privileges");
    let store = &call.state.store;
    // Clients send back whole objects: what is not changed needs no right.
    if let Some(status) = attributes.remove("status").filter(|status| status != account.status.as_str()) {
        let status = status.as_str().ok_or_else(|| ApiError::invalid("The attribute status must be a text"))?;
        let set = store.set_status(call.caller(), account.user.id, status, call.now).await;
        set.map_err(|error| of_store(error, NOUN))?;
    }
    if !caps.is_empty() {
        let capped = store.cap_user(call.caller(), account.user.id, &caps, call.now).await;
        capped.map_err(|error| of_store(error, NOUN))?;
    }
    if let Some(granted) = granted {
        grant(&call, &account.user.username, &granted).await?;
    }
    attributes.retain(|name, _| PROFILE.contains(&name.as_str()));
    if !attributes.is_empty() {
        let changed = store.change_profile(call.caller(), account.user.id, &attributes, call.now).await;
        changed.map_err(|error| of_store(error, NOUN))?;
    }
    let account = store.account_by_id(account.user.id).await.map_err(|error| of_store(error, NOUN))?;
    let changed = shown(&call, &account).await?;
    Ok(page::one(&call, changed))
}

/// The caps in `quotas`: `{name: {"allowed": number}}`.
pub(crate) fn caps(attributes: &mut Map<String, Value>) -> Result<Vec<(String, i64)>, ApiError> {
    let Some(quotas) = attributes.remove("quotas") else {
        return Ok(Vec::new());
    };
    let bad = || ApiError::invalid("Quotas must be an object of objects with a whole number as allowed");
    let quotas = quotas.as_object().ok_or_else(bad)?;
    quotas
        .iter()
        .map(|(name, value)| Ok((name.clone(), value.get("allowed").and_then(Value::as_i64).ok_or_else(bad)?)))
        .collect()
}

/// Grants and revokes: `{name: {"granted": true, "expiration_date": seconds, 0 for never}}`.
async fn grant(call: &Call, username: &str, privileges: &Value) -> Result<(), ApiError> {
    let bad = || ApiError::invalid("Privileges must be an object of objects with granted");
    for (name, value) in privileges.as_object().ok_or_else(bad)? {
        let granted = value.get("granted").and_then(Value::as_bool).ok_or_else(bad)?;
        let end = value.get("expiration_date").and_then(Value::as_i64).filter(|seconds| *seconds != 0);
        let end = end.map(|seconds| Timestamp(seconds.saturating_mul(ambit_model::moment::SECOND_MS)));
        let store = &call.state.store;
        let done = if granted {
            store.grant_privilege(call.caller(), username, name, end, call.now).await
        } else {
            store.revoke_privilege(call.caller(), username, name, call.now).await
        };
        done.map_err(|error| of_store(error, NOUN))?;
    }
    Ok(())
}

/// What a user is related to: an object, null, or a list.
async fn related(call: &Call, account: &Account, name: &str) -> Result<Value, ApiError> {
    let store = &call.state.store;
    let failed = |error| of_store(error, NOUN);
    if PRIVATE.contains(&name) && standing(call, account).await? == Standing::Anybody {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    let one = |group: Option<String>| async move {
        match group {
            Some(group) => Ok::<Value, ApiError>(super::groups::brief(call, &store.group_account(&group).await.map_err(failed)?)),
            None => Ok(Value::Null),
        }
    };
    let all = |groups: Vec<GroupAccount>| Value::Array(groups.iter().map(|group| super::groups::brief(call, group)).collect());
    Ok(match name {
        "api_quota_group" => one(account.api_quota_group.clone()).await?,
        "intelligence_quota_group" => one(account.intelligence_quota_group.clone()).await?,
        "monitor_quota_group" => Value::Null,
        "groups" => all(store.groups_of(account.user.id, false).await.map_err(failed)?),
        "groups_managed" => all(store.groups_of(account.user.id, true).await.map_err(failed)?),
        "comments" => {
            let comments = store.comments_by(account.user.id).await.map_err(failed)?;
            super::comments::visible(call, comments).await?
        }
        "graphs" => {
            let of = Collaborator::User(account.user.username.clone());
            super::graphs::related(call, &of).await?
        }
        "collections" => Value::Array(super::object_collections::of(call, Some(account.user.id)).await?),
        name if NOTHING.contains(&name) => json!([]),
        _ => return Err(ApiError::not_found(&format!("Relationship {name}"))),
    })
}

pub(crate) async fn relationship(call: Call) -> Result<Answer, ApiError> {
    relationship_in(&call, false).await
}

pub(crate) async fn relationship_described(call: Call) -> Result<Answer, ApiError> {
    relationship_in(&call, true).await
}

async fn relationship_in(call: &Call, described: bool) -> Result<Answer, ApiError> {
    let account = named(call, call.parameter("id")).await?;
    let found = related(call, &account, call.parameter("relationship")).await?;
    answer_related(call, found, described)
}

/// Answers with what something is related to, in full or as descriptors.
pub(crate) fn answer_related(call: &Call, found: Value, described: bool) -> Result<Answer, ApiError> {
    match found {
        Value::Array(all) => {
            let all = if described { all.iter().map(page::described).collect() } else { all };
            page::of_list(call, all, page::LIMIT_DEFAULT)
        }
        Value::Null => Ok(Answer::json(&data(Value::Null))),
        one => {
            let root = call.base.strip_suffix(crate::mount::WIDER).unwrap_or(&call.base);
            let one = if described { page::described(&one) } else { one };
            Ok(Answer::json(&json!({"data": one, "links": {"self": format!("{root}{}", call.path)}})))
        }
    }
}

/// Deletes the caller's own account. Nobody has a password here: an API key of the account is the confirmation.
pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    let account = named(&call, call.parameter("id")).await?;
    let store = &call.state.store;
    let confirmed = match call.password.as_deref() {
        Some(key) => call.principal_of(key).await?,
        None => None,
    };
    if confirmed.is_none_or(|principal| principal.user_id() != account.user.id) {
        let message = "Send a x-user-password header with an API key of the account as a confirmation";
        return Err(ApiError::with(ErrorCode::Forbidden, message));
    }
    store
        .delete_user(call.caller(), call.caller().username(), call.now)
        .await
        .map_err(|error| of_store(error, NOUN))?;
    Ok(Answer::empty())
}

/// A service account; for administrators of its group and for itself.
pub(crate) async fn service_account(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("id");
    let missing = || ApiError::with(ErrorCode::NotFound, format!("Service account \"{id}\" not found"));
    let account = by_name(&call, id)
        .await?
        .filter(|account| account.service_of.is_some())
        .ok_or_else(missing)?;
    let found = shown(&call, &account).await?;
    Ok(page::one(&call, found))
}
