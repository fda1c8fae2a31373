-- What searches ask of files that people uploaded: narrow rows, so that one reading of all of them is short. The step of
-- the migration fills it.
CREATE TABLE file_facts (
    sha256 BLOB NOT NULL PRIMARY KEY,
    -- The first name that somebody gave it, or nothing.
    name TEXT NOT NULL,
    -- All names in lower case, each behind a separator.
    names TEXT NOT NULL,
    -- In lower case, or nothing.
    type_tag TEXT NOT NULL,
    size INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    submissions INTEGER NOT NULL,
    -- Of the newest finished analysis: engines that found something.
    positives INTEGER NOT NULL,
    -- When an analysis was finished last; 0: none was.
    analysed_at INTEGER NOT NULL,
    -- Rows of `submissions`: the pages of a search show files as they were at one of them.
    first_submission INTEGER NOT NULL,
    last_submission INTEGER NOT NULL
) WITHOUT ROWID;

-- Engines that found something.
ALTER TABLE analyses ADD COLUMN positives INTEGER NOT NULL DEFAULT 0;

-- Searches of the wider API go through the names of a caller's projects in their order.
CREATE INDEX entities_by_name ON entities (name, kind, collection_id);
