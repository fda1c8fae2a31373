-- Somebody said yes to sweeping the seed although it is a large block.
ALTER TABLE seeds ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
