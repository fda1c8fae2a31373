-- When the schedule calls for the next run; NULL: only a person starts one.
ALTER TABLE collections ADD COLUMN due_at BIGINT;
UPDATE collections SET due_at = COALESCE((SELECT MAX(r.created_at) FROM runs r WHERE r.collection_id = collections.id), created_at)
    + CASE schedule WHEN 'daily' THEN 86400000 WHEN 'weekly' THEN 604800000 WHEN 'monthly' THEN 2592000000 WHEN 'quarterly' THEN 7862400000 END;
CREATE INDEX collections_by_due ON collections (due_at) WHERE due_at IS NOT NULL;
