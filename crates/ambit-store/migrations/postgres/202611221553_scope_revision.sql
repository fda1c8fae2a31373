-- Counts what people changed of what scope depends on: level, exclusions, allow and deny lists. A run that goes on looks at it.
ALTER TABLE collections ADD COLUMN scope_revision BIGINT NOT NULL DEFAULT 0;
