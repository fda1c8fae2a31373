//! A state of Terraform as the account of what it manages: it is theirs, in a collection that has nothing else, the
//! same state again adds nothing, and a later one closes what it lacks.

use crate::cloud::{INDEX_WAIT, Installation};
use crate::program::Folder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Instant;

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
    let outside = "2 left out: nothing in the collection leads to them (hooks.elsewhere.com, \
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
    assert!(said.contains("2 closed: an earlier state contained them, this one does not\n"), "{said}");
    installation.run(&collection);
    installation.finds(&collection, "AwsResource", &names(&[ADDRESS]));
    installation.finds(&collection, "Domain", &BTreeSet::new());
    installation.finds(&collection, "DnsRecord", &names(&["www.acme-state.com"]));
    file(&files, "prod.tfstate", STATE);
    let output = installation.output(&import);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let wanted = "The state terraform:3f0c6c1e has serial 7, and the collection has the later one with serial 8";
    assert!(!output.status.success() && said.contains(wanted), "{said}");
    installation.run(&collection);
    installation.finds(&collection, "AwsResource", &names(&[ADDRESS]));
    installation.keeps_no_word("s3cret-policy");
}

/// A firewall that lets everybody in, a database of which nothing is said but that it is public, and their twins.
const OPEN: &str = r#"{"version": 4, "serial": 1, "lineage": "7a1c", "terraform_version": "1.9.0", "resources": [
    {"mode": "managed", "type": "aws_security_group", "name": "db", "instances": [{"attributes": {
        "arn": "arn:aws:ec2:eu-west-1:123456789012:security-group/sg-1", "ingress": [{"protocol": "tcp",
        "from_port": 3306, "to_port": 3306, "cidr_blocks": ["0.0.0.0/0"], "description": "s3cret-words"}]}}]},
    {"mode": "managed", "type": "aws_security_group", "name": "office", "instances": [{"attributes": {
        "arn": "arn:aws:ec2:eu-west-1:123456789012:security-group/sg-2", "ingress": [{"protocol": "tcp",
        "from_port": 3306, "to_port": 3306, "cidr_blocks": ["198.51.100.0/24"]}]}}]},
    {"mode": "managed", "type": "aws_db_instance", "name": "orders", "instances": [{"attributes": {
        "arn": "arn:aws:rds:eu-west-1:123456789012:db:orders", "publicly_accessible": true}}]},
    {"mode": "managed", "type": "google_storage_bucket", "name": "shown", "instances": [{"attributes": {
        "name": "acme-shown", "public_access_prevention": "inherited"}}]},
    {"mode": "managed", "type": "google_storage_bucket_iam_member", "name": "all", "instances": [
        {"attributes": {"bucket": "b/acme-shown", "role": "roles/storage.objectViewer", "member": "allUsers"}},
        {"attributes": {"bucket": "b/acme-shown", "role": "roles/storage.admin",
            "member": "user:ann@s3cret.com"}}]}]}"#;

#[test]
fn what_a_state_says_of_its_things_is_judged_and_a_later_state_closes_it() {
    let (installation, files) = (Installation::asking("terraform-open", &[]), Folder::new("terraform-open-files"));
    let collection = installation.collection_of("Open", "cloud_account");
    let import = |text: &str| {
        let state = file(&files, "open.tfstate", text);
        installation.tell(&["import", "--from", "terraform", &state, "--collection", &collection]);
        installation.run(&collection);
    };
    import(OPEN);
    let wanted = names(&[
        "cloud_bucket_publishing_allowed acme-shown",
        "cloud_firewall_open_mysql arn:aws:ec2:eu-west-1:123456789012:security-group/sg-1",
        "cloud_public_bucket_roles acme-shown",
        "cloud_public_database arn:aws:rds:eu-west-1:123456789012:db:orders",
    ]);
    shows_open(&installation, &collection, &wanted);
    let later = OPEN.replace("\"serial\": 1", "\"serial\": 2").replace("0.0.0.0/0", "10.0.0.0/8");
    import(&later.replace("\"publicly_accessible\": true", "\"publicly_accessible\": false"));
    let wanted = names(&["cloud_bucket_publishing_allowed acme-shown", "cloud_public_bucket_roles acme-shown"]);
    shows_open(&installation, &collection, &wanted);
    installation.keeps_no_word("s3cret");
}

/// Demands that these issues are open, name and entity, and no others, as soon as the index has what the run found.
fn shows_open(installation: &Installation, collection: &str, wanted: &BTreeSet<String>) {
    let end = Instant::now() + INDEX_WAIT;
    loop {
        let rows = installation.rows(&["issues", &format!("collection:{collection}")]);
        let open = rows.iter().filter(|row| row["summary"]["status_new"] == "open");
        let issue = |row: &Value| format!("{} {}", row["name"], row["entity_name"]).replace('"', "");
        let open: BTreeSet<String> = open.map(issue).collect();
        if open == *wanted {
            return;
        }
        assert!(Instant::now() < end, "{open:?} and not {wanted:?}");
    }
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
