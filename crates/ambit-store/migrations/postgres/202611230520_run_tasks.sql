-- What each task did in a run, by how loud it was. Rows of `work` are gone when the run is over.
CREATE TABLE run_tasks (
    run_id BIGINT NOT NULL,
    footprint BIGINT NOT NULL,
    task TEXT NOT NULL,
    done BIGINT NOT NULL,
    unknown BIGINT NOT NULL,
    PRIMARY KEY (run_id, footprint, task)
);
