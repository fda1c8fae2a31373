//! Accounts at cloud providers, at a simulated AWS that checks signatures and permissions: what stands in every region
//! of an account is found as theirs, what is denied is told and closes nothing, and no secret comes out.

use crate::clients::python;
use crate::program::{Folder, Server, command, succeed};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

const WORKFLOW: &str = "authenticated_cloud_discovery";
/// Longest until the index has what a run found.
pub(crate) const INDEX_WAIT: Duration = Duration::from_secs(20);

/// A simulated AWS, until it is dropped, and what it said of itself.
struct Cloud {
    child: Child,
    said: Value,
}

impl Cloud {
    fn start(filled: &[&str]) -> Self {
        let mut cloud = python("cloud.py");
        cloud.args(filled);
        cloud.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = cloud.spawn().expect("Python starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it says where it is");
        Self { child, said: serde_json::from_str(&line).expect("one object") }
    }

    fn texts(&self, member: &str) -> BTreeSet<String> {
        let texts = self.said[member].as_array().expect("a list");
        texts.iter().map(|text| text.as_str().expect("text").to_owned()).collect()
    }

    fn secret(&self, user: &str) -> &str {
        self.said[user]["aws_secret_access_key"].as_str().expect("text")
    }
}

impl Drop for Cloud {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A server with its engine, which asks the simulated AWS and nobody else.
pub(crate) struct Installation {
    folder: Folder,
    server: Server,
    key: String,
}

impl Installation {
    fn beside(cloud: &Cloud, name: &str) -> Self {
        Self::asking(name, &[("AMBIT_AWS_ENDPOINT", cloud.said["url"].as_str().expect("text"))])
    }

    /// One that asks providers where these settings say.
    pub(crate) fn asking(name: &str, endpoints: &[(&str, &str)]) -> Self {
        Self::on(Folder::new(name), endpoints)
    }

    /// The same installation after its secret was lost and another one was accepted.
    pub(crate) fn moved(self) -> Self {
        let Self { folder, server, .. } = self;
        drop(server);
        std::fs::write(folder.join("secret.key"), "a7".repeat(32)).expect("can be written");
        let data = folder.path().to_str().expect("UTF-8");
        let refused = command(&["doctor", "--data", data]).output().expect("the binary starts");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("belongs to another installation"), "{said}");
        succeed(&["doctor", "--data", data, "--accept-secret"]);
        Self::on(folder, &[])
    }

    fn on(folder: Folder, endpoints: &[(&str, &str)]) -> Self {
        let data = folder.path().to_str().expect("UTF-8").to_owned();
        // Nobody answers at the resolver: what is public of a simulated account is somebody's on the internet.
        let mut settings = vec![("AMBIT_RESERVED_RANGES", "127.0.0.1"), ("AMBIT_RESOLVER", "127.0.0.1:9")];
        settings.extend(endpoints);
        let server = Server::start(&["serve", "--data", &data, "--listen", "127.0.0.1:0"], &settings);
        let key = succeed(&["key", "create", "--data", &data]).trim().to_owned();
        Self { folder, server, key }
    }

    pub(crate) fn address(&self) -> &str {
        self.server.url.trim_start_matches("http://")
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// What the server wrote to its log.
    pub(crate) fn logged(&self) -> String {
        self.server.logged()
    }

    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        let mut command = command(arguments);
        let output = command.env("AMBIT_SERVER", &self.server.url).env("AMBIT_API_KEY", &self.key).output();
        output.expect("the binary starts")
    }

    pub(crate) fn tell(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    pub(crate) fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        let text = self.tell(&[arguments, &["--jsonl"]].concat());
        text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
    }

    /// Status and body of a request.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.ask_at("/api/v3/asm", method, path, body)
    }

    /// The same of what is ours.
    pub(crate) fn ask_ours(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.ask_at("/api/ambit/v1", method, path, body)
    }

    fn ask_at(&self, tree: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let address = self.server.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).expect("connects");
        let body = body.to_string();
        let head = format!(
            "{method} {tree}{path} HTTP/1.1\r\nHost: localhost\r\nX-Apikey: {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.key,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).expect("is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("is answered");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        (status, serde_json::from_str(body).expect("JSON"))
    }

    /// A collection of the cloud workflow that contacts nobody but the provider; its name.
    fn collection(&self, name: &str) -> String {
        self.collection_of(name, "aws_account")
    }

    /// The same that asks by another task.
    pub(crate) fn collection_of(&self, name: &str, task: &str) -> String {
        let made = ["collection", "create", name, "--workflow", WORKFLOW, "--only", task, "--level", "passive"];
        let uuid = self.tell(&made).trim().to_owned();
        let collections = self.rows(&["collection", "list"]);
        let row = collections.iter().find(|row| row["uuid"] == uuid).expect("it is there");
        row["name"].as_str().expect("text").to_owned()
    }

    /// Lets the collection use an integration with these secrets; answers with the uuid of the integration.
    fn link(&self, collection: &str, secrets: &Value) -> String {
        let places = json!({"regions": ["us-east-1", "eu-west-1"], "services": ["ec2", "s3"]});
        self.link_in(collection, secrets, &places)
    }

    /// The same with settings that say where it is looked.
    fn link_in(&self, collection: &str, secrets: &Value, settings: &Value) -> String {
        let body = json!({"name": "Production", "type": "AwsCredential", "secrets": secrets, "settings": settings});
        self.use_integration(collection, &body)
    }

    /// Makes an integration and lets the collection use it; its uuid.
    pub(crate) fn use_integration(&self, collection: &str, integration: &Value) -> String {
        let collections = self.rows(&["collection", "list"]);
        let row = collections.iter().find(|row| row["name"] == collection).expect("it is there");
        let project = row["project_uuid"].as_str().expect("text");
        let (status, answer) = self.ask("POST", &format!("/projects/{project}/integrations"), integration);
        assert_eq!(status, 200, "{answer}");
        let uuid = answer["result"]["uuid"].as_str().expect("text").to_owned();
        let path = format!("/user_collections/{}/integration_collections", row["uuid"].as_str().expect("text"));
        let (status, answer) = self.ask("POST", &path, &json!({"integration_uuid": uuid}));
        assert_eq!(status, 200, "{answer}");
        uuid
    }

    /// Demands that no file of the data folder has this word in it.
    pub(crate) fn keeps_no_word(&self, secret: &str) {
        for entry in std::fs::read_dir(self.folder.path()).expect("can be read") {
            let path = entry.expect("can be read").path();
            let bytes = std::fs::read(&path).unwrap_or_default();
            assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "a secret is in {path:?}");
        }
    }

    /// Runs the collection to its end; the run as it is shown.
    pub(crate) fn run(&self, collection: &str) -> Value {
        let started = self.tell(&["run", "start", collection]);
        let id = started.split_whitespace().nth(1).expect("the run's number").to_owned();
        self.tell(&["run", "watch", &id]);
        self.rows(&["run", "show", &id]).remove(0)
    }

    /// Demands that a search for what is present of a kind finds these names, as soon as the index has what the run
    /// found.
    pub(crate) fn finds(&self, collection: &str, kind: &str, wanted: &BTreeSet<String>) {
        let query = format!("collection:{collection} type:{kind} present:true");
        let end = Instant::now() + INDEX_WAIT;
        loop {
            let rows = self.rows(&["entities", &query]);
            let names: BTreeSet<String> =
                rows.iter().map(|row| row["name"].as_str().expect("text").to_owned()).collect();
            if names == *wanted {
                return;
            }
            assert!(Instant::now() < end, "{kind}: {names:?} and not {wanted:?}");
        }
    }
}

/// The buckets of the account.
fn buckets() -> BTreeSet<String> {
    BTreeSet::from(["acme-files".to_owned(), "acme-logs".to_owned()])
}

#[test]
fn an_account_is_looked_through_in_every_region_and_what_stands_in_it_is_theirs() {
    let cloud = Cloud::start(&[]);
    let installation = Installation::beside(&cloud, "cloud-whole");
    let collection = installation.collection("Cloud");
    let refused = command(&["run", "start", &collection])
        .env("AMBIT_SERVER", &installation.server.url)
        .env("AMBIT_API_KEY", &installation.key)
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("an integration of the type AwsCredential, AzureCredential"),
        "{said}"
    );

    installation.link(&collection, &cloud.said["reader"]);
    let run = installation.run(&collection);
    assert_eq!(run["not_done"], json!([]), "{run}");
    installation.finds(&collection, "AwsEC2Instance", &cloud.texts("hosts"));
    installation.finds(&collection, "IpAddress", &cloud.texts("addresses"));
    installation.finds(&collection, "AwsS3Bucket", &buckets());

    let query = format!("collection:{collection} type:AwsEC2Instance");
    for row in installation.rows(&["entities", &query]) {
        assert_eq!(row["summary"]["scoped"], true, "{row}");
        let uid = row["id"].as_str().expect("text");
        let shown = installation.tell(&["entity", "show", uid]);
        for words in ["scope       cloud_account", "account_id: \"123456789012\"", "state: \"running\""] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        let path = installation.tell(&["entity", "path", uid]);
        assert!(path.starts_with("AwsCredential Production (") && path.contains("own 1.000, cap L3"), "{path}");
    }

    let known = installation.rows(&["changes"]).last().expect("something changed")["revision"].to_string();
    let again = installation.run(&collection);
    let changes = installation.rows(&["changes", "record:entity", "--after", &known]);
    assert!(changes.is_empty(), "{changes:?}");
    assert_eq!((&again["new_entity_count"], &again["not_done"]), (&json!(0), &json!([])), "{again}");
    installation.keeps_no_word(cloud.secret("reader"));
}

#[test]
fn what_is_denied_is_told_and_closes_nothing_and_what_is_no_longer_opened_is_gone() {
    let cloud = Cloud::start(&[]);
    let installation = Installation::beside(&cloud, "cloud-denied");
    let collection = installation.collection("Half");
    installation.link(&collection, &cloud.said["half"]);
    let run = installation.run(&collection);
    let not_done = run["not_done"].as_array().expect("a list");
    let [row] = not_done.as_slice() else { panic!("one thing is denied: {run}") };
    // Each of the seven lists of buckets is one that failed.
    assert_eq!((&row["reason"], &row["task"], &row["count"]), (&json!("denied"), &json!("aws_account"), &json!(7)));
    assert!(row["example"].to_string().contains("s3 in us-east-1: denied: status 403, AccessDenied"), "{row}");
    installation.finds(&collection, "AwsEC2Instance", &cloud.texts("hosts"));
    installation.finds(&collection, "AwsS3Bucket", &BTreeSet::new());

    let whole = installation.link(&collection, &cloud.said["reader"]);
    installation.run(&collection);
    installation.finds(&collection, "AwsS3Bucket", &buckets());
    let mut wrong = cloud.said["reader"].clone();
    wrong["aws_secret_access_key"] = json!("0123456789abcdef0123456789abcdef01234567");
    let other = installation.collection("Wrong");
    installation.link(&other, &wrong);
    let run = installation.run(&other);
    let said = run["not_done"].to_string();
    assert!(said.contains("the credential is not accepted") && !said.contains("0123456789abcdef"), "{run}");

    let (status, _) = installation.ask("DELETE", &format!("/integrations/{whole}"), &json!({}));
    assert_eq!(status, 200);
    installation.run(&collection);
    installation.finds(&collection, "AwsS3Bucket", &BTreeSet::new());
    installation.finds(&collection, "AwsEC2Instance", &cloud.texts("hosts"));
}

#[test]
fn the_accounts_of_an_organisation_are_looked_through_by_a_role_in_each_and_one_that_refuses_is_named() {
    let cloud = Cloud::start(&["organization"]);
    let installation = Installation::beside(&cloud, "cloud-organization");
    let collection = installation.collection("Group");
    let places = json!({"regions": ["us-east-1", "eu-west-1"], "services": ["ec2", "organizations"]});
    installation.link_in(&collection, &cloud.said["reader"], &places);
    let run = installation.run(&collection);
    let said = |name: &str| cloud.said["organization"][name].as_str().expect("text").to_owned();
    let [row] = run["not_done"].as_array().expect("a list").as_slice() else { panic!("one account refuses: {run}") };
    assert_eq!(row["reason"], "denied", "{row}");
    // Its regions are named, so that each list is asked for by itself.
    let example = row["example"].to_string();
    assert!(example.contains(&format!(" / {}", said("shut"))), "the account is named: {row}");
    assert!(!example.contains(&format!(" / {}", said("open"))), "the other account is open: {row}");
    let mut addresses = cloud.texts("addresses");
    addresses.insert(said("open_address"));
    installation.finds(&collection, "IpAddress", &addresses);
    let accounts = installation.rows(&["entities", &format!("collection:{collection} type:AwsCredential")]);
    assert_eq!(accounts.len(), 3, "closed accounts are none: {accounts:?}");
    assert!(accounts.iter().all(|account| account["summary"]["scoped"] == true), "{accounts:?}");

    let known = installation.rows(&["changes"]).last().expect("something changed")["revision"].to_string();
    let again = installation.run(&collection);
    let changes = installation.rows(&["changes", "record:entity", "--after", &known]);
    assert!(changes.is_empty(), "{changes:?}");
    assert_eq!(again["new_entity_count"], json!(0), "{again}");
    installation.keeps_no_word(cloud.secret("reader"));
}

#[test]
fn a_role_alone_is_taken_by_the_keys_of_the_installation_with_its_external_id() {
    let cloud = Cloud::start(&["role"]);
    let url = cloud.said["url"].as_str().expect("text");
    let base = |name: &str| cloud.said["base"][name].as_str().expect("text");
    let (id, key) = (base("aws_access_key_id"), base("aws_secret_access_key"));
    let settings = [("AMBIT_AWS_ENDPOINT", url), ("AMBIT_AWS_ACCESS_KEY_ID", id), ("AMBIT_AWS_SECRET_ACCESS_KEY", key)];
    let installation = Installation::asking("cloud-role", &settings);
    let collection = installation.collection("Role");
    let role = &cloud.said["role"];
    installation.link(&collection, &json!({"aws_role_arn": role, "aws_external_id": "acme-42"}));
    let run = installation.run(&collection);
    assert_eq!(run["not_done"], json!([]), "{run}");
    installation.finds(&collection, "AwsS3Bucket", &buckets());
    installation.keeps_no_word(key);

    let stranger = installation.collection("Stranger");
    installation.link(&stranger, &json!({"aws_role_arn": role, "aws_external_id": "guessed"}));
    let run = installation.run(&stranger);
    let said = run["not_done"].to_string();
    assert!(said.contains("sts in us-east-1: denied: status ") && said.contains("AccessDenied"), "{run}");
    installation.finds(&stranger, "AwsS3Bucket", &BTreeSet::new());
}

#[test]
fn a_role_that_nothing_can_take_is_told_when_it_is_given() {
    let installation = Installation::asking("cloud-role-alone", &[]);
    let collection = installation.collection("Role");
    let file = installation.folder().join("secrets");
    std::fs::write(&file, "aws_role_arn = arn:aws:iam::123456789012:role/reader\n").expect("can be written");
    let add = ["integration", "add", "Partner", "AwsCredential", "--secrets", file.to_str().expect("UTF-8")];
    let output = installation.output(&add);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let wanted = "Partner opens nothing yet: it lacks keys that may take the role of its aws_role_arn";
    assert!(output.status.success() && said.contains(wanted), "{said}");
    let uuid = String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned();
    installation.tell(&["integration", "use", &uuid, &collection]);
    let run = installation.run(&collection);
    assert!(run["not_done"].to_string().contains("its integration lacks keys that may take the role"), "{run}");
}

/// Lists of services that the simulated AWS does not have, in three regions: seven of interfaces, two of user pools and
/// three of simple machines, one of containers, one of URLs of functions; and one that is the account's.
const NOT_SIMULATED: usize = 3 * (7 + 2 + 3 + 1 + 1) + 1;

/// Issues that the planted things have, and how many of each: what is open to everybody, and never its twin.
const OPEN: &[(&str, &str, usize)] = &[
    ("cloud_firewall_open_mysql", "security-group/", 3),
    ("cloud_firewall_open_redis", "security-group/", 3),
    ("cloud_role_open_to_anyone", "role/anyone", 1),
    ("cloud_balancer_in_the_clear", "loadbalancer/", 6),
    ("cloud_distribution_in_the_clear", "distribution/", 1),
    ("cloud_distribution_dangling_origin", "distribution/", 1),
    // Registering a domain makes a zone as well.
    ("cloud_zone_not_signed", "hostedzone/", 2),
    ("cloud_domain_not_renewed", "domain/acme-zone.com", 1),
    ("cloud_certificate_unproven", "certificate/", 3),
    ("cloud_function_without_authentication", "function:hook", 3),
    ("cloud_registry_open_to_anyone", "repository/shown", 3),
    ("cloud_kubernetes_open_to_everybody", "cluster/k", 3),
    ("cloud_interface_by_key", "apis/", 3),
    ("cloud_public_disk_snapshot", "snapshot/snap-", 3),
    ("cloud_public_database", "db:orders", 3),
    ("cloud_public_database_snapshot", "snapshot:orders-1", 3),
    ("cloud_cache_open_access", "cluster/m", 3),
    ("cloud_search_domain_open_to_anyone", "domain/logs", 3),
    ("cloud_public_warehouse", "cluster:dw", 3),
    ("cloud_public_replication_machine", "rep:r", 3),
    ("cloud_queue_open_to_anyone", ":jobs", 3),
    ("cloud_public_message_broker", "broker:", 3),
    ("cloud_file_server_in_the_clear", "server/", 3),
    ("cloud_public_bucket_grants", "acme-files", 1),
];

#[test]
fn every_service_is_looked_through_in_every_region_and_what_is_open_to_everybody_is_told() {
    let cloud = Cloud::start(&["services"]);
    let installation = Installation::beside(&cloud, "cloud-services");
    let collection = installation.collection("Services");
    let places = json!({"regions": ["us-east-1", "eu-west-1", "ap-southeast-2"]});
    installation.link_in(&collection, &cloud.said["reader"], &places);
    let run = installation.run(&collection);
    let [row] = run["not_done"].as_array().expect("a list").as_slice() else { panic!("{run}") };
    assert_eq!((&row["reason"], &row["count"]), (&json!("source down"), &json!(NOT_SIMULATED)), "{run}");
    assert!(row["example"].to_string().contains(" in "), "a region is named: {row}");

    let services = cloud.said["services"].as_object().expect("an object");
    assert!(services.len() >= 20, "{:?}", services.keys());
    let names = |arguments: &[&str], member: &str| -> BTreeSet<String> {
        let rows = installation.rows(arguments);
        rows.iter().map(|row| row[member].as_str().expect("text").to_owned()).collect()
    };
    let query = format!("collection:{collection} present:true");
    let end = Instant::now() + INDEX_WAIT;
    let missing = loop {
        let found = names(&["entities", &query], "name");
        let made = services.values().flat_map(|made| made.as_array().expect("a list"));
        let missing: Vec<&Value> = made.filter(|name| !found.contains(name.as_str().expect("text"))).collect();
        if missing.is_empty() || Instant::now() > end {
            break missing;
        }
    };
    assert!(missing.is_empty(), "{missing:?}");
    for host in ["cdn.acme.test", "www.acme-zone.com", "acme-zone.com"] {
        assert!(names(&["entities", &query], "name").contains(host), "{host}");
    }
    let mut wrong = Vec::new();
    for (issue, part, count) in OPEN {
        let rows = installation.rows(&["issues", &format!("collection:{collection} name:{issue}")]);
        let of_it = rows.iter().filter(|row| row["name"] == **issue);
        let found: BTreeSet<&str> = of_it.map(|row| row["entity_name"].as_str().expect("text")).collect();
        if found.len() != *count || !found.iter().all(|name| name.contains(part)) {
            wrong.push(format!("{issue}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
