//! Strangers are never swept and never reported as ours: one small world for each rule, and its twin that is ours.

use super::explorer::Explorer;
use super::{compare, explore, world};
use ambit_model::{Clearance, Kind};

/// Somebody else, with a block and a domain.
const OTHER: &str = "org other \"Somebody Else\" stranger email noc@other.test\nblock 192.0.2.0/24 of other asn \
                     AS64503 named OTHER-NET\n\
                     zone other.test of other\n  ns ns1.other.test 192.0.2.53\nname acme.test A 203.0.113.10\n";

/// Explores at the usual level, and sees to it that truth and contacts are as they should be.
fn explored(lines: &str) -> Explorer {
    explored_text(&world(&format!("{OTHER}{lines}")))
}

fn explored_text(text: &str) -> Explorer {
    let (explorer, truth) = explore(text, Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert_eq!(explorer.outside(), Vec::<String>::new(), "contacts outside clearance");
    assert!(
        missed.is_empty() && unexpected.is_empty(),
        "missed {missed:#?}\nunexpected {unexpected:#?}\nfailed {:#?}",
        explorer.failures()
    );
    explorer
}

/// Ownership, clearance and the ground of the last edge.
fn decided(explorer: &Explorer, kind: Kind, name: &str) -> String {
    let decision = explorer.facts(kind, name).decision;
    let ground = decision.path.last().and_then(|step| step.ground.clone());
    let ground = ground.map_or_else(String::new, |ground| format!(" {:?} {}", ground.kind, ground.name));
    format!("{} {:?}{ground}", decision.ownership, decision.clearance)
}

fn address(explorer: &Explorer, name: &str) -> String {
    decided(explorer, Kind::IpAddress, name)
}

/// Services that were found at an address.
fn services(explorer: &Explorer, address: &str) -> Vec<String> {
    let there =
        |(kind, name): &(Kind, String)| *kind == Kind::NetworkService && name.starts_with(&format!("{address}:"));
    explorer.present().filter(there).map(|(_, name)| name).collect()
}

#[test]
fn no_certificate_overrules_a_delegation_to_somebody_else() {
    let explorer = explored(
        "zone fanshop.acme.test of other\n  ns ns1.other.test\nname www.fanshop.acme.test A 192.0.2.75\nname \
         mail.fanshop.acme.test A 192.0.2.76\n\
         name acme.test MX 20 mail.fanshop.acme.test\nhost 192.0.2.75 192.0.2.76\n  port 22 ssh \"OpenSSH_9.6\"\n\
         site https://www.fanshop.acme.test \"Fans\"\ncert logged\n  names fanshop.acme.test www.fanshop.acme.test\n\
         site https://acme.test \"Acme\"\n  cert names acme.test www.fanshop.acme.test",
    );
    assert_eq!(decided(&explorer, Kind::DnsRecord, "www.fanshop.acme.test"), "600 L2");
    assert_eq!(address(&explorer, "192.0.2.75"), "500 L2");
    for strange in ["192.0.2.75", "192.0.2.76"] {
        assert_eq!(services(&explorer, strange), Vec::<String>::new());
    }
    let scoped: Vec<String> = explorer.scoped().map(|(_, name)| name).collect();
    assert!(!scoped.iter().any(|name| name.contains("fanshop") && !name.contains('(')), "{scoped:#?}");
}

#[test]
fn a_zone_below_is_ours_where_only_we_can_have_made_it_so() {
    let at_vendor = "zone acme.test of acme\n  ns ns7.dns.test 198.51.100.7\n  ns ns8.dns.test 198.51.100.8\nzone \
                     dns.test of host\n  ns ns7.dns.test 198.51.100.7\n";
    let head = world("").replace("zone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\n", at_vendor);
    let tail = "name acme.test A 203.0.113.10\nname www.cloud.acme.test A 203.0.113.11\nsite https://acme.test \
                \"A\"\n  links https://www.cloud.acme.test/\n";
    for (servers, expected) in [
        ("  ns ns7.dns.test\n  ns ns8.dns.test", "990 L3"),
        ("  ns ns7.dns.test\n  ns ns9.other-dns.test 198.51.100.9", "600 L2"),
        ("  ns ns1.cloud.acme.test 198.51.100.9", "600 L2"),
        ("  ns ns1.cloud.acme.test 198.51.100.7", "990 L3"),
    ] {
        let (explorer, _) = explore(
            &format!(
                "{head}{tail}zone other-dns.test of host\n  ns ns7.dns.test\nzone cloud.acme.test of acme\n{servers}\n"
            ),
            Clearance::L3,
        );
        assert_eq!(decided(&explorer, Kind::DnsRecord, "www.cloud.acme.test"), expected, "{servers}");
        assert_eq!(explorer.outside(), Vec::<String>::new());
    }
}

#[test]
fn servers_that_a_platform_gives_to_everybody_make_no_zone_ours() {
    let of = |domain: &str| {
        let zone = format!(
            "zone acme.test of acme\n  ns ns1.{domain} 198.51.100.7\nzone {domain} of host\n  ns ns1.{domain} \
             198.51.100.7\nzone shop.acme.test of acme\n  ns ns1.{domain}\n"
        );
        let head = world("").replace("zone acme.test of acme\n  ns ns1.acme.test 203.0.113.2\n", &zone);
        let tail = "name acme.test A 203.0.113.10\nname www.shop.acme.test A 203.0.113.11\ncert logged\n  names \
                    www.shop.acme.test\n";
        decided(&explore(&format!("{head}{tail}"), Clearance::L1).0, Kind::DnsRecord, "www.shop.acme.test")
    };
    assert_eq!(of("digitalocean.com"), "600 L1");
    assert_eq!(of("dns.test"), "990 L1");
}

#[test]
fn an_address_of_which_nothing_shows_that_it_is_ours_is_visited_and_not_swept() {
    let explorer = explored(
        "name box.acme.test A 198.51.100.140\nhost 198.51.100.140\n  port 22 ssh \"OpenSSH_9.6\"\n  port 8443 \
         https\nsite http://box.acme.test \"Box\"\n\
         site https://acme.test \"A\"\n  links https://box.acme.test/",
    );
    assert_eq!(address(&explorer, "198.51.100.140"), "500 L2");
    assert_eq!(services(&explorer, "198.51.100.140"), Vec::<String>::new());
    assert!(explorer.scoped().any(|(_, name)| name == "http://box.acme.test:80"));
}

#[test]
fn a_rented_machine_is_ours_by_its_reverse_name_or_by_what_it_shows_to_everybody() {
    let rented = |words: &str| {
        let lines = format!(
            "name box.acme.test A 198.51.100.140\nhost 198.51.100.140\n  port 22 ssh \"OpenSSH_9.6\"\n{words}\nsite \
             https://acme.test \"A\"\n  links https://box.acme.test/"
        );
        explored(&lines)
    };
    let by_name = rented("  ptr box.acme.test");
    assert_eq!(address(&by_name, "198.51.100.140"), "900 L3 ReverseName box.acme.test");
    assert!(services(&by_name, "198.51.100.140").contains(&"198.51.100.140:22/tcp".to_owned()));
    for lying in ["  ptr acme.test", "  ptr box.other.test", "  ptr gone.acme.test"] {
        assert_eq!(address(&rented(lying), "198.51.100.140"), "500 L2", "{lying}");
    }
    let shown = address(&rented("site https://box.acme.test \"Box\""), "198.51.100.140");
    assert!(shown.starts_with("900 L3 DefaultCertificate box.acme.test ("), "{shown}");
    for (words, why) in [
        ("site https://box.acme.test \"Box\"\n  cert self-signed", "anybody can sign it"),
        ("site https://box.acme.test \"Box\"\n  cert names box.acme.test www.other.test", "strangers are in it"),
        ("site https://box.acme.test \"Box\"\n  cert expired 9d", "a browser refuses it"),
        ("  unknown-host close\nsite https://box.acme.test \"Box\"", "it is shown to nobody else"),
    ] {
        assert_eq!(address(&rented(words), "198.51.100.140"), "500 L2", "{why}");
    }
}

#[test]
fn a_strangers_name_on_a_machine_says_that_it_is_shared() {
    let explorer = explored(
        "name box.acme.test A 198.51.100.140\nname www.other.test A 198.51.100.140\nhost 198.51.100.140\n  ptr \
         box.acme.test\n  unknown-host close\n\
         site https://acme.test \"A\"\n  links https://box.acme.test/\n  cert names acme.test www.other.test",
    );
    assert_eq!(address(&explorer, "198.51.100.140"), "500 L2");
}

#[test]
fn a_known_platform_stays_shared_whatever_speaks_for_its_addresses() {
    for network in ["SQUARESPACE", "WIX-COM", "VERCEL-01", "SHOPIFY-NET"] {
        let text = world(&format!(
            "{OTHER}org platform \"Platform\" vendor\nblock 198.51.100.128/25 of platform named {network}\nhost \
             198.51.100.144\n  ptr acme.test\n  port 22 ssh \"OpenSSH_9.6\"\n\
             site https://acme.test \"Acme\"\n"
        ));
        let text = text.replace("name acme.test A 203.0.113.10", "name acme.test A 198.51.100.144");
        let explorer = explore(&text, Clearance::L3).0;
        assert_eq!(address(&explorer, "198.51.100.144"), "200 L2 Shared 198.51.100.144", "{network}");
        assert_eq!(services(&explorer, "198.51.100.144"), Vec::<String>::new());
    }
}

#[test]
fn an_alias_that_comes_back_from_a_platform_leaves_the_address_theirs() {
    let explorer = explored(
        "zone trafficmanager.net of host\n  ns ns1.host.test\nname shop.acme.test CNAME \
         acme-shop.trafficmanager.net\nname acme-shop.trafficmanager.net CNAME origin.acme.test\nname \
         origin.acme.test A 203.0.113.40\nhost 203.0.113.40\n  port 22 ssh \"OpenSSH_9.6\"\n\
         name docs.acme.test CNAME acme-docs.trafficmanager.net\nname acme-docs.trafficmanager.net CNAME \
         acme.other.test\nname acme.other.test A 192.0.2.80\nsite https://docs.acme.test \"Docs\"\n\
         site https://shop.acme.test \"Shop\"\nsite https://acme.test \"Acme\"\n  links https://shop.acme.test/ \
         https://docs.acme.test/",
    );
    assert_eq!(address(&explorer, "203.0.113.40"), "900 L3 Registrant Acme Corp");
    assert_eq!(address(&explorer, "192.0.2.80"), "100 L1 ForeignAlias acme.other.test", "it ends at a stranger's");
}

#[test]
fn an_alias_to_a_partner_is_known_about_and_one_to_a_platform_is_visited() {
    let explorer = explored(
        "zone github.io of host\n  ns ns1.host.test\nname pay.acme.test CNAME acme.other.test\nname acme.other.test A \
         192.0.2.80\nsite https://pay.acme.test \"Pay\"\n\
         name help.acme.test CNAME help.other.test\nname help.other.test A 198.51.100.90\nsite https://help.acme.test \
         \"Help\"\n\
         name docs.acme.test CNAME acme-docs.github.io\nname acme-docs.github.io A 198.51.100.90\nsite \
         https://docs.acme.test \"Docs\"\n\
         site https://acme.test \"A\"\n  links https://pay.acme.test/ https://help.acme.test/ https://docs.acme.test/",
    );
    assert_eq!(address(&explorer, "192.0.2.80"), "100 L1 ForeignAlias acme.other.test");
    assert_eq!(decided(&explorer, Kind::DnsRecord, "pay.acme.test"), "990 L3", "the name itself is ours");
    // The one at the same address as a site that may be visited is visited no more than the other.
    for partner in ["pay.acme.test", "help.acme.test"] {
        assert!(!explorer.present().any(|(kind, name)| kind == Kind::Uri && name.contains(partner)), "{partner}");
    }
    assert!(explorer.scoped().any(|(_, name)| name == "https://docs.acme.test:443"));
}

#[test]
fn the_certificate_of_a_platform_is_not_ours() {
    let explorer = explored(
        "zone herokuapp.com of host\n  ns ns1.host.test\nname app.acme.test CNAME acme.herokuapp.com\nname \
         acme.herokuapp.com A 198.51.100.90\n\
         site https://app.acme.test \"App\"\n  cert unlogged names *.herokuapp.com\nsite https://acme.test \"A\"\n  \
         links https://app.acme.test/",
    );
    let scoped: Vec<String> = explorer.scoped().map(|(_, name)| name).collect();
    assert!(!scoped.iter().any(|name| name.contains("herokuapp")), "{scoped:#?}");
    assert!(explorer.present().any(|(kind, name)| kind == Kind::SslCertificate && name.contains("herokuapp")));
}

#[test]
fn a_block_of_somebody_else_within_a_seed_is_not_swept_before_a_person_says_so() {
    let text = |seeds: &str| {
        let lines = format!(
            "{OTHER}block 203.0.113.32/28 of other named OTHER-CORNER\nhost 203.0.113.5 203.0.113.33\n  port 22 ssh \
             \"OpenSSH_9.6\"\n"
        );
        world(&lines).replace("seeds acme.test", seeds)
    };
    let explorer = explored_text(&text("seeds acme.test 203.0.113.0/26"));
    assert_eq!(decided(&explorer, Kind::NetBlock, "203.0.113.32/28"), "50 L1 ForeignAllocation 203.0.113.32/28");
    assert!(!services(&explorer, "203.0.113.5").is_empty());
    assert!(!explorer.present().any(|(_, name)| name.starts_with("203.0.113.33")), "it was swept");
    let (explorer, _) = explore(&text("seeds acme.test 203.0.113.0/26 203.0.113.32/28"), Clearance::L3);
    assert!(!services(&explorer, "203.0.113.33").is_empty(), "a person named it");
}

#[test]
fn what_a_page_loads_from_somebody_elses_bucket_makes_nobody_ask_for_its_list() {
    let explorer = explored(
        "bucket s3 acme-files of acme listed keys a.png\nbucket s3 birch-files of other listed keys b.png\n\
         bucket firebase-database hacker-news of other listed keys v0\n\
         site https://acme.test \"Acme\"\n  body \"<img src=https://acme-files.s3.amazonaws.com/a.png>\
         <img src=https://birch-files.s3.amazonaws.com/b.png>\
         <script>fetch('https://birch-files.s3.amazonaws.com/c'); fetch('https://hacker-news.firebaseio.com/v0.json')\
         </script>\"",
    );
    let listable = |name: &str| explorer.facts(Kind::CloudStorageBucket, name).details.get("hidden_listable").cloned();
    assert_eq!(listable("https://acme-files.s3.amazonaws.com"), Some(true.into()));
    for strange in ["https://birch-files.s3.amazonaws.com", "https://hacker-news.firebaseio.com"] {
        assert_eq!(listable(strange), None, "{strange}");
    }
}
