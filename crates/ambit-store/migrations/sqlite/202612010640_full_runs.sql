-- Runs that search everything again, also what an earlier run searched within its time to live.
ALTER TABLE runs ADD COLUMN full_search INTEGER NOT NULL DEFAULT 0;
