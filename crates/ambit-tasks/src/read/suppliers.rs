//! Whose services names and tokens show: tables of suffixes and of what providers have their customers publish.

use ambit_model::entity::registrable;
use ambit_model::platforms;
use regex::Regex;
use std::sync::LazyLock;

/// Suppliers by the domains of their servers, beside the platforms that `ambit_model::platforms` knows.
const HOSTS: &[(&str, &[&str])] = &[
    ("Adobe", &["adobe.com", "adobedtm.com", "mktomail.com", "omtrdc.net", "typekit.net"]),
    ("Amazon Web Services", &["amazonses.com", "amazonaws.com"]),
    ("Atlassian", &["atlassian.net", "statuspage.io", "stspg-customer.com"]),
    ("Barracuda", &["barracudanetworks.com"]),
    ("Brevo", &["brevo.com", "sendinblue.com"]),
    ("Broadcom", &["messagelabs.com"]),
    ("Campaign Monitor", &["createsend.com"]),
    ("Cisco", &["iphmx.com", "umbrella.com", "webex.com"]),
    ("Constant Contact", &["constantcontact.com"]),
    ("DocuSign", &["docusign.net"]),
    ("Exclaimer", &["exclaimer.net"]),
    ("Fastmail", &["messagingengine.com"]),
    ("Freshworks", &["freshdesk.com", "freshemail.io", "freshworks.com"]),
    ("Gandi", &["gandi.net"]),
    ("GoDaddy", &["domaincontrol.com", "secureserver.net"]),
    (
        "Google",
        &[
            "doubleclick.net",
            "google-analytics.com",
            "google.com",
            "googleapis.com",
            "googlemail.com",
            "googletagmanager.com",
            "gstatic.com",
        ],
    ),
    ("Help Scout", &["helpscoutemail.com"]),
    ("Hornetsecurity", &["antispameurope.com", "hornetsecurity.com"]),
    ("Hotjar", &["hotjar.com"]),
    ("HubSpot", &["hs-scripts.com", "hsforms.net", "hubspot.com", "hubspotemail.net"]),
    ("IONOS", &["ionos.com", "kundenserver.de", "ui-dns.com", "ui-dns.de"]),
    ("Intercom", &["intercom.io", "intercomcdn.com"]),
    ("Klaviyo", &["klaviyo.com"]),
    ("LinkedIn", &["licdn.com", "linkedin.com"]),
    ("Mailchimp", &["list-manage.com", "mandrillapp.com", "mcsv.net", "rsgsv.net"]),
    ("MailerLite", &["mailerlite.com"]),
    ("Mailgun", &["mailgun.org"]),
    ("Mailjet", &["mailjet.com"]),
    ("Meta", &["facebook.com", "facebook.net"]),
    (
        "Microsoft",
        &[
            "clarity.ms",
            "microsoft.com",
            "office365.com",
            "outlook.com",
            "azure-dns.com",
            "azure-dns.net",
            "azure-dns.org",
            "azure-dns.info",
        ],
    ),
    ("Mimecast", &["mimecast.com"]),
    ("NS1", &["nsone.net"]),
    ("OVHcloud", &["ovh.com", "ovh.net"]),
    ("Oracle", &["netsuite.com", "oraclecloud.com"]),
    ("Postmark", &["mtasv.net"]),
    ("Proofpoint", &["pphosted.com", "ppe-hosted.com"]),
    ("Proton", &["protonmail.ch"]),
    ("Qualtrics", &["qualtrics.com"]),
    ("Rackspace", &["emailsrvr.com"]),
    ("SAP", &["successfactors.com", "successfactors.eu"]),
    ("Salesforce", &["exacttarget.com", "force.com", "pardot.com", "salesforce.com"]),
    ("Sentry", &["sentry.io"]),
    ("ServiceNow", &["service-now.com"]),
    ("Sophos", &["sophos.com"]),
    ("SparkPost", &["sparkpostmail.com"]),
    ("Stripe", &["stripe.com"]),
    ("Trend Micro", &["trendmicro.com", "trendmicro.eu"]),
    ("Twilio", &["sendgrid.net", "twilio.com"]),
    ("Workday", &["myworkday.com"]),
    ("Yandex", &["yandex.net", "yandex.ru"]),
    ("Zendesk", &["zdassets.com", "zendesk.com"]),
    ("Zoho", &["zoho.com", "zoho.eu"]),
];

/// What a token of verification begins with, in lower case, where its name is not the supplier's.
const TOKENS: &[(&str, &str)] = &[
    ("1password-site-verification=", "1Password"),
    ("adobe-idp-site-verification=", "Adobe"),
    ("adobe-sign-verification=", "Adobe"),
    ("anthropic-domain-verification-", "Anthropic"),
    ("apple-domain-verification=", "Apple"),
    ("atlassian-domain-verification=", "Atlassian"),
    ("box-domain-verification=", "Box"),
    ("brevo-code:", "Brevo"),
    ("canva-site-verification=", "Canva"),
    ("cisco-ci-domain-verification=", "Cisco"),
    ("ciscocidomainverification=", "Cisco"),
    ("citrix-verification-code=", "Citrix"),
    ("docusign=", "DocuSign"),
    ("dropbox-domain-verification=", "Dropbox"),
    ("dynatrace-site-verification=", "Dynatrace"),
    ("facebook-domain-verification=", "Meta"),
    ("figma-domain-verification=", "Figma"),
    ("globalsign-domain-verification=", "GlobalSign"),
    ("google-site-verification=", "Google"),
    ("have-i-been-pwned-verification=", "Have I Been Pwned"),
    ("hubspot-developer-verification=", "HubSpot"),
    ("jamf-site-verification=", "Jamf"),
    ("klaviyo-site-verification=", "Klaviyo"),
    ("knowbe4-site-verification=", "KnowBe4"),
    ("lastpass-verification-code=", "LastPass"),
    ("logmein-verification-code=", "GoTo"),
    ("miro-verification=", "Miro"),
    ("mongodb-site-verification=", "MongoDB"),
    ("ms-domain-verification=", "Microsoft"),
    ("ms=", "Microsoft"),
    ("notion-domain-verification=", "Notion"),
    ("onetrust-domain-verification=", "OneTrust"),
    ("openai-domain-verification=", "OpenAI"),
    ("pardot", "Salesforce"),
    ("postman-domain-verification=", "Postman"),
    ("sendinblue-code:", "Brevo"),
    ("shopify-verification-code=", "Shopify"),
    ("slack-domain-verification=", "Slack"),
    ("smartsheet-site-validation=", "Smartsheet"),
    ("sophos-domain-verification=", "Sophos"),
    ("status-page-domain-verification=", "Atlassian"),
    ("stripe-verification=", "Stripe"),
    ("teamviewer-sso-verification=", "TeamViewer"),
    ("twilio-domain-verification=", "Twilio"),
    ("webexdomainverification", "Cisco"),
    ("yandex-verification:", "Yandex"),
    ("zoho-verification=", "Zoho"),
    ("zoom_verify_", "Zoom"),
];

/// A token of a supplier that no table has: `birdpost-verification=5b1c0f7e2d`.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^([a-z0-9][a-z0-9-]{1,30}?)(?:-domain|-site)?-verif(?:ication|y)(?:-code)?[=:]").expect("constant")
});

/// The supplier that a host belongs to: by the tables, else the registrable domain; `None` for a name without one.
pub(crate) fn of_host(host: &str) -> Option<String> {
    let is_in = |domain: &&str| host.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let listed = HOSTS.iter().find(|(_, domains)| domains.iter().any(&is_in)).map(|(name, _)| *name);
    let listed = listed.or_else(|| platforms::of_host(host).map(|platform| platform.name));
    let listed = listed.or_else(|| host.contains(".awsdns-").then_some("Amazon Web Services"));
    listed.map(str::to_owned).or_else(|| registrable(host).map(str::to_owned))
}

/// The supplier whose token a text is, and what shows it: the text without what is the customer's.
pub(crate) fn of_token(text: &str) -> Option<(String, String)> {
    let lower = text.to_ascii_lowercase();
    if let Some((begins, name)) = TOKENS.iter().find(|(begins, _)| lower.starts_with(begins)) {
        return Some(((*name).to_owned(), (*begins).to_owned()));
    }
    let found = TOKEN.captures(text)?;
    Some((found[1].to_ascii_lowercase(), found[0].to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_tokens_name_their_supplier() {
        for (host, name) in [
            ("aspmx.l.google.com", "Google"),
            ("notgoogle.com", "notgoogle.com"),
            ("acme.zendesk.com", "Zendesk"),
            ("d1.cloudfront.net", "Amazon Web Services"),
            ("ns1.birdpost.test", "birdpost.test"),
        ] {
            assert_eq!(of_host(host).as_deref(), Some(name), "{host}");
        }
        assert_eq!(of_host("localhost"), None);
        for (token, name) in [
            ("MS=ms12345678", Some("Microsoft")),
            ("google-site-verification=abc", Some("Google")),
            ("birdpost-domain-verification=5b1c", Some("birdpost")),
            ("v=spf1 -all", None),
            ("verification=5b1c", None),
            ("we are an organisation", None),
        ] {
            assert_eq!(of_token(token).map(|(name, _)| name).as_deref(), name, "{token}");
        }
    }

    #[test]
    fn tables_are_sorted_and_lower_case() {
        assert!(TOKENS.is_sorted_by_key(|(begins, _)| *begins));
        assert!(HOSTS.is_sorted_by_key(|(name, _)| *name));
        assert!(TOKENS.iter().all(|(begins, _)| *begins == begins.to_ascii_lowercase()));
    }
}
