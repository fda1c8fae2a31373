//! What is behind what a run looks at first: pages behind a front page.

use super::{compare, explore, world};
use ambit_model::Clearance;
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
