-- Observations that were replaced, in the order of that: the oldest go first.
CREATE INDEX intervals_by_closing ON intervals (closed_at);
