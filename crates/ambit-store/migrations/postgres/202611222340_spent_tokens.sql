-- Addresses that work once and were used, until they would have ended anyway.
CREATE TABLE spent_tokens (
    -- SHA-256 of the token in hexadecimal.
    token TEXT PRIMARY KEY,
    until_at BIGINT NOT NULL
);
CREATE INDEX spent_tokens_by_until ON spent_tokens (until_at);
