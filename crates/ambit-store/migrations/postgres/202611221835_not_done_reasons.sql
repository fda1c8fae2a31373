-- What a run did not do has one row for each reason and task. Before, each failure was counted twice, once by its class and once by its text: the classes
-- stay, what only repeats them goes, and where both had the same words they were counted in one row.
ALTER TABLE not_done RENAME TO not_done_twice;
CREATE TABLE not_done (
    run_id BIGINT NOT NULL,
    reason TEXT NOT NULL,
    task TEXT NOT NULL,
    count BIGINT NOT NULL,
    example TEXT NOT NULL,
    PRIMARY KEY (run_id, reason, task)
);
INSERT INTO not_done (run_id, reason, task, count, example)
    SELECT run_id, class, task, SUM(count / times), MIN(example) FROM (
        SELECT run_id, task, count, example,
            CASE WHEN reason IN ('no answer', 'refused by scope', 'out of budget', 'source down', 'out of time', 'task panicked') THEN reason
                WHEN reason LIKE 'set aside: %' THEN 'set aside'
                WHEN reason LIKE 'this version knows no task %' THEN 'unknown task'
                WHEN reason LIKE 'not confirmed: %' THEN 'not confirmed'
                WHEN reason LIKE 'the run took longer than 72 hours; %' THEN 'run too long'
            END AS class,
            CASE WHEN reason = 'out of time' OR reason LIKE 'set aside: %' OR reason LIKE 'this version knows no task %' THEN 2 ELSE 1 END AS times
        FROM not_done_twice
    ) AS classed WHERE class IS NOT NULL GROUP BY run_id, class, task;
DROP TABLE not_done_twice;
