-- Of the many edges that begin at one entity, those to one end: a domain may have 100,000 names.
DROP INDEX edges_from;
CREATE INDEX edges_from ON edges (from_uid, to_uid);
