-- The revision with which a run ended: whoever has read the feed so far has all that it saw. 0 for runs from before, and open ones.
ALTER TABLE runs ADD COLUMN end_revision INTEGER NOT NULL DEFAULT 0;
