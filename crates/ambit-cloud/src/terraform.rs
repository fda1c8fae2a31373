//! What the resources in a state of Terraform are: data, in the form of the lists of providers, a file for each large
//! provider and one for all others (`terraform/`). The state is the account: what it manages is theirs.

mod parts;

pub use parts::{BLOCKS_POLICIES, GROUP_ARN, IS_PUBLIC, blocked_bucket, bucket_policy, group, group_of};

use crate::aws;
use crate::form::{Asset, Form, Place};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The files: name and text.
const FILES: &[(&str, &str)] = &[
    ("aws", include_str!("terraform/aws.toml")),
    ("azure", include_str!("terraform/azure.toml")),
    ("gcp", include_str!("terraform/gcp.toml")),
    ("others", include_str!("terraform/others.toml")),
];

/// A file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    list: Vec<Form>,
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| {
        let file: File = toml::from_str(text).unwrap_or_else(|why| panic!("a test reads the files: {name}: {why}"));
        file.list
    };
    FILES.iter().flat_map(read).collect()
});

/// The forms by the types of resources that they read.
static BY_TYPE: LazyLock<BTreeMap<&str, &Form>> = LazyLock::new(|| {
    FORMS.iter().flat_map(|form| form.permission.split_whitespace().map(move |name| (name, form))).collect()
});

/// Returns whether it is known what resources of a type are.
pub fn is_known(resource: &str) -> bool {
    BY_TYPE.contains_key(resource)
}

/// Reads a resource by its attributes; it says of itself what they say. `None`: its type is not known, or it leads
/// nowhere outside.
pub fn asset(resource: &str, mut attributes: Map<String, Value>) -> Option<Asset> {
    let form = *BY_TYPE.get(resource)?;
    parts::complete(resource, &mut attributes);
    // arn:aws:ec2:eu-west-1:123456789012:…
    let named = ["arn", "function_arn"].iter().find_map(|name| attributes.get(*name)?.as_str());
    let parts: Vec<String> = named.unwrap_or_default().split(':').map(str::to_owned).collect();
    let part = |number: usize| parts.get(number).map(String::as_str).unwrap_or_default();
    let region = Some(part(3)).filter(|region| aws::is_region(region)).unwrap_or_default();
    let partition = Some(part(1)).filter(|name| !name.is_empty()).unwrap_or(aws::FIRST_PARTITION);
    let place = Place { account: part(4), region, partition, domain: aws::domain(partition) };
    let mut asset = form.asset(Value::Object(attributes), &Value::Null, &place)?;
    asset.says.retain(|_, value| !value.is_null());
    Some(asset)
}

/// The zone in which a record stands, by the type of the zones and what they are called there; `None` for what is no
/// record, or one of a provider whose private zones have types of their own.
pub fn zone_of(resource: &str, attributes: &Map<String, Value>) -> Option<(&'static str, String)> {
    let (zones, name) = match resource {
        "aws_route53_record" => ("aws_route53_zone", "zone_id"),
        "google_dns_record_set" => ("google_dns_managed_zone", "managed_zone"),
        _ => return None,
    };
    Some((zones, attributes.get(name)?.as_str()?.to_owned()))
}

/// A zone that answers inside networks alone, as `zone_of` names it; `None` for anything else. Names in such a zone may
/// be those of others.
pub fn private_zone(resource: &str, attributes: &Map<String, Value>) -> Option<(&'static str, String)> {
    let says = |name: &str| attributes.get(name);
    let (zones, name, is_private) = match resource {
        "aws_route53_zone" => {
            let of_network = says("vpc").and_then(Value::as_array).is_some_and(|networks| !networks.is_empty());
            let is_private = of_network || says("private_zone") == Some(&Value::Bool(true));
            ("aws_route53_zone", says("zone_id").or_else(|| says("id")), is_private)
        }
        "google_dns_managed_zone" => {
            ("google_dns_managed_zone", says("name"), says("visibility").is_some_and(|said| said == "private"))
        }
        _ => return None,
    };
    is_private.then_some((zones, name?.as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Kind and name, and what it leads to.
    fn read(resource: &str, attributes: Value) -> Option<String> {
        let asset = asset(resource, attributes.as_object().cloned().unwrap())?;
        let entity = asset.entity.map(|(kind, name)| format!("{kind} {name}")).unwrap_or_default();
        let addresses = asset.addresses.iter().map(ToString::to_string);
        let also = asset.also.iter().map(|(kind, name)| format!("{kind} {name}"));
        let leads: Vec<String> = asset.hosts.into_iter().chain(addresses).chain(asset.urls).chain(also).collect();
        Some(format!("{entity} -> {}", leads.join(" ")))
    }

    fn assert_named(rows: &[(&str, Value, Option<&str>)]) {
        for (resource, attributes, wanted) in rows {
            assert_eq!(read(resource, attributes.clone()).as_deref(), *wanted, "{resource}");
        }
    }

    #[test]
    fn resources_of_aws_are_named_as_the_collectors_name_the_same_things() {
        assert_named(&[
            (
                "aws_instance",
                json!({"public_dns": "ec2-203-0-113-9.compute-1.amazonaws.com", "public_ip": "203.0.113.9",
                    "private_ip": "10.0.0.9", "instance_state": "running"}),
                Some("AwsEC2Instance ec2-203-0-113-9.compute-1.amazonaws.com -> 203.0.113.9"),
            ),
            (
                "aws_instance",
                json!({"id": "i-1", "public_dns": "", "private_dns": "ip-10-0-0-9.ec2.internal",
                    "public_ip": "203.0.113.9"}),
                Some("AwsEC2Instance i-1 -> 203.0.113.9"),
            ),
            ("aws_instance", json!({"public_dns": "", "private_dns": "ip-10-0-0-9.ec2.internal"}), None),
            (
                "aws_eip",
                json!({"arn": "arn:aws:ec2:eu-west-1:123456789012:elastic-ip/eipalloc-1", "public_ip": "203.0.113.5"}),
                Some("AwsResource arn:aws:ec2:eu-west-1:123456789012:elastic-ip/eipalloc-1 -> 203.0.113.5"),
            ),
            ("aws_eip", json!({"id": "eipalloc-2", "public_ip": "203.0.113.6"}), Some(" -> 203.0.113.6")),
            ("aws_lb", json!({"arn": "arn:x", "dns_name": "in.elb.amazonaws.com", "internal": true}), None),
            (
                "aws_s3_bucket",
                json!({"arn": "arn:aws-cn:s3:::acme-b", "bucket": "acme-b"}),
                Some("AwsS3Bucket acme-b -> CloudStorageBucket acme-b.s3.amazonaws.com.cn"),
            ),
            (
                "aws_db_instance",
                json!({"arn": "arn:aws:rds:eu-west-1:1:db:a", "address": "a.rds.amazonaws.com"}),
                Some("AwsRdsDbInstance arn:aws:rds:eu-west-1:1:db:a -> "),
            ),
            ("aws_route53_zone", json!({"zone_id": "Z1", "name": "acme.test", "vpc": [{"vpc_id": "v"}]}), None),
            (
                "aws_route53_zone",
                json!({"zone_id": "Z1", "name": "acme.test", "vpc": []}),
                Some("AwsResource arn:aws:route53:::hostedzone/Z1 -> acme.test"),
            ),
            (
                "aws_api_gateway_rest_api",
                json!({"id": "a1", "arn": "arn:aws:apigateway:eu-west-1::/restapis/a1"}),
                Some(
                    "AwsResource arn:aws:apigateway:eu-west-1::/restapis/a1 -> a1.execute-api.eu-west-1.amazonaws.com",
                ),
            ),
        ]);
    }

    #[test]
    fn resources_of_others_are_named_as_the_collectors_name_the_same_things() {
        assert_named(&[
            (
                "azurerm_windows_virtual_machine",
                json!({"id": "/s/vm/web", "public_ip_addresses": ["203.0.113.7"]}),
                Some("AzureVirtualMachine /s/vm/web -> 203.0.113.7"),
            ),
            (
                "azurerm_storage_account",
                json!({"name": "acmefiles", "primary_blob_host": "acmefiles.blob.core.windows.net"}),
                Some("AzureStorageAccount acmefiles -> acmefiles.blob.core.windows.net"),
            ),
            (
                "google_compute_instance",
                json!({"id": "projects/p/zones/z/instances/web",
                    "network_interface": [{"network_ip": "10.0.0.2", "access_config": [{"nat_ip": "203.0.113.20"}]}]}),
                Some(
                    "GcpComputeEngineInstance //compute.googleapis.com/projects/p/zones/z/instances/web -> \
                     203.0.113.20",
                ),
            ),
            (
                "google_sql_database_instance",
                json!({"project": "p", "name": "db", "public_ip_address": "203.0.113.21"}),
                Some("GcpCloudSQLInstance //cloudsql.googleapis.com/projects/p/instances/db -> 203.0.113.21"),
            ),
            (
                "google_storage_bucket",
                json!({"name": "acme-g"}),
                Some("GcpStorageBucket acme-g -> CloudStorageBucket storage.googleapis.com/acme-g"),
            ),
            (
                "hcloud_server",
                json!({"id": "42", "ipv4_address": "203.0.113.42", "ipv6_address": "2001:db8::1"}),
                Some("CloudResource hetzner:server:42 -> 203.0.113.42 2001:db8::1"),
            ),
            ("aws_sns_topic_subscription", json!({"endpoint": "https://hooks.elsewhere.test"}), None),
        ]);
    }

    #[test]
    fn a_resource_says_what_its_attributes_say_as_the_lists_of_the_provider_do_and_nothing_else() {
        let says = |resource: &str, attributes: Value| {
            asset(resource, attributes.as_object().cloned().unwrap()).map(|asset| Value::Object(asset.says))
        };
        let group = json!({"arn": "arn:aws:ec2:eu-west-1:1:security-group/sg-1", "description": "s3cret", "ingress": [
            {"protocol": "tcp", "from_port": 3306, "to_port": 3306, "cidr_blocks": ["0.0.0.0/0"],
                "prefix_list_ids": ["pl-1"]}]});
        let inward = json!([{"protocol": "tcp", "from": 3306, "to": 3306, "sources": ["0.0.0.0/0"],
            "unread_lists": ["pl-1"]}]);
        assert_eq!(says("aws_security_group", group), Some(json!({"inward": inward})));
        let database = json!({"arn": "arn:aws:rds:eu-west-1:1:db:a", "publicly_accessible": true});
        assert_eq!(says("aws_db_instance", database), Some(json!({"public": true})), "nothing is said of its disks");
        let rule = json!({"access": "Allow", "direction": "Inbound", "protocol": "Tcp",
            "destination_port_range": "3389", "source_address_prefix": "*"});
        let outward =
            json!({"access": "Allow", "direction": "Outbound", "protocol": "*", "source_address_prefix": "*"});
        let group = says("azurerm_network_security_group", json!({"id": "/s/nsg", "security_rule": [rule, outward]}));
        let inward = json!([{"protocol": "Tcp", "ports": ["3389"], "sources": ["*"], "priority": null}]);
        assert_eq!(group, Some(json!({"inward": inward, "denied": []})));
        let firewall = json!({"id": "projects/p/global/firewalls/a", "direction": "INGRESS", "disabled": false,
            "source_ranges": ["0.0.0.0/0"], "allow": [{"protocol": "tcp", "ports": ["22"]}]});
        let inward = json!([{"protocol": "tcp", "ports": ["22"], "sources": ["0.0.0.0/0"]}]);
        assert_eq!(says("google_compute_firewall", firewall), Some(json!({"inward": inward})));
        let rule = json!({"arn": "arn:aws:ec2:eu-west-1:1:security-group-rule/sgr-1", "security_group_id": "sg-1",
            "ip_protocol": "tcp", "from_port": 27017, "to_port": 27017, "cidr_ipv4": "0.0.0.0/0"});
        assert_eq!(
            read("aws_vpc_security_group_ingress_rule", rule.clone()).as_deref(),
            Some("AwsResource arn:aws:ec2:eu-west-1:1:security-group/sg-1 -> ")
        );
        let inward = json!([{"protocol": "tcp", "from": 27017, "to": 27017, "sources": ["0.0.0.0/0"],
            "unread_lists": []}]);
        assert_eq!(says("aws_vpc_security_group_ingress_rule", rule), Some(json!({"inward": inward})));
        let unnamed = json!({"security_group_id": "sg-1", "cidr_ipv4": "0.0.0.0/0"});
        assert_eq!(says("aws_vpc_security_group_ingress_rule", unnamed), None, "nobody knows whose group it is");
        let granted = |member: Value| {
            let attributes = json!({"bucket": "b/acme-g", "role": "roles/storage.objectViewer", "member": member});
            says("google_storage_bucket_iam_member", attributes)
        };
        let wanted = json!([{"role": "roles/storage.objectViewer", "conditional": false}]);
        assert_eq!(granted(json!("allUsers")), Some(json!({ "granted": wanted })));
        assert_eq!(granted(json!("user:ann@acme.test")), Some(json!({"granted": []})), "people are not named");
        let run = json!({"project": "p", "location": "l", "service": "shop", "role": "roles/run.invoker",
            "members": ["allUsers", "user:ann@acme.test"]});
        assert_eq!(
            read("google_cloud_run_service_iam_binding", run).as_deref(),
            Some("CloudResource //run.googleapis.com/projects/p/locations/l/services/shop -> ")
        );
    }

    /// What a resource says.
    fn said(resource: &str, attributes: &Value) -> Option<Value> {
        asset(resource, attributes.as_object().cloned().unwrap()).map(|asset| Value::Object(asset.says))
    }

    #[test]
    fn a_rule_of_a_group_at_azure_says_its_place_and_whether_it_refuses() {
        let rule = |access: &str, direction: &str| {
            json!({"id": "/s/nsg/securityRules/r", "access": access, "direction": direction, "protocol": "Tcp",
                "destination_port_range": "3389", "source_address_prefix": "Internet", "priority": 100,
                "destination_address_prefix": "*", "source_port_range": "*"})
        };
        let one = json!([{"protocol": "Tcp", "ports": ["3389"], "sources": ["Internet"], "priority": 100}]);
        let (allows, denies) = (rule("Allow", "Inbound"), rule("Deny", "Inbound"));
        let resource = "azurerm_network_security_rule";
        assert_eq!(read(resource, allows.clone()).as_deref(), Some("CloudResource /s/nsg -> "));
        assert_eq!(said(resource, &allows), Some(json!({"inward": one, "denied": []})));
        assert_eq!(said(resource, &denies), Some(json!({"inward": [], "denied": one})));
        assert_eq!(said(resource, &rule("Allow", "Outbound")), None);
        let mut of_one_machine = denies.clone();
        of_one_machine["destination_address_prefix"] = json!("10.0.0.4");
        assert_eq!(said(resource, &of_one_machine), Some(json!({"inward": [], "denied": []})));
        let group = json!({"id": "/s/nsg", "security_rule": [allows, denies]});
        assert_eq!(said("azurerm_network_security_group", &group), Some(json!({"inward": one, "denied": one})));
    }

    #[test]
    fn a_grant_says_whether_it_has_a_condition() {
        let condition =
            json!([{"title": "until May", "expression": "request.time < timestamp('2026-05-01T00:00:00Z')"}]);
        let grant = json!({"bucket": "b/acme-g", "role": "roles/storage.objectViewer", "member": "allUsers",
            "condition": condition});
        let wanted = json!({"granted": [{"role": "roles/storage.objectViewer", "conditional": true}]});
        assert_eq!(said("google_storage_bucket_iam_member", &grant), Some(wanted));
    }

    #[test]
    fn a_function_says_whether_an_event_starts_it() {
        let function = |trigger: Value| {
            let attributes = json!({"id": "projects/p/f", "ingress_settings": "ALLOW_ALL", "event_trigger": trigger});
            said("google_cloudfunctions_function", &attributes).unwrap()["by_event"].clone()
        };
        assert_eq!(function(json!([{"event_type": "google.pubsub.topic.publish"}])), true);
        assert_eq!(function(json!([])), false);
    }

    #[test]
    fn a_firewall_of_linode_says_what_becomes_of_what_no_rule_is_about() {
        let rule = json!({"action": "DROP", "protocol": "TCP", "ports": "22", "ipv4": ["0.0.0.0/0"]});
        let firewall = json!({"id": "1", "inbound_policy": "ACCEPT", "inbound": [rule]});
        let denied = json!([{"protocol": "TCP", "ports": ["22"], "sources": ["0.0.0.0/0"]}]);
        let wanted = json!({"inbound_policy": "ACCEPT", "denied": denied, "inward": []});
        assert_eq!(said("linode_firewall", &firewall), Some(wanted));
    }

    #[test]
    fn a_distribution_says_how_each_of_its_behaviours_is_asked() {
        let distribution = json!({"arn": "arn:aws:cloudfront::1:distribution/E1", "enabled": true,
            "default_cache_behavior": [{"viewer_protocol_policy": "https-only"}],
            "ordered_cache_behavior": [{"viewer_protocol_policy": "allow-all"}]});
        let wanted = json!({"enabled": true, "viewer_protocol": ["allow-all", "https-only"]});
        assert_eq!(said("aws_cloudfront_distribution", &distribution), Some(wanted));
    }

    #[test]
    fn a_policy_says_of_its_bucket_what_it_was_given() {
        let attributes = json!({"bucket": "acme-b", "policy": "{\"Statement\": []}", "is_public": true});
        let mut attributes = attributes.as_object().cloned().unwrap();
        let policy = Some(("acme-b", json!({"Statement": []})));
        assert_eq!(bucket_policy("aws_s3_bucket_policy", &attributes), policy);
        assert_eq!(bucket_policy("aws_s3_bucket", &attributes), None);
        let asset = asset("aws_s3_bucket_policy", attributes.clone()).unwrap();
        assert_eq!(asset.entity, Some(("AwsS3Bucket", "acme-b".to_owned())));
        assert_eq!(Value::Object(asset.says), json!({"public_by_policy": true}));
        attributes.insert("policy".to_owned(), json!("{"));
        assert_eq!(bucket_policy("aws_s3_bucket_policy", &attributes), None, "what cannot be read says nothing");
    }

    #[test]
    fn zones_inside_networks_are_told_from_those_that_answer_to_everybody() {
        let zone = |resource: &str, attributes: Value| private_zone(resource, attributes.as_object().unwrap());
        let inside = Some(("aws_route53_zone", "Z1".to_owned()));
        assert_eq!(zone("aws_route53_zone", json!({"zone_id": "Z1", "vpc": [{"vpc_id": "v"}]})), inside);
        assert_eq!(zone("aws_route53_zone", json!({"zone_id": "Z1", "private_zone": true})), inside);
        assert_eq!(zone("aws_route53_zone", json!({"zone_id": "Z1", "vpc": []})), None);
        let record = json!({"zone_id": "Z1", "fqdn": "www.google.com"});
        assert_eq!(zone_of("aws_route53_record", record.as_object().unwrap()), inside);
        let google = zone("google_dns_managed_zone", json!({"name": "in", "visibility": "private"}));
        let record = json!({"managed_zone": "in"});
        assert_eq!(google, zone_of("google_dns_record_set", record.as_object().unwrap()));
    }

    #[test]
    fn every_file_is_listed_and_every_type_has_one_form() {
        let mut files: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/terraform"))
            .unwrap()
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        files.sort();
        assert_eq!(files, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        let types = FORMS.iter().flat_map(|form| form.permission.split_whitespace()).count();
        assert_eq!(types, BY_TYPE.len());
        for text in FILES.iter().map(|(_, text)| text) {
            assert!(text.starts_with("# "));
        }
    }
}
