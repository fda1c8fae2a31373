//! What an Android app says of itself.

use crate::archive::Archive;
use crate::bundle;
use crate::element::Element;
use crate::error::{AppError, Result};
use crate::network_security::NetworkSecurity;
use crate::piece::Piece;
use crate::resources::Resources;
use crate::signature::Signatures;
use crate::strings::hand_out;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Where an APK has its manifest.
pub(crate) const MANIFEST: &str = "AndroidManifest.xml";
/// Where a bundle has it.
pub(crate) const BUNDLE_MANIFEST: &str = "base/manifest/AndroidManifest.xml";
/// Where an APK has its table of resources, and where a bundle has it.
const RESOURCES: &str = "resources.arsc";
const BUNDLE_RESOURCES: &str = "base/resources.pb";
/// The protection levels by name, and the number that means an unknown level.
const LEVELS: &[(&str, u32)] =
    &[("normal", 0), ("dangerous", 1), ("signature", 2), ("signatureOrSystem", 3), ("internal", 4)];
const LEVEL_UNKNOWN: u32 = 15;
/// Components of one app that are kept; the largest apps have some thousand.
const COMPONENTS_MAX: usize = 5_000;
/// Permissions of one app that are kept, and as many that it makes.
const PERMISSIONS_MAX: usize = 1_000;
/// Schemes and hosts of one filter, which lets every scheme through with every host, and links of one app that are
/// kept.
const SCHEMES_MAX: usize = 50;
const HOSTS_MAX: usize = 500;
const LINKS_MAX: usize = 20_000;
/// Bytes of what a manifest says beside its components: one long resource may be named by every element.
const TEXT_BYTES_MAX: usize = 16 * 1_024 * 1_024;
/// The first version whose content providers are closed where nothing is said.
const PROVIDERS_CLOSED_SINCE: u32 = 17;

/// What an Android app says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Android {
    /// Its name among all apps: `org.example.app`.
    pub package: String,
    /// What people see below its picture.
    pub label: Option<String>,
    /// The number of its version.
    pub version_code: Option<u32>,
    /// Its version as people read it.
    pub version_name: Option<String>,
    /// The oldest version of Android (its API level) that it runs on.
    pub min_sdk: Option<u32>,
    /// The version of Android that it was made for, whose protections hold for it.
    pub target_sdk: Option<u32>,
    /// The permissions that it requests, sorted.
    pub permissions: Vec<String>,
    /// Permissions that it defines.
    pub declared_permissions: Vec<DeclaredPermission>,
    /// Its parts that can be called.
    pub components: Vec<Component>,
    /// A debugger may be attached to it.
    pub debuggable: bool,
    /// It is a build for tests.
    pub test_only: bool,
    /// Its data go into backups; `None` where it does not say, which means that they do.
    pub allow_backup: Option<bool>,
    /// It talks in the clear; `None` where it does not say.
    pub uses_cleartext: Option<bool>,
    /// It asks for the storage that all apps share.
    pub legacy_storage: bool,
    /// A user of the system that it shares with other apps of its signer.
    pub shared_user: Option<String>,
    /// Its network security configuration, where it has one that could be read.
    pub network_security: Option<NetworkSecurity>,
    /// It names a network security configuration.
    pub has_network_security: bool,
    /// How it is signed.
    pub signatures: Signatures,
    /// It is a part of an app, for one screen or language.
    pub is_split: bool,
    /// Attributes of the manifest and the application that are said by a resource that could not be read. What they
    /// say is not known, which is not the same as unsaid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// What kind a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentKind {
    /// A page of the app.
    Activity,
    /// Something that works without being seen.
    Service,
    /// Something that waits for messages.
    Receiver,
    /// Something that gives out data.
    Provider,
}

/// A part of an app that can be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// What it is.
    pub kind: ComponentKind,
    /// Its class.
    pub name: String,
    /// Other apps may call it.
    pub exported: bool,
    /// The permission that other apps need to call it.
    pub permission: Option<String>,
    /// The permission that other apps need to read from it.
    pub read_permission: Option<String>,
    /// The permission that other apps need to write to it.
    pub write_permission: Option<String>,
    /// It grants others access to single URIs.
    pub grants_uris: bool,
    /// It is in the launcher.
    pub is_launcher: bool,
    /// Links that open it.
    pub links: Vec<DeepLink>,
}

/// A link that opens an app.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeepLink {
    /// The scheme: `https`, or one of its own.
    pub scheme: String,
    /// The host, where it names one.
    pub host: Option<String>,
    /// Android asks the host whether the app is its own.
    pub is_verified: bool,
}

/// A permission that an app makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredPermission {
    /// Its name.
    pub name: String,
    /// Whom it is given to, as Android numbers it: 0 everybody, 1 whom the user lets, 2 the same signer, 3 also what
    /// came with the system, 15 not known. The lowest four bits tell it, the others are flags.
    pub level: u32,
}

/// Reads an APK: its manifest, its resources and its signatures.
pub(crate) fn of_apk(archive: &mut Archive<'_>, look: &mut dyn FnMut(&Piece<'_>)) -> Result<Android> {
    let manifest = Element::of_binary(&archive.get(MANIFEST)?)?;
    let table = if archive.has(RESOURCES) { Some(archive.get(RESOURCES)?) } else { None };
    let resources = table.as_deref().map_or_else(|| Ok(Resources::default()), Resources::of)?;
    hand_out(RESOURCES, &resources.texts, look);
    archive.count_texts(resources.texts.len(), table.map_or(0, |table| table.len()))?;
    let mut android = of_manifest(&manifest, &resources, archive)?;
    if let Some(application) = manifest.below("application").next()
        && let Some(path) = application.text_of("networkSecurityConfig", &resources)
        && archive.has(&path)
    {
        let configuration = Element::of_binary(&archive.get(&path)?)?;
        android.network_security = Some(NetworkSecurity::of(&configuration, &resources));
    }
    hand_out(MANIFEST, &texts(&manifest, &resources), look);
    android.signatures = Signatures::of(archive)?;
    Ok(android)
}

/// Reads a bundle, whose documents are messages and whose references are names.
pub(crate) fn of_bundle(archive: &mut Archive<'_>, look: &mut dyn FnMut(&Piece<'_>)) -> Result<Android> {
    let manifest = bundle::document(&archive.get(BUNDLE_MANIFEST)?)?;
    let table = if archive.has(BUNDLE_RESOURCES) { Some(archive.get(BUNDLE_RESOURCES)?) } else { None };
    let resources = table.as_deref().map_or_else(|| Ok(Resources::default()), bundle::resources)?;
    hand_out(BUNDLE_RESOURCES, &resources.texts, look);
    archive.count_texts(resources.texts.len(), table.map_or(0, |table| table.len()))?;
    let mut android = of_manifest(&manifest, &resources, archive)?;
    if let Some(application) = manifest.below("application").next()
        && let Some(Value::Named(reference)) = application.get("networkSecurityConfig")
    {
        let named = application.text_of("networkSecurityConfig", &resources);
        let path = named.map_or_else(|| format!("base/res/{reference}.xml"), |path| format!("base/{path}"));
        if archive.has(&path) {
            let configuration = bundle::document(&archive.get(&path)?)?;
            android.network_security = Some(NetworkSecurity::of(&configuration, &resources));
        }
    }
    hand_out(BUNDLE_MANIFEST, &texts(&manifest, &resources), look);
    android.signatures = Signatures::of(archive)?;
    Ok(android)
}

fn of_manifest(root: &Element, resources: &Resources, archive: &mut Archive<'_>) -> Result<Android> {
    let package = root.text_of("package", resources).filter(|package| !package.is_empty());
    let package = package.ok_or_else(|| AppError::NotAnApp("its manifest names no package".into()))?;
    let sdk = |name: &str| root.below("uses-sdk").find_map(|uses| uses.number(name, resources));
    let says_target = root.below("uses-sdk").any(|uses| uses.get("targetSdkVersion").is_some());
    let asked = root.children.iter().filter(|child| child.name.starts_with("uses-permission"));
    let permissions: BTreeSet<String> = asked.filter_map(|child| child.text_of("name", resources)).collect();
    let declared = root.below("permission").filter_map(|permission| {
        Some(DeclaredPermission {
            name: permission.text_of("name", resources)?,
            level: level_of(permission, resources),
        })
    });
    let mut android = Android {
        version_code: root.number("versionCode", resources),
        version_name: root.text_of("versionName", resources),
        min_sdk: sdk("minSdkVersion"),
        // Android takes an app to be made for the oldest version that it runs on where it does not say.
        target_sdk: if says_target { sdk("targetSdkVersion") } else { sdk("minSdkVersion") },
        permissions: permissions.into_iter().take(PERMISSIONS_MAX).collect(),
        declared_permissions: declared.take(PERMISSIONS_MAX).collect(),
        shared_user: root.text_of("sharedUserId", resources),
        is_split: root.get("split").is_some(),
        package,
        ..Android::default()
    };
    let is_unknown = |name: &str| root.below("uses-sdk").any(|uses| uses.is_unknown(name, resources));
    android
        .unknown
        .extend(["minSdkVersion", "targetSdkVersion"].into_iter().filter(|n| is_unknown(n)).map(str::to_owned));
    if let Some(application) = root.below("application").next() {
        android.application(application, resources, archive);
    }
    Ok(android)
}

/// Returns whom a permission is given to, which a bundle has in words: `signature|privileged`.
fn level_of(permission: &Element, resources: &Resources) -> u32 {
    if let Some(level) = permission.number("protectionLevel", resources) {
        return level;
    }
    if permission.is_unknown("protectionLevel", resources) {
        return LEVEL_UNKNOWN;
    }
    let text = permission.text_of("protectionLevel", resources).unwrap_or_default();
    let level = |word: &str| LEVELS.iter().find(|(known, _)| *known == word.trim()).map(|(_, level)| *level);
    text.split('|').find_map(level).unwrap_or(0)
}

impl Android {
    fn application(&mut self, application: &Element, resources: &Resources, archive: &mut Archive<'_>) {
        let is = |name: &str| application.flag(name, resources);
        self.label = application.text_of("label", resources);
        self.debuggable = is("debuggable") == Some(true);
        self.test_only = is("testOnly") == Some(true);
        self.allow_backup = is("allowBackup");
        self.uses_cleartext = is("usesCleartextTraffic");
        self.legacy_storage = is("requestLegacyExternalStorage") == Some(true);
        self.has_network_security = application.get("networkSecurityConfig").is_some();
        let flags = ["allowBackup", "debuggable", "usesCleartextTraffic"];
        self.unknown.extend(flags.iter().filter(|n| application.is_unknown(n, resources)).map(|n| (*n).to_owned()));
        let shared = application.text_of("permission", resources);
        let (mut links_left, mut is_cut) = (LINKS_MAX, false);
        for element in &application.children {
            let kind = match element.name.as_str() {
                "activity" | "activity-alias" => ComponentKind::Activity,
                "service" => ComponentKind::Service,
                "receiver" => ComponentKind::Receiver,
                "provider" => ComponentKind::Provider,
                _ => continue,
            };
            if self.components.len() == COMPONENTS_MAX {
                let why = format!("the package has more than {COMPONENTS_MAX} components: the others were left out");
                archive.leave_out(why);
                break;
            }
            if element.flag("enabled", resources) != Some(false) {
                let (links, are_more) = links_of(element, links_left, resources);
                (links_left, is_cut) = (links_left - links.len(), is_cut || are_more);
                let component = self.component(kind, element, shared.as_ref(), resources);
                self.components.push(Component { links, ..component });
            }
        }
        if is_cut {
            let each = format!("{SCHEMES_MAX} schemes and {HOSTS_MAX} hosts in a filter, {LINKS_MAX} links in all");
            archive.leave_out(format!("the package names more links than are kept ({each}): the others were left out"));
        }
    }

    fn component(
        &self,
        kind: ComponentKind,
        element: &Element,
        shared: Option<&String>,
        resources: &Resources,
    ) -> Component {
        let name = element.text_of("name", resources).unwrap_or_default();
        let name = match name.strip_prefix('.') {
            Some(rest) => format!("{}.{rest}", self.package),
            None if !name.contains('.') => format!("{}.{name}", self.package),
            None => name,
        };
        let unsaid = match kind {
            // Whether it is called is not known, which is no reason to say that it is.
            _ if element.is_unknown("exported", resources) => false,
            ComponentKind::Provider if self.unknown.iter().any(|name| name.ends_with("SdkVersion")) => false,
            ComponentKind::Provider => self.target_sdk.unwrap_or(1) < PROVIDERS_CLOSED_SINCE,
            _ => element.below("intent-filter").next().is_some(),
        };
        let mut is_launcher = false;
        for filter in element.below("intent-filter") {
            let mut categories = filter.below("category").filter_map(|category| category.text_of("name", resources));
            is_launcher |= categories.any(|category| category == "android.intent.category.LAUNCHER");
        }
        Component {
            kind,
            name,
            exported: element.flag("exported", resources).unwrap_or(unsaid),
            permission: element.text_of("permission", resources).or_else(|| shared.cloned()),
            read_permission: element.text_of("readPermission", resources),
            write_permission: element.text_of("writePermission", resources),
            grants_uris: element.flag("grantUriPermissions", resources) == Some(true)
                || element.below("grant-uri-permission").any(|grant| is_everything(grant, resources)),
            is_launcher,
            links: Vec::new(),
        }
    }
}

/// Returns whether a rule for single addresses lets all of them through.
fn is_everything(grant: &Element, resources: &Resources) -> bool {
    let says =
        |name: &str, every: &[&str]| grant.text_of(name, resources).is_some_and(|text| every.contains(&text.as_str()));
    says("pathPrefix", &["", "/"]) || says("pathPattern", &[".*", "/.*"])
}

/// Returns so many of the links that the filters of an element let through, and whether there are more.
fn links_of(element: &Element, most: usize, resources: &Resources) -> (Vec<DeepLink>, bool) {
    let (mut links, mut is_cut) = (BTreeSet::new(), false);
    for filter in element.below("intent-filter") {
        if links.len() > most {
            break;
        }
        is_cut |= add_links(filter, &mut links, resources);
    }
    is_cut |= links.len() > most;
    (links.into_iter().take(most).collect(), is_cut)
}

/// Adds the links that a filter lets through: each of its schemes with each of its hosts. Says whether there are more.
fn add_links(filter: &Element, links: &mut BTreeSet<DeepLink>, resources: &Resources) -> bool {
    let said = |name: &str| -> BTreeSet<String> {
        let texts = filter.below("data").filter_map(|data| data.text_of(name, resources));
        texts.map(|text| text.to_ascii_lowercase()).collect()
    };
    let (schemes, hosts) = (said("scheme"), said("host"));
    let is_verified = filter.flag("autoVerify", resources) == Some(true);
    for scheme in schemes.iter().take(SCHEMES_MAX) {
        if hosts.is_empty() {
            links.insert(DeepLink { scheme: scheme.clone(), host: None, is_verified });
        }
        let host = |host: &String| DeepLink { scheme: scheme.clone(), host: Some(host.clone()), is_verified };
        links.extend(hosts.iter().take(HOSTS_MAX).map(host));
    }
    schemes.len() > SCHEMES_MAX || (hosts.len() > HOSTS_MAX && !schemes.is_empty())
}

/// Returns the texts of a manifest other than its components: keys of services are in `meta-data`.
fn texts(manifest: &Element, resources: &Resources) -> String {
    let mut text = String::new();
    let applications = manifest.below("application");
    for data in applications.flat_map(|application| &application.children).filter(|child| child.name == "meta-data") {
        let said = (data.whole_text_of("name", resources), data.whole_text_of("value", resources));
        if let (Some(name), Some(value)) = said
            && text.len() + name.len() + value.len() <= TEXT_BYTES_MAX
        {
            text.push_str(&format!("{name} = \"{value}\"\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str, said: &[(&str, Value)], children: Vec<Element>) -> Element {
        let attributes = said.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Element { name: name.to_owned(), attributes, children, ..Element::default() }
    }

    fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    fn manifest(said: &[(&str, Value)], sdk: &[(&str, Value)], children: Vec<Element>) -> Android {
        let parts = vec![element("uses-sdk", sdk, Vec::new()), element("application", said, children)];
        let manifest = element("manifest", &[("package", text("org.acme"))], parts);
        of_manifest(&manifest, &Resources::default(), &mut Archive::empty()).unwrap()
    }

    #[test]
    fn an_app_that_names_no_version_it_is_made_for_is_made_for_the_oldest_it_runs_on() {
        let provider = || vec![element("provider", &[("name", text("a.B"))], Vec::new())];
        let app = |sdk: &[(&str, Value)]| {
            let app = manifest(&[], sdk, provider());
            (app.target_sdk, app.components[0].exported)
        };
        let number = |name: &'static str, number: u32| (name, Value::Number(number));
        assert_eq!(app(&[]), (None, true));
        assert_eq!(app(&[number("minSdkVersion", 16)]), (Some(16), true));
        assert_eq!(app(&[number("minSdkVersion", 24)]), (Some(24), false));
        assert_eq!(app(&[number("minSdkVersion", 16), number("targetSdkVersion", 28)]), (Some(28), false));
        let unread = ("targetSdkVersion", Value::Resource(0x7f01_0000));
        assert_eq!(app(&[number("minSdkVersion", 16), unread]), (None, false), "it says, and we cannot read it");
    }

    #[test]
    fn what_a_resource_says_that_cannot_be_read_is_unknown_and_not_unsaid() {
        let unread = |name: &'static str| (name, Value::Named("bool/no".into()));
        let filter = || vec![element("intent-filter", &[], Vec::new())];
        let app = manifest(
            &[unread("allowBackup"), unread("usesCleartextTraffic")],
            &[],
            vec![
                element("service", &[("name", text("a.B")), unread("exported")], filter()),
                element("service", &[("name", text("a.C"))], filter()),
            ],
        );
        assert_eq!(app.unknown, ["allowBackup", "usesCleartextTraffic"]);
        assert_eq!(app.components.iter().map(|part| part.exported).collect::<Vec<_>>(), [false, true]);
        let null = ("allowBackup", Value::Named("null".into()));
        assert!(manifest(&[null], &[], Vec::new()).unknown.is_empty(), "that is nothing");
    }

    #[test]
    fn the_level_of_a_permission_is_read_in_words_too() {
        let level = |said: &[(&str, Value)]| level_of(&element("permission", said, Vec::new()), &Resources::default());
        for (word, expected) in [
            ("normal", 0),
            ("dangerous", 1),
            ("signature", 2),
            ("signature|privileged", 2),
            ("privileged|signature", 2),
            ("signatureOrSystem", 3),
            ("0x12", 0x12),
        ] {
            assert_eq!(level(&[("protectionLevel", text(word))]), expected, "{word}");
        }
        assert_eq!(level(&[("protectionLevel", Value::Number(2))]), 2);
        assert_eq!((level(&[]), level(&[("protectionLevel", Value::Resource(1))])), (0, LEVEL_UNKNOWN));
    }

    #[test]
    fn a_rule_for_every_address_gives_leave_for_all() {
        let grants = |name: &str, path: &str| {
            let grant = element("grant-uri-permission", &[(name, text(path))], Vec::new());
            manifest(&[], &[], vec![element("provider", &[("name", text("a.B"))], vec![grant])]).components[0]
                .grants_uris
        };
        assert!(grants("pathPrefix", "/") && grants("pathPattern", ".*"));
        assert!(!grants("pathPrefix", "/shared/") && !grants("path", "/"));
    }

    fn filter(schemes: usize, hosts: usize) -> Element {
        let scheme = (0..schemes).map(|at| element("data", &[("scheme", text(format!("s{at}")))], Vec::new()));
        let host = (0..hosts).map(|at| element("data", &[("host", text(format!("h{at}.test")))], Vec::new()));
        element("intent-filter", &[], scheme.chain(host).collect())
    }

    #[test]
    fn a_filter_names_so_many_links_and_no_more() {
        let links = |schemes: usize, hosts: usize, most: usize| {
            let (links, is_cut) =
                links_of(&element("activity", &[], vec![filter(schemes, hosts)]), most, &Resources::default());
            (links.len(), is_cut)
        };
        assert_eq!(links(2, 3, 100), (6, false));
        assert_eq!(links(2, 3, 5), (5, true));
        assert_eq!(links(SCHEMES_MAX, HOSTS_MAX, 100_000), (SCHEMES_MAX * HOSTS_MAX, false));
        assert_eq!(links(6_000, 6_000, 100_000), (SCHEMES_MAX * HOSTS_MAX, true));
        let many = element("activity", &[], vec![filter(SCHEMES_MAX, HOSTS_MAX); 20]);
        let (found, is_cut) = links_of(&many, LINKS_MAX, &Resources::default());
        assert_eq!((found.len(), is_cut), (LINKS_MAX, true));
    }

    #[test]
    fn one_long_text_is_not_kept_as_often_as_it_is_named() {
        let long = "x".repeat(1_024 * 1_024);
        let services = (0..1_000).map(|_| element("service", &[("name", text(".S"))], Vec::new()));
        let keys = (0..100).map(|_| element("meta-data", &[("name", text("k")), ("value", text(&long))], Vec::new()));
        let said = [("permission", text(&long)), ("label", text("Größe"))];
        let application = element("application", &said, services.chain(keys).collect());
        let manifest = element("manifest", &[("package", text(format!("org.{long}")))], vec![application]);
        let mut archive = Archive::empty();
        let app = of_manifest(&manifest, &Resources::default(), &mut archive).unwrap();
        assert_eq!((app.components.len(), app.label.as_deref()), (1_000, Some("Größe")));
        let kept = |part: &Component| part.name.len() + part.permission.as_ref().map_or(0, String::len);
        assert!(app.components.iter().map(kept).sum::<usize>() < 2 * 1_024 * 1_024);
        assert!((1_024 * 1_024..=TEXT_BYTES_MAX + 1_024).contains(&texts(&manifest, &Resources::default()).len()));
    }
}
