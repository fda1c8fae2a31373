-- When a person's decision on an issue ends; NULL: at no moment, or there is none.
ALTER TABLE issues ADD COLUMN until_at BIGINT;
CREATE INDEX issues_by_until ON issues (until_at) WHERE until_at IS NOT NULL;
