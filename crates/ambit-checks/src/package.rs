//! Judges of what packages of mobile apps say: rows in tables, by what they look at. A row brings what it reports and
//! its near miss. What a package gives away is judged in `judge/leaked_app_token.rs`.

mod build;
mod communication;
mod parts;
mod signer;

use crate::judge::{Judge, judge_of};
use crate::look;
use ambit_model::entity::app::{FORMAT, PACKAGE};
use ambit_model::issue::{Proof, SEVERITY_HIGH, SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict};
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

/// Permissions of Android that every app gets for the asking, so that they guard nothing.
const FOR_THE_ASKING: &[&str] = &[
    "android.permission.ACCESS_LOCATION_EXTRA_COMMANDS",
    "android.permission.ACCESS_NETWORK_STATE",
    "android.permission.ACCESS_WIFI_STATE",
    "android.permission.BLUETOOTH",
    "android.permission.BLUETOOTH_ADMIN",
    "android.permission.BROADCAST_STICKY",
    "android.permission.CHANGE_NETWORK_STATE",
    "android.permission.CHANGE_WIFI_STATE",
    "android.permission.DISABLE_KEYGUARD",
    "android.permission.EXPAND_STATUS_BAR",
    "android.permission.FOREGROUND_SERVICE",
    "android.permission.GET_PACKAGE_SIZE",
    "android.permission.INTERNET",
    "android.permission.KILL_BACKGROUND_PROCESSES",
    "android.permission.MODIFY_AUDIO_SETTINGS",
    "android.permission.NFC",
    "android.permission.READ_SYNC_SETTINGS",
    "android.permission.READ_SYNC_STATS",
    "android.permission.RECEIVE_BOOT_COMPLETED",
    "android.permission.REORDER_TASKS",
    "android.permission.SET_WALLPAPER",
    "android.permission.TRANSMIT_IR",
    "android.permission.USE_BIOMETRIC",
    "android.permission.USE_FINGERPRINT",
    "android.permission.VIBRATE",
    "android.permission.WAKE_LOCK",
    "android.permission.WRITE_SYNC_SETTINGS",
];
/// The bits of the protection level that say who gets a permission. The others are flags.
const LEVEL_BITS: u64 = 0x0f;

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
        pub(super) const JUDGES: &[Judge] = &[$(judge_of!(
            $name, "misconfiguration", Confirmed, $severity, $added, $pretty, $description, $remediation, $reference,
            $kinds, &[TaskName::AppPackage], |facts, date| weigh(facts, date, |$app, $date, $is_apk| {
                let _ = ($date, $is_apk);
                $finds
            })
        )),*];

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

/// Judges what a package says, after it was read. A row finds `None` where what it looks at could not be read.
fn weigh<F: Into<Option<Findings>>>(
    facts: &Facts,
    date: Timestamp,
    find: impl Fn(&Value, Timestamp, bool) -> F,
) -> Verdict {
    let nothing = Value::Null;
    let app = PACKAGE.raw(&facts.details).unwrap_or(&nothing);
    let is_apk = FORMAT.of(&facts.details).is_none_or(|format| format == "apk");
    let Some(mut found) = find(app, date, is_apk).into() else { return Verdict::Unknown };
    look::after(facts, TaskName::AppPackage, |facts| {
        found.sort();
        found.dedup_by(|one, other| one.0 == other.0);
        found.into_iter().map(|(part, sentence)| proof(facts, &part, sentence)).collect()
    })
}

/// What was found, and `None` where the manifest says what it rests on by a resource that could not be read.
fn known(app: &Value, attribute: &str, found: Findings) -> Option<Findings> {
    (!each(&app["unknown"]).any(|unknown| unknown == attribute)).then_some(found)
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

/// Finds whether every host may be talked to in the clear. What a configuration says goes before the flag of the app,
/// and what neither says follows from the version that the app is made for.
fn talks_in_the_clear(app: &Value) -> Option<Findings> {
    let found = |is: bool| once(is, "The package permits traffic without TLS to every host.");
    if !app["network_security"].is_null() {
        return Some(found(app["network_security"]["cleartext"] == true));
    }
    let unsaid = app["target_sdk"].as_u64().is_some_and(|sdk| sdk < CLEARTEXT_CLOSED_SINCE);
    let is = app["has_network_security"] != true && app["uses_cleartext"].as_bool().unwrap_or(unsaid);
    known(app, "usesCleartextTraffic", found(is))
}

/// Parts of a kind that every app may call. What people start, and what links open, is meant to be called.
fn open(app: &Value, kind: &str) -> Findings {
    let parts = each(&app["components"]).filter(|part| part["kind"] == kind && part["exported"] == true);
    let unguarded = parts.filter(|part| {
        let is_meant = part["is_launcher"] == true || each(&part["links"]).next().is_some();
        guards(part).all(|guard| FOR_THE_ASKING.contains(&guard)) && !is_meant
    });
    many(unguarded.filter_map(|part| part["name"].as_str()), |name| format!("Every app may call {name}."))
}

/// Permissions that a part asks of those who call it, read from it or write to it.
fn guards(part: &Value) -> impl Iterator<Item = &str> {
    [&part["permission"], &part["read_permission"], &part["write_permission"]].into_iter().filter_map(Value::as_str)
}

/// Links that others can open the app by: those of parts that they may call.
fn open_links(app: &Value) -> impl Iterator<Item = &Value> {
    each(&app["components"]).filter(|part| part["exported"] == true).flat_map(|part| each(&part["links"]))
}

/// Permissions that guard an open part and that every app gets: made by the app for everybody, or named after the app
/// and made by nobody, so that whoever comes first makes them.
fn weak_guards(app: &Value) -> impl Iterator<Item = &str> {
    let own = app["package"].as_str().filter(|package| !package.is_empty());
    let open = each(&app["components"]).filter(|part| part["exported"] == true);
    open.flat_map(guards).filter(move |guard| {
        match each(&app["declared_permissions"]).find(|made| made["name"] == *guard) {
            Some(made) => made["level"].as_u64().is_some_and(|level| level & LEVEL_BITS == 0),
            None => {
                let rest = own.and_then(|own| guard.strip_prefix(own)?.strip_prefix('.'));
                rest.is_some_and(|rest| !rest.strip_prefix("permission.").unwrap_or(rest).contains('.'))
            }
        }
    })
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

/// A package with these parts, which everybody may call where they do not say otherwise.
#[cfg(test)]
fn parts(said: Value) -> Value {
    let part = |said: &Value| {
        let mut part =
            json!({"exported": true, "permission": null, "is_launcher": false, "links": [], "grants_uris": false});
        part.as_object_mut().into_iter().for_each(|part| part.extend(said.as_object().cloned().unwrap_or_default()));
        part
    };
    json!({"components": each(&said).map(part).collect::<Vec<_>>()})
}

/// A package whose certificate is sound in all that is not said of it.
#[cfg(test)]
fn signed(schemes: &[&str], said: Value) -> Value {
    let mut certificate = json!({
        "subject": "CN=Acme", "sha256": "ab12", "not_after": 1_900_000_000, "algorithm": "1.2.840.113549.1.1.11",
        "key": "RSA", "key_bits": 2_048, "is_debug": false,
    });
    certificate
        .as_object_mut()
        .into_iter()
        .for_each(|sound| sound.extend(said.as_object().cloned().unwrap_or_default()));
    json!({"signatures": {"schemes": schemes, "has_weak_digest": false, "certificates": [certificate]}})
}

/// Every judge of the tables with its samples.
#[cfg(test)]
pub(crate) fn samples() -> impl Iterator<Item = (&'static Judge, crate::samples::Samples)> {
    let samples = [build::samples(), communication::samples(), parts::samples(), signer::samples()];
    judges().zip(samples.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};

    const DATE: Timestamp = Timestamp(1_780_000_000_000);

    /// What a judge says of a package: the parts that it reports, and `?` where nothing may be said.
    fn says(judge: &str, package: &Value) -> Vec<String> {
        let judge = judges().find(|known| known.issue.name == judge).unwrap();
        let facts = facts(Kind::AndroidApp, "org.acme.app").found(TaskName::AppPackage);
        match judge.verdict(&facts.with(json!({"hidden_package": package, "hidden_format": "apk"})), DATE) {
            Verdict::Proven(proofs) => proofs.into_iter().map(|proof| proof.discriminator).collect(),
            Verdict::Clear => Vec::new(),
            Verdict::Unknown => vec!["?".to_owned()],
        }
    }

    #[test]
    fn at_least_twenty_five_rows_judge_packages() {
        assert!(judges().count() >= 25, "{}", judges().count());
    }

    #[test]
    fn of_what_could_not_be_read_nothing_is_said() {
        let said = json!({"target_sdk": 27, "allow_backup": null, "uses_cleartext": null});
        let unread = |names: &[&str]| {
            let mut package = said.clone();
            package["unknown"] = json!(names);
            package
        };
        for (judge, attribute) in
            [("app_backup_allowed", "allowBackup"), ("app_cleartext_traffic", "usesCleartextTraffic")]
        {
            assert_eq!(says(judge, &unread(&[attribute])), ["?"], "{judge}");
            assert_eq!(says(judge, &unread(&["debuggable"])), [""], "{judge}: it is unsaid, which means something");
        }
        assert_eq!(says("app_debuggable", &unread(&["debuggable"])), ["?"]);
        assert_eq!(says("app_old_target_sdk", &json!({"target_sdk": null, "unknown": ["targetSdkVersion"]})), ["?"]);
        assert_eq!(says("app_old_min_sdk", &json!({"min_sdk": null, "unknown": ["minSdkVersion"]})), ["?"]);
    }

    #[test]
    fn a_permission_that_every_app_gets_guards_nothing() {
        let package = |guard: &str, member: &str, level: Option<u32>| {
            let mut part = json!({"kind": "service", "name": "org.acme.S", "exported": true, "links": []});
            part[member] = json!(guard);
            let made = level.map(|level| json!({"name": guard, "level": level}));
            json!({"package": "org.acme.app", "components": [part], "declared_permissions": made.as_slice()})
        };
        let open = |guard: &str| says("app_exported_service", &package(guard, "permission", None));
        assert_eq!(open("android.permission.INTERNET"), ["org.acme.S"]);
        assert!(open("android.permission.BIND_JOB_SERVICE").is_empty());

        let weak = |guard: &str, member: &str, level| says("app_weak_permission", &package(guard, member, level));
        for member in ["permission", "read_permission", "write_permission"] {
            assert_eq!(weak("org.other.USE", member, Some(0)), ["org.other.USE"], "{member}");
            assert!(weak("org.other.USE", member, Some(2)).is_empty(), "{member}");
        }
        assert_eq!(weak("org.acme.app.USE", "permission", Some(0x1000)), ["org.acme.app.USE"], "a flag is no level");
        for guard in ["org.acme.app.USE", "org.acme.app.permission.USE"] {
            assert_eq!(weak(guard, "permission", None), [guard], "nobody makes it");
        }
        for guard in ["org.acme.app.plugin.USE", "org.acme.application.USE", "org.other.USE"] {
            assert!(weak(guard, "permission", None).is_empty(), "{guard}: another app may make it");
        }
    }
}
