//! What is behind what a run looks at first: pages behind a front page, and domains behind what serves a seed.

use super::{compare, explore, world};
use ambit_model::scope::ScopeReason;
use ambit_model::{Clearance, Kind};
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn hosts_that_pages_two_links_away_and_sources_of_scripts_name_are_found() {
    let source = "'https://viaduct.acme.test/'";
    let map = json!({"version": 3, "mappings": "", "sources": ["a.ts"], "sourcesContent": [source]});
    let map = map.to_string().replace('"', "\\\"");
    let (explorer, truth) = explore(
        &world(&format!(
            "name www.acme.test A 203.0.113.10\nname {{gantry,ottoman,viaduct}}.acme.test A 203.0.113.{{20..22}}\n\
             name {{zeppelin,cupola}}.acme.test A 203.0.113.{{24,25}}\n  hidden\n\
             site https://www.acme.test \"Acme\"\n  loads https://www.acme.test/app.js\n  \
             links https://www.acme.test/about https://www.acme.test/closed/a\n  \
             robots \"User-agent: *\\nDisallow: /closed/\"\n  \
             page /app.js application/javascript \"start()\"\n  \
             page /app.js.map application/json \"{map}\"\n  \
             page /about \"<a href='/team'>x</a> <a href='https://gantry.acme.test/'>x</a>\"\n  \
             page /team \"<a href='/history'>x</a> <a href='https://ottoman.acme.test/'>x</a>\"\n  \
             page /history \"<a href='https://zeppelin.acme.test/'>x</a>\"\n  \
             page /closed/a \"<a href='https://cupola.acme.test/'>x</a>\""
        )),
        Clearance::L3,
    );
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    let present: BTreeSet<String> = explorer.present().map(|(_, name)| name).collect();
    assert!(!present.contains("zeppelin.acme.test"), "it is three links away");
    assert!(!present.contains("cupola.acme.test"), "what leads there is closed to robots");
    assert_eq!(explorer.outside(), Vec::<String>::new());
}

/// Domains that serve `acme.test`: those that begin with its name are registered by its mailbox.
const SERVED: &str = "org mailers \"Mailers Inc\" stranger email desk@mailers.test
org hidden \"Hidden\" stranger
block 192.0.2.0/25   of mailers asn AS64503 named MAILERS-NET
block 192.0.2.128/25 of hidden  asn AS64504 named HIDDEN-NET
zone {acmemail,acmesend,acmereports,acmehosts}.test of acme
  ns ns1.hidden.test
zone mailers.test of mailers
  ns ns1.mailers.test 192.0.2.2
zone hidden.test of hidden
  ns ns1.hidden.test 192.0.2.130
  redacted
name acme.test A 203.0.113.10 MX 10 mx.acmemail.test MX 20 mx.mailers.test MX 30 mx.hidden.test
  TXT \"v=spf1 include:_spf.acmesend.test include:_spf.mailers.test include:_spf.hidden.test -all\"
name _dmarc.acme.test TXT \"v=DMARC1; p=reject; rua=mailto:d@acmereports.test,mailto:d@mailers.test\"
name {mx,mail}.acmemail.test A 192.0.2.{131,132}
name _spf.acmesend.test TXT \"v=spf1 ip4:192.0.2.133 -all\"
name www.acmereports.test A 192.0.2.134
name {db1.acmehosts,www.acme}.test A 203.0.113.40
host 203.0.113.40
  ptr db1.acmehosts.test
name mx.{mailers,hidden}.test A 192.0.2.{3,135}
name _spf.{mailers,hidden}.test TXT \"v=spf1 -all\"";

#[test]
fn domains_that_serve_a_seed_are_candidates_by_further_evidence_and_providers_are_not() {
    let (explorer, truth) = explore(&world(SERVED), Clearance::L3);
    let (_, unexpected) = compare(&explorer, &truth);
    assert!(unexpected.is_empty(), "unexpected {unexpected:#?}");
    assert_eq!(explorer.outside(), Vec::<String>::new(), "contacts outside clearance");
    let is_known = |name: &str| explorer.present().any(|entity| entity == (Kind::Domain, name.to_owned()));
    let decided = |name: &str| explorer.facts(Kind::Domain, name).decision;
    for name in ["acmemail.test", "acmesend.test", "acmereports.test", "acmehosts.test"] {
        assert!(is_known(name), "{name} is not known: {:#?}", explorer.present().collect::<Vec<_>>());
        let decision = decided(name);
        let stands = (decision.reason.clone(), decision.clearance, decision.scoped());
        assert_eq!(stands, (ScopeReason::Evidence, Clearance::L1, false), "{name}: {decision:#?}");
    }
    for name in ["mailers.test", "hidden.test"] {
        assert!(is_known(name), "{name} is not known");
        let decision = decided(name);
        assert!(decision.evidence.is_empty() && decision.clearance <= Clearance::L1, "{name}: {decision:#?}");
    }
    let visited = explorer.present().filter(|(kind, name)| {
        matches!(kind, Kind::Uri | Kind::NetworkService) && (name.contains("192.0.2.") || name.contains("acmemail"))
    });
    assert_eq!(visited.collect::<Vec<_>>(), [], "a candidate is not visited");
}
