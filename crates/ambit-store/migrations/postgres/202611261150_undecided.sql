-- Something was imported whose scope the next decision over the whole collection decides.
ALTER TABLE collections ADD COLUMN undecided BIGINT NOT NULL DEFAULT 0;
-- What is denied closes what lies on it, also what is only now imported.
CREATE INDEX entities_denied ON entities (collection_id) WHERE deny_list = 1;
