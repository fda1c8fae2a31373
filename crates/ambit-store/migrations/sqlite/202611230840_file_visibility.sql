-- A file is uploaded for the installation (project 0) or for the people of one project. Where it was for both, each has
-- a row of its own. The step of the migration fills the facts anew.
CREATE TABLE files_of_all (
    sha256 BLOB NOT NULL,
    sha1 TEXT NOT NULL,
    md5 TEXT NOT NULL,
    size INTEGER NOT NULL,
    type_tag TEXT,
    -- Who uploaded it first, as a file that nobody of those who see it had.
    uploader_id INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- Names it was uploaded under, in order, as a JSON list.
    names TEXT NOT NULL,
    -- Whose people see it; 0: all of the installation.
    project_id INTEGER NOT NULL,
    PRIMARY KEY (sha256, project_id)
);
INSERT INTO files_of_all SELECT sha256, sha1, md5, size, type_tag, uploader_id, first_at, last_at, names, 0 FROM files;
DROP TABLE files;
ALTER TABLE files_of_all RENAME TO files;
CREATE INDEX files_by_sha1 ON files (sha1);
CREATE INDEX files_by_md5 ON files (md5);
CREATE INDEX files_of_projects ON files (project_id) WHERE project_id > 0;

ALTER TABLE submissions ADD COLUMN project_id INTEGER NOT NULL DEFAULT 0;
CREATE INDEX submissions_of_projects ON submissions (project_id) WHERE project_id > 0;

DROP TABLE file_facts;
CREATE TABLE file_facts (
    sha256 BLOB NOT NULL,
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
    last_submission INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    PRIMARY KEY (sha256, project_id)
) WITHOUT ROWID;
CREATE INDEX file_facts_of_projects ON file_facts (project_id) WHERE project_id > 0;
