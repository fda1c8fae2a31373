//! Projects of Firebase that the texts of an app name: by the host of a database, by a storage bucket, or by what the
//! files of configuration call the project (`google-services.json`, `GoogleService-Info.plist`, the object that scripts
//! are initialised with, and the resources that are made of them). Pure.

use ambit_model::entity::app::FirebaseProject;
use regex::Regex;
use std::collections::BTreeMap;
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
/// What stands beside that name in such files and in none of others.
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
    for found in PROJECT.captures_iter(text) {
        let Some(name) = found.get(1) else { continue };
        let from = text.floor_char_boundary(name.start().saturating_sub(NEAR_BYTES));
        let to = text.ceil_char_boundary((name.end() + NEAR_BYTES).min(text.len()));
        let around = &text[from..to];
        if NEAR.iter().any(|word| around.contains(word)) {
            add(projects, name.as_str().to_owned(), |_| true);
        }
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
