-- The tasks that the runs of a collection leave out, by their names, separated by commas.
ALTER TABLE collections ADD COLUMN skipped_tasks TEXT NOT NULL DEFAULT '';
