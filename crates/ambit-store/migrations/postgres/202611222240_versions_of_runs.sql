-- The number of the run that opened the current version; 0 where a person did, or an earlier version of the program.
ALTER TABLE entities ADD COLUMN version_run BIGINT NOT NULL DEFAULT 0;
ALTER TABLE issues ADD COLUMN version_run BIGINT NOT NULL DEFAULT 0;
ALTER TABLE technologies ADD COLUMN version_run BIGINT NOT NULL DEFAULT 0;
-- The number of the run in which the entity appeared last; negative: of that in which it, having been there before,
-- disappeared. What comes and goes within one run is neither new nor gone.
ALTER TABLE entities ADD COLUMN turned_run BIGINT NOT NULL DEFAULT 0;
