//! Reads packages that the tests build themselves, byte by byte as the formats say, and hostile ones.

mod build;

use ambit_app::{App, AppError, ComponentKind, Format, Scheme};
use build::{Attribute, Node, apk, archive, manifest, signed};

/// What was read of a package, and the texts that were handed out as `path: text`.
fn read(bytes: &[u8]) -> (Result<ambit_app::Package, AppError>, String) {
    let mut texts = String::new();
    let package = ambit_app::read(bytes, &mut |piece| texts.push_str(&format!("{}: {}\n", piece.path, piece.text)));
    if let Ok(package) = &package {
        assert_eq!(ambit_app::identify(bytes).expect("it is read"), package.app);
    }
    (package, texts)
}

fn android(bytes: &[u8]) -> ambit_app::Android {
    match read(bytes).0.expect("it is read").app {
        App::Android(android) => android,
        App::Ios(_) => panic!("an app for iOS"),
    }
}

fn example() -> Node {
    let main = Node::new("intent-filter").with(Node::new("category").say(
        "name",
        0x0101_0003,
        Attribute::Text("android.intent.category.LAUNCHER"),
    ));
    let linked = Node::new("intent-filter").say("autoVerify", 0x0101_04ee, Attribute::Flag(true)).with(
        Node::new("data").say("scheme", 0x0101_0027, Attribute::Text("https")).say(
            "host",
            0x0101_0028,
            Attribute::Text("app.acme.test"),
        ),
    );
    let activity = Node::new("activity").say("name", 0x0101_0003, Attribute::Text(".Main")).with(main).with(linked);
    let provider = Node::new("provider")
        .say("name", 0x0101_0003, Attribute::Text("org.acme.Files"))
        .say("exported", 0x0101_0010, Attribute::Flag(true))
        .say("readPermission", 0x0101_0007, Attribute::Text("org.acme.READ"));
    let service = Node::new("service").say("name", 0x0101_0003, Attribute::Text("Quiet"));
    let off = Node::new("receiver").say("name", 0x0101_0003, Attribute::Text("Off")).say(
        "enabled",
        0x0101_000e,
        Attribute::Flag(false),
    );
    let key = Node::new("meta-data").say("name", 0x0101_0003, Attribute::Text("com.google.android.geo.API_KEY")).say(
        "value",
        0x0101_0024,
        Attribute::Text("not-a-real-key"),
    );
    let application = Node::new("application")
        .say("debuggable", 0x0101_000f, Attribute::Flag(true))
        .say("allowBackup", 0x0101_0280, Attribute::Flag(false))
        .say("networkSecurityConfig", 0x0101_0527, Attribute::Resource(0x7f01_0000))
        .say("label", 0x0101_0001, Attribute::Resource(0x7f02_0000))
        .with(activity)
        .with(provider)
        .with(service)
        .with(off)
        .with(key);
    Node::new("manifest")
        .say("package", 0, Attribute::Text("org.acme.app"))
        .say("versionCode", 0x0101_021b, Attribute::Number(7))
        .say("versionName", 0x0101_021c, Attribute::Text("1.2.3"))
        .with(Node::new("uses-sdk").say("minSdkVersion", 0x0101_020c, Attribute::Number(21)).say(
            "targetSdkVersion",
            0x0101_0270,
            Attribute::Number(28),
        ))
        .with(Node::new("uses-permission").say("name", 0x0101_0003, Attribute::Text("android.permission.READ_SMS")))
        .with(application)
}

fn network_security() -> Node {
    let domain = Node::new("domain-config")
        .say("cleartextTrafficPermitted", 0, Attribute::Flag(true))
        .with(Node::new("domain").text("Old.acme.test"));
    let user = Node::new("trust-anchors").with(Node::new("certificates").say("src", 0, Attribute::Text("user")));
    let base = Node::new("base-config").say("cleartextTrafficPermitted", 0, Attribute::Flag(false)).with(user);
    Node::new("network-security-config").with(base).with(domain)
}

fn example_members() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("AndroidManifest.xml", manifest(&example())),
        ("resources.arsc", build::resources(&[("xml", "net", "res/xml/net.xml"), ("string", "app_name", "Acme")])),
        ("res/xml/net.xml", manifest(&network_security())),
        ("classes.dex", build::dex(&["https://api.acme.test/v1", "short"])),
        ("assets/index.android.bundle", b"fetch('https://bundle.acme.test')".to_vec()),
        ("lib/x86/libacme.so", b"\x7fELF\x00\x01\xffhttps://native.acme.test\x00\x01".to_vec()),
        ("res/icon.png", b"https://picture.acme.test".to_vec()),
    ]
}

#[test]
fn a_manifest_says_what_an_app_is() {
    let app = android(&apk(&example_members()));
    assert_eq!((app.package.as_str(), app.label.as_deref()), ("org.acme.app", Some("Acme")));
    assert_eq!((app.version_code, app.version_name.as_deref()), (Some(7), Some("1.2.3")));
    assert_eq!((app.min_sdk, app.target_sdk), (Some(21), Some(28)));
    assert_eq!(app.permissions, ["android.permission.READ_SMS"]);
    assert_eq!((app.debuggable, app.allow_backup, app.uses_cleartext), (true, Some(false), None));
    let told: Vec<_> = app.components.iter().map(|part| (part.kind, part.name.as_str(), part.exported)).collect();
    assert_eq!(
        told,
        [
            (ComponentKind::Activity, "org.acme.app.Main", true),
            (ComponentKind::Provider, "org.acme.Files", true),
            (ComponentKind::Service, "org.acme.app.Quiet", false),
        ]
    );
    let main = &app.components[0];
    assert!(main.is_launcher && main.links.len() == 1, "{main:?}");
    assert_eq!((main.links[0].host.as_deref(), main.links[0].is_verified), (Some("app.acme.test"), true));
    assert_eq!(app.components[1].read_permission.as_deref(), Some("org.acme.READ"));
}

#[test]
fn a_network_security_configuration_is_found_through_the_resources() {
    let found = android(&apk(&example_members())).network_security.unwrap();
    assert_eq!((found.cleartext, found.trusts_user_authorities), (Some(false), true));
    assert_eq!(found.cleartext_domains.len(), 1, "{found:?}");
    assert_eq!(
        (found.cleartext_domains[0].domain.as_str(), found.cleartext_domains[0].permitted),
        ("old.acme.test", true)
    );
}

#[test]
fn texts_of_programs_scripts_and_resources_are_handed_out() {
    let (_, texts) = read(&apk(&example_members()));
    for expected in [
        "classes.dex: https://api.acme.test/v1\n",
        "resources.arsc: net = \"res/xml/net.xml\"\napp_name = \"Acme\"\n",
        "assets/index.android.bundle: fetch('https://bundle.acme.test')",
        "lib/x86/libacme.so: https://native.acme.test\n",
        "AndroidManifest.xml: com.google.android.geo.API_KEY = \"not-a-real-key\"\n",
    ] {
        assert!(texts.contains(expected), "{expected}: {texts}");
    }
    assert!(!texts.contains("picture.acme.test") && !texts.contains("short"), "{texts}");
}

#[test]
fn the_signer_is_told_by_both_schemes() {
    let plain = apk(&example_members());
    assert_eq!(android(&plain).signatures, ambit_app::Signatures::default());
    let (debug, der) = signed(&plain, "Android Debug");
    let app = android(&debug);
    assert_eq!(app.signatures.schemes, [Scheme::V2]);
    let certificate = &app.signatures.certificates[0];
    assert!(certificate.is_debug && certificate.subject.contains("CN=Android Debug"), "{certificate:?}");
    assert_eq!(certificate.sha256, build::sha256(&der));
    let (release, _) = signed(&plain, "Acme release, not an Android Debug one");
    assert!(!android(&release).signatures.certificates[0].is_debug);
    let (long, _) = signed(&plain, &"long".repeat(1_000));
    assert_eq!(android(&long).signatures.certificates[0].subject.len(), 1_024, "no more of a name is kept");

    let mut members = example_members();
    members.push(("META-INF/CERT.SF", b"Signature-Version: 1.0\r\nSHA1-Digest-Manifest: x\r\n".to_vec()));
    members.push(("META-INF/CERT.RSA", build::pkcs7(&der)));
    let java = android(&apk(&members)).signatures;
    assert_eq!((java.schemes, java.has_weak_digest), (vec![Scheme::V1], true));
    assert_eq!(java.certificates[0].sha256, build::sha256(&der));
    for digest in ["SHA-256", "SHA-384", "SHA-512"] {
        let at = members.len() - 2;
        members[at].1 = format!("Signature-Version: 1.0\r\n{digest}-Digest-Manifest: x\r\n").into_bytes();
        assert!(!android(&apk(&members)).signatures.has_weak_digest, "{digest}");
    }
}

#[test]
fn an_archive_of_packages_is_the_one_that_the_others_belong_to() {
    let split = Node::new("manifest").say("package", 0, Attribute::Text("org.acme.app")).say(
        "split",
        0,
        Attribute::Text("config.de"),
    );
    let split = apk(&[("AndroidManifest.xml", manifest(&split))]);
    let base = apk(&example_members());
    let bytes = archive(&[("config.de.apk", split), ("org.acme.app.apk", base), ("manifest.json", b"{}".to_vec())]);
    let (package, texts) = read(&bytes);
    assert_eq!(package.unwrap().format, Format::Xapk);
    assert_eq!(android(&bytes).version_name.as_deref(), Some("1.2.3"));
    assert!(texts.contains("org.acme.app.apk/classes.dex: https://api.acme.test/v1"), "{texts}");
}

#[test]
fn an_archive_may_have_a_package_for_every_screen_and_language() {
    let split = |at: usize| {
        Node::new("manifest").say("package", 0, Attribute::Text("org.acme.app")).say(
            "split",
            0,
            Attribute::Text(["config.de", "config.fr"][at % 2]),
        )
    };
    let mut parts = vec![("base.apk".to_owned(), apk(&example_members()))];
    let more = (1..200).map(|at| (format!("split{at}.apk"), apk(&[("AndroidManifest.xml", manifest(&split(at)))])));
    parts.extend(more);
    assert_eq!(android(&archive(&parts)).version_name.as_deref(), Some("1.2.3"));
}

#[test]
fn a_bundle_for_the_store_says_the_same() {
    let members = [
        ("base/manifest/AndroidManifest.xml", build::message(&example())),
        ("base/dex/classes.dex", build::dex(&["https://api.acme.test/v1"])),
    ];
    let bytes = archive(&members);
    let (package, texts) = read(&bytes);
    assert_eq!(package.unwrap().format, Format::Aab);
    let app = android(&bytes);
    assert_eq!((app.package.as_str(), app.target_sdk, app.debuggable), ("org.acme.app", Some(28), true));
    assert!(app.components[0].is_launcher && app.components[0].links[0].is_verified, "{app:?}");
    assert!(texts.contains("https://api.acme.test/v1"), "{texts}");
}

#[test]
fn a_bundle_says_what_its_resources_say() {
    let application = Node::new("application")
        .say("allowBackup", 0, Attribute::Text("@bool/backup"))
        .say("usesCleartextTraffic", 0, Attribute::Text("@org.acme.app:bool/clear"))
        .say("debuggable", 0, Attribute::Text("@android:bool/backup"))
        .say("label", 0, Attribute::Text("@string/app_name"))
        .say("networkSecurityConfig", 0, Attribute::Text("@xml/net"));
    let sdk = Node::new("uses-sdk").say("targetSdkVersion", 0, Attribute::Text("@integer/target"));
    let root = Node::new("manifest").say("package", 0, Attribute::Text("org.acme.app")).with(sdk).with(application);
    let rule = Node::new("base-config").say("cleartextTrafficPermitted", 0, Attribute::Text("@bool/backup"));
    let table = build::named_resources(&[
        ("bool", "backup", Attribute::Flag(false)),
        ("bool", "clear", Attribute::Flag(true)),
        ("integer", "target", Attribute::Number(33)),
        ("string", "app_name", Attribute::Text("Acme")),
        ("xml", "net", Attribute::Text("res/xml-v21/rules.xml")),
    ]);
    let mut members = vec![
        ("base/manifest/AndroidManifest.xml", build::message(&root)),
        ("base/res/xml-v21/rules.xml", build::message(&Node::new("network-security-config").with(rule))),
        ("base/resources.pb", table),
    ];
    let app = android(&archive(&members));
    assert_eq!((app.allow_backup, app.uses_cleartext, app.target_sdk), (Some(false), Some(true), Some(33)));
    assert_eq!((app.label.as_deref(), app.unknown), (Some("Acme"), vec!["debuggable".to_owned()]));
    assert_eq!(app.network_security.unwrap().cleartext, Some(false));
    assert!(read(&archive(&members)).1.contains("base/resources.pb: app_name = \"Acme\"\n"));
    members.pop();
    let app = android(&archive(&members));
    assert_eq!((app.allow_backup, app.target_sdk, app.label), (None, None, None));
    assert_eq!(app.unknown, ["targetSdkVersion", "allowBackup", "debuggable", "usesCleartextTraffic"]);
}

#[test]
fn an_app_for_ios_says_what_it_is() {
    let info = br#"<?xml version="1.0"?><plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>org.acme.ios</string>
        <key>CFBundleExecutable</key><string>Acme</string>
        <key>CFBundleDisplayName</key><string>Acme &amp; Co</string>
        <key>CFBundleShortVersionString</key><string>2.0</string>
        <key>NSCameraUsageDescription</key><string></string>
        <key>UIFileSharingEnabled</key><true/>
        <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key><array><string>acme</string></array></dict></array>
        <key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><false/>
          <key>NSExceptionDomains</key><dict>
            <key>old.acme.test</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/>
              <key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string></dict>
            <key>new.acme.test</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><false/></dict>
          </dict></dict></dict></plist>"#;
    let rights = br#"<plist><dict><key>get-task-allow</key><true/><key>com.apple.developer.associated-domains</key>
        <array><string>applinks:acme.test?mode=developer</string></array></dict></plist>"#;
    let mut program = b"\xcf\xfa\xed\xfehttps://ios.acme.test\x00\xfa\xde\x71\x71".to_vec();
    program.extend(u32::try_from(rights.len() + 8).unwrap().to_be_bytes());
    program.extend(rights);
    let bytes = archive(&[("Payload/Acme.app/Info.plist", info.to_vec()), ("Payload/Acme.app/Acme", program)]);
    let (package, texts) = read(&bytes);
    let App::Ios(app) = package.unwrap().app else { panic!("not for iOS") };
    assert_eq!((app.bundle.as_str(), app.label.as_deref()), ("org.acme.ios", Some("Acme & Co")));
    assert_eq!((app.version.as_deref(), app.allows_arbitrary_loads), (Some("2.0"), false));
    assert_eq!(
        (app.insecure_domains, app.old_tls_domains),
        (vec!["old.acme.test".into()], vec!["old.acme.test".into()])
    );
    assert_eq!((app.schemes, app.associated_domains), (vec!["acme".into()], vec!["acme.test".into()]));
    assert!(app.debuggable && app.shares_files && !app.has_provisioning);
    assert_eq!(app.usages, ["NSCameraUsageDescription"]);
    assert!(texts.contains("https://ios.acme.test"), "{texts}");
}

#[test]
fn the_signature_of_a_program_decides_whether_it_can_be_debugged() {
    let info = b"<plist><dict><key>CFBundleIdentifier</key><string>org.acme.ios</string>
        <key>CFBundleExecutable</key><string>A</string></dict></plist>";
    let rights = |allowed: bool| format!("<plist><dict><key>get-task-allow</key><{allowed}/></dict></plist>");
    let program = |rights: &str| {
        let length = u32::try_from(rights.len() + 8).unwrap().to_be_bytes();
        [&b"\xcf\xfa\xed\xfe\xfa\xde\x71\x71"[..], &length, rights.as_bytes()].concat()
    };
    let allowing = b"<plist><dict><key>Entitlements</key><dict><key>get-task-allow</key><true/></dict></dict></plist>";
    let is_debuggable = |program: Vec<u8>| {
        let bytes = archive(&[
            ("Payload/A.app/Info.plist", info.to_vec()),
            ("Payload/A.app/A", program),
            ("Payload/A.app/embedded.mobileprovision", allowing.to_vec()),
        ]);
        let App::Ios(app) = read(&bytes).0.unwrap().app else { panic!("not for iOS") };
        app.debuggable
    };
    assert!(is_debuggable(program(&rights(true))));
    assert!(!is_debuggable(program(&rights(false))) && !is_debuggable(program("<plist><dict/></plist>")));
    assert!(is_debuggable(b"\xcf\xfa\xed\xfe".to_vec()), "where the program says nothing the profile does");
}

#[test]
fn a_binary_property_list_is_read_like_one_of_xml() {
    let bytes = archive(&[("Payload/A.app/Info.plist", build::binary_list(&[("CFBundleIdentifier", "org.acme.bin")]))]);
    let App::Ios(app) = read(&bytes).0.unwrap().app else { panic!("not for iOS") };
    assert_eq!(app.bundle, "org.acme.bin");
}

#[test]
fn hostile_packages_are_refused() {
    let good = apk(&example_members());
    let mut two = archive(&[("AndroidManifest.xml", manifest(&example())), ("AndroidManifest.xmm", Vec::new())]);
    build::rename(&mut two, "AndroidManifest.xmm", "AndroidManifest.xml");
    let mut over = archive(&[("AndroidManifest.xml", manifest(&example())), ("b.txt", b"b".to_vec())]);
    build::overlap(&mut over);
    let deep = (0..200).fold(Node::new("manifest"), |inner, _| Node::new("manifest").with(inner));
    let bomb = archive(&[("AndroidManifest.xml", vec![0; 200 * 1_024 * 1_024])]);
    let many: Vec<(String, Vec<u8>)> = (0..60_001).map(|at| (at.to_string(), Vec::new())).collect();
    let parts = |count: usize| -> Vec<(String, Vec<u8>)> {
        (0..count).map(|at| (format!("{at}.apk"), apk(&example_members()))).collect()
    };
    for (what, bytes, why) in [
        ("nothing", Vec::new(), "no app package"),
        ("a text", b"hello".to_vec(), "no app package"),
        ("another archive", archive(&[("a.txt", b"a".to_vec())]), "no app package"),
        ("its end is missing", good[..good.len() / 2].to_vec(), "no app package"),
        ("two members of one name", two, "app package"),
        ("two members in one place", over, "broken"),
        ("a bomb", bomb, "beyond the limits"),
        ("too many members", archive(&many), "beyond the limits"),
        ("too many packages", archive(&parts(201)), "beyond the limits"),
        ("a package in a package", archive(&[("a.apk", archive(&parts(1)))]), "broken"),
        ("deeper than any", apk(&[("AndroidManifest.xml", manifest(&deep))]), "beyond the limits"),
        ("no manifest at all", apk(&[("AndroidManifest.xml", b"\x03\x00\x08\x00\x08\x00\x00\x00".to_vec())]), "broken"),
    ] {
        let error = read(&bytes).0.expect_err(what).to_string();
        assert!(error.contains(why), "{what}: {error}");
    }
}

#[test]
fn a_package_whose_bytes_were_changed_anywhere_is_read_or_refused() {
    let members = example_members();
    for (name, bytes) in &members {
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = members.clone();
            let mut other = bytes.clone();
            other[at] ^= 0xff;
            changed.iter_mut().find(|(known, _)| known == name).unwrap().1 = other;
            let _ = read(&apk(&changed)).0;
        }
    }
    let (good, _) = signed(&apk(&members), "Acme");
    for at in (0..good.len()).step_by(7) {
        let mut changed = good.clone();
        changed[at] = 0xff;
        let _ = read(&changed).0;
    }
}
