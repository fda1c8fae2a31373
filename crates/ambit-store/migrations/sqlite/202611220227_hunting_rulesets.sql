-- Sets of rules that look at every new file and page body. A deleted one leaves no row; what it reported stays.
CREATE TABLE hunting_rulesets (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,
    -- A JSON list, one name for each rule.
    rule_names TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    -- The group that pays for its active rules beside the owner.
    paying_group INTEGER,
    -- Notifications of a UTC day at most.
    daily_limit INTEGER NOT NULL,
    match_object_type TEXT NOT NULL,
    -- JSON lists.
    tags TEXT NOT NULL,
    notification_emails TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    -- Raised with its rules.
    edition INTEGER NOT NULL DEFAULT 1,
    -- How often this edition took too long.
    timeouts INTEGER NOT NULL DEFAULT 0,
    -- The newest UTC day with notifications, and how many it had.
    reported_day INTEGER NOT NULL DEFAULT 0,
    reported INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX hunting_rulesets_by_owner ON hunting_rulesets (owner_id);

-- Who else may see and change a set of rules: a `user` or a `group`.
CREATE TABLE hunting_editors (
    id INTEGER PRIMARY KEY,
    ruleset INTEGER NOT NULL,
    subject TEXT NOT NULL,
    subject_id INTEGER NOT NULL,
    UNIQUE (ruleset, subject, subject_id)
);
CREATE INDEX hunting_editors_by_subject ON hunting_editors (subject, subject_id);

-- What was asked for many objects at once.
CREATE TABLE operations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    objects INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
);
