-- A session of a browser is a key with an end, which its cookie carries.
ALTER TABLE api_keys ADD COLUMN session INTEGER NOT NULL DEFAULT 0;
-- Links that sign a browser in once, as keyed hashes, with the key that made them.
CREATE TABLE sign_in_links (
    hash BLOB NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL,
    parent INTEGER,
    expires_at INTEGER NOT NULL
);
