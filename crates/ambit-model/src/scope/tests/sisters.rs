//! Domains that nobody named: which evidence makes them candidates, which makes them theirs, and which says nothing.

use super::*;
use crate::entity::EvidenceKind;

/// A seed with its registrant, its own name server, mail server, site, certificate and block.
const HOME: &str = "Domain acme.test seed
    Domain sister.test
    DnsRecord www.sister.test
    DnsRecord www.acme.test
    DnsRecord _spf.acme.test
    Nameserver ns1.acme.test
    Mailserver mx.acme.test
    Nameserver ns1.host.test
    Organization Acme
    Organization Other
    EmailAddress it@acme.test
    EmailAddress it@host.test
    SslCertificate served
    SslCertificate crowded
    Uri https://www.acme.test:443
    NetBlock 192.0.2.0/24 seed
    IpAddress 192.0.2.1
    IpAddress 198.51.100.1
    acme.test registrant Acme
    acme.test own_server ns1.acme.test
    acme.test subdomain www.acme.test
    www.acme.test certificate served
    www.acme.test certificate crowded
    www.acme.test site https://www.acme.test:443";

const CROWDED: &str = "DnsRecord a.one.test
    DnsRecord a.two.test
    DnsRecord a.three.test
    crowded foreign_certificate_name a.one.test
    crowded foreign_certificate_name a.two.test
    crowded foreign_certificate_name a.three.test
    crowded foreign_certificate_name www.sister.test";

fn decided(more: &[&str]) -> Decision {
    let text = format!("{HOME}\n{}", more.join("\n"));
    world(&text).decide(&[]).remove("sister.test").unwrap()
}

#[test]
fn a_domain_is_theirs_perhaps_theirs_or_a_strangers_by_what_is_shown_of_it() {
    let registered = "sister.test registrant Acme";
    let served = "sister.test vendor ns1.acme.test";
    let mail = "sister.test vendor mx.acme.test";
    let reports = "sister.test contact it@acme.test";
    let senders = "sister.test vendor _spf.acme.test sister_domain";
    let certified = "served foreign_certificate_name www.sister.test";
    let redirected = "https://www.acme.test:443 redirect www.sister.test";
    let hosted = "www.sister.test resolves_to 192.0.2.1";
    let cases: &[(&[&str], u16, Clearance)] = &[
        // One kind of evidence says little.
        (&[registered], 0, Clearance::L0),
        (&[served], 0, Clearance::L0),
        (&[hosted], 0, Clearance::L0),
        // Two or three make a candidate, which is known about and no more.
        (&[registered, redirected], 731, Clearance::L1),
        (&[registered, certified], 817, Clearance::L1),
        (&[served, mail, redirected], 731, Clearance::L1),
        (&[served, senders, redirected], 731, Clearance::L1),
        (&[served, senders, mail, redirected], 731, Clearance::L1),
        (&[hosted, served, mail], 880, Clearance::L1),
        // Below what is theirs, however near.
        (&[registered, served, redirected], 899, Clearance::L1),
        // More of them show it.
        (&[registered, hosted, redirected], 952, Clearance::L2),
        (&[registered, served, mail], 952, Clearance::L2),
        (&[registered, hosted, served, mail, certified, redirected], 999, Clearance::L2),
        // What is theirs by evidence does not take that evidence away.
        (&[registered, hosted, redirected, "sister.test subdomain www.sister.test"], 952, Clearance::L2),
        // Of one group the strongest counts, once.
        (&[served, mail, reports, redirected], 731, Clearance::L1),
        (&[registered, mail, reports], 817, Clearance::L1),
        // Whoever serves the domain of a customer shares everything with it but the registrant.
        (&[hosted, served, mail, certified, redirected], 989, Clearance::L2),
        (&[hosted, served, mail, certified, redirected, "sister.test registrant Other"], 899, Clearance::L1),
        (&[served, mail, redirected, "sister.test registrant Other"], 731, Clearance::L1),
        (&[registered, hosted, served, mail, "sister.test registrant Other"], 993, Clearance::L2),
        // What speaks of others says nothing.
        (
            &["sister.test registrant Other", "sister.test vendor ns1.host.test", "sister.test contact it@host.test"],
            0,
            Clearance::L0,
        ),
        (&["www.sister.test resolves_to 198.51.100.1", served], 0, Clearance::L0),
        (&[registered, CROWDED], 0, Clearance::L0),
    ];
    for (more, ownership, clearance) in cases {
        let decision = decided(more);
        let shown = if decision.reason == ScopeReason::Evidence { decision.ownership } else { 0 };
        let cleared = if shown == 0 { Clearance::L0 } else { decision.clearance };
        assert_eq!((shown, cleared), (*ownership, *clearance), "{more:?}: {decision:?}");
    }
}

/// Who serves a seed, is looked at as well, and is a candidate at most.
#[test]
fn whoever_serves_a_seed_is_perhaps_theirs_by_further_evidence_and_a_provider_is_not() {
    let registered = "sister.test registrant Acme";
    let mailbox = "sister.test registrant it@acme.test";
    let others = "sister.test registrant Other";
    let relied = "Mailserver mx.sister.test
        acme.test vendor mx.sister.test";
    let hosts = "Nameserver ns.sister.test
        acme.test vendor ns.sister.test
        www.acme.test vendor www.sister.test
        EmailAddress dmarc@sister.test
        acme.test contact dmarc@sister.test mail_policy
        acme.test registrant dmarc@sister.test";
    let pointed = "192.0.2.1 pointer www.sister.test
        www.sister.test resolves_to 192.0.2.1";
    let (served, mail) = ("sister.test vendor ns1.acme.test", "sister.test vendor mx.acme.test");
    let certified = "served foreign_certificate_name www.sister.test";
    let cases: &[(&[&str], u16, Clearance)] = &[
        // A provider of everything, whoever registered it.
        (&[relied, hosts], 0, Clearance::L0),
        (&[relied, hosts, others], 0, Clearance::L0),
        // The same registrant, or one who writes from a mailbox of theirs.
        (&[relied, registered], 622, Clearance::L1),
        // A seed that a third party serves may be registered by that party in its own name.
        (&[relied, hosts, registered], 0, Clearance::L0),
        (&[relied, others], 0, Clearance::L0),
        (&[relied, mailbox], 817, Clearance::L1),
        (&["192.0.2.1 pointer www.sister.test", registered], 0, Clearance::L0),
        (&[pointed, registered], 924, Clearance::L1),
        // However much there is, a person says the last word.
        (&[relied, mailbox, served, mail], 899, Clearance::L1),
        (&[pointed, mailbox, served, mail], 899, Clearance::L1),
        // What a certificate of theirs names counts as before.
        (&[relied, mailbox, served, certified], 982, Clearance::L2),
        // A customer's domain has all of its servers and addresses from a seed.
        (&[pointed, served, mail, others], 0, Clearance::L0),
        (&[pointed, served, mail], 924, Clearance::L1),
        (&[pointed, served, mail, certified, others], 970, Clearance::L1),
        // Of whom a sister is served proves nothing.
        (
            &["Domain kin.test allow\nMailserver mx.sister.test\nkin.test vendor mx.sister.test", registered],
            0,
            Clearance::L0,
        ),
    ];
    for (more, ownership, clearance) in cases {
        let decision = decided(more);
        let shown = if decision.reason == ScopeReason::Evidence { decision.ownership } else { 0 };
        let cleared = if shown == 0 { Clearance::L0 } else { decision.clearance };
        let expected = ((*ownership).min(899).max(if *clearance > Clearance::L1 { *ownership } else { 0 }), *clearance);
        assert_eq!((shown, cleared), expected, "{more:?}: {decision:?}");
    }
    let reached = "www.acme.test link sister.test";
    assert_eq!(decided(&[relied, hosts, others, reached]).evidence, [], "of a provider nothing is told");
    let kinds: Vec<EvidenceKind> =
        decided(&[pointed, served, others, reached]).evidence.iter().map(|one| one.kind).collect();
    let expected = [
        EvidenceKind::OwnAddress,
        EvidenceKind::OwnNameServer,
        EvidenceKind::NamedByPointer,
        EvidenceKind::RegisteredApart,
    ];
    assert_eq!(kinds, expected, "why it is not");
}

#[test]
fn no_evidence_makes_a_domain_theirs_that_resembles_theirs() {
    let shown = ["sister.test registrant Acme", "sister.test vendor ns1.acme.test", "sister.test vendor mx.acme.test"];
    let before = decided(&shown);
    assert_eq!((before.ownership, before.scoped()), (952, true));
    let decision = decided(&[&shown[..], &["acme.test resembles sister.test"]].concat());
    assert_eq!(
        (decision.ownership, decision.clearance, decision.reason),
        (10, Clearance::L2, ScopeReason::Edge(EdgeKind::Resembles))
    );
    assert!(!decision.evidence.is_empty(), "why it might be theirs is printable all the same");
}

#[test]
fn a_registrants_mailbox_weighs_more_than_one_that_takes_reports() {
    let decision = decided(&["sister.test registrant it@acme.test"]);
    assert_eq!((decision.ownership, decision.reason), (731, ScopeReason::Evidence));
    let both = decided(&["sister.test registrant it@acme.test", "sister.test registrant Acme"]);
    assert_eq!(both.ownership, 731, "of registrant and mailbox the mailbox counts, once");
}

#[test]
fn somebody_else_is_who_registered_no_seed_under_any_legal_form() {
    let shown = "www.sister.test resolves_to 192.0.2.1
        sister.test vendor ns1.acme.test
        sister.test vendor mx.acme.test
        served foreign_certificate_name www.sister.test
        sister.test registrant Holder";
    let table = [
        ("Organization Holder", false),
        // Who registered a seed, also one that a third party serves.
        ("Organization Holder\nDomain old.test seed\nold.test registrant Holder", true),
        ("Organization Holder\nDomain old.test\nold.test registrant Holder", false),
        ("Organization Holder seed", true),
        ("Organization Holder seed deny", false),
        ("Organization Holder\nOrganization HOLDER_Ltd seed", true),
        // The seed's registrant is Acme.
        ("Organization Acme_Ltd\nsister.test registrant Acme_Ltd", true),
        ("Organization Acme_Group\nsister.test registrant Acme_Group", false),
    ];
    for (more, is_theirs) in table {
        let decision = decided(&[shown, more]);
        let expected = if is_theirs { (970, Clearance::L2) } else { (899, Clearance::L1) };
        assert_eq!((decision.ownership, decision.clearance), expected, "{more}: {decision:?}");
        let told = decision.evidence.iter().any(|piece| piece.kind == EvidenceKind::RegisteredToOthers);
        assert_eq!(told, !is_theirs, "{more}");
    }
}

#[test]
fn who_hides_a_registrant_is_nobody_else() {
    let shown = "www.sister.test resolves_to 192.0.2.1
        sister.test vendor ns1.acme.test
        sister.test vendor mx.acme.test
        served foreign_certificate_name www.sister.test";
    for name in ["-", "N/A", "Proxy_Protection_LLC", "Domain_Protection_Services,_Inc.", "MarkMonitor_Inc."] {
        let decision = decided(&[shown, &format!("Organization {name}\nsister.test registrant {name}")]);
        assert_eq!((decision.ownership, decision.clearance), (970, Clearance::L2), "{name}: {decision:?}");
    }
    // Where the registrant of the seed itself is hidden, it is not known who is somebody else.
    let of = |name: &str| {
        let home =
            HOME.replace("acme.test registrant Acme", &format!("Organization {name}\nacme.test registrant {name}"));
        world(&format!("{home}\n{shown}\nsister.test registrant Other")).decide(&[]).remove("sister.test").unwrap()
    };
    assert_eq!(of("DNStination_Inc.").ownership, 970);
    assert_eq!(of("Acme_Tools").ownership, 899);
}

#[test]
fn that_it_is_registered_to_others_is_told_beside_evidence_that_it_holds_back() {
    let (other, served, mail) =
        ("sister.test registrant Other", "sister.test vendor ns1.acme.test", "sister.test vendor mx.acme.test");
    let found = "served foreign_certificate_name www.sister.test\nwww.sister.test registrable_domain sister.test";
    let redirected = "https://www.acme.test:443 redirect www.sister.test";
    let hosted = "www.sister.test resolves_to 192.0.2.1";
    let held = "Organization aws:1 seed\naws:1 cloud_account sister.test";
    let cases: &[(&[&str], bool)] = &[
        // A plain stranger.
        (&[other], false),
        (&[other, "sister.test subdomain www.sister.test\nacme.test vendor sister.test"], false),
        // A path decides.
        (&[other, found], false),
        (&[other, served, held], false),
        // The evidence decides, or would do so.
        (&[other, served, mail, redirected], true),
        (&[other, served, mail, redirected, hosted], true),
        (&[other, served, mail, redirected, hosted, held], true),
    ];
    for (more, is_told) in cases {
        let decision = decided(more);
        let told = decision.evidence.iter().find(|piece| piece.kind == EvidenceKind::RegisteredToOthers);
        assert_eq!(told.is_some(), *is_told, "{more:?}: {decision:?}");
        if let Some(piece) = told {
            let text = format!("{} {}", piece.kind.words(), piece.name);
            assert_eq!(text, "evidence alone does not make it theirs: it is registered to Other");
        }
    }
}

#[test]
fn only_who_reads_the_spf_record_tells_of_senders() {
    let shown = "sister.test vendor ns1.acme.test\nhttps://www.acme.test:443 redirect www.sister.test";
    for (task, ownership) in [("sister_domain", 731), ("mail_policy", 731), ("zone_profile", 0), ("suppliers", 0)] {
        let decision = decided(&[shown, &format!("sister.test vendor _spf.acme.test {task}")]);
        let shown = if decision.reason == ScopeReason::Evidence { decision.ownership } else { 0 };
        assert_eq!(shown, ownership, "{task}: {decision:?}");
    }
}

#[test]
fn a_mailbox_of_who_looks_after_a_domain_shows_nothing() {
    let mut world =
        world(&format!("{HOME}\nsister.test vendor ns1.acme.test\nserved foreign_certificate_name www.sister.test"));
    world.edges.insert(Edge {
        from: uid(world.collection, "sister.test"),
        to: uid(world.collection, "it@acme.test"),
        kind: EdgeKind::Contact,
        task: "registration".to_owned(),
    });
    let decision = world.decide(&[]).remove("sister.test").unwrap();
    assert!(!decision.scoped() && decision.reason != ScopeReason::Evidence, "{decision:?}");
}

#[test]
fn a_name_server_that_is_told_as_a_name_as_well_counts_once() {
    let mut world =
        world(&format!("{HOME}\nsister.test vendor ns1.acme.test\nserved foreign_certificate_name www.sister.test"));
    let from = uid(world.collection, "sister.test");
    let names = world.nodes.values().filter(|node| node.kind == Kind::DnsRecord && node.name == "_spf.acme.test");
    let to = names.map(|node| node.uid).next().unwrap();
    world.edges.insert(Edge { from, to, kind: EdgeKind::Vendor, task: "zone_profile".to_owned() });
    let decision = world.decide(&[]).remove("sister.test").unwrap();
    assert_ne!(decision.reason, ScopeReason::Evidence, "{decision:?}");
}

#[test]
fn evidence_is_printable_with_its_weights_also_where_it_does_not_suffice() {
    let print = |decision: &Decision| {
        let pieces = decision.evidence.iter();
        pieces.map(|piece| format!("{} {} {}", piece.kind.words(), piece.name, piece.weight)).collect::<Vec<_>>()
    };
    let found = "served foreign_certificate_name www.sister.test
        www.sister.test registrable_domain sister.test";
    let theirs = decided(&["sister.test registrant Acme", "sister.test vendor ns1.acme.test", found]);
    let expected = [
        "a seed is also registered to Acme 300",
        "it is served by their name server ns1.acme.test 150",
        "it is named in their certificate served 150",
    ];
    assert_eq!(print(&theirs), expected);
    let stranger = decided(&[found]);
    assert_eq!(stranger.reason, ScopeReason::Edge(EdgeKind::RegistrableDomain));
    assert_eq!(print(&stranger), ["it is named in their certificate served 150"]);
}

#[test]
fn what_is_theirs_by_evidence_alone_is_told_apart_from_what_somebody_said() {
    let shown = "sister.test registrant Acme
        sister.test vendor ns1.acme.test
        sister.test vendor mx.acme.test
        sister.test subdomain www.sister.test";
    let by_evidence = |more: &str| {
        let world = world(&format!("{HOME}\n{shown}\n{more}"));
        let rules = Rules { ceiling: Clearance::L3, never: Vec::new() };
        let (decided, _) = decide_again(&world.nodes, &world.edges, &rules, &Reserved::default(), |_| None);
        let found = decided.into_iter().filter(|node| node.by_evidence);
        let mut names: Vec<String> = found.map(|node| world.nodes[&node.uid].name.clone()).collect();
        names.sort();
        names
    };
    assert_eq!(by_evidence(""), ["sister.test", "www.sister.test"]);
    assert_eq!(by_evidence("Organization aws:1 seed\naws:1 cloud_account sister.test"), [""; 0]);
    assert_eq!(by_evidence("DnsRecord www.sister.test allow"), ["sister.test"], "a person said it of the other");
    assert_eq!(by_evidence("AndroidApp com.acme.app seed\ncom.acme.app app_link sister.test"), [""; 0]);
    assert_eq!(by_evidence("acme.test resembles sister.test"), [""; 0], "it is not theirs at all");
}

#[test]
fn names_below_a_sister_follow_it_and_a_persons_word_stands_before_evidence() {
    let shown = "sister.test registrant Acme
        sister.test vendor ns1.acme.test
        sister.test vendor mx.acme.test
        DnsRecord a.sister.test
        sister.test subdomain a.sister.test";
    let of = |text: String, name: &str| world(&text).decide(&[]).remove(name).unwrap();
    let below = of(format!("{HOME}\n{shown}"), "a.sister.test");
    assert_eq!((below.ownership, below.clearance), (952, Clearance::L2));
    // What is served under its names shows no more of it, and an account that holds it does.
    let more = |more: &str, name: &str| of(format!("{HOME}\n{shown}\n{more}"), name).clearance;
    let certified = "served certificate_name sister.test\nserved certificate_name a.sister.test";
    assert_eq!(more(certified, "sister.test"), Clearance::L2, "evidence alone does not open it to a sweep");
    assert_eq!(more(certified, "a.sister.test"), Clearance::L2);
    let titled = "DnsRecord b.sister.test\nsister.test subdomain b.sister.test\nb.sister.test resolves_to 192.0.2.1";
    assert_eq!(more(titled, "b.sister.test"), Clearance::L2);
    assert_eq!(more(titled, "192.0.2.1"), Clearance::L3, "the block is theirs, whose name leads there");
    let held = "Organization aws:1 seed\naws:1 cloud_account a.sister.test";
    assert_eq!(more(held, "a.sister.test"), Clearance::L3);
    let denied = format!("{HOME}\n{shown}").replacen("Domain sister.test", "Domain sister.test deny", 1);
    assert_eq!(of(denied.clone(), "sister.test").reason, ScopeReason::Denied);
    assert_eq!(of(denied, "a.sister.test").ownership, 0);
    let allowed = format!("{HOME}\n{shown}").replacen("Domain sister.test", "Domain sister.test allow", 1);
    assert_eq!(of(allowed, "a.sister.test").clearance, Clearance::L3);
}
