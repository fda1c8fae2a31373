-- Who is told what happened. `secrets` is sealed; `ended` says why nothing is sent any more.
CREATE TABLE receivers (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL,
    channel TEXT NOT NULL,
    name TEXT NOT NULL,
    shown TEXT NOT NULL,
    rule TEXT NOT NULL,
    secrets BLOB NOT NULL,
    ended TEXT,
    -- When the next digest or heartbeat is due.
    due_at INTEGER,
    failing_since INTEGER,
    -- Nothing is sent before: it was busy or could not be reached.
    rests_until INTEGER,
    created_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX receivers_by_project ON receivers (project_id);

-- What a receiver is to be told and stands in no delivery yet.
CREATE TABLE notices (
    id INTEGER PRIMARY KEY,
    receiver_id INTEGER NOT NULL,
    collection_id INTEGER,
    first_run INTEGER NOT NULL,
    event TEXT NOT NULL
);
CREATE INDEX notices_by_receiver ON notices (receiver_id, id);

-- Messages to receivers, with their tries: those that wait, and the log of those that ended.
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    receiver_id INTEGER NOT NULL,
    -- NULL: it keeps the order of all.
    subject TEXT,
    message TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    claimed_until INTEGER,
    answer TEXT,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
);
CREATE INDEX deliveries_waiting ON deliveries (receiver_id, id) WHERE state = 'waiting';
CREATE INDEX deliveries_by_receiver ON deliveries (receiver_id, id);
CREATE INDEX deliveries_ended ON deliveries (ended_at);

-- Events that no revision of the feed tells apart, and that are told once.
CREATE TABLE told (event TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL);
CREATE INDEX told_by_time ON told (at);
