-- A mark is found by one index: it is asked for by its collection, and is written with each observation.
DROP INDEX dirty_by_collection;
ALTER TABLE dirty DROP CONSTRAINT dirty_pkey;
ALTER TABLE dirty ADD PRIMARY KEY (collection_id, uid);
