-- Each of these answers in the order in which it is asked for, from as many rows as are taken.
DROP INDEX entities_by_first_run;
CREATE INDEX entities_by_first_run ON entities (collection_id, first_run, uid);
DROP INDEX dirty_by_collection;
CREATE INDEX dirty_by_collection ON dirty (collection_id, uid);
CREATE INDEX sweeps_open ON sweeps (run_id, footprint, priority DESC, id) WHERE size > reached * step;
CREATE INDEX work_again ON work (run_id, not_before) WHERE state = 0 AND look % 2 = 1;
CREATE INDEX files_by_time ON files (first_at DESC, sha256);
