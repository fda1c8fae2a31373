-- Runs are compared by their id, which orders the runs of a collection as their number does.
ALTER TABLE looks DROP COLUMN run_number;
-- Bytes that a row keeps free for its first update.
ALTER TABLE looks ADD COLUMN room TEXT;
