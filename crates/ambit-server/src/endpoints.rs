//! The one table of endpoints. The gate walks it, the documentation is generated from it, and tests walk it: no row
//! answers without a key but the open ones, none shows another project's data, each has a scenario.

mod absent;
mod ambit;
mod asm;
mod feeds;
mod hunting;
mod interface;
mod objects;
mod open;
mod people;
mod sessions;
mod v2;
mod wider;

use crate::endpoint::Endpoint;
use crate::mount::Tree;

/// The parts of the table with the tree of each, in the order of the documentation.
const TABLES: &[(Tree, &[Endpoint])] = &[
    (Tree::Asm, asm::ROWS),
    (Tree::Ambit, ambit::ROWS),
    (Tree::Open, open::ROWS),
    (Tree::Open, interface::ROWS),
    (Tree::Open, sessions::OPEN_ROWS),
    (Tree::Ambit, sessions::ROWS),
    (Tree::Ambit, people::ROWS),
    (Tree::Wider, wider::ROWS),
    (Tree::Wider, objects::ROWS),
    (Tree::Wider, hunting::ROWS),
    (Tree::Wider, feeds::ROWS),
    (Tree::Wider, absent::ROWS),
    (Tree::V2, v2::ROWS),
];

/// Every endpoint.
pub static ENDPOINTS: &[Endpoint] = &joined::<{ rows() }>();

const fn rows() -> usize {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].1.len();
        table += 1;
    }
    count
}

const fn joined<const ALL: usize>() -> [Endpoint; ALL] {
    let mut out = [TABLES[0].1[0]; ALL];
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        let (tree, rows) = TABLES[table];
        let mut row = 0;
        while row < rows.len() {
            out[count] = rows[row].in_tree(tree);
            count += 1;
            row += 1;
        }
        table += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Access::Open;
    use crate::quota::rules;

    #[test]
    fn no_row_stands_twice() {
        for (index, one) in ENDPOINTS.iter().enumerate() {
            let twins = ENDPOINTS[index + 1..]
                .iter()
                .filter(|other| (other.tree, other.method, other.path) == (one.tree, one.method, one.path));
            assert_eq!(twins.count(), 0, "{} {}", one.method.name(), one.path);
        }
    }

    #[test]
    fn only_the_listed_rows_are_open() {
        let open: Vec<&str> = ENDPOINTS.iter().filter(|row| row.access == Open).map(|row| row.path).collect();
        let listed = [
            "/livez",
            "/readyz",
            "/version",
            "/openapi.json",
            "/.well-known/probing.txt",
            "/first_key",
            "/downloads/{token}",
            "/downloads/archives/{token}",
            "/docs",
            "/docs/page.js",
            "/docs/page.css",
            "/",
            "/sign_in",
            "/issues",
            "/issues/{id}",
            "/entities",
            "/entities/{entity_uid}",
            "/collections",
            "/collections/{collection_uuid}",
            "/runs",
            "/runs/{id}",
            "/changes",
            "/technologies",
            "/graphs",
            "/graphs/{id}",
            "/library",
            "/help",
            "/gui/{*object}",
            "/settings",
            "/assets/{file}",
            "/session",
            "/sign_in/ways",
            "/sign_in/provider",
            "/sign_in/callback",
        ];
        assert_eq!(open, listed);
        assert!(ENDPOINTS.iter().all(|row| (row.tree == Tree::Open) == (row.access == Open)));
    }

    #[test]
    fn only_the_wider_api_is_metered() {
        for row in ENDPOINTS {
            assert_eq!(row.tree.is_metered(), row.cost.price != rules::Price::Unmetered, "{}", row.path);
            assert_eq!(row.cost.usage.is_empty(), !row.tree.is_metered(), "{}", row.path);
        }
    }

    #[test]
    fn every_row_says_what_it_does() {
        for row in ENDPOINTS {
            let named = format!("{} {}: {:?}", row.method.name(), row.path, row.summary());
            assert!(row.summary().ends_with('.'), "{named}");
            assert_ne!(row.said, Some(row.handler.summary()), "the handler says that already: {named}");
        }
        let summary = |path: &str| ENDPOINTS.iter().find(|row| row.path == path).map(Endpoint::summary);
        assert_eq!(summary("/livez"), Some("Say that the process is alive."));
        assert_eq!(summary("/sign_in"), Some("Show a page of the web interface, or say why there is none."));
    }
}
