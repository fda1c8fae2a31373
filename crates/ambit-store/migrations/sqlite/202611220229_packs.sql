-- What the operator loaded to judge files by: `rules` or `hashes`. Each is an engine in the results of analyses.
CREATE TABLE packs (
    name TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    -- Of rules: a JSON list of [name, text]; of hashes: empty.
    sources TEXT NOT NULL,
    -- Rules or hashes.
    entries INTEGER NOT NULL,
    -- Begins with a hash of its content: the engine's version.
    version TEXT NOT NULL,
    loaded_at INTEGER NOT NULL
);

-- In hexadecimal, in lower case.
CREATE TABLE pack_hashes (
    hash TEXT NOT NULL,
    pack TEXT NOT NULL,
    -- What is known of it.
    label TEXT NOT NULL,
    PRIMARY KEY (hash, pack)
);
CREATE INDEX pack_hashes_by_pack ON pack_hashes (pack);

-- Analyses of files; the second is part of the id that clients have.
CREATE TABLE analyses (
    number INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL,
    second INTEGER NOT NULL,
    finished_at INTEGER,
    -- By engine, a JSON object.
    results TEXT NOT NULL DEFAULT '{}',
    UNIQUE (sha256, second)
);
CREATE INDEX analyses_waiting ON analyses (number) WHERE finished_at IS NULL;
INSERT INTO analyses (sha256, second, finished_at) SELECT sha256, last_at / 1000, last_at FROM files;
