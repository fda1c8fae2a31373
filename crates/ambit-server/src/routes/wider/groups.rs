//! Groups and their people (docs/contract/wider.md §2.2). Members see the group, its administrators change it.

use crate::addresses::{NO_ACCOUNTS, addresses};
use crate::call::{Asking, Call, CallWith};
use crate::failure::{About, not_found};
use crate::object_body::{body_attributes, body_data};
use crate::page::{self, Attributes, Page};
use crate::present::groups::{NOUN, PROFILE, own, shown};
use crate::present::{accounts, graphs};
use crate::query::query;
use crate::signature::Empty;
use ambit_api::accounts::AccountAttributes;
use ambit_api::groups::MemberContext;
use ambit_api::objects::{NewObject, Object, ObjectCollection, OneObject, Whether, data};
use ambit_api::{ApiError, ErrorCode, Maybe, Result};
use ambit_store::{Account, Brought, Collaborator, GroupAccount, Members};
use serde_json::Value;

/// Read a group of the caller's.
pub(crate) async fn find(call: Asking<Attributes>) -> Result<OneObject> {
    let (group, role) = own(&call).await?;
    let found = shown(&call, &group, role).await?;
    Ok(page::one(&call, found))
}

/// Change the profile of a group.
pub(crate) async fn change(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let (group, role) = own(&call).await?;
    let mut attributes = body_attributes(&call, "group", Some(&group.group.name))?;
    let caps = accounts::caps(&mut attributes)?;
    attributes.retain(|name, _| PROFILE.contains(&name.as_str()));
    let store = call.store();
    if !caps.is_empty() {
        store.cap_group(call.caller(), group.group.id, &caps).await.about(NOUN)?;
    }
    store.change_group(call.caller(), &group.group.name, &attributes).await.about(NOUN)?;
    let group = store.group_account(&group.group.name).await.about(NOUN)?;
    let changed = shown(&call, &group, role).await?;
    Ok(page::one(&call, changed))
}

fn members_named(name: &str) -> Option<Members> {
    match name {
        "users" => Some(Members::Users),
        "administrators" => Some(Members::Administrators),
        "service_accounts" => Some(Members::ServiceAccounts),
        _ => None,
    }
}

fn no_relationship(name: &str) -> ApiError {
    ApiError::not_found(&format!("Relationship {name}"))
}

async fn members(call: &Call, group: &GroupAccount, members: Members) -> Result<Vec<Account>> {
    let mut found = call.store().members_of(group.group.id, members).await.about(NOUN)?;
    // Nobody has a second factor here: everybody passes `2fa_enabled:false`, nobody its contrary.
    match Kept::filter(call).text.map(str::trim) {
        None | Some("" | "2fa_enabled:false") => {}
        Some("2fa_enabled:true") => found.clear(),
        Some(other) => {
            return Err(ApiError::bad(format!("Unknown filter {other:?}; known: 2fa_enabled")));
        }
    }
    Ok(found)
}

query! { Kept: filter: Text = "2fa_enabled:true or 2fa_enabled:false, of people." }

/// List users, administrators, graphs or service accounts of a group, in full or as descriptors.
pub(crate) async fn relationship(call: Asking<(Kept, Page)>, described: bool) -> Result<ObjectCollection> {
    let call = &call;
    let (group, role) = own(call).await?;
    let name = call.parameter("relationship");
    if name == "graphs" {
        let found = graphs::related(call, &Collaborator::Group(group.group.name.clone())).await?;
        return page::of_list_as(call, found, described);
    }
    let kind = members_named(name).ok_or_else(|| no_relationship(name))?;
    if kind == Members::ServiceAccounts && role != "admin" {
        return Err(ApiError::new(ErrorCode::Forbidden));
    }
    let found = members(call, &group, kind).await?;
    let shown = |account| async move {
        if described { Ok(accounts::brief(call, &account).described()) } else { accounts::shown(call, &account).await }
    };
    page::of_records(call, found, shown).await
}

/// Add users or administrators by address, or make service accounts by id. Whom the administrator of the installation
/// adds is in the group; whom others add is asked, and in it after accepting.
pub(crate) async fn add(call: CallWith<Maybe<NewObject>, Page>) -> Result<ObjectCollection> {
    let (group, _) = own(&call).await?;
    let (name, group) = (call.parameter("relationship"), group.group.name);
    let kind = members_named(name).ok_or_else(|| no_relationship(name))?;
    let ids: Vec<String> = new_ids(&call)?;
    let store = call.store();
    if kind == Members::ServiceAccounts {
        let mut made = Vec::new();
        for id in &ids {
            let (account, issued) = store.create_service_account(call.caller(), &group, id).await.about(NOUN)?;
            // Keys are shown once: here.
            let attributes =
                AccountAttributes { apikey: Maybe(Some(issued.key)), ..accounts::attributes(&call, &account).await? };
            made.push(accounts::as_object(&call, &account, &attributes));
        }
        return page::of_list(&call, made, page::LIMIT_MAX);
    }
    if let Some(id) = ids.iter().find(|id| !id.contains('@')) {
        return Err(ApiError::invalid(format!("Invalid email address: \"{id}\"")));
    }
    let administrator = kind == Members::Administrators;
    let open = call.state.open_accounts;
    let counted = call.count_addresses(&ids)?;
    let joined = store.join_group(call.caller(), &group, &ids, administrator, open).await.about(NOUN)?;
    let mut items = Vec::new();
    let unknown = ids.iter().zip(&joined).filter(|(_, became)| **became == Brought::Unknown).map(|(id, _)| id);
    call.give_back_addresses(counted.saturating_sub(addresses(unknown)));
    for (id, became) in ids.iter().zip(joined) {
        items.push(brought(&call, id, became).await?);
    }
    page::of_list(&call, items, page::LIMIT_MAX)
}

/// Returns the result for one address: the user as anybody sees them, with the outcome, or an error for an address that
/// nobody has, in the form in which lists of this API name missing objects.
async fn brought(call: &Call, id: &str, became: Brought) -> Result<Object> {
    if became == Brought::Unknown {
        let message = format!("User \"{id}\" not found: {NO_ACCOUNTS}");
        return Ok(Object::missing_with("user", id, message));
    }
    let account = call.store().account(id).await.about(NOUN)?;
    let item = accounts::shown(call, &account).await?;
    Ok(if became == Brought::Invited { item.in_context(&MemberContext { state: "invited" }) } else { item })
}

fn new_ids(call: &Call) -> Result<Vec<String>> {
    let bad = || ApiError::bad("The member data must be a list of objects with an id");
    let items = match body_data(call)? {
        Value::Array(items) => items,
        one => vec![one],
    };
    items.iter().map(|item| item.get("id").and_then(Value::as_str).map(str::to_owned).ok_or_else(bad)).collect()
}

/// Say whether a user is in a group.
pub(crate) async fn has(call: Asking<Kept>) -> Result<Whether> {
    let (group, _) = own(&call).await?;
    let name = call.parameter("relationship");
    let kind = members_named(name).ok_or_else(|| no_relationship(name))?;
    let found = members(&call, &group, kind).await?;
    let wanted = call.parameter("member");
    let is = |account: &Account| account.user.username == wanted || account.user.email.eq_ignore_ascii_case(wanted);
    Ok(data(found.iter().any(is)))
}

/// Remove a user from a group, leave it, or delete a service account of it. The answer is empty.
pub(crate) async fn remove(call: Call) -> Result<Empty> {
    let (group, _) = own(&call).await?;
    let (name, member, store) = (call.parameter("relationship"), call.parameter("member"), call.store());
    let administrators = match members_named(name) {
        Some(Members::Users) => false,
        Some(Members::Administrators) => true,
        Some(Members::ServiceAccounts) => {
            let account = accounts::by_name(&call, member).await?;
            let account = account.filter(|account| account.service_group == Some(group.group.id));
            let account = account.ok_or_else(|| not_found("Service account", member))?;
            let name = &account.user.username;
            store.delete_service_account(call.caller(), name).await.about("Service account")?;
            return Ok(Empty);
        }
        None => return Err(no_relationship(name)),
    };
    let account = accounts::named(&call, member).await?;
    let left = store.leave_group(call.caller(), &group.group.name, account.user.id, administrators).await;
    left.about("User")?;
    Ok(Empty)
}
