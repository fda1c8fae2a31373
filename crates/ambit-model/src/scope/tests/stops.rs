//! What nothing overrides: exclusions, the deny list and reserved ranges, and what they take with them.

use super::*;

#[test]
fn never_stands_before_allow_and_allow_before_deny_and_deny_before_seed() {
    assert_decided(
        "Domain a.test seed allow deny
         Domain b.test seed allow deny
         Domain c.test seed deny
         Domain d.test seed
         DnsRecord x.a.test
         DnsRecord x.c.test
         a.test subdomain x.a.test
         c.test subdomain x.c.test",
        &["a.test"],
        &[
            "a.test 0 L0 hard_stop",
            "b.test 1000 L3 allow_list_override",
            "c.test 0 L0 deny_list_override",
            "d.test 1000 L3 seed",
            "x.a.test 0 L0 unreached",
            "x.c.test 0 L0 deny_list_override",
        ],
    );
}

#[test]
fn a_denied_thing_takes_with_it_what_is_on_it_below_it_and_in_it() {
    assert_decided(
        "NetBlock 192.0.2.0/24 seed
         NetBlock 192.0.2.64/26 deny
         IpAddress 192.0.2.10 deny
         IpAddress 192.0.2.11
         IpAddress 192.0.2.70 seed
         IpAddress 192.0.2.71 allow
         NetworkService 192.0.2.10:22/tcp
         Uri https://192.0.2.70:443
         Domain acme.test seed
         Domain sold.test deny
         DnsRecord www.sold.test seed
         DnsRecord pay.acme.test deny
         Uri https://pay.acme.test:443/x
         Uri https://www.acme.test:443 deny
         Uri https://www.acme.test:443/x
         acme.test page https://www.acme.test:443/x
         acme.test page https://pay.acme.test:443/x
         192.0.2.0/24 block_member 192.0.2.10
         192.0.2.0/24 block_member 192.0.2.11
         192.0.2.0/24 block_member 192.0.2.71
         192.0.2.11 service 192.0.2.10:22/tcp",
        &[],
        &[
            "192.0.2.0/24 1000 L3 seed",
            "192.0.2.64/26 0 L0 deny_list_override",
            "192.0.2.10 0 L0 deny_list_override",
            "192.0.2.11 970 L3 block_member",
            "192.0.2.70 0 L0 deny_list_override",
            "192.0.2.71 1000 L3 allow_list_override",
            "192.0.2.10:22/tcp 0 L0 deny_list_override",
            "https://192.0.2.70:443 0 L0 deny_list_override",
            "acme.test 1000 L3 seed",
            "sold.test 0 L0 deny_list_override",
            "www.sold.test 0 L0 deny_list_override",
            "pay.acme.test 0 L0 deny_list_override",
            "https://pay.acme.test:443/x 0 L0 deny_list_override",
            "https://www.acme.test:443 0 L0 deny_list_override",
            "https://www.acme.test:443/x 0 L0 deny_list_override",
        ],
    );
}

#[test]
fn an_address_with_none_but_closed_names_is_closed_though_its_block_is_a_seed() {
    let graph = |more: &str| {
        let text = format!(
            "NetBlock 192.0.2.0/24 seed
             IpAddress 192.0.2.10
             DnsRecord printer.acme.test deny
             DnsRecord host-192-0-2-10.isp.example
             192.0.2.0/24 block_member 192.0.2.10
             printer.acme.test resolves_to 192.0.2.10
             host-192-0-2-10.isp.example resolves_to 192.0.2.10
             {more}"
        );
        world(&text).decide(&["*.secret.test"])["192.0.2.10"].reason.clone()
    };
    assert_eq!(graph(""), ScopeReason::Denied);
    assert_eq!(graph("DnsRecord a.secret.test\n a.secret.test resolves_to 192.0.2.10"), ScopeReason::Excluded);
    assert_eq!(
        graph("DnsRecord www.acme.test\n www.acme.test resolves_to 192.0.2.10"),
        ScopeReason::Edge(EdgeKind::BlockMember)
    );
    assert_eq!(graph("IpAddress 192.0.2.10 seed"), ScopeReason::Seed, "it was named itself");
    let aliased = "DnsRecord shop.acme.test\n shop.acme.test resolves_to 192.0.2.10\n DnsRecord a.secret.test";
    assert_eq!(
        graph(&format!("{aliased}\n shop.acme.test alias a.secret.test")),
        ScopeReason::Excluded,
        "the machine behind the alias is the excluded name's"
    );
    assert_eq!(
        graph(&format!("{aliased}\n a.secret.test alias shop.acme.test")),
        ScopeReason::Edge(EdgeKind::BlockMember),
        "what an excluded name leads to is not excluded"
    );
}

#[test]
fn a_reserved_range_opens_by_the_administrators_word_alone() {
    let world = world(
        "IpAddress 10.0.0.1 seed
         IpAddress 10.9.9.9 seed
         NetBlock 10.9.9.0/24 allow
         NetBlock 127.0.0.0/30 allow
         IpAddress 64:ff9b::7f00:1 allow
         Uri http://169.254.169.254:80/latest seed
         IpAddress 192.0.2.1 seed",
    );
    let reserved =
        Reserved::new(crate::reserved::networks(crate::reserved::INTERNAL), vec!["10.9.9.0/28".parse().unwrap()]);
    let rules = Rules { ceiling: Clearance::L3, never: Vec::new() };
    let (decisions, _) = decide_again(&world.nodes, &world.edges, &rules, &reserved, |_| None);
    let decided = |name: &str| {
        let node = decisions.iter().find(|node| node.uid == uid(world.collection, name));
        node.and_then(|node| node.decision.as_ref()).map(|decision| decision.reason.clone()).unwrap()
    };
    for name in ["10.0.0.1", "10.9.9.0/24", "127.0.0.0/30", "64:ff9b::7f00:1", "http://169.254.169.254:80/latest"] {
        assert_eq!(decided(name), ScopeReason::Reserved, "{name}");
    }
    assert_eq!((decided("10.9.9.9"), decided("192.0.2.1")), (ScopeReason::Seed, ScopeReason::Seed));
}

#[test]
fn a_denied_name_is_no_detour_around_a_better_one() {
    assert_decided(
        "Domain acme.test seed
         DnsRecord old.acme.test deny
         DnsRecord a.old.acme.test
         acme.test subdomain old.acme.test
         old.acme.test subdomain a.old.acme.test
         acme.test link a.old.acme.test",
        &[],
        &["acme.test 1000 L3 seed", "old.acme.test 0 L0 deny_list_override", "a.old.acme.test 50 L1 link"],
    );
}

#[test]
fn an_exclusion_of_pages_may_end_with_a_star_and_has_none_elsewhere() {
    for (typed, read) in [
        ("https://www.acme.test/private/*", Some("https://www.acme.test:443/private")),
        ("https://www.acme.test/private/**", Some("https://www.acme.test:443/private")),
        ("https://www.acme.test/*", Some("https://www.acme.test:443")),
        ("https://www.acme.test/private?id=*", Some("https://www.acme.test:443/private?id=*")),
        ("*.acme.test", Some("*.acme.test")),
        ("https://www.acme.test/priv*", None),
        ("https://www.acme.test/*/edit", None),
        ("https://www.acme.test/private/*?id=7", None),
    ] {
        assert_eq!(exclusion(typed).ok().as_deref(), read, "{typed}");
    }
}

#[test]
fn what_excludes_no_address_is_no_exclusion() {
    for (typed, remedy) in
        [("AS64500", "exclude the blocks of the network"), ("org:Acme Ltd", "exclude its names and blocks")]
    {
        assert!(exclusion(typed).is_err_and(|error| error.to_string().contains(remedy)), "{typed}");
    }
}

#[test]
fn never_covers_names_hosts_and_blocks() {
    let covered = |name: &str, patterns: &[&str]| {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        is_never(name, &patterns)
    };
    for (name, pattern) in [
        ("pay.acme.test", "pay.acme.test"),
        ("pay.acme.test", "PAY.Acme.test."),
        ("https://www.acme.test:443/private/home", "https://www.acme.test/private/*"),
        ("https://www.acme.test:443/private", "https://www.acme.test/private/**"),
        ("https://www.acme.test:443/private/a/b", "https://www.acme.test/private/*/b"),
        ("xn--bcher-kva.example", "bücher.example"),
        ("a.b.acme.test", "*.acme.test"),
        ("https://pay.acme.test:443/login", "pay.acme.test"),
        ("https://a.acme.test:443", "*.acme.test"),
        ("someone@acme.test", "acme.test"),
        ("192.0.2.7", "192.0.2.0/24"),
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "::ffff:192.0.2.7"),
        ("192.0.2.7:22/tcp", "192.0.2.0/24"),
        ("https://192.0.2.7:8443", "192.0.2.7"),
        ("[2001:db8::7]:22/tcp", "2001:db8::/32"),
        ("https://[2001:db8::7]:443", "2001:DB8:0::7"),
        ("192.0.2.0/25", "192.0.2.0/24"),
        ("192.0.2.0/24", "192.0.2.5/24"),
        ("AS64500", "as64500"),
        ("https://www.acme.test:443/login", "https://www.Acme.test/login"),
        ("https://www.acme.test:443/login/x", "https://www.acme.test/login"),
        ("https://www.acme.test:443/login", "https://www.acme.test"),
        ("64:ff9b::c000:207", "192.0.2.7"),
    ] {
        assert!(covered(name, &[pattern]), "{name} {pattern}");
    }
    for (name, pattern) in [
        ("acme.test", "*.acme.test"),
        ("notacme.test", "*.acme.test"),
        ("www.acme.test", "acme.test"),
        ("pay.acme.test.evil.example", "pay.acme.test"),
        ("https://www.acme.test:443/pay.acme.test", "pay.acme.test"),
        ("192.0.20.7", "192.0.2.0/24"),
        ("192.0.0.0/8", "192.0.0.0/24"),
        ("acme.test", ""),
        ("acme.test", "*."),
        ("https://www.acme.test:443", "https://www.acme.test/login"),
        ("https://www.acme.test:443/logins", "https://www.acme.test/login"),
        ("https://www.acme.test:4430", "https://www.acme.test"),
        ("www.acme.test", "https://www.acme.test"),
    ] {
        assert!(!covered(name, &[pattern]), "{name} {pattern}");
    }
    assert!(!covered("acme.test", &[]));
}

#[test]
fn a_hard_stop_stops_everything_behind_it() {
    assert_decided(
        "Domain acme.test seed
         DnsRecord pay.acme.test
         IpAddress 192.0.2.1
         Uri https://192.0.2.1:443
         acme.test subdomain pay.acme.test
         acme.test resolves_to 192.0.2.1
         192.0.2.1 site https://192.0.2.1:443
         pay.acme.test site https://192.0.2.1:443",
        &["pay.acme.test", "192.0.2.0/24"],
        &[
            "acme.test 1000 L3 seed",
            "pay.acme.test 0 L0 hard_stop",
            "192.0.2.1 0 L0 hard_stop",
            "https://192.0.2.1:443 0 L0 hard_stop",
        ],
    );
}
