-- Observations that were imported, with their own date, by which they lapse.
CREATE TABLE imported (
    uid BLOB NOT NULL,
    argument TEXT NOT NULL,
    collection_id INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (uid, argument)
);
CREATE INDEX imported_by_age ON imported (collection_id, seen_at);
