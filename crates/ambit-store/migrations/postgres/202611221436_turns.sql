-- Who was served when, so that those who wait are served in turn: projects and users by their runs, owners of rules by their hunts. Numbers are given
-- out in order and are no times: clocks jump.
CREATE TABLE turns (
    what TEXT NOT NULL,
    id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (what, id)
);
-- What the seeds of a run ask for, as addresses; 0 for runs from before.
ALTER TABLE runs ADD COLUMN size BIGINT NOT NULL DEFAULT 0;
-- When an engine took it last, as a number of `turns`.
ALTER TABLE runs ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;
CREATE INDEX runs_open_by_creator ON runs (created_by) WHERE state IN ('scheduled', 'running', 'paused');
-- Null for seeds from before.
ALTER TABLE seeds ADD COLUMN created_by BIGINT;
