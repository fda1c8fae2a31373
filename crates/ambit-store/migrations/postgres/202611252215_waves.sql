-- Rows are leased by wave: names are guessed before anything is visited, though guessing needs the clearance of a sweep.
ALTER TABLE work ADD COLUMN wave BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN wave BIGINT NOT NULL DEFAULT 0;
UPDATE work SET wave = CASE WHEN task = 'name_sweep' THEN 1 WHEN task IN ('level_sweep', 'permutations') THEN 2 WHEN footprint >= 2 THEN footprint + 1 ELSE 0 END;
UPDATE sweeps SET wave = CASE WHEN task = 'name_sweep' THEN 1 WHEN task IN ('level_sweep', 'permutations') THEN 2 WHEN footprint >= 2 THEN footprint + 1 ELSE 0 END;
DROP INDEX work_open;
CREATE INDEX work_open ON work (run_id, wave, footprint, priority DESC, id) WHERE state = 0;
DROP INDEX work_leased;
CREATE INDEX work_leased ON work (run_id, wave, footprint) WHERE state = 1;
DROP INDEX sweeps_open;
CREATE INDEX sweeps_open ON sweeps (run_id, wave, footprint, priority DESC, id) WHERE size > reached * step;
