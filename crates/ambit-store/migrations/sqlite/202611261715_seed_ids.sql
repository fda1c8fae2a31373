-- The id of a seed that was removed is given to no other: a client removes seeds by them, and may be late.
CREATE TABLE seeds_next (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    uid BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    created_by INTEGER,
    confirmed INTEGER NOT NULL DEFAULT 0,
    by_operator INTEGER NOT NULL DEFAULT 0,
    UNIQUE (collection_id, uid)
);
INSERT INTO seeds_next (id, collection_id, kind, name, uid, created_at, created_by, confirmed, by_operator)
    SELECT id, collection_id, kind, name, uid, created_at, created_by, confirmed, by_operator FROM seeds;
DROP TABLE seeds;
ALTER TABLE seeds_next RENAME TO seeds;
