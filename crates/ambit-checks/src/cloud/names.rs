//! Addresses, domains, zones and certificates of an account.

use super::*;
use ambit_model::moment::DAY_MS;

/// How long before its end a certificate that is used is told, in milliseconds: the provider renews 60 days before.
const EXPIRING_MS: i64 = 30 * DAY_MS;

/// Whether a distribution fetches what it hands out from where nobody is.
fn fetches_from_nobody(thing: &Thing<'_>) -> Weighed {
    let (gone, unread) = (thing.said("gone_origins"), thing.said("unread_origins"));
    let free = each(&gone).find(|origin| !origin["free"].is_null());
    let Some(first) = free.or_else(|| each(&gone).next()).filter(|_| !thing.is_not("enabled")) else {
        let is_unknown = !thing.is_not("enabled") && each(&unread).next().is_some();
        return if is_unknown { Weighed::Unknown } else { Weighed::Nothing };
    };
    let host = look::shown(first["origin"].as_str().unwrap_or_default());
    let sentence = match first["free"].as_str() {
        Some(what) => format!("It fetches from {host}, which is gone: anybody may make the {what} anew."),
        None => format!("It fetches from {host}, which is gone."),
    };
    let severity = free.is_none().then_some(SEVERITY_LOW);
    Weighed::Found(Found { severity, ..sentence.into() }.by("origins", gone.clone()))
}

misconfigurations! {
    cloud_distribution_dangling_origin {
        pretty_name: "Content delivery network uses an origin that does not exist",
        severity: SEVERITY_HIGH,
        added: "2026-11-28",
        of: ["content distribution"],
        needs: "gone_origins",
        description: "An origin of the distribution, a bucket or a host, does not exist. Whoever creates it can serve \
                      content under the names of the distribution, with its certificates, and receives the cookies of \
                      its visitors.",
        remediation: "Remove the origin from the distribution, or create the bucket or host again yourself. Remove an \
                      origin from a distribution before you delete it.",
        reference: "https://developer.mozilla.org/en-US/docs/Web/Security/Subdomain_takeovers",
        finds: |thing, date| fetches_from_nobody(thing),
        reports: json!([
            {"enabled": true, "gone_origins": [{"origin": "acme-gone.s3.amazonaws.com", "free": "bucket"}],
                "unread_origins": ["partner.s3.amazonaws.com"]},
            {"gone_origins": [{"origin": "old.acme.test", "free": null}], "unread_origins": []},
        ]),
        near_miss: json!([
            {"enabled": true, "gone_origins": [], "unread_origins": []},
            {"enabled": false, "gone_origins": [{"origin": "acme-gone.s3.amazonaws.com", "free": "bucket"}],
                "unread_origins": []},
        ]),
        unknown: json!({"enabled": true, "gone_origins": [], "unread_origins": ["partner.s3.amazonaws.com"]}),
    }
    cloud_unused_address {
        pretty_name: "Reserved public address is unused",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        of: ["elastic address"],
        needs: "used",
        description: "Nothing uses the address, but it is paid for. Once it is released, names that still point to it \
                      lead to another customer.",
        remediation: "Find the names that point to the address, remove them first, and then release the address.",
        reference: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html",
        finds: |thing, date| once(thing.is_not("used"), "Nothing in the account uses the address."),
        reports: json!({"used": false}),
        near_miss: json!({"used": true}),
    }
    cloud_certificate_expiring {
        pretty_name: "Certificate in use expires soon and was not renewed",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["certificate"],
        needs: "expires",
        description: "The certificate is in use, expires within 30 days or has expired, and was not renewed although \
                      the renewal is overdue. Visitors then see warnings, and programs fail.",
        remediation: "Find out why it is not renewed: the validation records of the domain are missing, or the \
                      certificate was imported by hand.",
        reference: "https://docs.aws.amazon.com/acm/latest/userguide/troubleshooting-renewal.html",
        finds: |thing, date| once(
            thing.is("used") && moment(&thing.text("expires")).is_some_and(|end| end.0 - date.0 < EXPIRING_MS),
            "The certificate is in use and was not renewed in time.",
        ),
        reports: json!({"used": true, "expires": "1780900000.0"}),
        near_miss: json!({"used": true, "expires": "1830000000.0"}),
    }
    cloud_certificate_unproven {
        pretty_name: "Certificate request was never validated",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        of: ["certificate"],
        needs: "status",
        description: "The provider is waiting, or has waited in vain, for proof that the domain is yours. The service \
                      that was to use the certificate has none.",
        remediation: "Add the record by which the provider validates the domain, or delete the request.",
        reference: "https://docs.aws.amazon.com/acm/latest/userguide/troubleshooting-DNS-validation.html",
        finds: |thing, date| once(
            ["PENDING_VALIDATION", "VALIDATION_TIMED_OUT", "FAILED"].contains(&thing.text("status").as_str()),
            "The certificate was requested and never proven.",
        ),
        reports: json!({"status": "VALIDATION_TIMED_OUT"}),
        near_miss: json!({"status": "ISSUED"}),
    }
    cloud_domain_not_renewed {
        pretty_name: "Automatic renewal of the domain is off",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["registered domain"],
        needs: "renewed",
        description: "The domain is renewed only if a person remembers to do so. Once it has expired, anybody can \
                      register it and receive its mail and its visitors.",
        remediation: "Turn on automatic renewal, and check that the registrant's address and the means of payment are \
                      valid.",
        reference: "https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/domain-renew.html",
        finds: |thing, date| once(thing.is_not("renewed"), "The domain is not renewed by itself."),
        reports: json!({"renewed": false}),
        near_miss: json!({"renewed": true}),
    }
    cloud_domain_not_locked {
        pretty_name: "Domain is not locked against transfers",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["registered domain"],
        needs: "locked",
        description: "The domain is not locked against transfers. Whoever obtains its authorisation code can move it \
                      to another registrar.",
        remediation: "Lock the domain against transfers, and unlock it only for a transfer that you have started.",
        reference: "https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/domain-lock.html",
        finds: |thing, date| once(thing.is_not("locked"), "The domain is not locked against transfers."),
        reports: json!({"locked": false}),
        near_miss: json!({"locked": true}),
    }
    cloud_zone_not_signed {
        pretty_name: "Zone is not signed",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        of: ["zone"],
        needs: "signing",
        description: "The answers of the zone are not signed (DNSSEC), so resolvers cannot recognise forged ones.",
        remediation: "Sign the zone, and publish its DS record through the registrar of the domain.",
        reference: "https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/dns-configuring-dnssec.html",
        finds: |thing, date| once(thing.text("signing") == "NOT_SIGNING", "The zone is not signed."),
        reports: json!({"signing": "NOT_SIGNING"}),
        near_miss: json!({"signing": "SIGNING"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::entity::aws::configuration;

    #[test]
    fn an_origin_that_anybody_may_make_anew_weighs_more_and_is_told_first() {
        let told = |gone: Value| {
            let (name, value) = configuration([("gone_origins".to_owned(), gone)]);
            let distribution = facts(Kind::AwsResource, "arn:aws:cloudfront::1:distribution/d");
            match fetches_from_nobody(&Thing { facts: &distribution.with(json!({ name: value })) }) {
                Weighed::Found(found) => (found.sentence, found.severity),
                Weighed::Nothing | Weighed::Unknown => panic!("it is gone"),
            }
        };
        let (gone, free) = (json!({"origin": "a.test", "free": null}), json!({"origin": "b.test", "free": "domain"}));
        let (sentence, severity) = told(json!([gone, free]));
        assert_eq!(sentence, r#"It fetches from "b.test", which is gone: anybody may make the domain anew."#);
        assert_eq!(severity, None);
        assert_eq!(told(json!([gone])), (r#"It fetches from "a.test", which is gone."#.to_owned(), Some(SEVERITY_LOW)));
    }
}
