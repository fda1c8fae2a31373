-- Whether an address answers on every port is asked with its ports (port_oracle was a task of its own), and the records
-- of a name that lead to nothing are asked together (dangling had a probe for each kind of record). What the probes of
-- before hold open goes to the history; the next run asks anew.
UPDATE work SET task = 'port_sweep' WHERE task = 'port_oracle' AND NOT EXISTS
    (SELECT 1 FROM work w WHERE w.run_id = work.run_id AND w.uid = work.uid AND w.task = 'port_sweep');
UPDATE work SET argument = '' WHERE task = 'dangling' AND argument = 'NS';
DELETE FROM work WHERE task = 'port_oracle' OR (task = 'dangling' AND argument <> '');
INSERT INTO intervals (uid, task, argument, details, opened_at, closed_at, first_run, first_at, last_run, last_at)
    SELECT uid, task, argument, details, opened_at, CAST(strftime('%s', 'now') AS INTEGER) * 1000, first_run, first_at, last_run, last_at
    FROM looks WHERE (task = 'port_oracle' OR (task = 'dangling' AND argument <> '')) AND details IS NOT NULL;
DELETE FROM looks WHERE task = 'port_oracle' OR (task = 'dangling' AND argument <> '');
DELETE FROM evidence WHERE task = 'port_oracle' OR (task = 'dangling' AND argument <> '');
UPDATE collections SET skipped_tasks = TRIM(REPLACE(',' || skipped_tasks || ',', ',port_oracle,', ','), ',')
    WHERE skipped_tasks LIKE '%port_oracle%';
