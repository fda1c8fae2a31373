//! Resources that are a part of another one and say so in ways of their own: rules of a group, the policy of a bucket.
//! What they lack to be read as that one is added to their attributes.

use serde_json::{Map, Value};

/// The attribute under which a rule is given the ARN of its group.
pub const GROUP_ARN: &str = "group_arn";
/// The attributes under which the policy of a bucket is given whether it lets everybody in, and whether the bucket
/// blocks such policies.
pub const IS_PUBLIC: &str = "is_public";
pub const BLOCKS_POLICIES: &str = "blocks_policies";
/// What Azure puts between the id of a group and the name of a rule in it.
const AZURE_RULES: &str = "/securityRules/";

/// Returns id and ARN of a security group.
pub fn group<'a>(resource: &str, attributes: &'a Map<String, Value>) -> Option<(&'a str, &'a str)> {
    let says = |name: &str| attributes.get(name)?.as_str();
    let is_group = matches!(resource, "aws_default_security_group" | "aws_security_group");
    is_group.then(|| Some((says("id")?, says("arn")?))).flatten()
}

/// Returns the id of the security group that a rule is a part of, where the rule does not say whose group that is.
pub fn group_of<'a>(resource: &str, attributes: &'a Map<String, Value>) -> Option<&'a str> {
    (resource == "aws_security_group_rule").then(|| attributes.get("security_group_id")?.as_str()).flatten()
}

/// Returns the name of the bucket that a block of public access is of; `""` for the one of the whole account.
pub fn blocked_bucket<'a>(resource: &str, attributes: &'a Map<String, Value>) -> Option<&'a str> {
    match resource {
        "aws_s3_account_public_access_block" => Some(""),
        "aws_s3_bucket_public_access_block" => attributes.get("bucket")?.as_str(),
        _ => None,
    }
}

/// Returns the policy of a bucket, and the name of the bucket; `None` for anything else, and for what cannot be read.
pub fn bucket_policy<'a>(resource: &str, attributes: &'a Map<String, Value>) -> Option<(&'a str, Value)> {
    let says = |name: &str| attributes.get(name)?.as_str();
    let is_policy = resource == "aws_s3_bucket_policy";
    is_policy.then(|| Some((says("bucket")?, serde_json::from_str(says("policy")?).ok()?))).flatten()
}

/// Adds what a resource says in a way of its own.
pub(super) fn complete(resource: &str, attributes: &mut Map<String, Value>) {
    let says = |name: &str| attributes.get(name).and_then(Value::as_str);
    let added = match resource {
        // arn:aws:ec2:eu-west-1:123456789012:security-group-rule/sgr-1
        "aws_vpc_security_group_ingress_rule" => says("arn")
            .and_then(|arn| arn.split_once(":security-group-rule/"))
            .zip(says("security_group_id"))
            .map(|((before, _), id)| (GROUP_ARN, Value::String(format!("{before}:security-group/{id}")))),
        "azurerm_network_security_rule" => says("id")
            .and_then(|id| id.split_once(AZURE_RULES))
            .map(|(group, _)| ("group_id", Value::String(group.to_owned()))),
        _ => None,
    };
    attributes.extend(added.map(|(name, value)| (name.to_owned(), value)));
}
