//! A state of Terraform as the account of what it manages: it is theirs, in a collection that has nothing else, the
//! same state again adds nothing, and a later one closes what it lacks.

use crate::cloud::Installation;
use crate::program::Folder;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An elastic address, a load balancer, a bucket and a record; something of others that the state only mentions.
const STATE: &str = r#"{"version": 4, "serial": 7, "lineage": "3f0c6c1e", "terraform_version": "1.9.0", "resources": [
    {"mode": "managed", "type": "aws_eip", "name": "web", "instances": [{"attributes": {
        "arn": "arn:aws:ec2:eu-west-1:123456789012:elastic-ip/eipalloc-1", "public_ip": "203.0.113.5"}}]},
    {"mode": "managed", "type": "aws_lb", "name": "front", "instances": [{"attributes": {
        "arn": "arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/front/1", "internal": false,
        "dns_name": "front-1.eu-west-1.elb.amazonaws.com"}}]},
    {"mode": "managed", "type": "aws_s3_bucket", "name": "files", "instances": [{"attributes": {
        "arn": "arn:aws:s3:::acme-files", "bucket": "acme-files", "policy": "s3cret-policy"}}]},
    {"mode": "managed", "type": "aws_route53_record", "name": "www", "instances": [{"attributes": {
        "zone_id": "Z1", "type": "A", "name": "www", "fqdn": "www.acme-state.com"}}]},
    {"mode": "managed", "type": "aws_sns_topic_subscription", "name": "hook", "instances": [{"attributes": {
        "endpoint": "https://hooks.elsewhere.com/x"}}]}]}"#;
const BALANCER: &str = "arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/front/1";
const ADDRESS: &str = "arn:aws:ec2:eu-west-1:123456789012:elastic-ip/eipalloc-1";
const SEED: &str = "what the state manages is yours while terraform:3f0c6c1e is a seed of the collection\n";

fn names(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A file beside the installation with this text.
fn file(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("can be written");
    path.to_str().expect("UTF-8").to_owned()
}

fn finds_all(installation: &Installation, collection: &str) {
    installation.finds(collection, "AwsResource", &names(&[ADDRESS, BALANCER]));
    installation.finds(collection, "AwsS3Bucket", &names(&["acme-files"]));
    installation.finds(collection, "IpAddress", &names(&["203.0.113.5"]));
    installation.finds(collection, "Domain", &names(&["front-1.eu-west-1.elb.amazonaws.com"]));
    installation.finds(collection, "DnsRecord", &names(&["www.acme-state.com"]));
}

#[test]
fn a_state_is_the_account_of_what_it_manages() {
    let (installation, files) = (Installation::asking("terraform", &[]), Folder::new("terraform-files"));
    let collection = installation.collection_of("State", "cloud_account");
    let refused = installation.output(&["run", "start", &collection]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("a seed of the kind TerraformState"), "{said}");

    let state = file(&files, "prod.tfstate", STATE);
    let import = ["import", "--from", "terraform", &state, "--collection", &collection];
    let outside = "2 left out: nothing of the collection leads there (hooks.elsewhere.com, \
                   https://hooks.elsewhere.com:443/x); add a seed if they are yours\n";
    assert_eq!(installation.tell(&import), format!("7 of 9 imported, 7 new entities\n{outside}{SEED}"));
    let run = installation.run(&collection);
    assert_eq!(run["not_done"], json!([]), "{run}");
    finds_all(&installation, &collection);
    let bucket = installation.rows(&["entities", &format!("collection:{collection} type:AwsS3Bucket")]).remove(0);
    assert_eq!(bucket["summary"]["scoped"], true, "{bucket}");
    let path = installation.tell(&["entity", "path", bucket["id"].as_str().expect("text")]);
    assert!(path.starts_with("TerraformState terraform:3f0c6c1e") && path.contains("own 1.000, cap L3"), "{path}");
    let query = format!("collection:{collection} shadow:unmanaged");
    assert_eq!(installation.rows(&["entities", &query]), Vec::<Value>::new(), "the state is an account");

    let known = installation.rows(&["changes"]).last().expect("something changed")["revision"].to_string();
    assert_eq!(installation.tell(&import), format!("7 of 9 imported, 0 new entities\n{outside}{SEED}"));
    assert_eq!(installation.rows(&["changes", "record:entity", "--after", &known]), Vec::<Value>::new());

    let mut newer: Value = serde_json::from_str(STATE).expect("JSON");
    newer["serial"] = json!(8);
    newer["resources"].as_array_mut().expect("a list").remove(1);
    let newer = file(&files, "prod.tfstate", &newer.to_string());
    let said = installation.tell(&["import", "--from", "terraform", &newer, "--collection", &collection]);
    assert!(said.contains("2 closed: an earlier state had them, and this one has not\n"), "{said}");
    installation.run(&collection);
    installation.finds(&collection, "AwsResource", &names(&[ADDRESS]));
    installation.finds(&collection, "Domain", &BTreeSet::new());
    installation.finds(&collection, "DnsRecord", &names(&["www.acme-state.com"]));
    installation.keeps_no_word("s3cret-policy");
}

#[test]
fn a_state_belongs_in_collections_that_begin_with_what_is_theirs() {
    let (installation, files) = (Installation::asking("terraform-workflows", &[]), Folder::new("terraform-more-files"));
    let state = file(&files, "prod.tfstate", STATE);
    for (name, workflow) in [("Outside", "external_discovery_and_assessment"), ("Suppliers", "third_party_workflow")] {
        let made = ["collection", "create", name, "--workflow", workflow, "--only", "resolve", "--level", "passive"];
        let uuid = installation.tell(&made).trim().to_owned();
        let import = ["import", "--from", "terraform", &state, "--collection", &uuid];
        let output = installation.output(&import);
        if name == "Outside" {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let collections = installation.rows(&["collection", "list"]);
            let row = collections.iter().find(|row| row["uuid"] == uuid).expect("it is there");
            finds_all(&installation, row["name"].as_str().expect("text"));
        } else {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let wanted = "A state of Terraform belongs in a collection of the workflow \
                          external_discovery_and_assessment or authenticated_cloud_discovery";
            assert!(!output.status.success() && said.contains(wanted), "{said}");
        }
    }
    let unnamed = STATE.replace("\"lineage\": \"3f0c6c1e\",", "");
    let shown = file(&files, "shown.json", &unnamed);
    let uuid = installation.tell(&["collection", "create", "Shown", "--level", "passive"]).trim().to_owned();
    let said = installation.tell(&["import", "--from", "terraform", &shown, "--collection", &uuid]);
    assert!(said.contains("while terraform:shown.json is a seed"), "{said}");
}
