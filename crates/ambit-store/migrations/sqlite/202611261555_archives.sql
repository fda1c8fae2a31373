-- Packages of apps are looked for among the archives that were uploaded, the newest first.
CREATE INDEX files_of_archives ON files (project_id, last_at, sha256) WHERE type_tag = 'zip';
