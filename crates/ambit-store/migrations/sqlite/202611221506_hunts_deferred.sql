-- Looks of live rules that found no time beside those of other owners, and wait for their owner's turn.
CREATE TABLE hunts_deferred (
    number INTEGER PRIMARY KEY,
    owner_id INTEGER NOT NULL,
    ruleset_id TEXT NOT NULL,
    edition INTEGER NOT NULL,
    -- The number of the specimen.
    specimen INTEGER NOT NULL,
    UNIQUE (ruleset_id, edition, specimen)
);
CREATE INDEX hunts_deferred_by_owner ON hunts_deferred (owner_id, number);
CREATE INDEX hunts_deferred_by_specimen ON hunts_deferred (specimen);
