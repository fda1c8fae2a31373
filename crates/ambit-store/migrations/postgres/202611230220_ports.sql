-- The TCP ports that a collection asks for, as a list of ports and ranges; NULL: those of the installation.
ALTER TABLE collections ADD COLUMN ports TEXT;
