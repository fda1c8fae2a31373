-- By when issues of a collection are to be closed, in days by severity; NULL: as the installation says.
ALTER TABLE collections ADD COLUMN due_days TEXT;
