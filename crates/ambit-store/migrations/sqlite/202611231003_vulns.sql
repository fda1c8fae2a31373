-- CVE ids that are known against what an entity shows, as JSON by the CPE of the product; no row where there are none.
CREATE TABLE entity_vulns (
    uid BLOB NOT NULL PRIMARY KEY,
    vulns TEXT NOT NULL
) WITHOUT ROWID;
