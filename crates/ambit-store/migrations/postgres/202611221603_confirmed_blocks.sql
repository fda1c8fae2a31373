-- Somebody said yes to sweeping the seed although it is a large block.
ALTER TABLE seeds ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 0;
