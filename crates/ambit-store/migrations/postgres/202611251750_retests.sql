-- Runs that look at one issue alone: the issue, and once they are over what came of it.
ALTER TABLE runs ADD COLUMN retests BYTEA;
ALTER TABLE runs ADD COLUMN verdict TEXT;
