-- From when the months of a schedule count.
ALTER TABLE collections ADD COLUMN counts_from INTEGER;
