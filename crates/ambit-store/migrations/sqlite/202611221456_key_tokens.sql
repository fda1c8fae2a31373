-- Tokens that are exchanged for a key once, as keyed hashes.
CREATE TABLE key_tokens (
    hash BLOB NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);
