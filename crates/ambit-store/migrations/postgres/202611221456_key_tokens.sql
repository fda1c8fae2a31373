-- Tokens that are exchanged for a key once, as keyed hashes.
CREATE TABLE key_tokens (
    hash BYTEA NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
