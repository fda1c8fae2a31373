-- The other hashes of bodies of pages that runs discovered, and what sort of file they are. What searches ask of them
-- stands with that of uploaded files, under the negative number of their collection.
CREATE TABLE bodies (
    sha256 BLOB NOT NULL PRIMARY KEY,
    -- In hexadecimal, like the next.
    sha1 TEXT NOT NULL,
    md5 TEXT NOT NULL,
    type_tag TEXT
);
CREATE INDEX bodies_by_sha1 ON bodies (sha1);
CREATE INDEX bodies_by_md5 ON bodies (md5);
ALTER TABLE specimens ADD COLUMN described INTEGER NOT NULL DEFAULT 0;
CREATE INDEX specimens_undescribed ON specimens (number) WHERE described = 0 AND collection_id > 0;
CREATE INDEX file_facts_of_collections ON file_facts (project_id) WHERE project_id < 0;
