//! How an app talks to hosts.

use super::*;

weaknesses! {
    app_cleartext_domain {
        pretty_name: "App allows unencrypted connections to a host",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: Kind::APPS,
        description: "The app may connect to a host without TLS, so attackers on the network can read and change the \
                      traffic.",
        remediation: "Give the host a certificate, and remove the exception from the package.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |app, date, is_apk| {
            let android = each(&app["network_security"]["cleartext_domains"])
                .filter(|row| row["permitted"] == true);
            let named = android.map(|row| &row["domain"]).chain(each(&app["insecure_domains"]));
            many(named
                .filter_map(Value::as_str), |host| format!("The package permits traffic without TLS to {host}."))
        },
        reports: json!({"network_security": {"cleartext_domains": [{"domain": "old.acme.test", "permitted":
            true}]}}) => ["old.acme.test"],
        near_miss: json!({"network_security": {"cleartext_domains": [{"domain": "old.acme.test", "permitted":
            false}]}, "insecure_domains": []}),
    }
    app_cleartext_traffic {
        pretty_name: "App allows unencrypted connections",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app may connect to any host without TLS, so attackers on the network can read and change the \
                      traffic.",
        remediation: "Set cleartextTrafficPermitted=\"false\" in a network security configuration, and add exceptions \
                      only for single hosts.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |app, date, is_apk| talks_in_the_clear(app),
        reports: json!({"uses_cleartext": true, "target_sdk": 35}) => [""],
        near_miss: json!({"uses_cleartext": null, "target_sdk": 35}),
    }
    app_no_forward_secrecy {
        pretty_name: "App accepts TLS without forward secrecy",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: IOS,
        description: "The app accepts connections that whoever obtains the host's key can decrypt later.",
        remediation: "Let the host offer forward secrecy, and remove the exception from the package.",
        reference: "https://cwe.mitre.org/data/definitions/326.html",
        finds: |app, date, is_apk| many(
            each(&app["no_forward_secrecy_domains"]).filter_map(Value::as_str),
            |host| format!("The package makes an exception for {host}."),
        ),
        reports: json!({"no_forward_secrecy_domains": ["old.acme.test"]}) => ["old.acme.test"],
        near_miss: json!({"no_forward_secrecy_domains": [], "insecure_domains": ["old.acme.test"]}),
    }
    app_old_tls_domain {
        pretty_name: "App accepts old versions of TLS",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: IOS,
        description: "The app accepts TLS 1.0 or 1.1 from a host; the weaknesses of these versions are known and \
                      exploited.",
        remediation: "Let the host offer TLS 1.2 or later, and remove the exception from the package.",
        reference: "https://cwe.mitre.org/data/definitions/326.html",
        finds: |app, date, is_apk| many(
            each(&app["old_tls_domains"]).filter_map(Value::as_str),
            |host| format!("The package makes an exception for {host}."),
        ),
        reports: json!({"old_tls_domains": ["old.acme.test"]}) => ["old.acme.test"],
        near_miss: json!({"old_tls_domains": [], "insecure_domains": ["old.acme.test"]}),
    }
    app_pins_expired {
        pretty_name: "Pinned keys of an app have expired",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "Since the day on which its pins expired, the app accepts any trusted certificate for these \
                      hosts.",
        remediation: "Publish a version with the current keys, backup keys, and a later expiry date.",
        reference: "https://cwe.mitre.org/data/definitions/298.html",
        finds: |app, date, is_apk| {
            let days = each(&app["network_security"]["pins_expire"]).filter_map(Value::as_str);
            many(days
                .filter(|day| *day < day_of(date).as_str()), |day| format!("The pins of the app ended on {day}."))
        },
        reports: json!({"network_security": {"pins_expire": ["2025-01-01"]}}) => ["2025-01-01"],
        near_miss: json!({"network_security": {"pins_expire": ["2030-01-01"]}}),
    }
    app_pins_overridden {
        pretty_name: "Pinned keys of an app are bypassed",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "A network security configuration names a certificate authority for which pinned keys are not \
                      checked.",
        remediation: "Remove overridePins from the release build; it is meant for debugging.",
        reference: "https://cwe.mitre.org/data/definitions/295.html",
        finds: |app, date, is_apk| once(
            app["network_security"]["overrides_pins"] == true,
            "An authority is trusted whatever keys are pinned.",
        ),
        reports: json!({"network_security": {"overrides_pins": true}}) => [""],
        near_miss: json!({"network_security": {"overrides_pins": false, "pinned_domains": ["acme.test"]}}),
    }
    app_transport_security_off {
        pretty_name: "App Transport Security is off",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: IOS,
        description: "The app may connect to any host without TLS, so attackers on the network can read and change the \
                      traffic.",
        remediation: "Remove NSAllowsArbitraryLoads, and add exceptions only for single hosts.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |app, date, is_apk| once(
            app["allows_arbitrary_loads"] == true,
            "The package turns transport security off for all hosts.",
        ),
        reports: json!({"allows_arbitrary_loads": true}) => [""],
        near_miss: json!({"allows_arbitrary_loads": false, "insecure_domains": ["old.acme.test"]}),
    }
    app_trusts_user_authorities {
        pretty_name: "App trusts certificate authorities that users add",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app accepts certificates of authorities that were added to the device, such as those of \
                      intercepting proxies.",
        remediation: "Trust user-added authorities only in debug-overrides, which apply to debug builds.",
        reference: "https://cwe.mitre.org/data/definitions/295.html",
        finds: |app, date, is_apk| once(
            app["network_security"]["trusts_user_authorities"] == true,
            "The network security configuration trusts what users add.",
        ),
        reports: json!({"network_security": {"trusts_user_authorities": true}}) => [""],
        near_miss: json!({"network_security": {"trusts_user_authorities": false}}),
    }
    app_web_transport_security_off {
        pretty_name: "App Transport Security is off for web content",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: IOS,
        description: "Pages that the app shows may be loaded without TLS, so attackers on the network can change \
                      them.",
        remediation: "Remove NSAllowsArbitraryLoadsInWebContent, and load pages only over HTTPS.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |app, date, is_apk| once(
            app["allows_arbitrary_web_loads"] == true,
            "The package turns transport security off for pages.",
        ),
        reports: json!({"allows_arbitrary_web_loads": true}) => [""],
        near_miss: json!({"allows_arbitrary_web_loads": false}),
    }
}
