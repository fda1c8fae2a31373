-- Which history this database is of: each transaction that raises the revision leaves its last revision with a random token. Whoever derives something
-- from the change feed and keeps it elsewhere keeps the newest of them with it.
CREATE TABLE milestones (
    revision INTEGER NOT NULL PRIMARY KEY,
    token INTEGER NOT NULL,
    -- The stamp of the revision.
    at INTEGER NOT NULL
);
INSERT INTO milestones (revision, token, at) SELECT revision, random(), stamp FROM revision;
