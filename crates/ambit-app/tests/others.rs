//! A real package, beside what the tools of Android say of it, member by member. Their answers are recorded in
//! `recorded/`: of aapt2 `dump badging` (without the names in other languages) and `dump xmltree --file
//! AndroidManifest.xml`, of apksigner `verify -v --print-certs`.

use ambit_app::{Android, App, ComponentKind, Format, Scheme};
use std::collections::BTreeSet;

const BADGING: &str = include_str!("recorded/badging.txt");
const MANIFEST: &str = include_str!("recorded/manifest.txt");
const SIGNERS: &str = include_str!("recorded/signers.txt");

/// The package, as we read it.
fn read() -> Android {
    let path = std::env::var_os("AMBIT_TEST_APP")
        .expect("AMBIT_TEST_APP is not set: run the tests with `make test`, or below `cargo xtask with-app`");
    let bytes = std::fs::read(path).expect("the package is there");
    let package = ambit_app::read(&bytes, &mut |_| {}).expect("it is read");
    assert_eq!((package.format, package.skipped.as_slice()), (Format::Apk, &[][..]));
    match package.app {
        App::Android(android) => android,
        App::Ios(_) => panic!("it is for Android"),
    }
}

/// The text in quotes behind a word in what `badging` says.
fn badging<'a>(line: &str, word: &str) -> Option<&'a str> {
    let line = BADGING.lines().find(|known| known.starts_with(line))?;
    line.split_once(&format!("{word}'"))?.1.split('\'').next()
}

/// An element of the manifest as xmltree prints it: how deep, its name, and its attributes.
#[derive(Debug)]
struct Element {
    depth: usize,
    name: &'static str,
    attributes: Vec<(&'static str, &'static str)>,
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&'static str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

fn elements() -> Vec<Element> {
    let mut found: Vec<Element> = Vec::new();
    for line in MANIFEST.lines() {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix("E: ") {
            let name = rest.split(' ').next().expect("a name");
            found.push(Element { depth, name, attributes: Vec::new() });
        } else if let Some((name, value)) = line.strip_prefix("A: ").and_then(|rest| {
            rest.rsplit_once("(Raw").map_or(rest.split_once('='), |(rest, _)| rest.trim_end().split_once('='))
        }) {
            let name = name.rsplit("android:").next().expect("one part").split('(').next().expect("one part");
            found.last_mut().expect("an element is open").attributes.push((name, value.trim_matches('"')));
        }
    }
    found
}

#[test]
fn a_manifest_says_to_us_what_it_says_to_aapt2() {
    let ours = read();
    assert_eq!(Some(ours.package.as_str()), badging("package:", "name="));
    assert_eq!(ours.version_code.map(|code| code.to_string()).as_deref(), badging("package:", "versionCode="));
    assert_eq!(ours.version_name.as_deref(), badging("package:", "versionName="));
    assert_eq!(ours.min_sdk.map(|level| level.to_string()).as_deref(), badging("sdkVersion:", ""));
    assert_eq!(ours.target_sdk.map(|level| level.to_string()).as_deref(), badging("targetSdkVersion:", ""));
    assert_eq!(ours.label.as_deref(), badging("application:", "label="));
    assert_eq!(ours.debuggable, BADGING.lines().any(|line| line == "application-debuggable"));
    assert!(!ours.is_split && !ours.test_only);
    let theirs = BADGING.lines().filter_map(|line| line.strip_prefix("uses-permission: name='")?.split('\'').next());
    let theirs: BTreeSet<&str> = theirs.collect();
    assert!(theirs.len() > 20);
    assert_eq!(ours.permissions.iter().map(String::as_str).collect::<BTreeSet<_>>(), theirs);
}

#[test]
fn its_parts_and_its_permissions_are_those_that_aapt2_shows() {
    let (ours, elements) = (read(), elements());
    let application = elements.iter().find(|element| element.name == "application").expect("there is one");
    let says = |name: &str| application.attribute(name).map(|value| value == "true");
    assert_eq!(ours.allow_backup, says("allowBackup"));
    assert_eq!(ours.uses_cleartext, says("usesCleartextTraffic"));
    assert_eq!(ours.has_network_security, application.attribute("networkSecurityConfig").is_some());
    let made = elements.iter().filter(|element| element.name == "permission");
    let made: Vec<_> = made
        .map(|element| {
            let level = element.attribute("protectionLevel").and_then(|level| level.strip_prefix("0x"));
            let level = level.map(|level| u32::from_str_radix(level, 16).expect("a number"));
            (element.attribute("name").expect("a name").to_owned(), level.unwrap_or(0))
        })
        .collect();
    let declared: Vec<_> =
        ours.declared_permissions.iter().map(|permission| (permission.name.clone(), permission.level)).collect();
    assert_eq!(declared, made);

    let mut theirs = Vec::new();
    for (at, element) in elements.iter().enumerate() {
        let kind = match element.name {
            "activity" | "activity-alias" => ComponentKind::Activity,
            "service" => ComponentKind::Service,
            "receiver" => ComponentKind::Receiver,
            "provider" => ComponentKind::Provider,
            _ => continue,
        };
        let inside = elements[at + 1..].iter().take_while(|inner| inner.depth > element.depth);
        let is_launcher =
            inside.clone().any(|inner| inner.attribute("name").is_some_and(|name| name.ends_with("LAUNCHER")));
        let has_filter = inside.clone().any(|inner| inner.name == "intent-filter");
        let exported = element.attribute("exported").map_or(has_filter, |word| word == "true");
        let text = |name: &str| element.attribute(name).map(str::to_owned);
        theirs.push((kind, text("name").expect("a name"), exported, text("permission"), is_launcher));
    }
    let mut components: Vec<_> = ours
        .components
        .into_iter()
        .map(|part| (part.kind, part.name, part.exported, part.permission, part.is_launcher))
        .collect();
    theirs.sort();
    components.sort();
    assert!(theirs.len() > 15, "{theirs:?}");
    assert_eq!(components, theirs);
}

#[test]
fn its_signer_is_the_one_that_apksigner_names() {
    let ours = read().signatures;
    let said = |words: &str| SIGNERS.lines().find_map(|line| line.strip_prefix(words)).map(str::trim);
    for (scheme, words) in [
        (Scheme::V1, "Verified using v1 scheme (JAR signing):"),
        (Scheme::V2, "Verified using v2 scheme (APK Signature Scheme v2):"),
        (Scheme::V3, "Verified using v3 scheme (APK Signature Scheme v3):"),
        (Scheme::V4, "Verified using v4 scheme (APK Signature Scheme v4):"),
    ] {
        assert_eq!(ours.schemes.contains(&scheme), said(words) == Some("true"), "{scheme:?}");
    }
    let count = said("Number of signers:").and_then(|count| count.parse().ok());
    assert_eq!(Some(ours.certificates.len()), count);
    let [certificate] = ours.certificates.as_slice() else { panic!("one signer: {:?}", ours.certificates) };
    assert_eq!(Some(certificate.sha256.as_str()), said("Signer #1 certificate SHA-256 digest:"));
    assert_eq!(Some(certificate.key.as_str()), said("Signer #1 key algorithm:"));
    assert_eq!(Some(certificate.key_bits.to_string().as_str()), said("Signer #1 key size (bits):"));
    let parts = |subject: &str| subject.split(", ").map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(Some(parts(&certificate.subject)), said("Signer #1 certificate DN:").map(parts));
    assert!(certificate.is_debug);
}
