-- What a run has found that is theirs, and how long it still takes, as its engine said last.
ALTER TABLE runs ADD COLUMN names_found BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN addresses_found BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN sites_found BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN seconds_left BIGINT;
