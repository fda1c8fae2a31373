-- The rules by which products were told out of everything that is stored last.
ALTER TABLE judged ADD COLUMN rules TEXT NOT NULL DEFAULT '';
