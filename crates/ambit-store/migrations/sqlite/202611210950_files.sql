-- Files that people uploaded; the bytes are the blob of the same hash.
CREATE TABLE files (
    sha256 BLOB NOT NULL PRIMARY KEY,
    sha1 TEXT NOT NULL,
    md5 TEXT NOT NULL,
    size INTEGER NOT NULL,
    type_tag TEXT,
    -- Who uploaded it first, as a file that nobody had.
    uploader_id INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- Names it was uploaded under, in order, as a JSON list.
    names TEXT NOT NULL
);
CREATE INDEX files_by_sha1 ON files (sha1);
CREATE INDEX files_by_md5 ON files (md5);

-- URLs that people submitted.
CREATE TABLE urls (
    sha256 TEXT NOT NULL PRIMARY KEY,
    url TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL
);

-- Each time somebody submitted a file or URL: `item` is its SHA-256 in hexadecimal.
CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    item TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    name TEXT
);
CREATE INDEX submissions_by_item ON submissions (item);
