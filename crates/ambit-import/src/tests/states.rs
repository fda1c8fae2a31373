//! States of Terraform.

use super::*;

pub(super) fn states() -> Vec<Row> {
    vec![
        (
            Source::Terraform,
            r#"{"version": 4, "terraform_version": "1.9.0", "resources": [
                {"mode": "managed", "type": "aws_instance", "name": "web", "instances": [{"attributes": {
                    "public_dns": "ec2-192-0-2-7.compute-1.amazonaws.com", "public_ip": "192.0.2.7",
                    "private_ip": "10.0.0.7", "user_data": "https://secret.acme.test"}}]},
                {"mode": "data", "type": "aws_route53_zone", "name": "in", "instances": [{"attributes": {
                    "zone_id": "Z2", "name": "elsewhere.test", "private_zone": true}}]},
                {"mode": "managed", "type": "aws_route53_record", "name": "split", "instances": [{"attributes": {
                    "zone_id": "Z2", "type": "A", "name": "www.elsewhere.test", "fqdn": "www.elsewhere.test"}}]},
                {"mode": "managed", "type": "aws_sns_topic_subscription", "name": "hook", "instances": [
                    {"attributes": {"endpoint": "https://hooks.elsewhere.test/x"}}]},
                {"mode": "managed", "type": "aws_route53_record", "name": "www", "instances": [{"attributes": {
                    "type": "A", "name": "www.acme.test", "fqdn": "www.acme.test"}}]},
                {"mode": "managed", "type": "aws_db_instance", "name": "db", "instances": [{"attributes": {
                    "arn": "arn:aws:rds:eu-west-1:1:db:a", "publicly_accessible": true, "address": "hidden.acme.test"},
                    "sensitive_attributes": [[{"type": "get_attr", "value": "address"}]]}]},
                {"mode": "data", "type": "aws_instance", "name": "other", "instances": [{"attributes": {
                    "public_ip": "192.0.2.9"}}]}]}"#,
            said(&[
                "DnsRecord hooks.elsewhere.test 2026-11-18T11:06",
                "Uri https://hooks.elsewhere.test:443/x 2026-11-18T11:06 name=hook, \
                 resource=aws_sns_topic_subscription",
                "own AwsEC2Instance ec2-192-0-2-7.compute-1.amazonaws.com 2026-11-18T11:06 name=web, \
                 resource=aws_instance",
                "own AwsRdsDbInstance arn:aws:rds:eu-west-1:1:db:a 2026-11-18T11:06 name=db, resource=aws_db_instance",
                "own DnsRecord www.acme.test 2026-11-18T11:06 name=www, resource=aws_route53_record",
                "own IpAddress 192.0.2.7 2026-11-18T11:06 name=web, resource=aws_instance",
            ]),
        ),
        (
            Source::Terraform,
            r#"{"format_version": "1.0", "values": {"root_module": {"resources": [], "child_modules": [{"resources": [
                {"mode": "managed", "type": "google_storage_bucket", "name": "b", "values": {"name": "acme-b"}}]}]}}}"#,
            said(&[
                "own CloudStorageBucket https://storage.googleapis.com/acme-b 2026-11-18T11:06 name=b, \
                 resource=google_storage_bucket",
                "own GcpStorageBucket acme-b 2026-11-18T11:06 name=b, resource=google_storage_bucket",
            ]),
        ),
    ]
}

#[test]
fn addresses_that_the_internet_does_not_route_are_not_read_from_a_state() {
    let state = |address: &str| {
        let instance = json!({"attributes": {"public_ip": address}});
        let resource = json!({"mode": "managed", "type": "x", "name": "y", "instances": [instance]});
        json!({"version": 4, "terraform_version": "1.9", "resources": [resource]}).to_string()
    };
    for address in ["192.0.2.7", "203.0.113.9", "2001:db8::1"] {
        assert_eq!(read(Source::Terraform, &state(address), USUAL).expect("is read").sighted.len(), 1, "{address}");
    }
    for address in [
        "10.0.0.1",
        "172.31.0.1",
        "192.168.1.1",
        "127.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "::",
        "::1",
        "fd00::1",
        "fe80::1",
        "::ffff:10.0.0.1",
        "acme.test",
        "",
    ] {
        let import = read(Source::Terraform, &state(address), USUAL).expect("is read");
        assert_eq!((import.sighted.len(), import.left_out), (0, 0), "{address}");
    }
}

#[test]
fn a_state_is_the_account_of_what_it_manages_and_a_hostile_one_is_refused_in_one_line() {
    let instance = json!({"attributes": {"arn": "arn:x", "public_ip": "10.0.0.1"}});
    let resource = json!({"mode": "managed", "type": "aws_eip", "name": "y", "instances": [instance]});
    let state = json!({"version": 4, "serial": 7, "lineage": "3f0c", "terraform_version": "1.9.0",
        "resources": [resource]});
    let import = read(Source::Terraform, &state.to_string(), USUAL).expect("is read");
    let account = crate::Account { lineage: Some("3f0c".to_owned()), serial: Some(7), version: "1.9.0".to_owned() };
    assert_eq!(import.account, Some(account));
    assert_eq!(import.sighted.len(), 1, "an address inside a network leads nowhere: {:?}", import.sighted);
    let marked = json!({"format_version": "1.0", "values": {"root_module": {"resources": [{"mode": "managed",
        "type": "aws_eip", "name": "y", "values": {"public_ip": "203.0.113.5"},
        "sensitive_values": {"public_ip": true}}]}}});
    let import = read(Source::Terraform, &marked.to_string(), USUAL).expect("is read");
    assert_eq!((import.sighted.len(), import.account.expect("one").lineage), (0, None));
    let nested = (0..40).fold(json!({}), |within, _| json!({"child_modules": [within]}));
    let nested = json!({"values": {"root_module": nested}}).to_string();
    for (text, why) in [
        (nested.as_str(), "more than 32 modules in one another"),
        (&"[".repeat(200), "recursion limit exceeded"),
        ("[]", "there is no version or no terraform_version"),
        (r#"{"version": 3, "terraform_version": "0.11.0", "modules": []}"#, "it has version 3; version 4 is read"),
        (r#"{"version": 5, "terraform_version": "2.0.0", "resources": []}"#, "it has version 5"),
        (r#"{"encrypted_data": "x", "encryption_version": "v0", "meta": {}}"#, "it is encrypted"),
        (r#"{"format_version": "1.2", "terraform_version": "1.9.0", "planned_values": {}}"#, "it is a plan"),
        (r#"{"version": 4, "terraform_version": "1.9.0", "resources": {}}"#, "there is no list of resources"),
        ("terraform {", "line 1: "),
    ] {
        let said = read(Source::Terraform, text, USUAL).expect_err("it is none").to_string();
        assert!(said.contains(why) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn rules_and_policies_in_resources_of_their_own_are_those_of_their_group_and_bucket() {
    let resource = |kind: &str, attributes: serde_json::Value| {
        let instance = json!({"attributes": attributes});
        json!({"mode": "managed", "type": kind, "name": "x", "instances": [instance]})
    };
    let arn = |id: &str| format!("arn:aws:ec2:eu-west-1:1:security-group/{id}");
    let redis = json!({"from_port": 6379, "to_port": 6379, "protocol": "tcp", "cidr_blocks": ["0.0.0.0/0"]});
    let rule = |group: &str, direction: &str| {
        let mut rule = redis.clone();
        rule["security_group_id"] = json!(group);
        rule["type"] = json!(direction);
        resource("aws_security_group_rule", rule)
    };
    let policy = json!({"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}]});
    let state = json!({"version": 4, "terraform_version": "1.9", "resources": [
        resource("aws_security_group", json!({"id": "sg-1", "arn": arn("sg-1"), "ingress": []})),
        resource("aws_security_group", json!({"id": "sg-2", "arn": arn("sg-2"), "ingress": [redis]})),
        rule("sg-1", "ingress"), rule("sg-1", "egress"), rule("sg-2", "ingress"), rule("sg-elsewhere", "ingress"),
        resource("aws_s3_bucket", json!({"bucket": "acme-b", "arn": "arn:aws:s3:::acme-b"})),
        resource("aws_s3_bucket_policy", json!({"bucket": "acme-b", "policy": policy.to_string()})),
        resource("aws_s3_bucket_public_access_block", json!({"bucket": "acme-c", "restrict_public_buckets": true})),
        resource("aws_s3_bucket_policy", json!({"bucket": "acme-c", "policy": policy.to_string()})),
    ]});
    let import = read(Source::Terraform, &state.to_string(), USUAL).expect("is read");
    let set_up = |name: &str| {
        let found = import.sighted.iter().find(|one| one.name == name && one.resource_type.is_some());
        json!(found.unwrap_or_else(|| panic!("{name}: {import:?}")).configuration.clone())
    };
    let inward = json!({"inward": [{"protocol": "tcp", "from": 6379, "to": 6379, "sources": ["0.0.0.0/0"],
        "unread_lists": []}]});
    assert_eq!(set_up(&arn("sg-1")), inward);
    assert_eq!(set_up(&arn("sg-2")), inward, "the same rule is told once");
    assert_eq!(set_up("acme-b"), json!({"public_by_policy": true, "blocks_policies": false}), "nothing blocks it");
    assert_eq!(set_up("acme-c"), json!({"public_by_policy": true, "blocks_policies": true}));
    let groups = import.sighted.iter().filter(|one| one.name.contains(":security-group/")).count();
    assert_eq!(groups, 2, "nobody knows whose a group is that the state does not have");
}
