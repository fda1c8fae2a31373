-- A file is uploaded for the installation (project 0) or for the people of one project. Where it was for both, each has
-- a row of its own. The step of the migration fills the facts anew.
-- Whose people see it; 0: all of the installation.
ALTER TABLE files ADD COLUMN project_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE files DROP CONSTRAINT files_pkey;
ALTER TABLE files ADD PRIMARY KEY (sha256, project_id);
CREATE INDEX files_of_projects ON files (project_id) WHERE project_id > 0;

ALTER TABLE submissions ADD COLUMN project_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX submissions_of_projects ON submissions (project_id) WHERE project_id > 0;

DROP TABLE file_facts;
CREATE TABLE file_facts (
    sha256 BYTEA NOT NULL,
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
    last_submission BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    PRIMARY KEY (sha256, project_id)
);
CREATE INDEX file_facts_of_projects ON file_facts (project_id) WHERE project_id > 0;
