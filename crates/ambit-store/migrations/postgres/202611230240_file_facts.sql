-- What searches ask of files that people uploaded: narrow rows, so that one reading of all of them is short. The step of
-- the migration fills it.
CREATE TABLE file_facts (
    sha256 BYTEA NOT NULL PRIMARY KEY,
    -- The first name that somebody gave it, or nothing.
    name TEXT COLLATE "C" NOT NULL,
    -- All names in lower case, each behind a separator.
    names TEXT NOT NULL,
    -- In lower case, or nothing.
    type_tag TEXT NOT NULL,
    size BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    submissions BIGINT NOT NULL,
    -- Of the newest finished analysis: engines that found something.
    positives BIGINT NOT NULL,
    -- When an analysis was finished last; 0: none was.
    analysed_at BIGINT NOT NULL,
    -- Rows of `submissions`: the pages of a search show files as they were at one of them.
    first_submission BIGINT NOT NULL,
    last_submission BIGINT NOT NULL
);

-- Engines that found something.
ALTER TABLE analyses ADD COLUMN positives BIGINT NOT NULL DEFAULT 0;

-- Searches of the wider API go through the names of a caller's projects in their order.
CREATE INDEX entities_by_name ON entities (name, kind, collection_id);
