//! Who signed an app, and how.

use super::*;

weaknesses! {
    app_certificate_expired {
        pretty_name: "Signing certificate of an app has expired",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "Stores refuse updates that are signed with a certificate after it has expired.",
        remediation: "Rotate the key with scheme v3, or let the store sign with a new one, and publish an update.",
        reference: "https://cwe.mitre.org/data/definitions/298.html",
        finds: |app, date, is_apk| certificates(
            app, |own| own["not_after"].as_i64().is_some_and(|end| end < date.0 / 1_000),
            "has ended",
        ),
        reports: signed(&["v2"], json!({"not_after": 1_500_000_000})) => ["ab12"],
        near_miss: signed(&["v2"], json!({})),
    }
    app_debug_certificate {
        pretty_name: "App is signed with a debug certificate",
        severity: SEVERITY_HIGH,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The package is signed with the debug key that development tools create. Such keys are stored \
                      unprotected on many machines, and nothing distinguishes this app from a build by somebody else.",
        remediation: "Sign releases with a key of your own that only the release process can access.",
        reference: "https://cwe.mitre.org/data/definitions/321.html",
        finds: |app, date, is_apk| certificates(
            app, |own| own["is_debug"] == true,
            "is the debug certificate of a development tool",
        ),
        reports: signed(&["v2"], json!({"is_debug": true})) => ["ab12"],
        near_miss: signed(&["v2"], json!({})),
    }
    app_old_signature_scheme {
        pretty_name: "App is signed only with the old scheme",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The signature covers the files in the archive, not the archive itself, so devices before Android \
                      8.1 accept a package to which a program was added.",
        remediation: "Sign with scheme v2 or later, in addition to v1 if you support devices before Android 7.",
        reference: "https://cwe.mitre.org/data/definitions/347.html",
        finds: |app, date, is_apk| once(
            app["signatures"]["schemes"] == json!(["v1"]),
            "The package has a v1 signature and no later one.",
        ),
        reports: signed(&["v1"], json!({})) => [""],
        near_miss: signed(&["v1", "v2"], json!({})),
    }
    app_unsigned {
        pretty_name: "App is not signed",
        severity: SEVERITY_HIGH,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The package has no signature. Nobody can tell who built it, and no device installs it.",
        remediation: "Sign the package with the release key, with scheme v2 or later, before you distribute it.",
        reference: "https://cwe.mitre.org/data/definitions/347.html",
        finds: |app, date, is_apk| once(
            app["signatures"]["schemes"].as_array().is_some_and(Vec::is_empty) && is_apk,
            "The package has no signature.",
        ),
        reports: json!({"signatures": {"schemes": [], "certificates": []}}) => [""],
        near_miss: signed(&["v2"], json!({})),
    }
    app_weak_certificate_algorithm {
        pretty_name: "Signing certificate of an app uses a weak digest",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The signing certificate is itself signed with MD5 or SHA-1, for which collisions are known.",
        remediation: "Use a new certificate for the next app; rotate that of a published app with scheme v3.",
        reference: "https://cwe.mitre.org/data/definitions/328.html",
        finds: |app, date, is_apk| certificates(
            app, |own| own["algorithm"].as_str().is_some_and(|own| WEAK_ALGORITHMS.contains(&own)),
            "is signed with MD5 or SHA-1",
        ),
        reports: signed(&["v2"], json!({"algorithm": "1.2.840.113549.1.1.5"})) => ["ab12"],
        near_miss: signed(&["v2"], json!({})),
    }
    app_weak_signature_digest {
        pretty_name: "Signature of an app uses a weak digest",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The v1 signature uses SHA-1 or MD5, for which two files with the same digest can be made.",
        remediation: "Sign the package again with SHA-256, which every device since Android 4.3 accepts.",
        reference: "https://cwe.mitre.org/data/definitions/328.html",
        finds: |app, date, is_apk| once(
            app["signatures"]["has_weak_digest"] == true,
            "The v1 signature has no digest of SHA-256.",
        ),
        reports: json!({"signatures": {"schemes": ["v1", "v2"], "has_weak_digest": true}}) => [""],
        near_miss: signed(&["v1", "v2"], json!({})),
    }
    app_weak_signing_key {
        pretty_name: "Signing key of an app is weak",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The key that signs the app is an RSA key of fewer than 2,048 bits, or a DSA key.",
        remediation: "Rotate the key with scheme v3, or let the store sign with a new one.",
        reference: "https://cwe.mitre.org/data/definitions/326.html",
        finds: |app, date, is_apk| certificates(
            app, |own| own["key"] == "DSA" || (own["key"] == "RSA" && own["key_bits"].as_u64() < Some(2_048)),
            "has a weak key",
        ),
        reports: signed(&["v2"], json!({"key_bits": 1_024})) => ["ab12"],
        near_miss: signed(&["v2"], json!({})),
    }
}
