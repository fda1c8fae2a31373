-- Observations that were imported, with their own date, by which they lapse.
CREATE TABLE imported (
    uid BYTEA NOT NULL,
    argument TEXT NOT NULL,
    collection_id BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (uid, argument)
);
CREATE INDEX imported_by_age ON imported (collection_id, seen_at);
