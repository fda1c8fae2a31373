-- By which settings everything was asked for, of a task of which a refresh asks less again.
ALTER TABLE looks ADD COLUMN searched BIGINT;
