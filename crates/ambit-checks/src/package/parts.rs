//! What others can call of an app, and the links that open it.

use super::*;

weaknesses! {
    app_custom_scheme {
        pretty_name: "Links of the app can be claimed by other apps",
        severity: SEVERITY_INFO,
        added: "2026-11-23",
        applies_to: Kind::APPS,
        description: "The app handles links with a scheme of its own. Any other app can claim the same scheme and \
                      receive what the links contain.",
        remediation: "Use https links that the host verifies, and accept no secrets from other links.",
        reference: "https://cwe.mitre.org/data/definitions/939.html",
        finds: |app, date, is_apk| {
            let links = open_links(app).filter_map(|link| link["scheme"].as_str());
            let own = links.chain(each(&app["schemes"]).filter_map(Value::as_str));
            many(own
                .filter(|own| !matches!(*own, "http" | "https")),
                |own| format!("Links of the scheme {own} open the app."))
        },
        reports: parts(json!([
            {"kind": "activity", "name": "a.B", "links": [{"scheme": "acme", "host": null, "is_verified": false}]},
        ])) => ["acme"],
        near_miss: parts(json!([
            {"kind": "activity", "name": "a.B",
                "links": [{"scheme": "https", "host": "acme.test", "is_verified": true}]},
            {"kind": "activity", "name": "a.C", "exported": false,
                "links": [{"scheme": "acme", "host": null, "is_verified": false}]},
        ])),
    }
    app_exported_activity {
        pretty_name: "Any app can start an activity of the app",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "Every app on the device can start this activity, with any data, because no permission is \
                      required.",
        remediation: "Set exported=\"false\", or require a permission that only apps of the same signer are granted.",
        reference: "https://cwe.mitre.org/data/definitions/926.html",
        finds: |app, date, is_apk| open(app, "activity"),
        reports: parts(json!([{"kind": "activity", "name": "org.acme.Open"}])) => ["org.acme.Open"],
        near_miss: parts(json!([{"kind": "activity", "name": "org.acme.Main", "is_launcher": true}])),
    }
    app_exported_provider {
        pretty_name: "Any app can use a content provider of the app",
        severity: SEVERITY_HIGH,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "Every app on the device can use this content provider, with any query, because no permission is \
                      required.",
        remediation: "Set exported=\"false\", or require a permission that only apps of the same signer are granted.",
        reference: "https://cwe.mitre.org/data/definitions/926.html",
        finds: |app, date, is_apk| open(app, "provider"),
        reports: parts(json!([{"kind": "provider", "name": "org.acme.Open"}])) => ["org.acme.Open"],
        near_miss: parts(json!([{"kind": "provider", "name": "org.acme.Open", "permission": "org.acme.ONLY"}])),
    }
    app_exported_receiver {
        pretty_name: "Any app can call a broadcast receiver of the app",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "Every app on the device can call this broadcast receiver, with any data, because no permission \
                      is required.",
        remediation: "Set exported=\"false\", or require a permission that only apps of the same signer are granted.",
        reference: "https://cwe.mitre.org/data/definitions/926.html",
        finds: |app, date, is_apk| open(app, "receiver"),
        reports: parts(json!([{"kind": "receiver", "name": "org.acme.Open"}])) => ["org.acme.Open"],
        near_miss: parts(json!([{"kind": "receiver", "name": "org.acme.Open", "permission": "org.acme.ONLY"}])),
    }
    app_exported_service {
        pretty_name: "Any app can call a service of the app",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "Every app on the device can call this service, with any data, because no permission is \
                      required.",
        remediation: "Set exported=\"false\", or require a permission that only apps of the same signer are granted.",
        reference: "https://cwe.mitre.org/data/definitions/926.html",
        finds: |app, date, is_apk| open(app, "service"),
        reports: parts(json!([{"kind": "service", "name": "org.acme.Open"}])) => ["org.acme.Open"],
        near_miss: parts(json!([{"kind": "service", "name": "org.acme.Open", "permission": "org.acme.ONLY"}])),
    }
    app_provider_grants_uris {
        pretty_name: "App grants access to files of a content provider",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "A content provider that other apps can call may also grant them access to any URI, so files can \
                      leak that were not meant to be shared.",
        remediation: "Restrict the paths in grant-uri-permission, or do not export the content provider.",
        reference: "https://cwe.mitre.org/data/definitions/926.html",
        finds: |app, date, is_apk| {
            let open = each(&app["components"])
                .filter(|part| part["exported"] == true && part["grants_uris"] == true);
            many(open
                .filter_map(|part| part["name"].as_str()),
                |name| format!("{name} is open and gives leave for addresses."))
        },
        reports: parts(json!([
            {"kind": "provider", "name": "org.acme.Files", "grants_uris": true},
        ])) => ["org.acme.Files"],
        near_miss: parts(json!([
            {"kind": "provider", "name": "org.acme.Files", "exported": false, "grants_uris": true},
        ])),
    }
    app_unverified_link {
        pretty_name: "Web links open the app without verification",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app claims links of a host without letting Android verify them with the host, so another app \
                      can claim them as well.",
        remediation: "Set autoVerify=\"true\", and serve /.well-known/assetlinks.json on the host.",
        reference: "https://cwe.mitre.org/data/definitions/939.html",
        finds: |app, date, is_apk| {
            let web = open_links(app)
                .filter(|link| link["is_verified"] != true)
                .filter(|link| matches!(link["scheme"].as_str(), Some("http" | "https")));
            many(web
                .filter_map(|link| link["host"].as_str()),
                |host| format!("Links of {host} open the app, and the host is not asked."))
        },
        reports: parts(json!([
            {"kind": "activity", "name": "a.B",
                "links": [{"scheme": "https", "host": "acme.test", "is_verified": false}]},
        ])) => ["acme.test"],
        near_miss: parts(json!([
            {"kind": "activity", "name": "a.B",
                "links": [{"scheme": "https", "host": "acme.test", "is_verified": true}]},
            {"kind": "activity", "name": "a.C", "exported": false,
                "links": [{"scheme": "https", "host": "acme.test", "is_verified": false}]},
        ])),
    }
    app_weak_permission {
        pretty_name: "A permission of the app is granted to any app",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app protects a component with a permission of its own that every app is granted on request, \
                      or that no app defines, so that the first app to define it decides who is granted it.",
        remediation: "Give the permission the protection level signature, so that only apps of the same signer are \
                      granted it.",
        reference: "https://cwe.mitre.org/data/definitions/732.html",
        finds: |app, date, is_apk| many(
            weak_guards(app),
            |name| format!("{name} guards a part of the app, and every app gets it."),
        ),
        reports: json!({"declared_permissions": [{"name": "org.acme.USE", "level": 0}], "components":
            [{"name": "org.acme.S", "exported": true, "permission": "org.acme.USE"}]}) => ["org.acme.USE"],
        near_miss: json!({"declared_permissions": [{"name": "org.acme.USE", "level": 2}], "components":
            [{"name": "org.acme.S", "exported": true, "permission": "org.acme.USE"}]}),
    }
}
