//! Somebody with one object of each kind that is nobody else's business, and for each of their ids one that names
//! nothing: what a caller learns of the first must be what it learns of the second. Objects that one request makes
//! stand in the scenario of their noun, under `keeps`.

use crate::inventory::{Ground, Inventory, fill_on};
use crate::scenario::{Stage, hunt, read_folder, run_step};
use crate::{Ask, Reply, TestServer, ask};
use ambit_engine::hunt::LOOK_TIME;
use ambit_model::Kind;
use ambit_model::observation::{BODY, Evidence, Found, ProbeResult};
use ambit_server::{Endpoint, MOUNTS};
use ambit_store::NewCollection;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Who has them.
pub const KEEPER: &str = "keeper";
/// The keeper's group, which the keeper administers.
pub const GROUP: &str = "kept-group";
const DOMAIN: &str = "kept.test";
const ADDRESS: &str = "203.0.113.77";
/// `https://www.kept.test:443` and `https://www.nofe.test:443` in the base64 of URL ids.
const SITE: &str = "aHR0cHM6Ly93d3cua2VwdC50ZXN0OjQ0Mw";
const NO_SITE: &str = "aHR0cHM6Ly93d3cubm9mZS50ZXN0OjQ0Mw";
const RULES: &str = "rule kept { strings: $a = \"the kept page\" condition: $a }";

/// An id of the keeper's, and one of the same form that names nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub kept: String,
    pub missing: String,
}

/// The keeper's ids by what they are of.
#[derive(Clone, Debug, Default)]
pub struct Kept(BTreeMap<String, Pair>);

impl Kept {
    /// The pair of a kind of object.
    pub fn pair(&self, of: &str) -> Option<&Pair> {
        self.0.get(of)
    }

    /// The two targets of a row; `None`: it names no object.
    pub fn targets(&self, row: &Endpoint) -> Option<Two> {
        let prefix = MOUNTS.iter().find(|mount| mount.tree == row.tree).map_or("", |mount| mount.prefix);
        let mut two = Two::default();
        for part in row.path.split('/').skip(1) {
            let Some(place) = part.strip_prefix('{').map(|part| part.trim_end_matches('}').trim_start_matches('*'))
            else {
                two.push('/', part, part);
                continue;
            };
            if let Some(word) = word_of(row.path, place) {
                two.push('/', word, word);
                continue;
            }
            let of = match object_of(row.path, place) {
                "seed or entity" if row.method.name() == "DELETE" => "seed",
                "seed or entity" => "entity",
                of => of,
            };
            match self.pair(of) {
                Some(pair) => {
                    two.push('/', &pair.kept, &pair.missing);
                    two.ids.push((pair.kept.clone(), pair.missing.clone()));
                }
                None if of == NOTHING => two.push('/', "0", "0"),
                None => panic!("nobody has what {} names: a scenario says under `keeps` how {of} are made", row.path),
            }
        }
        two.kept.insert_str(0, prefix);
        two.missing.insert_str(0, prefix);
        if row.path.contains("point_in_time") {
            two.kept.push_str("?point_in_time=2026-02-01");
            two.missing.push_str("?point_in_time=2026-02-01");
        }
        (!two.ids.is_empty()).then_some(two)
    }

    fn add(&mut self, of: &str, kept: impl Into<String>) {
        let kept = kept.into();
        let missing = unlike(&kept);
        self.0.insert(of.to_owned(), Pair { kept, missing });
    }
}

/// The same text with an id of the keeper's, and with one that names nothing.
#[derive(Clone, Debug, Default)]
pub struct Two {
    pub kept: String,
    pub missing: String,
    /// The ids in it.
    pub ids: Vec<(String, String)>,
}

impl Two {
    fn push(&mut self, separator: char, kept: &str, missing: &str) {
        self.kept.push(separator);
        self.kept.push_str(kept);
        self.missing.push(separator);
        self.missing.push_str(missing);
    }
}

/// What of a path names no object.
const NOTHING: &str = "nothing";

/// What the id at a place of a path is of: where nothing else is said here, what the word before it says.
fn object_of<'a>(path: &'a str, place: &str) -> &'a str {
    let below = |start: &str| path.starts_with(start);
    match place {
        "uuid" if below("/projects") => "project",
        "uuid" if below("/user_collections") => "collection",
        "uuid" if below("/integrations") => "integration",
        "uuid" if below("/integration_collections") => "use",
        "collection_uuid" => "collection",
        "entity_uid" if path == "/entities/{entity_uid}" => "seed or entity",
        "entity_uid" if path.ends_with("/screenshot") => "site",
        "entity_uid" | "item_uid" => "entity",
        "uid" if path.contains("/issues/") => "issue",
        "uid" => "entity",
        "note_uid" => "note",
        "project_user_id" => "member",
        "group" => "group",
        "username" => "user",
        "subject" => "user",
        "token" if below("/files/upload") => "upload",
        "id" => {
            let before = path.split("/{id}").next().unwrap_or_default();
            match before {
                "/issues" => "issue",
                "/collection_runs" | "/runs" => "run",
                "/keys" => "key",
                "/invitations" => "invitation",
                "/users" => "user",
                "/groups" => "group",
                "/service_accounts" => "service account",
                "/collections" => "list",
                "/domains" => "domain",
                "/ip_addresses" => "address",
                "/urls" => "url",
                "/files" => "page",
                "/operations" => "operation",
                "/intelligence/zip_files" => "archive",
                "/intelligence/hunting_rulesets" => "rule set",
                "/intelligence/hunting_notifications" | "/ioc_stream_notifications" => "notification",
                "/intelligence/retrohunt_jobs" => "job",
                "/file_behaviours" | "/yara_rulesets" | "/sigma_rules" | "/threat_profiles" | "/references" => NOTHING,
                "/analyses" | "/files/analyses" | "/intelligence/search/snippets" => NOTHING,
                "/private/files" | "/private/urls" | "/private/analyses" => NOTHING,
                _ => before.rsplit('/').next().unwrap_or_default(),
            }
        }
        "object" | "issue_name" | "search_string" | "feed" | "time" | "token" | "file" | "format" | "noun"
        | "beginning" => NOTHING,
        _ => {
            let before = path.split(&format!("/{{{place}}}")).next().unwrap_or_default();
            before.rsplit('/').next().unwrap_or_default()
        }
    }
}

/// What stands at a place that names no object: a word that the row knows.
fn word_of(path: &str, place: &str) -> Option<&'static str> {
    Some(match place {
        "item_type" => "entity",
        "tag_name" => "kept-tag",
        "member" => "viewer",
        "privilege" => "feeds",
        "quota" | "quota_name" => "api_requests_daily",
        "relationship" => match path.split('/').nth(1)? {
            "graphs" => "viewers",
            "users" => "graphs",
            "groups" => "users",
            "collections" => "domains",
            "files" => "graphs",
            _ => "graphs",
        },
        _ => return None,
    })
}

/// A text of the same form that names nothing: each digit and letter is another one. Separators stay, and so do an
/// address's first three numbers.
fn unlike(text: &str) -> String {
    if let Some(last) = text.strip_prefix("203.0.113.") {
        return format!("203.0.113.{}", 100 + last.len());
    }
    let other = |c: char| match c {
        '0'..='8' => char::from(c as u8 + 1),
        '9' => '1',
        'a'..='e' | 'A'..='E' => char::from(c as u8 + 1),
        'f' => 'a',
        'F' => 'A',
        other => other,
    };
    text.chars().map(other).collect()
}

/// Makes the keeper with everything.
pub async fn keep(server: &mut TestServer) -> anyhow::Result<Kept> {
    server.add_user(KEEPER).await?;
    let owner = server.store.local_operator().await?;
    server.store.create_group(&owner.at(server.now()), GROUP, &[]).await?;
    server.store.add_to_group(&owner.at(server.now()), GROUP, &[KEEPER.to_owned()], true).await?;
    for (quota, allowed) in [
        ("intelligence_hunting_rules", 10),
        ("intelligence_retrohunt_jobs_monthly", 10),
        ("intelligence_graphs_private", 10),
        ("intelligence_downloads_monthly", 10),
    ] {
        server.store.set_quota(&owner.at(server.now()), KEEPER, quota, allowed).await?;
    }
    server.store.grant_privilege(&owner.at(server.now()), KEEPER, "premium-api", None).await?;
    let mut kept = Kept::default();
    let found = project(server, &mut kept).await?;
    marks(server, &found, &mut kept).await?;
    people(server, &mut kept).await?;
    objects(server, &mut kept).await?;
    hunting(server, &mut kept).await?;
    of_scenarios(server, &mut kept).await?;
    Ok(kept)
}

/// A request of the keeper's that must succeed; gives its JSON.
async fn call(server: &TestServer, method: &str, target: &str, body: Option<Value>) -> anyhow::Result<Value> {
    let reply: Reply = server.call(KEEPER, method, target, body.as_ref()).await?;
    ensure!(reply.status == 200, "{method} {target}: {} {}", reply.status, reply.text());
    Ok(reply.json())
}

/// A text, or a number as text, in an answer.
fn at(answer: &Value, pointer: &str) -> anyhow::Result<String> {
    let value = answer.pointer(pointer).with_context(|| format!("{pointer} is not in {answer}"))?;
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Project, collection, run, inventory.
async fn project(server: &TestServer, kept: &mut Kept) -> anyhow::Result<Inventory> {
    let keeper = server.principal(KEEPER).await?;
    let project = server.store.create_project(&keeper.at(server.now()), "Kept").await?.project;
    let keeper = server.principal(KEEPER).await?;
    let new = NewCollection::usual("Kept things", vec![(Kind::Domain, DOMAIN.to_owned())]);
    let collection = server.store.create_collection(&keeper.at(server.now()), project.id, &new).await?.collection;
    let ground =
        Ground { owner: keeper, collection: collection.uuid, domain: DOMAIN.to_owned(), address: ADDRESS.to_owned() };
    let body = "<title>the kept page</title>";
    let site = ProbeResult::Found(Found {
        details: json!({"uri": ground.site(), "code": "200"}).as_object().cloned().unwrap_or_default(),
        evidence: vec![Evidence { label: BODY.to_owned(), bytes: body.as_bytes().to_vec() }],
        ..Found::default()
    });
    let found = fill_on(server, &ground, site).await?;
    let runs =
        call(server, "GET", &format!("/api/v3/asm/collections/{}/collection_runs", collection.uuid), None).await?;
    kept.add("project", project.uuid.to_string());
    kept.add("collection", collection.uuid.to_string());
    kept.add("run", at(&runs, "/result/0/id")?);
    kept.add("entity", found.domain.to_string());
    kept.add("issue", found.issue.to_string());
    kept.add("site", found.site.to_string());
    kept.add("domain", DOMAIN);
    kept.add("address", ADDRESS);
    kept.add("page", ambit_model::id::blob_hash(body.as_bytes()).to_string());
    kept.0.insert("url".to_owned(), Pair { kept: SITE.to_owned(), missing: NO_SITE.to_owned() });
    let seeds =
        call(server, "GET", &format!("/api/v3/asm/user_collections/{}/user_entities", collection.uuid), None).await?;
    kept.add("seed", at(&seeds, "/result/0/id")?);
    Ok(found)
}

/// Note, tag, integration and its use.
async fn marks(server: &TestServer, found: &Inventory, kept: &mut Kept) -> anyhow::Result<()> {
    let entity = found.domain;
    let note = json!({"note_text": "kept"});
    let note = call(server, "POST", &format!("/api/v3/asm/notes/entity/{entity}"), Some(note)).await?;
    kept.add("note", at(&note, "/result/uid").or_else(|_| at(&note, "/result/uuid"))?);
    let tag = json!({"tag_name": "kept-tag"});
    call(server, "POST", &format!("/api/v3/asm/tags/entity/{entity}"), Some(tag)).await?;
    let project = &kept.pair("project").context("made before")?.kept;
    let new = json!({"name": "Kept", "type": "AwsCredential", "secrets": {"aws_role_arn": "arn:aws:iam::1:role/r"}});
    let integration = call(server, "POST", &format!("/api/v3/asm/projects/{project}/integrations"), Some(new)).await?;
    let integration = at(&integration, "/result/uuid")?;
    let collection = &kept.pair("collection").context("made before")?.kept;
    let target = format!("/api/v3/asm/user_collections/{collection}/integration_collections");
    let used = call(server, "POST", &target, Some(json!({"integration_uuid": integration}))).await?;
    kept.add("use", at(&used, "/result/uuid")?);
    kept.add("integration", integration);
    Ok(())
}

/// Key, membership, group, service account, invitation.
async fn people(server: &TestServer, kept: &mut Kept) -> anyhow::Result<()> {
    let key = call(server, "POST", "/api/ambit/v1/keys", Some(json!({"label": "kept"}))).await?;
    kept.add("key", at(&key, "/result/id")?);
    kept.add("user key", at(&key, "/result/key")?);
    let project = &kept.pair("project").context("made before")?.kept;
    let invited = json!({"emails": ["member@acme.test"], "role": "member"});
    let asked = call(server, "POST", &format!("/api/v3/asm/projects/{project}/users/bulk"), Some(invited)).await?;
    kept.add("member", at(&asked, "/result/0/id")?);
    let sent = call(server, "GET", "/api/ambit/v1/invitations?sent=true", None).await?;
    kept.add("invitation", at(&sent, "/result/0/id")?);
    kept.add("group", GROUP);
    let new = json!({"data": [{"type": "service_account", "id": "robot"}]});
    let robot =
        call(server, "POST", &format!("/api/v3/groups/{GROUP}/relationships/service_accounts"), Some(new)).await?;
    kept.add("service account", at(&robot, "/data/0/id")?);
    kept.add("user", KEEPER);
    Ok(())
}

/// Collection of objects, upload, archive.
async fn objects(server: &TestServer, kept: &mut Kept) -> anyhow::Result<()> {
    let list = json!({"data": {"type": "collection", "attributes": {"name": "kept", "private": true}}});
    kept.add("list", at(&call(server, "POST", "/api/v3/collections", Some(list)).await?, "/data/id")?);
    let upload = call(server, "GET", "/api/v3/files/upload_url", None).await?;
    let token = at(&upload, "/data")?.rsplit('/').next().unwrap_or_default().to_owned();
    kept.add("upload", token);
    let file = upload_file(server).await?;
    let archive = json!({"data": {"hashes": [file]}});
    let archive = call(server, "POST", "/api/v3/intelligence/zip_files", Some(archive)).await?;
    kept.add("archive", at(&archive, "/data/id")?);
    Ok(())
}

/// A file of everybody's, for the archive.
async fn upload_file(server: &TestServer) -> anyhow::Result<String> {
    let content = "some file";
    let body =
        format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n{content}\r\n--b--\r\n");
    let headers = [("x-apikey", server.keys[KEEPER].as_str()), ("content-type", "multipart/form-data; boundary=b")];
    let request = Ask {
        method: "POST".to_owned(),
        target: "/api/v3/files".to_owned(),
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: Some(body.into_bytes()),
    };
    let reply = ask(&server.address, &request).await?;
    ensure!(reply.status == 200, "upload: {}", reply.text());
    Ok(ambit_model::id::blob_hash(content.as_bytes()).to_string())
}

/// Rule set, what it reported, job, operation.
async fn hunting(server: &TestServer, kept: &mut Kept) -> anyhow::Result<()> {
    let set =
        json!({"data": {"type": "hunting_ruleset", "attributes": {"name": "kept", "enabled": true, "rules": RULES}}});
    let set = call(server, "POST", "/api/v3/intelligence/hunting_rulesets", Some(set)).await?;
    kept.add("rule set", at(&set, "/data/id")?);
    let job = json!({"data": {"type": "retrohunt_job", "attributes": {"rules": RULES}}});
    let job = call(server, "POST", "/api/v3/intelligence/retrohunt_jobs", Some(job)).await?;
    kept.add("job", at(&job, "/data/id")?);
    hunt(&server.store, server.now(), LOOK_TIME).await?;
    let reported = call(server, "GET", "/api/v3/intelligence/hunting_notifications", None).await?;
    kept.add("notification", at(&reported, "/data/0/id")?);
    let nothing = call(server, "DELETE", "/api/v3/intelligence/hunting_notifications?tag=none", None).await?;
    kept.add("operation", at(&nothing, "/data/id")?);
    Ok(())
}

/// What the scenarios say under `keeps`: the keeper makes it, and it is named by what the steps save.
async fn of_scenarios(server: &TestServer, kept: &mut Kept) -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let values = kept.0.iter().map(|(of, pair)| (of.clone(), pair.kept.clone())).collect();
    let mut stage = Stage { address: server.address.clone(), keys: server.keys.clone(), values, ..Stage::default() };
    for (file, scenario) in read_folder(&folder)? {
        for step in &scenario.keeps {
            run_step(&mut stage, step).await.with_context(|| format!("{file}: {}", step.name))?;
            for of in step.save.keys() {
                kept.add(of, &stage.values[of]);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unlike_has_the_same_form_and_is_another() {
        for text in ["kept-group", "0123456789abcdef", "keeper", "203.0.113.77", "u-9f-170", "c-kept.test-09af"] {
            let other = unlike(text);
            assert_ne!(other, text);
            assert_eq!(other.starts_with("203.0.113."), text.starts_with("203.0.113."));
        }
    }
}
