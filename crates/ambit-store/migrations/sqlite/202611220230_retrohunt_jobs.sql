-- Jobs that look at what is stored already, specimen by specimen.
CREATE TABLE retrohunt_jobs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL,
    rules TEXT NOT NULL,
    corpus TEXT NOT NULL,
    notification_email TEXT,
    -- Seconds since 1970; what is older or newer only counts.
    range_start INTEGER,
    range_end INTEGER,
    status TEXT NOT NULL,
    -- Who works at it.
    engine_id INTEGER,
    -- The last specimen looked at, and the last to be looked at.
    position INTEGER NOT NULL DEFAULT 0,
    until INTEGER NOT NULL,
    looked INTEGER NOT NULL DEFAULT 0,
    to_look INTEGER NOT NULL DEFAULT 0,
    scanned_bytes INTEGER NOT NULL DEFAULT 0,
    timeouts INTEGER NOT NULL DEFAULT 0,
    matches INTEGER NOT NULL DEFAULT 0,
    matches_outside INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
);
CREATE INDEX retrohunt_jobs_by_user ON retrohunt_jobs (user_id, number);
CREATE INDEX retrohunt_jobs_open ON retrohunt_jobs (number) WHERE finished_at IS NULL;

-- What a job found: one row for each body and rule.
CREATE TABLE retrohunt_matches (
    number INTEGER PRIMARY KEY,
    job INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    collection_id INTEGER NOT NULL,
    rule_name TEXT NOT NULL,
    snippet TEXT,
    UNIQUE (job, sha256, rule_name)
);
CREATE INDEX retrohunt_matches_by_job ON retrohunt_matches (job, number);
