-- A session of a browser is a key with an end, which its cookie carries.
ALTER TABLE api_keys ADD COLUMN session BIGINT NOT NULL DEFAULT 0;
-- Links that sign a browser in once, as keyed hashes, with the key that made them.
CREATE TABLE sign_in_links (
    hash BYTEA NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    parent BIGINT,
    expires_at BIGINT NOT NULL
);
