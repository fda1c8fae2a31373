-- Archives of files that somebody asked for; the bytes are a blob.
CREATE TABLE archives (
    id TEXT NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    -- How many files were asked for, how many are in it, how many are not known.
    files INTEGER NOT NULL,
    packed INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    blob BLOB
);
CREATE INDEX archives_by_user ON archives (user_id);
CREATE INDEX archives_by_time ON archives (created_at);
CREATE INDEX archives_by_blob ON archives (blob) WHERE blob IS NOT NULL;

-- Collections of objects that people make in the wider API; the number is the order in which they were made.
CREATE TABLE object_collections (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    private INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
);
CREATE INDEX object_collections_by_owner ON object_collections (owner_id);

-- What stands in them: the type of an object and its id.
CREATE TABLE object_collection_items (
    number INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    item_type TEXT NOT NULL,
    item_id TEXT NOT NULL,
    UNIQUE (collection, item_type, item_id)
);
