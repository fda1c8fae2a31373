-- What a key may do less than its user: only read, and only in one project.
ALTER TABLE api_keys ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN project_id INTEGER;
