//! How an app was built, and what it asks for.

use super::*;

weaknesses! {
    app_backup_allowed {
        pretty_name: "Data of an app go into backups",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The package lets the system copy the data of the app into backups, from where they can be \
                      read with a cable or an account.",
        remediation: "Say allowBackup=\"false\", or leave tokens and personal data out by rules for backups.",
        reference: "https://cwe.mitre.org/data/definitions/530.html",
        finds: |app, date, is_apk| known(app, "allowBackup", once(
            app["allow_backup"] != false,
            "The package does not forbid that the data of the app go into backups.",
        )),
        reports: json!({"allow_backup": null}) => [""],
        near_miss: json!({"allow_backup": false}),
    }
    app_debuggable {
        pretty_name: "App can be debugged",
        severity: SEVERITY_HIGH,
        added: "2026-11-23",
        applies_to: Kind::APPS,
        description: "The package is built for debugging. Whoever holds a device with the app can attach a \
                      debugger, read its data and change what it does.",
        remediation: "Publish a release build, in which the flag is off, and take the debug build back.",
        reference: "https://cwe.mitre.org/data/definitions/489.html",
        finds: |app, date, is_apk| known(app, "debuggable", once(
            app["debuggable"] == true,
            "The package says that a debugger may be attached to the app.",
        )),
        reports: json!({"debuggable": true}) => [""],
        near_miss: json!({"debuggable": false}),
    }
    app_for_all_devices {
        pretty_name: "App is made for every device of a company",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: IOS,
        description: "The package is provisioned for every device, past the store. Whoever gets hold of it can \
                      install it.",
        remediation: "Give such packages out behind a login alone, and revoke the profile of those that got away.",
        reference: "https://cwe.mitre.org/data/definitions/347.html",
        finds: |app, date, is_apk| once(app["for_all_devices"] == true, "The package is provisioned for every device."),
        reports: json!({"for_all_devices": true, "has_provisioning": true}) => [""],
        near_miss: json!({"for_all_devices": false, "has_provisioning": true}),
    }
    app_legacy_storage {
        pretty_name: "App writes where all apps read",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app asks for the storage that all apps share, where others read and change its files.",
        remediation: "Keep files in the folder of the app, and take requestLegacyExternalStorage out.",
        reference: "https://cwe.mitre.org/data/definitions/276.html",
        finds: |app, date, is_apk| once(
            app["legacy_storage"] == true,
            "The package asks for the storage that all apps share.",
        ),
        reports: json!({"legacy_storage": true}) => [""],
        near_miss: json!({"legacy_storage": false}),
    }
    app_old_min_sdk {
        pretty_name: "App runs on Androids that nobody cares for",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app runs on devices before Android 7, which get no corrections and trust authorities \
                      that users add.",
        remediation: "Raise minSdkVersion to 24 or more, and leave old devices the old version.",
        reference: "https://cwe.mitre.org/data/definitions/1104.html",
        finds: |app, date, is_apk| known(app, "minSdkVersion", once(
            app["min_sdk"].as_u64().is_some_and(|sdk| sdk < OLD_MIN_SDK),
            "The app runs on versions before Android 7.",
        )),
        reports: json!({"min_sdk": 21}) => [""],
        near_miss: json!({"min_sdk": 24}),
    }
    app_old_target_sdk {
        pretty_name: "App is made for an old Android",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "Protections that came after the version that the app names do not hold for it. Stores hide \
                      apps that are made for a version older than Android 14.",
        remediation: "Build the app for a current version, and look at what changes in its behaviour.",
        reference: "https://cwe.mitre.org/data/definitions/1104.html",
        finds: |app, date, is_apk| known(app, "targetSdkVersion", once(
            app["target_sdk"].as_u64().is_some_and(|sdk| sdk < OLD_TARGET_SDK),
            "The app is made for a version before Android 14.",
        )),
        reports: json!({"target_sdk": 33}) => [""],
        near_miss: json!({"target_sdk": 34}),
    }
    app_powerful_permission {
        pretty_name: "App asks for much",
        severity: SEVERITY_INFO,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app asks for a permission that reaches far into the device or the life of its user. \
                      Whoever takes the app over has it.",
        remediation: "Leave the permission out where the app works without it, or ask a narrower one.",
        reference: "https://cwe.mitre.org/data/definitions/250.html",
        finds: |app, date, is_apk| {
            let asked = each(&app["permissions"]).filter_map(Value::as_str);
            many(asked.filter(|asked| POWERFUL.contains(asked)), |asked| format!("The app asks for {asked}."))
        },
        reports: json!({"permissions": ["android.permission.READ_SMS"]}) => ["android.permission.READ_SMS"],
        near_miss: json!({"permissions": ["android.permission.INTERNET"]}),
    }
    app_shared_user {
        pretty_name: "App shares its user with others",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app runs as one user with other apps of its signer, so that what one may do and read \
                      all of them may.",
        remediation: "Leave sharedUserId out of new apps; for published ones use sharedUserMaxSdkVersion.",
        reference: "https://cwe.mitre.org/data/definitions/250.html",
        finds: |app, date, is_apk| many(
            app["shared_user"].as_str(),
            |user| format!("The app runs as the shared user {user}."),
        ),
        reports: json!({"shared_user": "org.acme.shared"}) => ["org.acme.shared"],
        near_miss: json!({"shared_user": null}),
    }
    app_shares_files {
        pretty_name: "Files of the app are shared by cable",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: IOS,
        description: "Whoever connects the device to a computer can read and change the documents of the app.",
        remediation: "Take UIFileSharingEnabled out, or keep what must not be read in another folder.",
        reference: "https://cwe.mitre.org/data/definitions/552.html",
        finds: |app, date, is_apk| once(app["shares_files"] == true, "The package shares the documents of the app."),
        reports: json!({"shares_files": true}) => [""],
        near_miss: json!({"shares_files": false}),
    }
    app_test_only {
        pretty_name: "App is a build for tests",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The package says that it is for tests alone. Such builds hold what was never meant for others.",
        remediation: "Publish a release build, and take the test build back where it was given out.",
        reference: "https://cwe.mitre.org/data/definitions/489.html",
        finds: |app, date, is_apk| once(app["test_only"] == true, "The package says that it is for tests alone."),
        reports: json!({"test_only": true}) => [""],
        near_miss: json!({"test_only": false}),
    }
}
