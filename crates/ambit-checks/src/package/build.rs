//! How an app was built, and what it asks for.

use super::*;

weaknesses! {
    app_backup_allowed {
        pretty_name: "App data is included in backups",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The package lets the system include the app's data in backups, where it can be read over USB or \
                      with the user's account.",
        remediation: "Set allowBackup=\"false\", or exclude tokens and personal data by backup rules.",
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
        remediation: "Publish a release build, in which the flag is off, and withdraw the debug build.",
        reference: "https://cwe.mitre.org/data/definitions/489.html",
        finds: |app, date, is_apk| known(app, "debuggable", once(
            app["debuggable"] == true,
            "The package says that a debugger may be attached to the app.",
        )),
        reports: json!({"debuggable": true}) => [""],
        near_miss: json!({"debuggable": false}),
    }
    app_for_all_devices {
        pretty_name: "App is signed for enterprise distribution",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: IOS,
        description: "The package is provisioned for every device, bypassing the store. Whoever obtains it can install \
                      it.",
        remediation: "Distribute such packages only behind a login, and revoke the profile of those that leaked.",
        reference: "https://cwe.mitre.org/data/definitions/347.html",
        finds: |app, date, is_apk| once(app["for_all_devices"] == true, "The package is provisioned for every device."),
        reports: json!({"for_all_devices": true, "has_provisioning": true}) => [""],
        near_miss: json!({"for_all_devices": false, "has_provisioning": true}),
    }
    app_legacy_storage {
        pretty_name: "App writes to storage that all apps can read",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app requests access to the storage that all apps share, where other apps can read and change \
                      its files.",
        remediation: "Keep files in the app's own folder, and remove requestLegacyExternalStorage.",
        reference: "https://cwe.mitre.org/data/definitions/276.html",
        finds: |app, date, is_apk| once(
            app["legacy_storage"] == true,
            "The package asks for the storage that all apps share.",
        ),
        reports: json!({"legacy_storage": true}) => [""],
        near_miss: json!({"legacy_storage": false}),
    }
    app_old_min_sdk {
        pretty_name: "App supports unmaintained versions of Android",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app runs on versions before Android 7, which receive no security updates and trust \
                      certificate authorities that users add.",
        remediation: "Raise minSdkVersion to 24 or more; old devices keep the old version of the app.",
        reference: "https://cwe.mitre.org/data/definitions/1104.html",
        finds: |app, date, is_apk| known(app, "minSdkVersion", once(
            app["min_sdk"].as_u64().is_some_and(|sdk| sdk < OLD_MIN_SDK),
            "The app runs on versions before Android 7.",
        )),
        reports: json!({"min_sdk": 21}) => [""],
        near_miss: json!({"min_sdk": 24}),
    }
    app_old_target_sdk {
        pretty_name: "App targets an old version of Android",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app does not get the protections that were added after the version that it targets. Stores \
                      hide apps that target a version older than Android 14.",
        remediation: "Target a current version, and check how the behaviour of the app changes.",
        reference: "https://cwe.mitre.org/data/definitions/1104.html",
        finds: |app, date, is_apk| known(app, "targetSdkVersion", once(
            app["target_sdk"].as_u64().is_some_and(|sdk| sdk < OLD_TARGET_SDK),
            "The app is made for a version before Android 14.",
        )),
        reports: json!({"target_sdk": 33}) => [""],
        near_miss: json!({"target_sdk": 34}),
    }
    app_powerful_permission {
        pretty_name: "App requests powerful permissions",
        severity: SEVERITY_INFO,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app requests a permission that reaches far into the device or the privacy of its user. \
                      Whoever compromises the app has that permission.",
        remediation: "Remove the permission if the app works without it, or request a narrower one.",
        reference: "https://cwe.mitre.org/data/definitions/250.html",
        finds: |app, date, is_apk| {
            let asked = each(&app["permissions"]).filter_map(Value::as_str);
            many(asked.filter(|asked| POWERFUL.contains(asked)), |asked| format!("The app asks for {asked}."))
        },
        reports: json!({"permissions": ["android.permission.READ_SMS"]}) => ["android.permission.READ_SMS"],
        near_miss: json!({"permissions": ["android.permission.INTERNET"]}),
    }
    app_shared_user {
        pretty_name: "App shares its user id with other apps",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The app has the same user id as other apps of its signer, so each of them has the permissions \
                      and the data of all.",
        remediation: "Do not set sharedUserId in new apps; for published ones use sharedUserMaxSdkVersion.",
        reference: "https://cwe.mitre.org/data/definitions/250.html",
        finds: |app, date, is_apk| many(
            app["shared_user"].as_str(),
            |user| format!("The app runs as the shared user {user}."),
        ),
        reports: json!({"shared_user": "org.acme.shared"}) => ["org.acme.shared"],
        near_miss: json!({"shared_user": null}),
    }
    app_shares_files {
        pretty_name: "Files of the app can be read over USB",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: IOS,
        description: "Whoever connects the unlocked device to a computer can read and change the documents of the \
                      app.",
        remediation: "Remove UIFileSharingEnabled, or keep confidential files in another folder.",
        reference: "https://cwe.mitre.org/data/definitions/552.html",
        finds: |app, date, is_apk| once(app["shares_files"] == true, "The package shares the documents of the app."),
        reports: json!({"shares_files": true}) => [""],
        near_miss: json!({"shares_files": false}),
    }
    app_test_only {
        pretty_name: "App is a test build",
        severity: SEVERITY_LOW,
        added: "2026-11-23",
        applies_to: ANDROID,
        description: "The package declares that it is only for tests. Such builds contain things that were never meant \
                      to be published.",
        remediation: "Publish a release build, and withdraw the test build where it was distributed.",
        reference: "https://cwe.mitre.org/data/definitions/489.html",
        finds: |app, date, is_apk| once(app["test_only"] == true, "The package says that it is for tests alone."),
        reports: json!({"test_only": true}) => [""],
        near_miss: json!({"test_only": false}),
    }
}
