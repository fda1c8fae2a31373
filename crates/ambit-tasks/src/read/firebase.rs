//! Projects of Firebase that the texts of an app name: by the host of a database, by a storage bucket, or by what the
//! files of configuration call the project (`google-services.json`, `GoogleService-Info.plist`, the object that scripts
//! are initialised with, and the resources that are made of them); and what is to be asked of them, and how that is
//! read. Pure.

use ambit_model::entity::app::FirebaseProject;
use ambit_model::entity::bucket::Firebase;
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Projects of one app that are kept; apps have one, or one for each stage.
const PROJECTS_MAX: usize = 50;
/// Bytes around the name of a project in which something else of Firebase must stand.
const NEAR_BYTES: usize = 800;

/// The host of a database: of the United States, and of other regions.
static DATABASE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b([a-z0-9][a-z0-9-]{3,60}(?:\.firebaseio\.com|\.[a-z0-9-]{4,30}\.firebasedatabase\.app))\b")
        .expect("constant")
});
/// A storage bucket, where a member, a scheme or the path of the service says that it is one; those of newer projects
/// have a suffix of their own.
static BUCKET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)(?:\b(?:google_)?storage_?bucket\b["']?(?:</key>\s*<string>|\s*[:=]\s*["'])|\bgs://|"#,
        r"\bfirebasestorage\.googleapis\.com\\?/v0\\?/b\\?/)",
        r"([a-z0-9][a-z0-9-]{3,60}\.appspot\.com)\b",
        r"|\b([a-z0-9][a-z0-9-]{3,60}\.firebasestorage\.app)\b",
    ))
    .expect("constant")
});
/// What files of configuration call the project.
static PROJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"\b(?:project_id|projectId|PROJECT_ID)\b["']?(?:</key>\s*<string>|\s*[:=]\s*["'])"#,
        r"([a-z][a-z0-9-]{4,28}[a-z0-9])\b",
    ))
    .expect("constant")
});
/// Texts that occur near that name in such files and in no others.
const NEAR: &[&str] = &[
    ".firebaseapp.com",
    ".firebasestorage.app",
    "GCM_SENDER_ID",
    "GOOGLE_APP_ID",
    "gcm_defaultSenderId",
    "google_app_id",
    "messagingSenderId",
    "mobilesdk_app_id",
];

/// Adds the projects that a text names.
pub(crate) fn read(text: &str, projects: &mut BTreeMap<String, FirebaseProject>) {
    for found in DATABASE.captures_iter(text).filter_map(|found| found.get(1)).filter(|host| ends(text, host.end())) {
        let host = found.as_str().to_ascii_lowercase();
        let name = host.split('.').next().unwrap_or(&host);
        let project = name.strip_suffix("-default-rtdb").unwrap_or(name).to_owned();
        add(projects, project, |known| known.databases.insert(format!("https://{host}")));
    }
    for found in BUCKET.captures_iter(text) {
        let bucket = found.get(1).or_else(|| found.get(2)).filter(|bucket| ends(text, bucket.end()));
        let Some(bucket) = bucket else { continue };
        let bucket = bucket.as_str().to_ascii_lowercase();
        let project = bucket.split('.').next().unwrap_or(&bucket).to_owned();
        add(projects, project, |known| known.buckets.insert(bucket));
    }
    for project in configured(text) {
        add(projects, project.to_owned(), |_| true);
    }
}

/// The projects that a text is configured with.
fn configured(text: &str) -> impl Iterator<Item = &str> {
    PROJECT.captures_iter(text).filter_map(|found| found.get(1)).filter_map(|name| {
        let from = text.floor_char_boundary(name.start().saturating_sub(NEAR_BYTES));
        let to = text.ceil_char_boundary((name.end() + NEAR_BYTES).min(text.len()));
        NEAR.iter().any(|word| text[from..to].contains(word)).then_some(name.as_str())
    })
}

/// Returns the stores of the projects that a text names, by their URLs, and of each whether the text is configured with
/// its project. A project that names no database has the one that it was made with; its documents are asked for where
/// the project itself is told, and not only a database, which may have any name.
pub(crate) fn stores(text: &str) -> BTreeMap<String, bool> {
    let mut projects = BTreeMap::new();
    read(text, &mut projects);
    let own: BTreeSet<&str> = configured(text).collect();
    let mut told = BTreeMap::new();
    for FirebaseProject { project, databases, buckets } in projects.into_values() {
        let mut stores = BTreeSet::new();
        let first = format!("https://{project}-default-rtdb.");
        if databases.is_empty() {
            stores.insert(format!("{first}firebaseio.com"));
        }
        if databases.is_empty() || !buckets.is_empty() || databases.iter().any(|url| url.starts_with(&first)) {
            stores.insert(format!("https://firestore.googleapis.com/v1/projects/{project}"));
        }
        stores.extend(buckets.iter().map(|bucket| format!("https://firebasestorage.googleapis.com/v0/b/{bucket}")));
        stores.extend(databases);
        told.extend(stores.into_iter().map(|store| (store, own.contains(project.as_str()))));
    }
    told
}

/// What a store says of who may read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    LetAnyoneRead,
    Refuse,
    /// There is no such store.
    Missing,
}

/// Reads the answer to the question of a service. Fails if it tells nothing of the rules.
pub(crate) fn rules(service: Firebase, status: u16, body: &str) -> Result<Rules, String> {
    let body = body.trim();
    // Names at the top of a large database are cut off.
    let is_object = body.starts_with('{');
    match (service, status) {
        (Firebase::RealtimeDatabase, 200) if is_object || serde_json::from_str::<Value>(body).is_ok() => {
            Ok(Rules::LetAnyoneRead)
        }
        (Firebase::Firestore | Firebase::Storage, 200) if is_object => Ok(Rules::LetAnyoneRead),
        (Firebase::RealtimeDatabase, 404) if body.contains("correctUrl") => {
            let moved: Option<Value> = serde_json::from_str(body).ok();
            let to = moved.and_then(|moved| moved["correctUrl"].as_str().map(str::to_owned)).unwrap_or_default();
            Err(format!("the database is in another region: add {to:?} as a seed of the kind CloudStorageBucket"))
        }
        // Where the project does not use the service, or uses it in a mode without rules.
        (Firebase::Firestore, 400 | 403) if body.contains("SERVICE_DISABLED") || body.contains("Datastore Mode") => {
            Ok(Rules::Missing)
        }
        (_, 404) => Ok(Rules::Missing),
        (_, 401 | 403) => Ok(Rules::Refuse),
        // Switched off by its owner; rules of the first version, by which nobody lists.
        (Firebase::RealtimeDatabase, 423) => Ok(Rules::Refuse),
        (Firebase::Storage, 400) if body.contains("rules_version") => Ok(Rules::Refuse),
        _ => Err(format!("{} answered with status {status}", service.title())),
    }
}

/// True where no longer name goes on.
fn ends(text: &str, at: usize) -> bool {
    let mut rest = text[at..].chars();
    match rest.next() {
        Some('.') => !rest.next().is_some_and(|next| next.is_ascii_alphanumeric()),
        next => next != Some('-'),
    }
}

fn add(projects: &mut BTreeMap<String, FirebaseProject>, name: String, say: impl FnOnce(&mut FirebaseProject) -> bool) {
    if projects.len() < PROJECTS_MAX || projects.contains_key(&name) {
        let known = projects.entry(name.clone()).or_default();
        known.project = name;
        say(known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each project with its databases and buckets.
    fn told(text: &str) -> Vec<String> {
        let mut projects = BTreeMap::new();
        read(text, &mut projects);
        let words = projects.values().map(|project| {
            let parts = project.databases.iter().chain(&project.buckets).map(String::as_str);
            std::iter::once(project.project.as_str()).chain(parts).collect::<Vec<_>>().join(" ")
        });
        words.collect()
    }

    #[test]
    fn projects_are_told_by_hosts_buckets_and_files_of_configuration() {
        for (text, expected) in [
            (
                r#"{"project_info":{"project_number":"1","firebase_url":"https://acme-shop.firebaseio.com",
                  "project_id":"acme-shop","storage_bucket":"acme-shop.appspot.com"},
                  "client":[{"client_info":{"mobilesdk_app_id":"1:1:android:a"}}]}"#,
                &["acme-shop https://acme-shop.firebaseio.com acme-shop.appspot.com"][..],
            ),
            (
                "<key>PROJECT_ID</key>\n<string>acme-shop</string><key>GOOGLE_APP_ID</key><string>1:1:ios:a</string>\n\
                 <key>STORAGE_BUCKET</key>\n  <string>acme-shop.firebasestorage.app</string>",
                &["acme-shop acme-shop.firebasestorage.app"],
            ),
            (
                r#"{apiKey:"x",authDomain:"acme-shop.firebaseapp.com",projectId:"acme-shop",messagingSenderId:"1"}"#,
                &["acme-shop"],
            ),
            (
                "firebase_database_url = \"https://acme-shop-default-rtdb.europe-west1.firebasedatabase.app\"\n\
                 google_app_id = \"1:1:android:a\"\nproject_id = \"acme-shop\"\n",
                &["acme-shop https://acme-shop-default-rtdb.europe-west1.firebasedatabase.app"],
            ),
            ("gs://acme-shop.appspot.com/x", &["acme-shop acme-shop.appspot.com"]),
            (
                r"https:\/\/firebasestorage.googleapis.com\/v0\/b\/acme-shop.appspot.com\/o\/x.png",
                &["acme-shop acme-shop.appspot.com"],
            ),
            ("wss://ACME-SHOP.firebaseio.com/.ws", &["acme-shop https://acme-shop.firebaseio.com"]),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn what_a_page_is_initialised_with_leads_to_the_stores_of_the_project() {
        for (text, expected) in [
            (
                "{apiKey:'x',authDomain:'acme-shop.firebaseapp.com',projectId:'acme-shop',messagingSenderId:'1'}",
                &[
                    "https://acme-shop-default-rtdb.firebaseio.com",
                    "https://firestore.googleapis.com/v1/projects/acme-shop",
                ][..],
            ),
            (
                "databaseURL:'https://acme-shop-default-rtdb.europe-west1.firebasedatabase.app',projectId:'acme-shop',\
                 storageBucket:'acme-shop.appspot.com',messagingSenderId:'1'",
                &[
                    "https://acme-shop-default-rtdb.europe-west1.firebasedatabase.app",
                    "https://firebasestorage.googleapis.com/v0/b/acme-shop.appspot.com",
                    "https://firestore.googleapis.com/v1/projects/acme-shop",
                ],
            ),
            ("projectId:'acme-shop', dsn:'https://1@sentry.acme.test/7'", &[]),
        ] {
            let expected: Vec<(String, bool)> = expected.iter().map(|store| ((*store).to_owned(), true)).collect();
            assert_eq!(stores(text).into_iter().collect::<Vec<_>>(), expected, "{text}");
        }
        // Nothing says that the project has the name of its database, nor whose it is.
        let named = stores("fetch('https://acme-chat.firebaseio.com/x.json')");
        assert_eq!(named, BTreeMap::from([("https://acme-chat.firebaseio.com".to_owned(), false)]));
    }

    #[test]
    fn answers_tell_whether_the_rules_let_anyone_read() {
        use Firebase::{Firestore, RealtimeDatabase, Storage};
        let denied =
            r#"{"error":{"code":403,"message":"Missing or insufficient permissions.","status":"PERMISSION_DENIED"}}"#;
        for (service, status, body, expected) in [
            (RealtimeDatabase, 200, r#"{"users":true,"orders":true}"#, Some(Rules::LetAnyoneRead)),
            (RealtimeDatabase, 200, r#"{"users":true,"ord"#, Some(Rules::LetAnyoneRead)),
            (RealtimeDatabase, 200, "null", Some(Rules::LetAnyoneRead)),
            (RealtimeDatabase, 200, "<html><title>Sign in</title>", None),
            (RealtimeDatabase, 401, r#"{"error":"Permission denied"}"#, Some(Rules::Refuse)),
            (
                RealtimeDatabase,
                423,
                r#"{"error":"The Firebase database 'a' has been deactivated."}"#,
                Some(Rules::Refuse),
            ),
            (RealtimeDatabase, 404, r#"{"error":"404 Not Found"}"#, Some(Rules::Missing)),
            (
                RealtimeDatabase,
                404,
                r#"{"correctUrl":"https://a.europe-west1.firebasedatabase.app","error":"x"}"#,
                None,
            ),
            (Firestore, 200, "{}", Some(Rules::LetAnyoneRead)),
            (Firestore, 200, "null", None),
            (Firestore, 403, denied, Some(Rules::Refuse)),
            (Firestore, 403, r#"{"error":{"details":[{"reason":"SERVICE_DISABLED"}]}}"#, Some(Rules::Missing)),
            (Firestore, 404, r#"{"error":{"status":"NOT_FOUND"}}"#, Some(Rules::Missing)),
            (Firestore, 400, r#"{"error":{"status":"INVALID_ARGUMENT"}}"#, None),
            (Storage, 200, r#"{"prefixes":[],"items":[]}"#, Some(Rules::LetAnyoneRead)),
            (Storage, 403, r#"{"error":{"code":403,"message":"Permission denied."}}"#, Some(Rules::Refuse)),
            (
                Storage,
                400,
                r#"{"error":{"message":"Listing objects is disallowed for rules_version = \"1\"."}}"#,
                Some(Rules::Refuse),
            ),
            (Storage, 404, "{}", Some(Rules::Missing)),
            (Storage, 429, "{}", None),
            (Firestore, 503, "", None),
        ] {
            assert_eq!(rules(service, status, body).ok(), expected, "{service:?} {status} {body}");
        }
    }

    #[test]
    fn what_looks_alike_is_no_project() {
        for text in [
            r#"{"projectId": "acme-shop", "dsn": "https://1@sentry.acme.test/7"}"#,
            r#"{"project_id": "Acme Shop", "google_app_id": "1"}"#,
            "https://acme-shop.appspot.com/ runs on App Engine",
            "https://firebaseio.com/ and https://acme-shop.firebaseio.com.acme.test/",
            "acme-shop.firebasestorage.app-1",
            "See https://console.firebase.google.com/project/_/overview",
            "storage_bucket = \"acme-files\"",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn no_text_names_more_than_is_kept() {
        let text: String = (0..5_000).map(|number| format!("https://acme-{number}.firebaseio.com ")).collect();
        assert_eq!(told(&text).len(), PROJECTS_MAX);
    }
}
