-- The few edges that say something of where they lead: of an entity to which 100,000 names lead, only those are read.
CREATE INDEX edges_telling ON edges (to_uid) WHERE closed_at IS NULL AND details <> '{}';
