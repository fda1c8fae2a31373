-- Feeds ask for what was submitted in a minute.
CREATE INDEX submissions_by_time ON submissions (at);
