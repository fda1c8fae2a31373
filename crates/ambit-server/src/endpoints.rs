//! The one table of endpoints. The gate walks it, the documentation is generated from it, and tests walk it: no row answers without a key but the open
//! ones, none shows another project's data, each has a scenario.

mod ambit;
mod asm;
mod feeds;
mod hunting;
mod open;
mod people;
mod v2;
mod wider;

use crate::endpoint::Endpoint;

/// The parts of the table, in the order of the documentation.
const TABLES: &[&[Endpoint]] = &[
    asm::ROWS,
    ambit::ROWS,
    open::ROWS,
    people::ROWS,
    wider::ROWS,
    hunting::ROWS,
    feeds::ROWS,
    v2::ROWS,
];

/// Every endpoint.
pub static ENDPOINTS: &[Endpoint] = &joined::<{ rows() }>();

const fn rows() -> usize {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
}

const fn joined<const ALL: usize>() -> [Endpoint; ALL] {
    let mut out = [TABLES[0][0]; ALL];
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            out[count] = TABLES[table][row];
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
    use crate::mount::Tree;
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
            "/first_key",
            "/downloads/{token}",
            "/downloads/archives/{token}",
            "/",
            "/docs",
            "/docs/page.js",
            "/docs/page.css",
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
}
