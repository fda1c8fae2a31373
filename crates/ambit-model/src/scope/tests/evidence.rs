//! Who an address, a delegated name and an alias belong to: by positive evidence, never because nobody else is known
//! there.

use super::*;

/// A domain of ours with a name that resolves to an address, and whatever else.
fn bound(more: &str) -> BTreeMap<String, Decision> {
    let text = format!(
        "Domain acme.test seed
         DnsRecord www.acme.test
         IpAddress 192.0.2.1
         NetworkService 192.0.2.1:443/tcp
         acme.test subdomain www.acme.test
         www.acme.test resolves_to 192.0.2.1
         192.0.2.1 service 192.0.2.1:443/tcp
         {more}"
    );
    world(&text).decide(&[])
}

/// Ownership, clearance and ground of the address.
fn address(more: &str) -> String {
    let decision = &bound(more)["192.0.2.1"];
    format!(
        "{} {:?} {}",
        decision.ownership,
        decision.clearance,
        decision.path.last().map_or_else(|| "-".to_owned(), ground)
    )
}

const STRANGER: &str = "\nDomain other.test\nother.test resolves_to 192.0.2.1";

#[test]
fn that_nobody_else_is_known_at_an_address_is_no_evidence() {
    assert_eq!(address(""), "500 L2 -");
    assert_eq!(address(STRANGER), "500 L2 -");
    let service = &bound("")["192.0.2.1:443/tcp"];
    assert_eq!((service.ownership, service.clearance), (500, Clearance::L1), "pages are asked for by name");
    let proven = &bound("NetBlock 192.0.2.0/24 seed\n192.0.2.0/24 block_member 192.0.2.1")["192.0.2.1:443/tcp"];
    assert_eq!((proven.ownership, proven.clearance), (970, Clearance::L3));
}

#[test]
fn a_block_registered_to_the_registrant_of_a_seed_is_theirs() {
    let served = |server: &str| format!("Nameserver {server}\nacme.test vendor {server}\n");
    let of = |registrant: &str| {
        format!(
            "Organization Acme\nOrganization {registrant}\nacme.test registrant Acme\n192.0.2.1 registrant \
             {registrant}\n"
        )
    };
    let by = |registrant: &str| served("ns1.acme.test") + &of(registrant);
    assert_eq!(address(&by("ACME")), "900 L3 registrant ACME");
    assert_eq!(address(&by("Acmes")), "500 L2 -");
    assert_eq!(address(&(served("ns-1.awsdns-01.com") + &of("Acme"))), "900 L3 registrant Acme");
    // Who serves the zone may have registered it in their own name, and holds the blocks of all of their customers.
    assert_eq!(address(&(served("ns1.host.test") + &of("Acme"))), "500 L2 -");
    assert_eq!(address(&(served("ns1.acme.test") + &served("ns1.host.test") + &of("Acme"))), "500 L2 -");
    assert_eq!(address(&of("Acme")), "500 L2 -", "nobody knows who serves it");
    // Title to the block outweighs whoever has a name there.
    assert_eq!(address(&(by("ACME") + STRANGER)), "900 L3 registrant ACME");
    // What a name below the seed, a block or somebody else is registered to says nothing.
    let told = |by: &str, kind: &str| {
        format!("Organization Lessor\n{kind} {by}\n{by} registrant Lessor\n192.0.2.1 registrant Lessor")
    };
    assert_eq!(address(&told("198.51.100.0/24", "NetBlock")), "500 L2 -");
    assert_eq!(address(&told("vendor.test", "Domain")), "500 L2 -");
    let allowed = "Domain vendor.test allow\nNameserver ns1.vendor.test\nvendor.test vendor ns1.vendor.test\n";
    let whole = format!("{allowed}Organization Lessor\nvendor.test registrant Lessor\n192.0.2.1 registrant Lessor");
    assert_eq!(address(&whole), "500 L2 -", "who allows a domain has not named what else its registrant holds");
}

#[test]
fn a_block_whose_registrant_writes_from_a_seeds_domain_is_theirs() {
    let by = |mailbox: &str| format!("EmailAddress {mailbox}\n192.0.2.1 registrant {mailbox}");
    assert_eq!(address(&by("noc@acme.test")), "900 L3 registrant noc@acme.test");
    assert_eq!(address(&by("noc@mail.acme.test")), "900 L3 registrant noc@mail.acme.test");
    assert_eq!(address(&by("noc@notacme.test")), "500 L2 -");
    // A host that somebody named names no domain: its vendor's mailbox is the vendor's.
    let host = world(
        "DnsRecord app.vendor.test seed
         IpAddress 192.0.2.1
         EmailAddress noc@vendor.test
         app.vendor.test resolves_to 192.0.2.1
         192.0.2.1 registrant noc@vendor.test",
    );
    assert_eq!(host.decide(&[])["192.0.2.1"].ownership, 500);
}

#[test]
fn a_reverse_name_counts_where_it_is_theirs_and_leads_back() {
    assert_eq!(address("192.0.2.1 pointer www.acme.test"), "900 L3 reverse_name www.acme.test");
    let unconfirmed = "DnsRecord rack.acme.test\nacme.test subdomain rack.acme.test\n192.0.2.1 pointer rack.acme.test";
    assert_eq!(address(unconfirmed), "500 L2 -");
    let theirs =
        "DnsRecord rack.isp.example\nrack.isp.example resolves_to 192.0.2.1\n192.0.2.1 pointer rack.isp.example";
    assert_eq!(address(theirs), "500 L2 -");
    // Strangers on the machine: it may be a host that many share, which calls itself by one of their names.
    assert_eq!(address(&format!("192.0.2.1 pointer www.acme.test{STRANGER}")), "500 L2 -");
    let provider = "DnsRecord ip-192-0-2-1.isp.example\nip-192-0-2-1.isp.example resolves_to 192.0.2.1\n192.0.2.1 \
                    pointer www.acme.test";
    assert_eq!(
        address(provider),
        "900 L3 reverse_name www.acme.test",
        "a name that spells the address is its provider's"
    );
}

#[test]
fn a_name_that_is_no_node_makes_an_address_strange() {
    let mut graph = world(
        "Domain acme.test seed
         IpAddress 192.0.2.1
         acme.test resolves_to 192.0.2.1
         192.0.2.1 pointer acme.test",
    );
    assert_eq!(graph.decide(&[])["192.0.2.1"].ownership, 900);
    graph.edge("nobody.test", EdgeKind::ResolvesTo, "192.0.2.1");
    assert_eq!(graph.decide(&[])["192.0.2.1"].ownership, 500);
}

#[test]
fn what_an_address_tells_of_its_block_stands_against_the_block_around_that() {
    let told = |holder: &str, more: &str| {
        let text = format!(
            "NetBlock 192.0.2.0/24 seed
             NetBlock 192.0.2.0/30
             IpAddress 192.0.2.1
             Organization Acme
             Organization {holder}
             192.0.2.0/24 block_member 192.0.2.1
             192.0.2.1 covering_block 192.0.2.0/30
             192.0.2.1 registrant {holder}
             {more}"
        );
        let decision = &world(&text).decide(&[])["192.0.2.1"];
        (decision.ownership, decision.path.last().map_or_else(|| "-".to_owned(), ground))
    };
    let held = "192.0.2.0/24 registrant Acme";
    assert_eq!(told("Other", held), (50, "foreign_allocation 192.0.2.0/30".to_owned()));
    assert_eq!(told("ACME", held), (970, "-".to_owned()));
    assert_eq!(told("Other", ""), (970, "-".to_owned()), "nobody knows who holds the whole");
    let named = format!("{held}\nNetBlock 192.0.2.0/30 seed");
    assert_eq!(told("Other", &named), (970, "-".to_owned()), "a person named the part");
}

#[test]
fn a_certificate_of_a_host_shows_nothing_of_what_lies_beside_and_above_it() {
    let shown = |seed: &str, more: &str| {
        let text = format!(
            "DnsRecord www.vendor.test
             DnsRecord a.www.vendor.test
             DnsRecord shop.vendor.test
             Domain vendor.test
             IpAddress 192.0.2.1
             SslCertificate one
             {seed}
             www.vendor.test certificate one
             www.vendor.test resolves_to 192.0.2.1
             192.0.2.1 default_certificate one
             one certificate_name www.vendor.test
             one certificate_name a.www.vendor.test
             {more}"
        );
        let decisions = world(&text).decide(&[]);
        let of = |name: &str| (decisions[name].ownership, decisions[name].clearance);
        let steps = decisions["vendor.test"].path.last().map_or_else(|| "-".to_owned(), ground);
        (["a.www.vendor.test", "shop.vendor.test", "vendor.test", "192.0.2.1"].map(of), steps)
    };
    let (both, domain) =
        ("one certificate_name shop.vendor.test\none certificate_name vendor.test", "none_above vendor.test");
    let host = "DnsRecord www.vendor.test seed";
    let (theirs, perhaps) = ((950, Clearance::L3), (600, Clearance::L1));
    assert_eq!(
        shown(host, ""),
        ([theirs, (0, Clearance::L0), (0, Clearance::L0), (900, Clearance::L3)], "-".to_owned())
    );
    let told = ([theirs, perhaps, perhaps, (500, Clearance::L2)], domain.to_owned());
    assert_eq!(shown(host, both), told, "nor of the machine, which others share");
    // Who has the domain has what is in it.
    let (found, _) = shown("Domain vendor.test seed\nvendor.test subdomain www.vendor.test", both);
    assert_eq!(found, [theirs, theirs, (1000, Clearance::L3), (900, Clearance::L3)]);
}

#[test]
fn a_certificate_counts_that_is_shown_to_everybody_and_names_only_what_is_theirs() {
    let shown = "SslCertificate one\n192.0.2.1 default_certificate one\none certificate_name www.acme.test";
    assert_eq!(address(shown), "900 L3 default_certificate one");
    assert_eq!(address("SslCertificate one\n192.0.2.1 default_certificate one"), "500 L2 -");
    assert_eq!(
        address("SslCertificate one\n192.0.2.1 certificate one\none certificate_name www.acme.test"),
        "500 L2 -"
    );
    for also in [
        "DnsRecord www.other.test\none foreign_certificate_name www.other.test",
        "DnsRecord fan.acme.test\none delegated_subdomain fan.acme.test",
    ] {
        assert_eq!(address(&format!("{shown}\n{also}")), "500 L2 -", "{also}");
    }
}

#[test]
fn evidence_that_goes_away_counts_no_more() {
    let mut graph = world(
        "Domain acme.test seed
         IpAddress 192.0.2.1
         acme.test resolves_to 192.0.2.1
         192.0.2.1 pointer acme.test",
    );
    assert_eq!(graph.decide(&[])["192.0.2.1"].clearance, Clearance::L3);
    graph.edges.retain(|edge| edge.kind != EdgeKind::Pointer);
    assert_eq!(graph.decide(&[])["192.0.2.1"].clearance, Clearance::L2);
}

#[test]
fn an_address_in_a_block_that_somebody_gave_is_theirs() {
    assert_eq!(address("NetBlock 192.0.2.0/24 seed"), "900 L3 seeded_block 192.0.2.0/24");
    assert_eq!(address("NetBlock 192.0.2.0/24 allow"), "900 L3 seeded_block 192.0.2.0/24");
    assert_eq!(address("NetBlock 192.0.2.0/24"), "500 L2 -");
    assert_eq!(address("NetBlock 192.0.2.0/24 seed deny"), "0 L0 -", "what is denied takes along what is in it");
    assert_eq!(address("NetBlock 192.0.3.0/24 seed"), "500 L2 -");
}

#[test]
fn an_address_in_a_block_that_a_named_network_announces_is_theirs() {
    let announced = |flags: &str| {
        address(&format!("AutonomousSystem AS64500 {flags}\nNetBlock 192.0.2.0/24\nAS64500 announces 192.0.2.0/24"))
    };
    assert_eq!(announced("seed"), "900 L3 announced_block 192.0.2.0/24");
    assert_eq!(announced(""), "500 L2 -", "a network around an address is nobody's word");
    assert_eq!(announced("seed deny"), "500 L2 -");
}

/// A block as a seed, in which a smaller one is registered to somebody; an address of each, and one in both that a name
/// leads to.
fn allocated(flags: &str, more: &str) -> BTreeMap<String, Decision> {
    let text = format!(
        "Domain acme.test seed
         NetBlock 192.0.2.0/24 seed
         NetBlock 192.0.2.96/28 {flags}
         IpAddress 192.0.2.1
         IpAddress 192.0.2.97
         IpAddress 192.0.2.98
         Organization Other
         192.0.2.96/28 registrant Other
         192.0.2.0/24 suballocation 192.0.2.96/28
         192.0.2.0/24 block_member 192.0.2.1
         192.0.2.0/24 block_member 192.0.2.97
         acme.test resolves_to 192.0.2.98
         {more}"
    );
    world(&text).decide(&[])
}

#[test]
fn a_block_of_somebody_else_within_a_seed_waits_for_a_persons_word() {
    let shown = |decisions: &BTreeMap<String, Decision>, name: &str| {
        let decision = &decisions[name];
        format!(
            "{} {:?} {}",
            decision.ownership,
            decision.clearance,
            decision.path.last().map_or_else(|| "-".to_owned(), ground)
        )
    };
    let asked = allocated("", "");
    assert_eq!(shown(&asked, "192.0.2.1"), "970 L3 -");
    assert_eq!(shown(&asked, "192.0.2.96/28"), "50 L1 foreign_allocation 192.0.2.96/28");
    assert_eq!(shown(&asked, "192.0.2.97"), "50 L1 foreign_allocation 192.0.2.96/28");
    assert_eq!(shown(&asked, "192.0.2.98"), "500 L2 -", "a name of theirs leads there");
    for flag in ["seed", "allow"] {
        let told = allocated(flag, "");
        assert_eq!(shown(&told, "192.0.2.97"), "970 L3 -", "{flag}");
        assert_eq!(shown(&told, "192.0.2.98"), "900 L3 seeded_block 192.0.2.96/28", "{flag}");
    }
    let own = allocated("", "acme.test registrant Other\nNameserver ns1.acme.test\nacme.test own_server ns1.acme.test");
    assert_eq!(shown(&own, "192.0.2.96/28"), "970 L3 registrant Other");
    assert_eq!(shown(&own, "192.0.2.97"), "970 L3 -");
}

#[test]
fn what_was_delegated_to_others_stays_theirs_whatever_else_tells_of_it() {
    let graph = |more: &str| {
        let text = format!(
            "Domain acme.test seed
             PreCertificate logged
             DnsRecord fan.acme.test
             DnsRecord www.fan.acme.test
             Mailserver mx.fan.acme.test
             IpAddress 192.0.2.1
             acme.test logged_certificate logged
             acme.test delegated_subdomain fan.acme.test
             logged certificate_name www.fan.acme.test
             logged certificate_name fan.acme.test
             acme.test own_server mx.fan.acme.test
             www.fan.acme.test resolves_to 192.0.2.1
             192.0.2.1 pointer www.fan.acme.test
             {more}"
        );
        let decisions = world(&text).decide(&[]);
        let names = ["fan.acme.test", "www.fan.acme.test", "mx.fan.acme.test", "192.0.2.1"];
        names.map(|name| (decisions[name].ownership, decisions[name].clearance))
    };
    let handed = (600, Clearance::L2);
    assert_eq!(graph(""), [handed, handed, handed, (500, Clearance::L2)]);
    // Its own zone shows it besides: the delegation is a thing of the past, or of one who could not look.
    assert_eq!(graph("acme.test subdomain fan.acme.test")[1], (950, Clearance::L3));
    // A person's word.
    assert_eq!(graph("DnsRecord fan.acme.test seed")[1], (950, Clearance::L3));
}

#[test]
fn an_alias_through_somebody_elses_name_leads_to_somebody_else() {
    let graph = |alias: &str, more: &str| {
        let text = format!(
            "Domain acme.test seed
             DnsRecord pay.acme.test
             DnsRecord acme.partner.test
             IpAddress 192.0.2.1
             acme.test subdomain pay.acme.test
             pay.acme.test {alias} acme.partner.test
             pay.acme.test resolves_to 192.0.2.1
             acme.partner.test resolves_to 192.0.2.1
             {more}"
        );
        let decision = world(&text).decide(&[])["192.0.2.1"].clone();
        format!(
            "{} {:?} {}",
            decision.ownership,
            decision.clearance,
            decision.path.last().map_or_else(|| "-".to_owned(), ground)
        )
    };
    assert_eq!(graph("alias", ""), "100 L1 foreign_alias acme.partner.test");
    assert_eq!(graph("hosted_alias", ""), "500 L2 -", "a platform serves us by our name");
    assert_eq!(graph("alias", "DnsRecord acme.partner.test allow"), "500 L2 -", "a person's word");
    let own = "Organization Acme\nacme.test registrant Acme\n192.0.2.1 registrant Acme\nNameserver \
               ns1.acme.test\nacme.test own_server ns1.acme.test";
    assert_eq!(graph("alias", own), "900 L3 registrant Acme", "by somebody else's name to our own block");
}

#[test]
fn the_certificate_of_a_platform_is_not_theirs() {
    let shown = "SslCertificate platform\nwww.acme.test unrelated_certificate platform";
    let certificate = |more: &str| bound(&format!("{shown}\n{more}"))["platform"].ownership;
    assert_eq!(certificate(""), 500);
    assert_eq!(certificate("192.0.2.1 pointer www.acme.test"), 950, "what their own machine shows is theirs to mend");
    let also_elsewhere = "192.0.2.1 pointer www.acme.test\nIpAddress 192.0.2.2\nwww.acme.test resolves_to 192.0.2.2";
    assert_eq!(certificate(also_elsewhere), 500);
}

#[test]
fn evidence_spreads_from_address_to_name_to_address() {
    // The certificate on the first address names b, and b is the second one's reverse name.
    assert_decided(
        "Domain acme.test seed
         IpAddress 192.0.2.1
         SslCertificate one
         DnsRecord b.acme.test
         IpAddress 192.0.2.2
         NetworkService 192.0.2.2:443/tcp
         acme.test resolves_to 192.0.2.1
         192.0.2.1 pointer acme.test
         192.0.2.1 certificate one
         one certificate_name b.acme.test
         b.acme.test resolves_to 192.0.2.2
         192.0.2.2 pointer b.acme.test
         192.0.2.2 service 192.0.2.2:443/tcp",
        &[],
        &[
            "acme.test 1000 L3 seed",
            "192.0.2.1 900 L3 resolves_to",
            "one 900 L3 certificate",
            "b.acme.test 900 L3 certificate_name",
            "192.0.2.2 900 L3 resolves_to",
            "192.0.2.2:443/tcp 900 L3 service",
        ],
    );
}

/// What an address is worth in a block, by the block and by the flag that says who shares it; a block leads to it, or a
/// name, or both.
fn in_block(block: &str, flag: &str) -> [String; 3] {
    let (member, name) = ("BLOCK block_member 192.0.2.1", "acme.test resolves_to 192.0.2.1");
    [member.to_owned(), name.to_owned(), format!("{member}\n{name}")].map(|leads| {
        let text = format!(
            "Domain acme.test seed
             IpAddress 192.0.2.1 {flag}
             Domain customer.test
             customer.test resolves_to 192.0.2.1
             {block}
             {leads}"
        );
        let around = ["192.0.2.0/23", "192.0.2.0/24", "192.0.2.0/30", "192.0.2.1/32"];
        let around = around.into_iter().rfind(|net| block.contains(net)).unwrap();
        let decisions = world(&text.replace("BLOCK", around)).decide(&[]);
        let (address, customer) = (&decisions["192.0.2.1"], &decisions["customer.test"]);
        assert!(!customer.scoped() && customer.clearance == Clearance::L0, "{text}: {customer:?}");
        format!("{} {:?}", address.ownership, address.clearance)
    })
}

#[test]
fn strangers_names_take_no_address_out_of_a_block_that_was_given_or_is_announced_and_platforms_do() {
    let announced = "AutonomousSystem AS64500 seed\nNetBlock 192.0.2.0/24\nAS64500 announces 192.0.2.0/24";
    let registered = "NetBlock 192.0.2.0/24\nOrganization Acme\nNameserver ns1.acme.test\nacme.test vendor \
                      ns1.acme.test\nacme.test registrant Acme\n192.0.2.1 registrant Acme\n192.0.2.0/24 registrant \
                      Acme";
    let (whole, titled, shared, nothing) = ("970 L3", "900 L3", "200 L2", "0 L0");
    // The block; then what leads there is the block, a name, or both.
    let table = [
        ("NetBlock 192.0.2.0/23 seed", "crowded", [whole, titled, whole]),
        ("NetBlock 192.0.2.0/24 seed", "crowded", [whole, titled, whole]),
        ("NetBlock 192.0.2.0/24 allow", "crowded", [whole, titled, whole]),
        ("NetBlock 192.0.2.1/32 seed", "crowded", [whole, titled, whole]),
        (announced, "crowded", [whole, titled, whole]),
        // The text of a registrant is no title that outweighs them.
        (registered, "", [nothing, titled, titled]),
        (registered, "crowded", [nothing, shared, shared]),
        (registered, "shared", [nothing, shared, shared]),
        ("NetBlock 192.0.2.0/24", "crowded", [nothing, shared, shared]),
        // A platform stays one, unless a person named so few addresses that each is meant.
        ("NetBlock 192.0.2.0/23 seed", "shared", [shared; 3]),
        (announced, "shared", [shared; 3]),
        ("NetBlock 192.0.2.0/24 seed", "shared", [whole, titled, whole]),
        ("NetBlock 192.0.2.0/30 seed", "shared", [whole, titled, whole]),
        ("NetBlock 192.0.2.1/32 seed", "shared", [whole, titled, whole]),
        ("NetBlock 192.0.2.1/32 allow", "shared", [whole, titled, whole]),
        ("NetBlock 192.0.2.0/30 seed", "crowded shared", [whole, titled, whole]),
    ];
    for (block, flag, expected) in table {
        assert_eq!(in_block(block, flag), expected, "{flag} in {block}");
    }
}

#[test]
fn a_part_that_others_registered_is_theirs_though_strangers_share_it() {
    let part = "NetBlock 192.0.2.0/24 seed\nNetBlock 192.0.2.0/30\nOrganization Other\n192.0.2.0/30 registrant Other\n";
    let registered = format!("{part}192.0.2.0/24 suballocation 192.0.2.0/30");
    let unknown = format!("{part}AutonomousSystem AS64500 seed\nAS64500 unknown_part 192.0.2.0/30");
    for (part, flag) in
        [&registered, &unknown].into_iter().flat_map(|part| ["", "crowded", "shared"].map(|flag| (part, flag)))
    {
        let member = world(&format!("{part}\nIpAddress 192.0.2.1 {flag}\n192.0.2.0/24 block_member 192.0.2.1"));
        let decision = &member.decide(&[])["192.0.2.1"];
        assert!(!decision.scoped() && decision.clearance <= Clearance::L1, "{flag}: {decision:?}");
    }
}

#[test]
fn what_a_machine_says_that_others_share_shows_nothing_of_their_domains() {
    let decided = |flag: &str| {
        let text = format!(
            "Domain acme.test seed
             NetBlock 192.0.2.0/24 seed
             IpAddress 192.0.2.1 {flag}
             IpAddress 192.0.2.2
             NetworkService 192.0.2.1:443/tcp
             Uri https://192.0.2.1:443
             SslCertificate one
             Domain customer.test
             DnsRecord www.customer.test
             Mailserver mx.acme.test
             192.0.2.0/24 block_member 192.0.2.1
             192.0.2.0/24 block_member 192.0.2.2
             192.0.2.1 service 192.0.2.1:443/tcp
             192.0.2.1:443/tcp certificate one
             192.0.2.1:443/tcp site https://192.0.2.1:443
             one foreign_certificate_name customer.test
             https://192.0.2.1:443 redirect www.customer.test
             customer.test subdomain www.customer.test
             customer.test vendor mx.acme.test
             customer.test resolves_to 192.0.2.2"
        );
        world(&text).decide(&[])["customer.test"].clone()
    };
    // Address, mail server, certificate and redirect.
    assert!(decided("").scoped(), "{:?}", decided(""));
    let customer = decided("crowded");
    assert!(!customer.scoped() && customer.clearance <= Clearance::L1, "{customer:?}");
}
