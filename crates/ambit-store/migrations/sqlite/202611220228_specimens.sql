-- Bytes that rules look at: files that people uploaded (collection 0: everybody's) and bodies of pages (their collection's).
CREATE TABLE specimens (
    number INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL,
    collection_id INTEGER NOT NULL,
    -- The entity whose body it is.
    uid BLOB,
    at INTEGER NOT NULL,
    -- Null until the live rules have looked.
    hunted_at INTEGER,
    UNIQUE (sha256, collection_id)
);
CREATE INDEX specimens_waiting ON specimens (number) WHERE hunted_at IS NULL;
CREATE INDEX specimens_by_collection ON specimens (collection_id);
INSERT INTO specimens (sha256, collection_id, at, hunted_at) SELECT sha256, 0, first_at, first_at FROM files;

-- What live rules reported, to the owner of the set at that time.
CREATE TABLE hunting_notifications (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL,
    ruleset_id TEXT NOT NULL,
    ruleset_name TEXT NOT NULL,
    rule_name TEXT NOT NULL,
    -- JSON lists.
    rule_tags TEXT NOT NULL,
    tags TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    collection_id INTEGER NOT NULL,
    snippet TEXT,
    at INTEGER NOT NULL
);
CREATE INDEX hunting_notifications_by_user ON hunting_notifications (user_id, number);
CREATE INDEX hunting_notifications_by_ruleset ON hunting_notifications (ruleset_id);
CREATE INDEX hunting_notifications_by_file ON hunting_notifications (sha256);
