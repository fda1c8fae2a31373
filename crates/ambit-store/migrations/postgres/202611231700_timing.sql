-- When a collection runs by itself, beyond the word of its schedule.
ALTER TABLE collections ADD COLUMN timing TEXT NOT NULL DEFAULT '{"cron":null,"zone":"UTC","windows":[],"jitter_minutes":0}';
