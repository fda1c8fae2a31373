//! Packages of apps, written as their formats say: an IPA with its property list, a bundle for Android with its
//! manifest as a message of protobuf, an APK with its manifest as Android compiles it. Nothing is compressed, and an
//! APK alone is signed.

mod compiled;
mod signed;

use crate::draft::{App, System};
use flate2::Crc;
use std::collections::BTreeMap;

/// Where a bundle has its manifest.
const MANIFEST: &str = "base/manifest/AndroidManifest.xml";

/// What the program of an app for iOS is called.
const PROGRAM: &str = "App";
/// The number before entitlements in the signature of a program.
const ENTITLEMENTS: u32 = 0xfade_7171;

/// What stands below a name: a text, or more names.
#[derive(Default)]
struct Node {
    text: Option<String>,
    children: BTreeMap<String, Node>,
}

impl Node {
    fn of(says: &[(String, String)]) -> Self {
        let mut root = Self::default();
        for (path, text) in says {
            let mut node = &mut root;
            for name in path.split('/') {
                node = node.children.entry(name.to_owned()).or_default();
            }
            node.text = Some(text.clone());
        }
        root
    }
}

/// What the file of the package is called.
pub(crate) fn file_name(app: &App) -> String {
    let ending = match app.system {
        System::Ios => "ipa",
        System::Android if app.apk => "apk",
        System::Android => "aab",
    };
    format!("{}.{ending}", app.id)
}

/// The bytes of a package.
pub(crate) fn bytes(app: &App) -> Vec<u8> {
    let mut says = app.says.clone();
    let own = match app.system {
        System::Ios => [("CFBundleIdentifier", &app.id), ("CFBundleDisplayName", &app.title)],
        System::Android => [("package", &app.id), ("application/label", &app.title)],
    };
    says.extend(own.map(|(path, text)| (path.to_owned(), text.clone())));
    let says_links = match app.system {
        System::Ios => entitled(app),
        System::Android => links(app),
    };
    says.extend(says_links);
    let root = Node::of(&says);
    let (path, list, folder) = match app.system {
        System::Ios => ("Payload/App.app/Info.plist", property_list(&root).into_bytes(), "Payload/App.app/"),
        System::Android if app.apk => ("AndroidManifest.xml", compiled::document("manifest", &root), ""),
        System::Android => (MANIFEST, field(1, &element("manifest", &root)), "base/"),
    };
    let mut members = vec![(path.to_owned(), list)];
    members.extend(app.members.iter().map(|(path, text)| (format!("{folder}{path}"), text.clone().into_bytes())));
    if app.system == System::Ios && !app.opens.is_empty() {
        members.push((format!("{folder}{PROGRAM}"), program(app)));
    }
    let (bytes, directory) = archive(&members);
    match &app.signed {
        Some(name) => signed::signed(&bytes, directory, name),
        None => bytes,
    }
}

/// The page with which an app for Android begins, and which links to its hosts open as well.
fn links(app: &App) -> Vec<(String, String)> {
    let mut says = Vec::new();
    if app.opens.is_empty() {
        return says;
    }
    let mut say = |path: &str, text: &str| says.push((format!("application/activity:Main/{path}"), text.to_owned()));
    say("name", ".Main");
    say("exported", "true");
    say("intent-filter:Main/category/name", "android.intent.category.LAUNCHER");
    for (number, host) in (1..).zip(&app.opens) {
        say(&format!("intent-filter:{number}/autoVerify"), "true");
        say(&format!("intent-filter:{number}/data/scheme"), "https");
        say(&format!("intent-filter:{number}/data/host"), host);
    }
    says
}

/// Says which member of an app for iOS is its program, where that is entitled to something.
fn entitled(app: &App) -> Vec<(String, String)> {
    let has_some = !app.opens.is_empty();
    has_some.then(|| ("CFBundleExecutable".to_owned(), PROGRAM.to_owned())).into_iter().collect()
}

/// What stands for a program: nothing but the entitlements of its signature.
fn program(app: &App) -> Vec<u8> {
    let hosts = app.opens.iter().map(|host| format!("<string>applinks:{host}</string>")).collect::<String>();
    let list = format!(
        "<plist version=\"1.0\"><dict><key>com.apple.developer.team-identifier</key><string>{}</string>\
         <key>com.apple.developer.associated-domains</key><array>{hosts}</array></dict></plist>",
        app.team()
    );
    let head = [ENTITLEMENTS.to_be_bytes(), size(list.len() + 8).to_be_bytes()].concat();
    [&head, list.as_bytes()].concat()
}

fn property_list(root: &Node) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">{}</plist>\n", value(root))
}

fn value(node: &Node) -> String {
    match node.text.as_deref() {
        Some("true") => "<true/>".to_owned(),
        Some("false") => "<false/>".to_owned(),
        Some(text) => format!("<string>{}</string>", crate::serve::page::escape(text)),
        None => {
            let member = |(name, node): (&String, &Node)| {
                format!("<key>{}</key>{}", crate::serve::page::escape(name), value(node))
            };
            format!("<dict>{}</dict>", node.children.iter().map(member).collect::<String>())
        }
    }
}

/// An element (3: name, 4: attributes with 2 and 3, 5: children). The part of a name after a colon only distinguishes
/// elements that have the same name.
fn element(name: &str, node: &Node) -> Vec<u8> {
    let mut bytes = field(3, name.split(':').next().unwrap_or(name).as_bytes());
    for (name, child) in &node.children {
        bytes.extend(match &child.text {
            Some(text) => field(4, &[field(2, name.as_bytes()), field(3, text.as_bytes())].concat()),
            None => field(5, &field(1, &element(name, child))),
        });
    }
    bytes
}

/// A field of a message that has a length.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![(number << 3) | 2];
    let mut length = value.len();
    while length >= 0x80 {
        bytes.push(u8::try_from(length & 0x7f).expect("seven bits") | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).expect("seven bits"));
    bytes.extend(value);
    bytes
}

/// A zip archive whose members are stored as they are (APPNOTE 4.3), and where its directory begins.
fn archive(members: &[(String, Vec<u8>)]) -> (Vec<u8>, usize) {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut crc = Crc::new();
        crc.update(content);
        let mut head = Vec::new();
        head.extend(u16s(&[20, 0, 0, 0, 0x21]));
        head.extend(u32s(&[crc.sum(), size(content.len()), size(content.len())]));
        head.extend(u16s(&[name.len(), 0]));
        let offset = size(bytes.len());
        bytes.extend([&b"PK\x03\x04"[..], &head, name.as_bytes(), content].concat());
        directory.extend([&b"PK\x01\x02"[..], &u16s(&[20]), &head, &u16s(&[0, 0, 0]), &u32s(&[0, offset])].concat());
        directory.extend(name.as_bytes());
    }
    let offset = bytes.len();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06");
    bytes.extend(u16s(&[0, 0, members.len(), members.len()]));
    bytes.extend(u32s(&[size(directory.len()), size(offset)]));
    bytes.extend(u16s(&[0]));
    (bytes, offset)
}

/// A size in an archive; those of world files are far below the largest.
fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn u16s(numbers: &[usize]) -> Vec<u8> {
    numbers.iter().flat_map(|number| u16::try_from(*number).unwrap_or(u16::MAX).to_le_bytes()).collect()
}

fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
