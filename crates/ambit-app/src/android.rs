//! What an Android app says of itself.

use crate::archive::Archive;
use crate::bundle;
use crate::element::Element;
use crate::error::AppError;
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
/// Where an APK has its table of resources.
const RESOURCES: &str = "resources.arsc";
/// Components of one app that are kept; the largest apps have some thousand.
const COMPONENTS_MAX: usize = 5_000;
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
    /// What it asks leave for, sorted.
    pub permissions: Vec<String>,
    /// Permissions that it makes itself.
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
    /// What others need to call it.
    pub permission: Option<String>,
    /// What others need to read from it.
    pub read_permission: Option<String>,
    /// What others need to write to it.
    pub write_permission: Option<String>,
    /// It gives others leave for single addresses.
    pub grants_uris: bool,
    /// It is what people start.
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
    /// Whom it is given to, as Android numbers it: 0 everybody, 1 whom the user lets, 2 the same signer.
    pub level: u32,
}

/// Reads an APK: its manifest, its resources and its signatures.
pub(crate) fn of_apk(archive: &mut Archive<'_>, look: &mut dyn FnMut(&Piece<'_>)) -> Result<Android, AppError> {
    let manifest = Element::of_binary(&archive.get(MANIFEST)?)?;
    let resources =
        if archive.has(RESOURCES) { Resources::of(&archive.get(RESOURCES)?)? } else { Resources::default() };
    hand_out(RESOURCES, &resources.texts, look);
    let mut android = of_manifest(&manifest, &resources)?;
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

/// Reads a bundle, whose documents are messages and whose references are written out.
pub(crate) fn of_bundle(archive: &mut Archive<'_>, look: &mut dyn FnMut(&Piece<'_>)) -> Result<Android, AppError> {
    let resources = Resources::default();
    let manifest = bundle::document(&archive.get(BUNDLE_MANIFEST)?)?;
    let mut android = of_manifest(&manifest, &resources)?;
    if let Some(application) = manifest.below("application").next()
        && let Some(Value::Text(reference)) = application.get("networkSecurityConfig")
    {
        let path = format!("base/res/{}.xml", reference.trim_start_matches('@'));
        if archive.has(&path) {
            let configuration = bundle::document(&archive.get(&path)?)?;
            android.network_security = Some(NetworkSecurity::of(&configuration, &resources));
        }
    }
    hand_out(BUNDLE_MANIFEST, &texts(&manifest, &resources), look);
    android.signatures = Signatures::of(archive)?;
    Ok(android)
}

fn of_manifest(root: &Element, resources: &Resources) -> Result<Android, AppError> {
    let package = root.text_of("package", resources).filter(|package| !package.is_empty());
    let package = package.ok_or_else(|| AppError::NotAnApp("its manifest names no package".into()))?;
    let sdk = |name: &str| root.below("uses-sdk").find_map(|uses| uses.number(name, resources));
    let asked = root.children.iter().filter(|child| child.name.starts_with("uses-permission"));
    let permissions: BTreeSet<String> = asked.filter_map(|child| child.text_of("name", resources)).collect();
    let declared = root.below("permission").filter_map(|permission| {
        let level = permission.number("protectionLevel", resources).unwrap_or(0);
        Some(DeclaredPermission { name: permission.text_of("name", resources)?, level })
    });
    let mut android = Android {
        version_code: root.number("versionCode", resources),
        version_name: root.text_of("versionName", resources),
        min_sdk: sdk("minSdkVersion"),
        target_sdk: sdk("targetSdkVersion"),
        permissions: permissions.into_iter().collect(),
        declared_permissions: declared.collect(),
        shared_user: root.text_of("sharedUserId", resources),
        is_split: root.get("split").is_some(),
        package,
        ..Android::default()
    };
    if let Some(application) = root.below("application").next() {
        android.application(application, resources);
    }
    Ok(android)
}

impl Android {
    fn application(&mut self, application: &Element, resources: &Resources) {
        let is = |name: &str| application.flag(name, resources);
        self.label = application.text_of("label", resources);
        self.debuggable = is("debuggable") == Some(true);
        self.test_only = is("testOnly") == Some(true);
        self.allow_backup = is("allowBackup");
        self.uses_cleartext = is("usesCleartextTraffic");
        self.legacy_storage = is("requestLegacyExternalStorage") == Some(true);
        self.has_network_security = application.get("networkSecurityConfig").is_some();
        let shared = application.text_of("permission", resources);
        for element in &application.children {
            let kind = match element.name.as_str() {
                "activity" | "activity-alias" => ComponentKind::Activity,
                "service" => ComponentKind::Service,
                "receiver" => ComponentKind::Receiver,
                "provider" => ComponentKind::Provider,
                _ => continue,
            };
            if self.components.len() < COMPONENTS_MAX && element.flag("enabled", resources) != Some(false) {
                let component = self.component(kind, element, shared.as_ref(), resources);
                self.components.push(component);
            }
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
            ComponentKind::Provider => self.target_sdk.unwrap_or(1) < PROVIDERS_CLOSED_SINCE,
            _ => element.below("intent-filter").next().is_some(),
        };
        let mut links = BTreeSet::new();
        let mut is_launcher = false;
        for filter in element.below("intent-filter") {
            let mut categories = filter.below("category").filter_map(|category| category.text_of("name", resources));
            is_launcher |= categories.any(|category| category == "android.intent.category.LAUNCHER");
            links.extend(links_of(filter, resources));
        }
        Component {
            kind,
            name,
            exported: element.flag("exported", resources).unwrap_or(unsaid),
            permission: element.text_of("permission", resources).or_else(|| shared.cloned()),
            read_permission: element.text_of("readPermission", resources),
            write_permission: element.text_of("writePermission", resources),
            grants_uris: element.flag("grantUriPermissions", resources) == Some(true),
            is_launcher,
            links: links.into_iter().collect(),
        }
    }
}

/// Returns the links that a filter lets through: each of its schemes with each of its hosts.
fn links_of(filter: &Element, resources: &Resources) -> Vec<DeepLink> {
    let said = |name: &str| -> BTreeSet<String> {
        let texts = filter.below("data").filter_map(|data| data.text_of(name, resources));
        texts.map(|text| text.to_ascii_lowercase()).collect()
    };
    let (schemes, hosts) = (said("scheme"), said("host"));
    let is_verified = filter.flag("autoVerify", resources) == Some(true);
    let mut links = Vec::new();
    for scheme in schemes {
        if hosts.is_empty() {
            links.push(DeepLink { scheme: scheme.clone(), host: None, is_verified });
        }
        let host = |host: &String| DeepLink { scheme: scheme.clone(), host: Some(host.clone()), is_verified };
        links.extend(hosts.iter().map(host));
    }
    links
}

/// Returns what a manifest says beside its components: keys of services stand in `meta-data`.
fn texts(manifest: &Element, resources: &Resources) -> String {
    let mut text = String::new();
    let applications = manifest.below("application");
    for data in applications.flat_map(|application| &application.children).filter(|child| child.name == "meta-data") {
        if let (Some(name), Some(value)) = (data.text_of("name", resources), data.text_of("value", resources)) {
            text.push_str(&format!("{name} = \"{value}\"\n"));
        }
    }
    text
}
