//! Judges of what packages of mobile apps say: rows in tables, by what they look at. A row brings what it reports and
//! its near miss. What a package gives away is judged in `judge/leaked_app_token.rs`.

mod build;
mod communication;
mod parts;
mod signer;

use crate::judge::Judge;
use crate::look;
use ambit_model::entity::app::{FORMAT, PACKAGE};
use ambit_model::issue::{
    Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict,
};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::{Value, json};

/// Apps for Android alone.
const ANDROID: &[Kind] = &[Kind::AndroidApp];
/// Apps for iOS alone.
const IOS: &[Kind] = &[Kind::IosApp];
/// The version (API level) from which on apps talk in the clear only where they say so: Android 9.
const CLEARTEXT_CLOSED_SINCE: u64 = 28;
/// The version before which stores do not show an app to devices that are newer than it: Android 14.
const OLD_TARGET_SDK: u64 = 34;
/// The version before which devices get no corrections and trust what their users add: Android 7.
const OLD_MIN_SDK: u64 = 24;
/// MD5 and SHA-1, with RSA, DSA and ECDSA.
const WEAK_ALGORITHMS: &[&str] =
    &["1.2.840.113549.1.1.4", "1.2.840.113549.1.1.5", "1.2.840.10040.4.3", "1.2.840.10045.4.1"];
/// Permissions that reach far.
const POWERFUL: &[&str] = &[
    "android.permission.ACCESS_BACKGROUND_LOCATION",
    "android.permission.BIND_ACCESSIBILITY_SERVICE",
    "android.permission.MANAGE_EXTERNAL_STORAGE",
    "android.permission.PROCESS_OUTGOING_CALLS",
    "android.permission.QUERY_ALL_PACKAGES",
    "android.permission.READ_CALL_LOG",
    "android.permission.READ_SMS",
    "android.permission.RECEIVE_SMS",
    "android.permission.REQUEST_INSTALL_PACKAGES",
    "android.permission.SEND_SMS",
    "android.permission.SYSTEM_ALERT_WINDOW",
    "android.permission.WRITE_SETTINGS",
];

/// What a row found: of which part, and the sentence.
type Findings = Vec<(String, String)>;

macro_rules! weaknesses {
    ($($name:ident {
        pretty_name: $pretty:literal,
        severity: $severity:ident,
        added: $added:literal,
        applies_to: $kinds:expr,
        description: $description:literal,
        remediation: $remediation:literal,
        reference: $reference:literal,
        finds: |$app:ident, $date:ident, $is_apk:ident| $finds:expr,
        reports: $reports:expr => $discriminators:expr,
        near_miss: $near_miss:expr,
    })*) => {
        pub(super) const JUDGES: &[Judge] = &[$(Judge {
            issue: IssueKind {
                name: stringify!($name),
                pretty_name: $pretty,
                severity: $severity,
                confidence: Confidence::Confirmed,
                category: "misconfiguration",
                added: $added,
                description: $description,
                remediation: $remediation,
                references: &[($reference, "description")],
            },
            applies_to: $kinds,
            reads: &[TaskName::AppPackage],
            judge: |facts, date| weigh(facts, date, |$app, $date, $is_apk| {
                let _ = ($date, $is_apk);
                $finds
            }),
        }),*];

        #[cfg(test)]
        pub(super) fn samples() -> Vec<crate::samples::Samples> {
            vec![$(super::sampled($kinds, $reports, &$discriminators, $near_miss)),*]
        }
    };
}
use weaknesses;

/// The judges of all tables.
pub(crate) fn judges() -> impl Iterator<Item = &'static Judge> {
    [build::JUDGES, communication::JUDGES, parts::JUDGES, signer::JUDGES].into_iter().flatten()
}

/// Judges what a package says, after it was read.
fn weigh(facts: &Facts, date: Timestamp, find: impl Fn(&Value, Timestamp, bool) -> Findings) -> Verdict {
    look::after(facts, TaskName::AppPackage, |facts| {
        let nothing = Value::Null;
        let app = PACKAGE.raw(&facts.details).unwrap_or(&nothing);
        let is_apk = FORMAT.of(&facts.details).is_none_or(|format| format == "apk");
        let mut found = find(app, date, is_apk);
        found.sort();
        found.dedup_by(|one, other| one.0 == other.0);
        found.into_iter().map(|(part, sentence)| proof(facts, &part, sentence)).collect()
    })
}

fn proof(facts: &Facts, part: &str, sentence: String) -> Proof {
    let details = match part.is_empty() {
        true => json!({"app": facts.name}),
        false => json!({"app": facts.name, "part": part}),
    };
    look::proof_of(part, sentence, details)
}

/// One finding where it is so.
fn once(is: bool, sentence: &str) -> Findings {
    if is { vec![(String::new(), sentence.to_owned())] } else { Vec::new() }
}

/// A finding for each text, in a sentence that shows it.
fn many<'a>(texts: impl IntoIterator<Item = &'a str>, sentence: impl Fn(String) -> String) -> Findings {
    texts.into_iter().map(|text| (text.to_owned(), sentence(look::shown(text)))).collect()
}

/// The values of a list; none where there is no list.
fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The day of a date: `2026-06-01`.
fn day_of(date: Timestamp) -> String {
    date.to_string().chars().take(10).collect()
}

/// True where every host may be talked to in the clear. What a configuration says goes before the flag of the app, and
/// what neither says follows from the version that the app is made for.
fn talks_in_the_clear(app: &Value) -> bool {
    if !app["network_security"].is_null() {
        return app["network_security"]["cleartext"] == true;
    }
    let unsaid = app["target_sdk"].as_u64().is_some_and(|sdk| sdk < CLEARTEXT_CLOSED_SINCE);
    app["has_network_security"] != true && app["uses_cleartext"].as_bool().unwrap_or(unsaid)
}

/// Parts of a kind that every app may call. What people start, and what links open, is meant to be called.
fn open(app: &Value, kind: &str) -> Findings {
    let parts = each(&app["components"]).filter(|part| part["kind"] == kind && part["exported"] == true);
    let unguarded = parts.filter(|part| {
        let guards = [&part["permission"], &part["read_permission"], &part["write_permission"]];
        let is_meant = part["is_launcher"] == true || each(&part["links"]).next().is_some();
        guards.iter().all(|guard| guard.is_null()) && !is_meant
    });
    many(unguarded.filter_map(|part| part["name"].as_str()), |name| format!("Every app may call {name}."))
}

/// Certificates of the signers of which something is so.
fn certificates(app: &Value, is: impl Fn(&Value) -> bool, what: &str) -> Findings {
    let own = each(&app["signatures"]["certificates"]).filter(|own| is(own));
    own.map(|own| {
        let subject = look::shown(own["subject"].as_str().unwrap_or_default());
        (own["sha256"].as_str().unwrap_or_default().to_owned(), format!("The certificate of {subject} {what}."))
    })
    .collect()
}

/// What a row brings to be tested with: facts that it reports, its near miss, and looks that are missing.
#[cfg(test)]
fn sampled(kinds: &[Kind], reports: Value, parts: &[&'static str], near_miss: Value) -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let app = || facts(kinds[0], "org.acme.app");
    let said = |package: &Value| json!({"hidden_package": package, "hidden_format": "apk"});
    Samples::new()
        .reports_each(app().found(TaskName::AppPackage).with(said(&reports)), parts)
        .near_miss(app().found(TaskName::AppPackage).with(said(&near_miss)))
        .unknown(app())
        .unknown(app().with(said(&reports)).failed(TaskName::AppPackage))
}

/// Every judge of the tables with its samples.
#[cfg(test)]
pub(crate) fn samples() -> impl Iterator<Item = (&'static Judge, crate::samples::Samples)> {
    let samples = [build::samples(), communication::samples(), parts::samples(), signer::samples()];
    judges().zip(samples.into_iter().flatten())
}
