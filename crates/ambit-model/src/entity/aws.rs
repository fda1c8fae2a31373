//! Accounts at AWS and what they own.

use super::row::{
    Empty::{List, Null},
    Row, contract, seen, unseen,
};
use super::{Member, bucket};
use crate::Details;
use crate::task::TaskName::AwsAccount;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The number of the account: `123456789012`.
pub const ACCOUNT_ID: Member<String> = Member::named("account_id");
/// Whose keys the integration holds.
pub const ARN: Member<String> = Member::named("arn");
/// What its organisation calls an account.
pub const ACCOUNT_NAME: Member<Option<String>> = Member::named("account_name");
/// Regions that the account may use, sorted.
pub const REGIONS: Member<Vec<String>> = Member::named("regions");
/// The provider's name of a machine: `i-0a1b2c3d4e5f60718`.
pub(crate) const INSTANCE_ID: Member<String> = Member::named("instance_id");
/// What the machine was made from.
pub(crate) const IMAGE_ID: Member<Option<String>> = Member::named("image_id");
/// Its size: `t3.micro`.
pub(crate) const INSTANCE_TYPE: Member<Option<String>> = Member::named("instance_type");
/// `running`, `stopped` and so on.
pub const STATE: Member<Option<String>> = Member::named("state");
/// The region of the machine.
pub const INSTANCE_REGION: Member<String> = Member::named("region");
/// The network of the machine.
pub(crate) const VPC_ID: Member<Option<String>> = Member::named("vpc_id");
/// Its public addresses, sorted.
pub(crate) const PUBLIC_IPS: Member<Vec<String>> = Member::named("public_ips");
/// Its address inside its network.
pub(crate) const PRIVATE_IP: Member<Option<String>> = Member::named("private_ip");
/// The groups whose rules hold for it, sorted.
pub(crate) const SECURITY_GROUPS: Member<Vec<String>> = Member::named("security_groups");
/// When it was started last.
pub(crate) const LAUNCH_TIME: Member<Option<String>> = Member::named("launch_time");

/// What a thing is, in a word or two: `load balancer`.
pub const RESOURCE_TYPE: Member<String> = Member::named("resource_type");
/// What it says of itself, a row for each setting.
pub const CONFIGURATION: Member<Vec<Setting>> = Member::named("hidden_configuration");
/// The same as a state of Terraform says it, of which less is true today.
pub(crate) const STATE_CONFIGURATION: Member<Vec<Setting>> = Member::named("hidden_state_configuration");
/// The name of a database in its account.
pub(crate) const DATABASE_NAME: Member<Option<String>> = Member::named("db_instance_identifier");
/// `postgres`, `mysql` and so on.
pub const ENGINE: Member<Option<String>> = Member::named("engine");
/// Its version.
pub(crate) const ENGINE_VERSION: Member<Option<String>> = Member::named("engine_version");
/// The host at which a database answers.
pub const ENDPOINT: Member<Option<String>> = Member::named("endpoint");
/// The port at which it answers.
pub const PORT: Member<Option<i64>> = Member::named("port");

/// One setting of an asset in an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    pub name: String,
    pub value: Value,
}

/// Returns what a thing in an account says of itself, as its details have it: a list, since several lists of the
/// provider say something of one thing.
pub fn configuration(says: impl IntoIterator<Item = (String, Value)>) -> (String, Value) {
    CONFIGURATION.is(settings(says))
}

/// The same of a state of Terraform.
pub fn state_configuration(says: impl IntoIterator<Item = (String, Value)>) -> (String, Value) {
    STATE_CONFIGURATION.is(settings(says))
}

fn settings(says: impl IntoIterator<Item = (String, Value)>) -> Vec<Setting> {
    says.into_iter().map(|(name, value)| Setting { name, value }).collect()
}

/// Returns what it says in one respect, to the provider rather than in a state; `None` where nothing was said of that.
pub fn setting(details: &Details, name: &str) -> Option<Value> {
    let mut said = CONFIGURATION.items(details).chain(STATE_CONFIGURATION.items(details));
    said.find(|setting| setting.name == name).map(|setting| setting.value)
}

/// Characters of the id of a project, with the domain before it.
const PROJECT_CHARS_MAX: usize = 100;
/// What stands between the name of an organisation's first account and the number or id of another one.
const MEMBER: &str = " / ";

/// Returns the name of an account that an organisation lists; `None` where the number or id is none.
pub fn in_organization(first: &str, number: &str) -> Option<String> {
    is_member(number).then(|| format!("{first}{MEMBER}{number}"))
}

/// Returns the name of the account that an integration opens, and the number of the one of its organisation that is
/// meant, where it is another.
pub fn of_organization(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once(MEMBER) {
        Some((first, number)) if is_member(number) => (first, Some(number)),
        _ => (name, None),
    }
}

/// The number of an account at AWS, which has twelve digits, or the id of a project at Google Cloud.
fn is_member(text: &str) -> bool {
    let is_number = text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    // Projects of the oldest organisations have the domain before the id: `example.com:data`.
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b':');
    let is_project = (6..=PROJECT_CHARS_MAX).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(good);
    is_number || is_project
}

/// Returns what the secrets of an integration lack before they open an account; `None` where that is nothing. `own`:
/// the installation has keys of its own, by which roles are taken.
pub fn missing(secrets: &Map<String, Value>, own: bool) -> Option<&'static str> {
    let is_there = |name: &str| secrets.get(name).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let role = is_there("aws_role_arn");
    match (is_there("aws_access_key_id"), is_there("aws_secret_access_key")) {
        (true, true) => None,
        (true, false) => Some("aws_secret_access_key, which belongs to its aws_access_key_id"),
        (false, true) => Some("aws_access_key_id, which belongs to its aws_secret_access_key"),
        (false, false) if role && own => None,
        (false, false) if role => Some(
            "keys that may take the role of its aws_role_arn: give aws_access_key_id and aws_secret_access_key beside \
             it, or let the administrator set these of the installation",
        ),
        (false, false) => Some("aws_access_key_id and aws_secret_access_key, or aws_role_arn"),
    }
}

/// What is known of an account.
pub(super) const CREDENTIAL: &[Row] = &[
    contract(ACCOUNT_ID, Null).by(AwsAccount),
    contract(ACCOUNT_NAME, Null).by(AwsAccount),
    contract(ARN, Null).by(AwsAccount),
    contract(REGIONS, List).by(AwsAccount),
];

/// What is known of a machine.
pub(super) const INSTANCE: &[Row] = &[
    contract(ACCOUNT_ID, Null).by(AwsAccount),
    contract(INSTANCE_ID, Null).by(AwsAccount),
    contract(IMAGE_ID, Null).by(AwsAccount),
    contract(INSTANCE_TYPE, Null).by(AwsAccount),
    contract(STATE, Null).by(AwsAccount),
    contract(INSTANCE_REGION, Null).by(AwsAccount),
    contract(VPC_ID, Null).by(AwsAccount),
    contract(PUBLIC_IPS, List).by(AwsAccount),
    contract(PRIVATE_IP, Null).by(AwsAccount),
    contract(SECURITY_GROUPS, List).by(AwsAccount),
    contract(LAUNCH_TIME, Null).by(AwsAccount),
    seen(CONFIGURATION, AwsAccount),
];

/// What is known of a database.
pub(super) const DATABASE: &[Row] = &[
    contract(ACCOUNT_ID, Null).by(AwsAccount),
    contract(DATABASE_NAME, Null).by(AwsAccount),
    contract(ENGINE, Null).by(AwsAccount),
    contract(ENGINE_VERSION, Null).by(AwsAccount),
    contract(ENDPOINT, Null).by(AwsAccount),
    contract(PORT, Null).by(AwsAccount),
    contract(INSTANCE_REGION, Null).by(AwsAccount),
    contract(STATE, Null).by(AwsAccount),
    seen(CONFIGURATION, AwsAccount),
];

/// What is known of anything else.
pub(super) const RESOURCE: &[Row] = &[
    contract(ACCOUNT_ID, Null).by(AwsAccount),
    contract(RESOURCE_TYPE, Null).by(AwsAccount),
    contract(INSTANCE_REGION, Null).by(AwsAccount),
    seen(CONFIGURATION, AwsAccount),
];

/// What is known of a bucket in an account.
pub(super) const S3_BUCKET: &[Row] = &[
    contract(ACCOUNT_ID, Null).by(AwsAccount),
    contract(bucket::BUCKET_NAME, Null).by(AwsAccount),
    contract(bucket::REGION, Null).by(AwsAccount),
    seen(CONFIGURATION, AwsAccount),
    unseen("found_objects", List),
    unseen("contents", Null),
];

/// A name of a bucket; the oldest have capital letters and underscores.
pub(super) fn bucket(text: &str) -> Result<String, &'static str> {
    /// Characters of the oldest names.
    const CHARS_MAX: usize = 255;
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let is_name = (3..=CHARS_MAX).contains(&text.len()) && text.bytes().all(good);
    if is_name { Ok(text.to_owned()) } else { Err("it is no name of a bucket such as example-backup") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_integration_lacks_is_said_before_anything_is_asked() {
        let lacks = |names: &[&str], own: bool| {
            let secrets = names.iter().map(|name| ((*name).to_owned(), Value::from("x"))).collect();
            missing(&secrets, own).map(|said| said.split([',', ':']).next().unwrap_or_default())
        };
        let (id, key, role) = ("aws_access_key_id", "aws_secret_access_key", "aws_role_arn");
        for (names, own, wanted) in [
            (&[id, key][..], false, None),
            (&[id, key, role], false, None),
            (&[role], true, None),
            (&[role], false, Some("keys that may take the role of its aws_role_arn")),
            (&[id, role], true, Some("aws_secret_access_key")),
            (&[key], true, Some("aws_access_key_id")),
            (&[], true, Some("aws_access_key_id and aws_secret_access_key")),
        ] {
            assert_eq!(lacks(names, own), wanted, "{names:?} {own}");
        }
    }

    #[test]
    fn an_account_of_an_organisation_is_named_by_its_number_behind_the_first_one() {
        let first = "Production / old (5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55)";
        let name = in_organization(first, "210987654321").unwrap();
        assert_eq!(of_organization(&name), (first, Some("210987654321")));
        assert_eq!(of_organization(first), (first, None));
        let project = in_organization(first, "acme-data-7").unwrap();
        assert_eq!(of_organization(&project), (first, Some("acme-data-7")));
        for number in ["", "1", "21098765432x", "../../../../", "Acme-data", "acme/data", "acme data"] {
            assert_eq!(in_organization(first, number), None, "{number}");
        }
    }
}
