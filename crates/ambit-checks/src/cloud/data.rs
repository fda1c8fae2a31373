//! What keeps data: who may take it, and whether it is encrypted where it lies.

use super::*;

/// Whom grants of everybody name.
const ALL_USERS: &[&str] =
    &["http://acs.amazonaws.com/groups/global/AllUsers", "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"];

/// A finding where the access list of a bucket grants something to everybody, with the grants that do.
fn granted_to_all(thing: &Thing<'_>) -> Finding {
    let grants = thing.said("grants");
    let is_of_all = |grant: &&Value| grant["to"].as_str().is_some_and(|to| ALL_USERS.contains(&to));
    let open: Vec<&Value> = each(&grants).filter(is_of_all).collect();
    let named: BTreeSet<&str> = open.iter().filter_map(|grant| grant["permission"].as_str()).collect();
    let named: Vec<String> = named.into_iter().map(look::shown).collect();
    let what = if named.is_empty() { "something".to_owned() } else { named.join(", ") };
    let found: Option<Found> =
        (!open.is_empty()).then(|| format!("The access list of the bucket grants {what} to everybody.").into());
    found.map(|found| found.by("grants", json!(open)))
}

/// What a bucket shows, unless this block is switched on for it or for its account. What the account blocks no state of
/// Terraform says.
fn unless_blocked(thing: &Thing<'_>, block: &str, finding: Finding) -> Weighed {
    let Some(found) = finding.filter(|_| !thing.is(block)) else { return Weighed::Nothing };
    match thing.said(&format!("account_{block}")).as_bool() {
        Some(true) => Weighed::Nothing,
        Some(false) => Weighed::Found(found),
        None if thing.is_of_state() => Weighed::Found(Found { confidence: Some(Confidence::Potential), ..found }),
        None => Weighed::Unknown,
    }
}

/// A bucket that blocks neither public policies nor grants, in an account that blocks neither.
fn unprotected(thing: &Thing<'_>) -> Weighed {
    let is_open = thing.is_not("blocks_policies") && thing.is_not("blocks_acls");
    let found = once(is_open, "Neither the bucket nor its account blocks public policies or public grants.");
    match unless_blocked(thing, "blocks_policies", found) {
        Weighed::Found(found) => unless_blocked(thing, "blocks_acls", Some(found)),
        other => other,
    }
}

/// Returns whether every address may reach a database, as one of its sources or because it has none and its provider
/// then lets in everybody.
fn lets_every_address_in(thing: &Thing<'_>) -> bool {
    let sources = thing.texts("sources");
    let by_default = sources.is_empty() && thing.text("without_sources") == "everybody";
    !thing.is_not("public") && (by_default || sources.iter().any(|source| is_everybody(source)))
}

misconfigurations! {
    cloud_public_disk_snapshot {
        pretty_name: "Disk snapshot is public",
        severity: SEVERITY_HIGH,
        added: "2026-11-25",
        of: ["disk snapshot"],
        needs: "encrypted",
        description: "Every customer of the provider can create a disk from the snapshot and read what is on it: \
                      files, keys and databases, including deleted data.",
        remediation: "Remove the permission for all accounts, block public sharing for the account, and change every \
                      secret that was on the disk.",
        reference: "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-modifying-snapshot-permissions.html",
        finds: |thing, date| once(thing.text("restorable_by") == "all", "Every account may restore the snapshot."),
        reports: json!({"encrypted": false, "restorable_by": "all"}),
        near_miss: json!({"encrypted": false}),
    }
    cloud_public_machine_image {
        pretty_name: "Machine image is public",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["machine image"],
        needs: "public",
        description: "Every customer of the provider can start machines from the image and read what is in it, \
                      including keys and configuration that were left there.",
        remediation: "Make the image private, share it only with the accounts that need it, and change every secret \
                      that was in it.",
        reference: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/sharingamis-intro.html",
        finds: |thing, date| once(thing.is("public"), "Every account may start machines from the image."),
        reports: json!({"public": true}),
        near_miss: json!({"public": false}),
    }
    cloud_public_database_snapshot {
        pretty_name: "Database snapshot is public",
        severity: SEVERITY_CRITICAL,
        added: "2026-11-25",
        of: ["database snapshot"],
        needs: "restorable_by",
        description: "Every customer of the provider can restore the snapshot, and then has the whole database as it \
                      was at that time.",
        remediation: "Remove the permission for all accounts, and treat the contents of the database as disclosed.",
        reference: "https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ShareSnapshot.html",
        finds: |thing, date| once(
            thing.texts("restorable_by").iter().any(|who| who == "all"),
            "Every account may restore the snapshot.",
        ),
        reports: json!({"restorable_by": ["all"]}),
        near_miss: json!({"restorable_by": ["123456789012"]}),
    }
    cloud_public_database {
        pretty_name: "Database has a public address",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["database", "database cluster"],
        needs: "public",
        description: "The database has a public address, so only its firewall and its passwords protect it.",
        remediation: "Make the database private, and let programs reach it through the network of the account or a \
                      gateway.",
        reference: "https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html",
        finds: |thing, date| once(thing.is("public"), "The database is set to be reached from the internet."),
        reports: json!({"public": true}),
        near_miss: json!({"public": false}),
    }
    cloud_public_warehouse {
        pretty_name: "Data warehouse has a public address",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["data warehouse"],
        needs: "public",
        description: "The warehouse has a public address, so only its firewall and its passwords protect it.",
        remediation: "Make the cluster private, and let programs reach it through the network of the account or a \
                      gateway.",
        reference: "https://docs.aws.amazon.com/redshift/latest/mgmt/managing-clusters-vpc.html",
        finds: |thing, date| once(thing.is("public"), "The warehouse is set to be reached from the internet."),
        reports: json!({"public": true}),
        near_miss: json!({"public": false}),
    }
    cloud_public_bucket_policy {
        pretty_name: "Policy makes a bucket public",
        severity: SEVERITY_HIGH,
        added: "2026-11-25",
        of: ["bucket"],
        needs: "public_by_policy blocks_policies",
        description: "The policy of the bucket grants rights to everybody, and neither the bucket nor its account \
                      blocks public access. Anybody may be able to read, list or change its contents.",
        remediation: "Remove everybody from the policy, block public access for the bucket and its account, and share \
                      single files by signed URLs.",
        reference: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
        finds: |thing, date| unless_blocked(
            thing,
            "blocks_policies",
            once(thing.is("public_by_policy"), "The policy of the bucket is public.")
                .map(|found| lets_everybody(thing, "the bucket").unwrap_or(found)),
        ),
        reports: json!({"public_by_policy": true, "blocks_policies": false, "account_blocks_policies": false}),
        near_miss: json!([
            {"public_by_policy": true, "blocks_policies": true},
            {"public_by_policy": true, "blocks_policies": false, "account_blocks_policies": true},
            {"public_by_policy": true, "account_blocks_policies": true},
            {"public_by_policy": false},
        ]),
        unknown: json!([
            {"public_by_policy": true},
            {"public_by_policy": true, "blocks_policies": false},
            {"public_by_policy": true, "account_blocks_policies": false},
            {"public_by_policy": true, "blocks_policies": false, "account_blocks_acls": true},
        ]),
    }
    cloud_public_bucket_grants {
        pretty_name: "Access list makes a bucket public",
        severity: SEVERITY_HIGH,
        added: "2026-11-25",
        of: ["bucket"],
        needs: "grants blocks_acls",
        description: "The access list of the bucket grants rights to everybody, or to every customer of the provider, \
                      which is the same, and neither the bucket nor its account blocks public access.",
        remediation: "Remove the grants, turn off access lists for the bucket, and block public access.",
        reference: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html",
        finds: |thing, date| unless_blocked(thing, "blocks_acls", granted_to_all(thing)),
        reports: json!({"grants": [{"to": ALL_USERS[0], "permission": "READ"}], "blocks_acls": false,
            "account_blocks_acls": false}),
        near_miss: json!([
            {"grants": [{"to": "0123abcd", "permission": "FULL_CONTROL"}], "blocks_acls": false},
            {"grants": [{"to": ALL_USERS[0], "permission": "READ"}], "blocks_acls": true},
            {"grants": [{"to": ALL_USERS[0], "permission": "READ"}], "blocks_acls": false,
                "account_blocks_acls": true},
            {"grants": []},
        ]),
        unknown: json!([
            {"grants": [{"to": ALL_USERS[0], "permission": "READ"}]},
            {"grants": [{"to": ALL_USERS[0], "permission": "READ"}], "blocks_acls": false},
        ]),
    }
    cloud_public_bucket_roles {
        pretty_name: "Policy makes a Google Cloud bucket public",
        severity: SEVERITY_HIGH,
        added: "2026-11-27",
        of: ["bucket"],
        needs: "prevention",
        description: "The policy of the bucket grants a role to everybody, or to everybody with a Google account, \
                      which is the same, and public access is not prevented. Anybody may be able to read, list or \
                      change its contents.",
        remediation: "Remove allUsers and allAuthenticatedUsers from the policy, enforce the prevention of public \
                      access, and share single files by signed URLs.",
        reference: "https://cloud.google.com/storage/docs/access-control/making-data-public",
        finds: |thing, date| roles_for_everybody(thing).filter(|_| thing.text("prevention") != "enforced"),
        reports: json!({"prevention": "inherited", "granted": [{"role": "roles/storage.objectViewer"}]}),
        near_miss: json!({"prevention": "enforced", "granted": [{"role": "roles/storage.objectViewer"}]}),
    }
    cloud_bucket_unprotected {
        pretty_name: "Bucket does not block public access",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["bucket"],
        needs: "blocks_policies",
        description: "Neither the bucket nor its account blocks public policies and access lists. One mistake in \
                      either makes the contents public.",
        remediation: "Block public access for the bucket, or better for the whole account.",
        reference: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
        finds: |thing, date| unprotected(thing),
        reports: json!({"blocks_policies": false, "blocks_acls": false, "account_blocks_policies": false,
            "account_blocks_acls": false}),
        near_miss: json!([
            {"blocks_policies": true, "blocks_acls": true},
            {"blocks_policies": false, "blocks_acls": false, "account_blocks_policies": false,
                "account_blocks_acls": true},
            {"blocks_policies": false, "blocks_acls": false, "account_blocks_policies": true},
        ]),
        unknown: json!({"blocks_policies": false, "blocks_acls": false}),
    }
    cloud_bucket_website {
        pretty_name: "Bucket is served as a web site",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        of: ["bucket"],
        needs: "website",
        description: "The bucket is served as a web site, without encryption. Whatever is stored in it is published, \
                      even by mistake.",
        remediation: "Keep in the bucket only what is meant for everybody, and serve it through a content network with \
                      HTTPS.",
        reference: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteHosting.html",
        finds: |thing, date| once(thing.is("website"), "The bucket is set up to answer as a web site."),
        reports: json!({"website": true}),
        near_miss: json!({"website": false}),
    }
    cloud_unencrypted_database {
        pretty_name: "Database is not encrypted at rest",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["database", "database cluster", "data warehouse", "search domain"],
        needs: "encrypted",
        description: "The data of the database is unencrypted on its disks and in its snapshots, so whoever obtains a \
                      copy can read it.",
        remediation: "Restore an encrypted copy from a snapshot, and replace the database with it.",
        reference: "https://cwe.mitre.org/data/definitions/311.html",
        finds: |thing, date| once(thing.is_not("encrypted"), "What it stores is not encrypted."),
        reports: json!({"encrypted": false}),
        near_miss: json!({"encrypted": true}),
    }
    cloud_unencrypted_snapshot {
        pretty_name: "Snapshot is not encrypted",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["disk snapshot", "database snapshot"],
        needs: "encrypted",
        description: "The snapshot is not encrypted. One wrong permission is enough for others to read everything in \
                      it.",
        remediation: "Make an encrypted copy of the snapshot, delete the unencrypted one, and turn on encryption by \
                      default.",
        reference: "https://cwe.mitre.org/data/definitions/311.html",
        finds: |thing, date| once(thing.is_not("encrypted"), "The snapshot is not encrypted."),
        reports: json!({"encrypted": false}),
        near_miss: json!({"encrypted": true}),
    }
    cloud_public_storage_account {
        pretty_name: "Storage account allows public containers",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["storage account"],
        needs: "public",
        description: "The account allows containers to be public. One setting of a container is then enough to publish \
                      its contents.",
        remediation: "Turn off public access for the account (allowBlobPublicAccess), and share files by signed URLs.",
        reference: "https://learn.microsoft.com/en-us/azure/storage/blobs/anonymous-read-access-prevent",
        finds: |thing, date| once(thing.is("public"), "Containers of the account may be public."),
        reports: json!({"public": true}),
        near_miss: json!({"public": false}),
        unknown: json!({"public": null}),
    }
    cloud_database_open_to_everybody {
        pretty_name: "Database accepts connections from every address",
        severity: SEVERITY_HIGH,
        added: "2026-11-25",
        of: ["database", "database cluster"],
        needs: "sources",
        description: "The database accepts connections from every network, so only its passwords protect it.",
        remediation: "Allow only the addresses that need the database, or reach it through a private network.",
        reference: "https://cwe.mitre.org/data/definitions/284.html",
        finds: |thing, date| once(lets_every_address_in(thing), "Every address may reach the database."),
        reports: json!([
            {"sources": ["0.0.0.0/0"]},
            {"public": true, "sources": ["0.0.0.0/0"]},
            {"sources": [], "without_sources": "everybody"},
        ]),
        near_miss: json!([
            {"sources": ["198.51.100.7/32"]},
            {"public": false, "sources": ["0.0.0.0/0"]},
            {"sources": []},
            {"sources": ["198.51.100.7"], "without_sources": "everybody"},
        ]),
        unknown: json!({"engine": "pg"}),
    }
    cloud_bucket_publishing_allowed {
        pretty_name: "Google Cloud bucket does not prevent public access",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["bucket"],
        needs: "prevention",
        description: "The bucket does not prevent public access. One grant to allUsers makes its contents public.",
        remediation: "Enforce the prevention of public access for the bucket, or better for the whole organisation.",
        reference: "https://cloud.google.com/storage/docs/public-access-prevention",
        finds: |thing, date| once(thing.text("prevention") != "enforced", "Public access is not prevented."),
        reports: json!({"prevention": "inherited"}),
        near_miss: json!({"prevention": "enforced"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::entity::aws::{configuration, state_configuration};

    fn judged(name: &str, said: &Value, make: fn(serde_json::Map<String, Value>) -> (String, Value)) -> Verdict {
        let (member, value) = make(said.as_object().cloned().unwrap());
        let bucket = facts(Kind::AwsS3Bucket, "acme-files").with(json!({ member: value }));
        JUDGES.iter().find(|judge| judge.issue.name == name).unwrap().verdict(&bucket, Timestamp(0))
    }

    #[test]
    fn what_an_account_blocks_no_state_of_terraform_says() {
        let said = json!({"public_by_policy": true, "blocks_policies": false});
        let of_state = judged("cloud_public_bucket_policy", &said, state_configuration);
        let Verdict::Proven(proofs) = of_state else { panic!("{of_state:?}") };
        assert_eq!(proofs[0].confidence, Some(Confidence::Potential));
        let of_account = judged("cloud_public_bucket_policy", &said, configuration);
        assert_eq!(of_account, Verdict::Unknown, "the account was asked and denied it");
    }

    #[test]
    fn the_statement_that_makes_a_bucket_public_is_told_where_it_was_read() {
        let told = |policy: &Value| {
            let said = json!({"public_by_policy": true, "blocks_policies": false, "account_blocks_policies": false,
                "policy": policy});
            match judged("cloud_public_bucket_policy", &said, configuration) {
                Verdict::Proven(mut proofs) => proofs.remove(0).description,
                other => panic!("{other:?}"),
            }
        };
        let open = json!({"Statement": [{"Sid": "Everyone", "Effect": "Allow", "Principal": "*", "Action": "s3:*"}]});
        assert_eq!(told(&open), r#"The policy of the bucket allows everybody something by its statement "Everyone"."#);
        let other = json!({"Statement": [{"Effect": "Allow", "Principal": "*", "Condition": {"x": "y"}}]});
        assert_eq!(told(&other), "The policy of the bucket is public.", "the provider says it and we do not see why");
        assert_eq!(told(&Value::Null), "The policy of the bucket is public.");
    }

    #[test]
    fn the_grants_that_open_a_bucket_are_told() {
        let said = json!({"blocks_acls": false, "account_blocks_acls": false, "grants": [
            {"to": "0123abcd", "permission": "FULL_CONTROL"},
            {"to": ALL_USERS[1], "permission": "WRITE"},
            {"to": ALL_USERS[0], "permission": "READ"},
        ]});
        let verdict = judged("cloud_public_bucket_grants", &said, configuration);
        let Verdict::Proven(proofs) = verdict else { panic!("{verdict:?}") };
        assert_eq!(proofs[0].description, r#"The access list of the bucket grants "READ", "WRITE" to everybody."#);
        assert_eq!(proofs[0].details["grants"].as_array().map(Vec::len), Some(2));
    }
}
