//! Users and service accounts, as a caller may find and see them.

use crate::call::Call;
use crate::failure::{About, not_found};
use ambit_api::accounts::{AccountAttributes, Privilege};
use ambit_api::objects::{Named, Object};
use ambit_api::quotas::{Allowance, with_foreign};
use ambit_api::{ApiError, ErrorCode, Maybe, Result};
use ambit_model::Timestamp;
use ambit_model::quota::PRIVILEGES;
use ambit_store::{Account, Principal, Relationship, StoreError};
use serde_json::{Map, Value};

pub(crate) const NOUN: &str = "User";
/// Characters of an API key, which is another name of its user.
const KEY_CHARS: usize = 64;
/// The name by which clients read their own user; a user of this name goes before it.
const ONESELF: &str = "me";

/// The user of a path: by username, address, or API key. By key and address only the user and administrators find
/// anybody; for others the key of somebody else is a wrong one, and counts as such.
pub(crate) async fn named(call: &Call, id: &str) -> Result<Account> {
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
        // The text may be a key, so it is not repeated: errors are logged.
        return Err(ApiError::not_found(NOUN));
    }
    Err(not_found(NOUN, id))
}

/// The same before anything was decided: nothing counts yet, and who is not found is `None`.
pub(crate) async fn known(call: &Call, id: &str) -> Result<Option<Account>> {
    if let Some(account) = by_name(call, id).await? {
        return Ok(Some(account));
    }
    if !is_like_a_key(id) {
        return Ok(None);
    }
    match call.store().authenticate(id, call.now).await {
        Err(StoreError::NotActive) => Ok(None),
        found => match found.about(NOUN)? {
            Some(principal) => under(call, &principal).await,
            None => Ok(None),
        },
    }
}

fn is_like_a_key(id: &str) -> bool {
    id.len() == KEY_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Everybody may know who there is; service accounts are for themselves and for whoever administers their group, since
/// their names say what groups there are.
pub(crate) async fn by_name(call: &Call, id: &str) -> Result<Option<Account>> {
    let Some(account) = call.store().account(id).await.if_found()? else {
        let own = || call.store().account_by_id(call.caller().user_id());
        return if id == ONESELF { own().await.about(NOUN).map(Some) } else { Ok(None) };
    };
    let Some(group) = account.service_group else {
        // Usernames are public, who has which address is not.
        let hidden = id.contains('@') && standing(call, &account).await? == Relationship::Anybody;
        return Ok((!hidden).then_some(account));
    };
    // Outsiders are told so as fast as who asks for an account that is not there.
    let caller = call.caller();
    let is_outside =
        !caller.administrator() && caller.user_id() != account.user.id && !caller.groups().contains(&group);
    let hidden = is_outside || standing(call, &account).await? == Relationship::Anybody;
    Ok((!hidden).then_some(account))
}

/// The account of a key, if it is the caller's or the caller stands above it.
async fn under(call: &Call, principal: &Principal) -> Result<Option<Account>> {
    let account = call.store().account_by_id(principal.user_id()).await.about(NOUN)?;
    Ok((standing(call, &account).await? != Relationship::Anybody).then_some(account))
}

pub(crate) async fn standing(call: &Call, account: &Account) -> Result<Relationship> {
    call.store().standing_to(call.caller(), account.user.id).await.about(NOUN)
}

/// Refuses everybody but the user of the path.
pub(crate) async fn require_oneself(call: &Call) -> Result<()> {
    let account = named(call, call.id()).await?;
    match standing(call, &account).await? {
        Relationship::Oneself => Ok(()),
        Relationship::Administrator | Relationship::Anybody => Err(ApiError::new(ErrorCode::Forbidden)),
    }
}

/// The attributes that everybody sees.
fn open_attributes(account: &Account) -> AccountAttributes {
    let text = |name: &str| account.profile.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    AccountAttributes {
        first_name: text("first_name"),
        last_name: text("last_name"),
        profile_phrase: text("profile_phrase"),
        status: account.status.clone(),
        user_since: account.user.created_at.into(),
        ..AccountAttributes::default()
    }
}

/// An account as an object with these attributes.
pub(crate) fn as_object(call: &Call, account: &Account, attributes: &AccountAttributes) -> Object {
    let (collection, kind) = match account.service_of {
        Some(_) => ("service_accounts", "service_account"),
        None => ("users", "user"),
    };
    Object::new(&call.base, collection, kind, &account.user.username, attributes)
}

/// A user as everybody sees it.
pub(crate) fn brief(call: &Call, account: &Account) -> Object {
    as_object(call, account, &open_attributes(account))
}

/// The user of this number as everybody sees it.
pub(crate) async fn brief_by_id(call: &Call, id: i64) -> Result<Object> {
    Ok(brief(call, &call.store().account_by_id(id).await.about(NOUN)?))
}

/// A user as this caller sees it.
pub(crate) async fn shown(call: &Call, account: &Account) -> Result<Object> {
    Ok(as_object(call, account, &attributes(call, account).await?))
}

/// The attributes that this caller sees.
pub(crate) async fn attributes(call: &Call, account: &Account) -> Result<AccountAttributes> {
    let standing = standing(call, account).await?;
    let mut attributes = open_attributes(account);
    if standing >= Relationship::Administrator {
        attributes.email = Maybe(Some(account.user.email.clone()));
        attributes.last_login = Maybe(account.last_login.map(Into::into));
        attributes.quotas = Maybe(Some(quotas(call, account).await?));
        attributes.has_2fa = Maybe(Some(false));
    }
    if standing == Relationship::Oneself {
        let preferences = account.profile.get("preferences").cloned();
        attributes.preferences = Maybe(preferences.or_else(|| Some(Map::new().into())));
        attributes.privileges = Maybe(Some(privileges(call, account).await?));
    }
    Ok(attributes)
}

async fn quotas(call: &Call, account: &Account) -> Result<Named<Allowance>> {
    let standings = call.store().quota_standings(account.user.id, call.now).await.about(NOUN)?;
    let own = standings.iter().map(|one| (one.name, Allowance::new(one.user.allowed, one.user.used)));
    Ok(with_foreign(own, &Allowance::default()))
}

async fn privileges(call: &Call, account: &Account) -> Result<Named<Privilege>> {
    let found = call.store().list_privileges(call.caller(), &account.user.username).await.about(NOUN)?;
    Ok(held_by(found, call.now, account.api_quota_group.as_ref()))
}

/// What a group holds of privileges.
pub(crate) fn held(found: Vec<ambit_store::Privilege>, now: Timestamp) -> Named<Privilege> {
    held_by(found, now, None)
}

/// All privileges that there are, with those that are held now; `payer` is the group that pays for requests.
fn held_by(found: Vec<ambit_store::Privilege>, now: Timestamp, payer: Option<&String>) -> Named<Privilege> {
    let mut out: Named<Privilege> = PRIVILEGES.iter().map(|name| ((*name).to_owned(), Privilege::default())).collect();
    for one in found.into_iter().filter(|one| one.expires_at.is_none_or(|end| end > now)) {
        let entry = out.entry(&one.name);
        // One's own comes first in the list and says more than an inherited one.
        if entry.granted {
            continue;
        }
        let paid_by_group = payer == one.inherited_from.as_ref();
        let via = if paid_by_group { "api_quota_group" } else { "intelligence_quota_group" };
        *entry = Privilege {
            granted: true,
            expiration_date: Maybe(one.expires_at.map(Into::into)),
            inherited_via: Maybe(one.inherited_from.is_some().then_some(via)),
            inherited_from: Maybe(one.inherited_from),
        };
    }
    out
}

/// The caps in `quotas`: `{name: {"allowed": number}}`.
pub(crate) fn caps(attributes: &mut Map<String, Value>) -> Result<Vec<(String, i64)>> {
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
