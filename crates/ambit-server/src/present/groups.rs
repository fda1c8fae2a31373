//! Groups, as their members see them.

use crate::call::Call;
use crate::failure::{About, not_found};
use crate::present::accounts;
use ambit_api::Result;
use ambit_api::accounts::Privilege;
use ambit_api::groups::{GroupAttributes, GroupContext};
use ambit_api::objects::{Named, Object};
use ambit_api::quotas::{Allowance, with_foreign};
use ambit_store::GroupAccount;
use serde_json::{Map, Value};

pub(crate) const NOUN: &str = "Group";
/// What administrators may write about their group.
pub(crate) const PROFILE: [&str; 9] = [
    "organization",
    "organization_legal_name",
    "auto_add_users",
    "country",
    "country_iso",
    "domain_name",
    "industry",
    "agreement_signed_date",
    "preferences",
];

fn profile(group: &GroupAccount) -> Map<String, Value> {
    let mut out = group.profile.clone();
    out.retain(|name, _| PROFILE.contains(&name.as_str()));
    out.entry("preferences").or_insert_with(|| Map::new().into());
    out
}

/// What a group may use, for its members.
struct Means {
    quotas: Named<Allowance>,
    privileges: Named<Privilege>,
}

fn as_object(call: &Call, group: &GroupAccount, means: Option<Means>) -> Object {
    let (quotas, privileges) = means.map(|means| (means.quotas, means.privileges)).unzip();
    let attributes = GroupAttributes { profile: profile(group), quotas, privileges };
    Object::new(&call.base, "groups", "group", &group.group.name, &attributes)
}

/// A group as those see it who see that it exists.
pub(crate) fn brief(call: &Call, group: &GroupAccount) -> Object {
    as_object(call, group, None)
}

/// The group of this name as those see it who see that it exists.
pub(crate) async fn brief_named(call: &Call, name: &str) -> Result<Object> {
    Ok(brief(call, &call.store().group_account(name).await.about(NOUN)?))
}

/// The caller's role in a group; `None`: the group is not there for the caller.
async fn role(call: &Call, group: &GroupAccount) -> Result<Option<&'static str>> {
    let administers = call.store().administers(call.caller(), group.group.id).await.about(NOUN)?;
    Ok(if administers {
        Some("admin")
    } else if call.caller().groups().contains(&group.group.id) {
        Some("user")
    } else {
        None
    })
}

/// The group of the path, which must be the caller's.
pub(crate) async fn own(call: &Call) -> Result<(GroupAccount, &'static str)> {
    let id = call.id();
    let group = call.store().group_account(id).await.about_named(NOUN, id)?;
    let role = role(call, &group).await?.ok_or_else(|| not_found(NOUN, id))?;
    Ok((group, role))
}

pub(crate) async fn shown(call: &Call, group: &GroupAccount, role: &'static str) -> Result<Object> {
    let standings = call.store().group_standings(group.group.id, call.now).await.about(NOUN)?;
    let own = standings.iter().map(|(name, one)| (*name, Allowance::new(one.allowed, one.used)));
    let quotas = with_foreign(own, &Allowance::default());
    let privileges = accounts::held(call.store().group_privileges(group.group.id).await.about(NOUN)?, call.now);
    Ok(as_object(call, group, Some(Means { quotas, privileges })).in_context(&GroupContext { role }))
}
