-- A mark is one entry in one tree: it is asked for by its collection, and is written with each observation.
CREATE TABLE dirty_next (
    collection_id INTEGER NOT NULL,
    uid BLOB NOT NULL,
    mark INTEGER NOT NULL,
    PRIMARY KEY (collection_id, uid)
) WITHOUT ROWID;
INSERT INTO dirty_next (collection_id, uid, mark) SELECT collection_id, uid, mark FROM dirty;
DROP TABLE dirty;
ALTER TABLE dirty_next RENAME TO dirty;
