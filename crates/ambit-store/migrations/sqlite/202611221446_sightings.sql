-- The revision at which a record was seen last: the feed has no row for what was only seen again, its readers find such records here.
ALTER TABLE entities ADD COLUMN seen_revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX entities_by_sighting ON entities (seen_revision);
ALTER TABLE issues ADD COLUMN seen_revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX issues_by_sighting ON issues (seen_revision);
ALTER TABLE technologies ADD COLUMN seen_revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX technologies_by_sighting ON technologies (seen_revision);
