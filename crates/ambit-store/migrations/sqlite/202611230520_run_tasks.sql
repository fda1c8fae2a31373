-- What each task did in a run, by how loud it was. Rows of `work` are gone when the run is over.
CREATE TABLE run_tasks (
    run_id INTEGER NOT NULL,
    footprint INTEGER NOT NULL,
    task TEXT NOT NULL,
    done INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    PRIMARY KEY (run_id, footprint, task)
) WITHOUT ROWID;
