-- Which history this database is of: each transaction that raises the revision leaves its last revision with a random token. Whoever derives something
-- from the change feed and keeps it elsewhere keeps the newest of them with it.
CREATE TABLE milestones (
    revision BIGINT NOT NULL PRIMARY KEY,
    token BIGINT NOT NULL,
    -- The stamp of the revision.
    at BIGINT NOT NULL
);
INSERT INTO milestones (revision, token, at)
    SELECT revision, ('x' || substr(md5(random()::text || clock_timestamp()::text), 1, 16))::bit(64)::bigint, stamp FROM revision;
