//! How things are spoken to: in the clear, or with versions of TLS that are no longer safe.

use super::*;

/// Policies of load balancers that allow TLS 1.0 or 1.1.
const OLD_POLICIES: &[&str] = &[
    "ELBSecurityPolicy-2015-05",
    "ELBSecurityPolicy-2016-08",
    "ELBSecurityPolicy-FS-1-1-2019-08",
    "ELBSecurityPolicy-FS-2018-06",
    "ELBSecurityPolicy-TLS-1-0-2015-04",
    "ELBSecurityPolicy-TLS-1-1-2017-01",
    "ELBSecurityPolicy-TLS13-1-0-2021-06",
    "ELBSecurityPolicy-TLS13-1-0-FIPS-2023-04",
    "ELBSecurityPolicy-TLS13-1-1-2021-06",
    "ELBSecurityPolicy-TLS13-1-1-FIPS-2023-04",
];

/// A finding where the internet reaches a load balancer that passes on what comes in the clear, with the listeners that
/// do. Providers write protocols in either case; some say where a listener leads to, and some that it leads to HTTPS.
fn speaks_in_the_clear(thing: &Thing<'_>) -> Finding {
    let says = |listener: &Value, name: &str, wanted: &str| {
        listener[name].as_str().is_some_and(|said| said.eq_ignore_ascii_case(wanted))
    };
    let leads_on = |listener: &Value| ["https", "true"].iter().any(|wanted| says(listener, "redirects_to", wanted));
    let is_inside = thing.is_not("public") || thing.text("network") == "INTERNAL";
    let is_reached = thing.text("scheme") == "internet-facing" && !is_inside;
    let is_clear = |listener: &Value| is_reached && says(listener, "protocol", "http") && !leads_on(listener);
    by_listeners(thing, is_clear, |at| format!("A listener{at} takes HTTP and does not lead to HTTPS."))
}

fn has_old_policy(thing: &Thing<'_>) -> Finding {
    let is_old = |listener: &Value| listener["tls_policy"].as_str().is_some_and(|name| OLD_POLICIES.contains(&name));
    by_listeners(thing, is_old, |at| format!("The policy of a listener{at} allows TLS 1.0 or 1.1."))
}

/// A finding where listeners of a load balancer are so, with these and what is said of them by their ports.
fn by_listeners(thing: &Thing<'_>, is_so: impl Fn(&Value) -> bool, sentence: fn(&str) -> String) -> Finding {
    let listeners = thing.said("listeners");
    let found: Vec<&Value> = each(&listeners).filter(|listener| is_so(listener)).collect();
    let ports: BTreeSet<i64> = found.iter().filter_map(|listener| listener["port"].as_i64()).collect();
    let named: Vec<String> = ports.iter().map(i64::to_string).collect();
    let at = match named.len() {
        0 => String::new(),
        1 => format!(" at port {}", named[0]),
        _ => format!(" at the ports {}", named.join(", ")),
    };
    (!found.is_empty()).then(|| Found::from(sentence(&at)).by("listeners", json!(found)))
}

misconfigurations! {
    cloud_balancer_in_the_clear {
        pretty_name: "Load balancer accepts unencrypted requests",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["load balancer"],
        needs: "listeners",
        description: "A listener that can be reached from the internet accepts HTTP and does not redirect visitors to \
                      HTTPS. Attackers on the network can read and change what visitors send, including passwords and \
                      sessions.",
        remediation: "Let the listener redirect to HTTPS, and send HSTS so that browsers use HTTPS from then on.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |thing, date| speaks_in_the_clear(thing),
        reports: json!([
            {"scheme": "internet-facing", "listeners": [{"port": 80, "protocol": "HTTP", "redirects_to": null}]},
            {"scheme": "internet-facing", "public": true, "listeners": [{"port": 80, "protocol": "http"}]},
            {"scheme": "internet-facing", "listeners": [{"protocol": "http", "redirects_to": "false"}]},
        ]),
        near_miss: json!([
            {"scheme": "internet-facing",
                "listeners": [{"port": 80, "protocol": "HTTP", "redirects_to": "HTTPS"}, {"protocol": "HTTPS"}]},
            {"scheme": "internet-facing",
                "listeners": [{"port": 80, "protocol": "http", "redirects_to": "true"}, {"protocol": "https"}]},
            {"scheme": "internet-facing", "public": false, "listeners": [{"port": 80, "protocol": "http"}]},
            {"scheme": "internet-facing", "network": "INTERNAL", "listeners": [{"port": 80, "protocol": "http"}]},
            {"scheme": "internal", "listeners": [{"port": 80, "protocol": "http"}]},
        ]),
    }
    cloud_balancer_old_tls {
        pretty_name: "Load balancer allows old versions of TLS",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["load balancer"],
        needs: "listeners",
        description: "The policy of a listener allows TLS 1.0 or 1.1, which are deprecated because they rely on broken \
                      cryptography.",
        remediation: "Choose a policy that starts at TLS 1.2, such as ELBSecurityPolicy-TLS13-1-2-2021-06.",
        reference: "https://www.rfc-editor.org/rfc/rfc8996",
        finds: |thing, date| has_old_policy(thing),
        reports: json!({"listeners": [{"protocol": "HTTPS", "tls_policy": "ELBSecurityPolicy-2016-08"}]}),
        near_miss: json!({"listeners": [{"protocol": "HTTPS", "tls_policy": "ELBSecurityPolicy-TLS13-1-2-2021-06"}]}),
    }
    cloud_distribution_in_the_clear {
        pretty_name: "Content delivery network serves pages unencrypted",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["content distribution"],
        needs: "viewer_protocol",
        description: "The distribution accepts HTTP as well as HTTPS. Attackers on the network can read and change \
                      what visitors send and receive over HTTP.",
        remediation: "Redirect visitors from HTTP to HTTPS (redirect-to-https) in every behaviour of the \
                      distribution.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |thing, date| once(
            !thing.is_not("enabled") && thing.texts("viewer_protocol").iter().any(|protocol| protocol == "allow-all"),
            "The distribution answers HTTP.",
        ),
        reports: json!([
            {"viewer_protocol": "allow-all"},
            {"enabled": true, "viewer_protocol": ["allow-all", "redirect-to-https"]},
        ]),
        near_miss: json!([
            {"viewer_protocol": "redirect-to-https"},
            {"enabled": false, "viewer_protocol": ["allow-all"]},
            {"enabled": true, "viewer_protocol": ["https-only", "redirect-to-https"]},
        ]),
    }
    cloud_distribution_old_tls {
        pretty_name: "Content delivery network allows old versions of TLS",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["content distribution"],
        needs: "tls_version",
        description: "The distribution has its own certificate and allows versions of TLS before 1.2, which are \
                      deprecated.",
        remediation: "Set the lowest version of the distribution to TLSv1.2_2021 or a later policy.",
        reference: "https://www.rfc-editor.org/rfc/rfc8996",
        finds: |thing, date| once(
            thing.is("own_certificate")
                && ["SSLv3", "TLSv1", "TLSv1_2016", "TLSv1.1_2016"].contains(&thing.text("tls_version").as_str()),
            "The distribution allows versions of TLS before 1.2.",
        ),
        reports: json!({"own_certificate": true, "tls_version": "TLSv1.1_2016"}),
        near_miss: json!({"own_certificate": false, "tls_version": "TLSv1"}),
    }
    cloud_interface_domain_old_tls {
        pretty_name: "Domain of an API allows old versions of TLS",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["interface domain"],
        needs: "tls_policies",
        description: "The domain of the gateway allows TLS 1.0 and 1.1, which are deprecated because they rely on \
                      broken cryptography.",
        remediation: "Set the security policy of the domain to TLS_1_2, so that older versions are refused.",
        reference: "https://www.rfc-editor.org/rfc/rfc8996",
        finds: |thing, date| once(
            thing.texts("tls_policies").iter().any(|policy| policy == "TLS_1_0"),
            "The domain allows TLS 1.0.",
        ),
        reports: json!({"tls_policies": ["TLS_1_0"]}),
        near_miss: json!({"tls_policies": ["TLS_1_2"]}),
    }
    cloud_search_domain_in_the_clear {
        pretty_name: "Search domain accepts unencrypted requests",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["search domain"],
        needs: "https_only",
        description: "The domain accepts HTTP as well as HTTPS, so attackers on the network can read queries and \
                      results.",
        remediation: "Require HTTPS for all requests to the domain, with a policy that starts at TLS 1.2.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |thing, date| once(thing.is_not("https_only"), "The domain does not demand HTTPS."),
        reports: json!({"https_only": false}),
        near_miss: json!({"https_only": true}),
    }
    cloud_cache_in_the_clear {
        pretty_name: "Cache accepts unencrypted connections",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        of: ["cache"],
        needs: "encrypted_on_the_way",
        description: "Programs talk to the cache over unencrypted connections, so attackers on the network can read \
                      the data and the passwords.",
        remediation: "Create the cache again with encryption in transit, and let programs connect to it over TLS.",
        reference: "https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/in-transit-encryption.html",
        finds: |thing, date| once(
            thing.is_not("encrypted_on_the_way"),
            "What travels to and from the cache is not encrypted.",
        ),
        reports: json!({"encrypted_on_the_way": false}),
        near_miss: json!({"encrypted_on_the_way": true}),
    }
    cloud_file_server_in_the_clear {
        pretty_name: "File server accepts unencrypted transfers",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["file server"],
        needs: "protocols",
        description: "The server accepts FTP without encryption. Attackers on the network can read passwords, and read \
                      and change files.",
        remediation: "Remove FTP from the protocols of the server, and use SFTP or FTPS instead.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |thing, date| once(
            thing.texts("protocols").iter().any(|protocol| protocol == "FTP"),
            "The server speaks FTP without encryption.",
        ),
        reports: json!({"protocols": ["FTP", "SFTP"]}),
        near_miss: json!({"protocols": ["FTPS", "SFTP"]}),
    }
    cloud_broker_in_the_clear {
        pretty_name: "Message broker accepts unencrypted connections",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["message broker"],
        needs: "on_the_way",
        description: "Clients can connect to the brokers without encryption, so attackers on the network can read \
                      messages.",
        remediation: "Allow only TLS between clients and brokers, and give clients the certificate authority to \
                      trust.",
        reference: "https://docs.aws.amazon.com/msk/latest/developerguide/msk-encryption.html",
        finds: |thing, date| once(
            ["PLAINTEXT", "TLS_PLAINTEXT"].contains(&thing.text("on_the_way").as_str()),
            "The brokers take connections without encryption.",
        ),
        reports: json!({"on_the_way": "TLS_PLAINTEXT"}),
        near_miss: json!({"on_the_way": "TLS"}),
    }
    cloud_application_in_the_clear {
        pretty_name: "Application or storage accepts unencrypted requests",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["application", "storage account"],
        needs: "https_only",
        description: "It accepts HTTP as well as HTTPS, so attackers on the network can read and change the traffic.",
        remediation: "Require HTTPS for all requests, which is one setting at the provider.",
        reference: "https://cwe.mitre.org/data/definitions/319.html",
        finds: |thing, date| once(thing.is_not("https_only"), "It does not demand HTTPS."),
        reports: json!({"https_only": false}),
        near_miss: json!({"https_only": true}),
        unknown: json!({"https_only": null}),
    }
    cloud_zone_old_tls {
        pretty_name: "Front end or storage allows old versions of TLS",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        of: ["zone", "storage account"],
        needs: "tls_version",
        description: "The lowest version of TLS is 1.0 or 1.1, which are deprecated because they rely on broken \
                      cryptography.",
        remediation: "Set the lowest version of TLS to 1.2, or better to 1.3, which all current browsers support.",
        reference: "https://www.rfc-editor.org/rfc/rfc8996",
        finds: |thing, date| once(
            ["1.0", "1.1", "TLS1_0", "TLS1_1"].contains(&thing.text("tls_version").as_str()),
            "TLS 1.0 or 1.1 is allowed.",
        ),
        reports: json!({"tls_version": "1.0"}),
        near_miss: json!({"tls_version": "1.2"}),
    }
    cloud_zone_unencrypted_behind {
        pretty_name: "Connection from the content delivery network to the site is unencrypted",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        of: ["zone"],
        needs: "encryption",
        description: "Visitors may see HTTPS, but the content delivery network fetches from the site over an \
                      unencrypted connection. Attackers between the two can read and change everything.",
        remediation: "Give the site a certificate and set the encryption to Full (strict).",
        reference: "https://developers.cloudflare.com/ssl/origin-configuration/ssl-modes/",
        finds: |thing, date| once(
            ["off", "flexible"].contains(&thing.text("encryption").as_str()),
            "The site behind is asked without encryption.",
        ),
        reports: json!({"encryption": "flexible"}),
        near_miss: json!({"encryption": "strict"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Told, facts};
    use ambit_model::entity::aws::configuration;

    #[test]
    fn the_listeners_that_are_open_are_told_with_their_ports() {
        let told = |listeners: Value| {
            let says = json!({"scheme": "internet-facing", "listeners": listeners});
            let (name, value) = configuration(says.as_object().cloned().unwrap());
            let balancer =
                facts(Kind::AwsResource, "arn:aws:x:eu-west-1:123456789012:acme").with(json!({ name: value }));
            speaks_in_the_clear(&Thing { facts: &balancer }).map(|found| (found.sentence, found.part))
        };
        let clear = |port: Value| json!({"port": port, "protocol": "HTTP"});
        let safe = json!({"port": 443, "protocol": "HTTPS"});
        for (listeners, at) in [
            (vec![clear(json!(80))], " at port 80"),
            (vec![clear(json!(8080)), clear(json!(80))], " at the ports 80, 8080"),
            (vec![clear(Value::Null)], ""),
        ] {
            let wanted = format!("A listener{at} takes HTTP and does not lead to HTTPS.");
            let part = Some(("listeners", json!(listeners)));
            assert_eq!(told([listeners, vec![safe.clone()]].concat().into()), Some((wanted, part)));
        }
        assert_eq!(told(json!([safe])), None);
    }
}
