-- The revision counter: one row, raised inside each transaction, so that its order is the commit order.
CREATE TABLE revision (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    stamp_records INTEGER NOT NULL
);
INSERT INTO revision (one, revision, stamp, stamp_records) VALUES (1, 0, 0, 0);

-- How far each reader of the change feed has come.
CREATE TABLE positions (reader TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL);

CREATE TABLE organizations (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
);

CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    organization_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    created_at INTEGER NOT NULL,
    deleted_at INTEGER,
    person_revision INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    username TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL UNIQUE,
    administrator INTEGER NOT NULL,
    primary_project INTEGER,
    created_at INTEGER NOT NULL
);

CREATE TABLE user_groups (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
);

CREATE TABLE group_members (
    group_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    administrator INTEGER NOT NULL,
    PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_by_user ON group_members (user_id);

-- Who is in a project; the id is the contract's project user id.
CREATE TABLE members (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE collection_roles (
    collection_id INTEGER NOT NULL,
    member_id INTEGER NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (collection_id, member_id)
);
CREATE INDEX collection_roles_by_member ON collection_roles (member_id);

-- Keys are kept as a keyed hash; `visible` are the first characters that a list shows.
CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    visible TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
);
CREATE INDEX api_keys_by_user ON api_keys (user_id);

-- Subjects are `user` and `group`.
CREATE TABLE privileges (
    subject TEXT NOT NULL,
    subject_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (subject, subject_id, name)
);

CREATE TABLE quotas (
    subject TEXT NOT NULL,
    subject_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    PRIMARY KEY (subject, subject_id, name)
);

CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    user_id INTEGER,
    project_id INTEGER,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    details TEXT NOT NULL
);

CREATE TABLE collections (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL,
    name TEXT NOT NULL UNIQUE,
    printable_name TEXT NOT NULL,
    workflow TEXT NOT NULL,
    schedule TEXT NOT NULL,
    wire TEXT NOT NULL,
    wire_blob BLOB,
    level INTEGER NOT NULL,
    never TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    deleted_by TEXT,
    custom_last_refreshes_count INTEGER NOT NULL,
    -- Raised in the transactions that change what they count.
    entity_count INTEGER NOT NULL DEFAULT 0,
    total_entity_count INTEGER NOT NULL DEFAULT 0,
    issues_1 INTEGER NOT NULL DEFAULT 0,
    issues_2 INTEGER NOT NULL DEFAULT 0,
    issues_3 INTEGER NOT NULL DEFAULT 0,
    issues_4 INTEGER NOT NULL DEFAULT 0,
    issues_5 INTEGER NOT NULL DEFAULT 0,
    -- The number of the newest run, and the latest wire date and its run that results were stored for: what a person's closing of an issue comes after.
    run_number INTEGER NOT NULL DEFAULT 0,
    wire_run INTEGER NOT NULL DEFAULT 0,
    wire_at INTEGER NOT NULL DEFAULT 0,
    -- Counts the transactions that changed the scope graph.
    graph_revision INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX collections_by_project ON collections (project_id);
CREATE INDEX collections_by_wire ON collections (wire_blob) WHERE wire_blob IS NOT NULL;

-- `secrets` is sealed.
CREATE TABLE integrations (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    settings TEXT NOT NULL,
    secret_names TEXT NOT NULL,
    secrets BLOB NOT NULL,
    created_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX integrations_by_project ON integrations (project_id);

-- Which collections use an integration.
CREATE TABLE integration_collections (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    integration_id INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (integration_id, collection_id)
);
CREATE INDEX integration_collections_by_collection ON integration_collections (collection_id);

CREATE TABLE seeds (
    id INTEGER PRIMARY KEY,
    collection_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    uid BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (collection_id, uid)
);

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    collection_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    by_person INTEGER NOT NULL,
    wire_state INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    created_by INTEGER,
    engine_id INTEGER,
    engine TEXT,
    work_done INTEGER NOT NULL DEFAULT 0,
    work_unknown INTEGER NOT NULL DEFAULT 0,
    entities INTEGER NOT NULL DEFAULT 0,
    new_entities INTEGER NOT NULL DEFAULT 0,
    UNIQUE (collection_id, number)
);
-- At most one open run a collection.
CREATE UNIQUE INDEX runs_open ON runs (collection_id) WHERE state IN ('scheduled', 'running', 'paused');
CREATE INDEX runs_by_state ON runs (state);

CREATE TABLE not_done (
    run_id INTEGER NOT NULL,
    reason TEXT NOT NULL,
    task TEXT NOT NULL,
    count INTEGER NOT NULL,
    example TEXT NOT NULL,
    PRIMARY KEY (run_id, reason, task)
);

-- States: 0 open, 1 leased, 2 done. Kept until the run is over, so that planning twice is harmless.
CREATE TABLE work (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL,
    task TEXT NOT NULL,
    uid BLOB NOT NULL,
    argument TEXT NOT NULL,
    look INTEGER NOT NULL,
    footprint INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    partition INTEGER NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run_id, uid, task, argument, look)
);
CREATE INDEX work_open ON work (run_id, footprint, priority DESC, id) WHERE state = 0;
CREATE INDEX work_leased ON work (run_id, footprint) WHERE state = 1;

CREATE TABLE sweeps (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL,
    task TEXT NOT NULL,
    uid BLOB NOT NULL,
    prefix TEXT NOT NULL,
    size INTEGER NOT NULL,
    step INTEGER NOT NULL,
    -- Ranges that became work so far.
    reached INTEGER NOT NULL DEFAULT 0,
    footprint INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    partition INTEGER NOT NULL,
    UNIQUE (run_id, uid, task, prefix)
);

-- Entities whose surroundings changed since they were last planned and judged. A mark is random: it is never the same twice.
CREATE TABLE dirty (
    uid BLOB NOT NULL PRIMARY KEY,
    collection_id INTEGER NOT NULL,
    mark INTEGER NOT NULL
);
CREATE INDEX dirty_by_collection ON dirty (collection_id);

CREATE TABLE engines (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL
);

-- Identity, flags, decision and the current version of each entity: reading one is one row.
CREATE TABLE entities (
    uid BLOB NOT NULL PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE,
    collection_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    seed INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    allow_list INTEGER NOT NULL,
    deny_list INTEGER NOT NULL,
    tags TEXT NOT NULL,
    decision TEXT NOT NULL,
    present INTEGER NOT NULL,
    observed INTEGER NOT NULL,
    shared INTEGER NOT NULL,
    record TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    opened_revision INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    scoped_at INTEGER,
    first_run INTEGER NOT NULL,
    -- The newest range of runs that saw it; older ones are rows of `sightings`.
    seen_from INTEGER NOT NULL,
    seen_to INTEGER NOT NULL,
    -- Last change of anything that the scope graph holds.
    revision INTEGER NOT NULL
);
CREATE INDEX entities_by_revision ON entities (collection_id, revision);
CREATE INDEX entities_by_first_run ON entities (collection_id, first_run);

CREATE TABLE issues (
    uid BLOB NOT NULL PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE,
    collection_id INTEGER NOT NULL,
    entity_uid BLOB NOT NULL,
    record TEXT NOT NULL,
    -- What counts need of the record.
    severity INTEGER NOT NULL,
    open INTEGER NOT NULL,
    has_cve INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    opened_revision INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    first_run INTEGER NOT NULL,
    seen_from INTEGER NOT NULL,
    seen_to INTEGER NOT NULL,
    -- Wire dates of the newest proof and of a first absent look.
    proven_at INTEGER NOT NULL,
    absent_at INTEGER,
    -- What a look must come after to reopen it: run number, wire date, wall time of the closing.
    closed_run INTEGER,
    closed_wire INTEGER,
    closed_at INTEGER
);
CREATE INDEX issues_by_entity ON issues (entity_uid);
CREATE INDEX issues_by_collection ON issues (collection_id);

CREATE TABLE technologies (
    uid BLOB NOT NULL PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE,
    collection_id INTEGER NOT NULL,
    record TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    opened_revision INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    first_run INTEGER NOT NULL,
    seen_from INTEGER NOT NULL,
    seen_to INTEGER NOT NULL
);
CREATE INDEX technologies_by_collection ON technologies (collection_id);

-- Which present entities show a technology.
CREATE TABLE entity_technologies (
    entity_uid BLOB NOT NULL,
    technology_uid BLOB NOT NULL,
    PRIMARY KEY (entity_uid, technology_uid)
);
CREATE INDEX entity_technologies_by_technology ON entity_technologies (technology_uid);

-- Closed versions; the current one stands beside the identity.
CREATE TABLE versions (
    noun TEXT NOT NULL,
    uid BLOB NOT NULL,
    opened_revision INTEGER NOT NULL,
    closed_revision INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (noun, uid, opened_revision)
);
CREATE INDEX versions_by_closing ON versions (closed_revision);

CREATE TABLE sightings (
    uid BLOB NOT NULL,
    from_run INTEGER NOT NULL,
    to_run INTEGER NOT NULL,
    PRIMARY KEY (uid, from_run)
);

-- The newest look of each (entity, task, argument). Outcomes: 0 found, 1 absent, 2 unknown. Where `details` is not null, a found interval is open:
-- it was opened by the look of first_run and first_at and last extended by that of last_run and last_at.
CREATE TABLE looks (
    uid BLOB NOT NULL,
    task TEXT NOT NULL,
    argument TEXT NOT NULL,
    outcome INTEGER NOT NULL,
    at INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    run_number INTEGER NOT NULL,
    reason TEXT,
    details TEXT,
    evidence TEXT,
    opened_at INTEGER,
    first_run INTEGER,
    first_at INTEGER,
    last_run INTEGER,
    last_at INTEGER,
    PRIMARY KEY (uid, task, argument)
);

-- Closed intervals. Wall times of opening and closing, wire dates of the first and last look.
CREATE TABLE intervals (
    uid BLOB NOT NULL,
    task TEXT NOT NULL,
    argument TEXT NOT NULL,
    details TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER NOT NULL,
    first_run INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_run INTEGER NOT NULL,
    last_at INTEGER NOT NULL
);
CREATE INDEX intervals_by_uid ON intervals (uid, task, argument);

-- Open while an interval holds them (closed_at is null).
CREATE TABLE edges (
    collection_id INTEGER NOT NULL,
    from_uid BLOB NOT NULL,
    task TEXT NOT NULL,
    argument TEXT NOT NULL,
    kind TEXT NOT NULL,
    to_uid BLOB NOT NULL,
    details TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER,
    revision INTEGER NOT NULL
);
CREATE UNIQUE INDEX edges_open ON edges (from_uid, task, argument, kind, to_uid) WHERE closed_at IS NULL;
CREATE INDEX edges_from ON edges (from_uid);
CREATE INDEX edges_inward ON edges (to_uid) WHERE closed_at IS NULL;
CREATE INDEX edges_by_revision ON edges (collection_id, revision);

-- What people wrote on entities and issues.
CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    uid BLOB NOT NULL UNIQUE,
    item_uid BLOB NOT NULL,
    text TEXT NOT NULL,
    created_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX notes_by_item ON notes (item_uid, id);

CREATE TABLE feed (
    revision INTEGER NOT NULL PRIMARY KEY,
    project_id INTEGER NOT NULL,
    collection_id INTEGER,
    noun TEXT NOT NULL,
    uid BLOB NOT NULL,
    what TEXT NOT NULL,
    at INTEGER NOT NULL,
    person INTEGER NOT NULL
);
CREATE INDEX feed_by_project ON feed (project_id, revision);
CREATE INDEX feed_seen ON feed (at) WHERE what = 'seen';
CREATE INDEX feed_turns ON feed (uid, revision) WHERE what IN ('appeared', 'disappeared');

CREATE TABLE blobs (
    hash BLOB NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    written_at INTEGER NOT NULL
);
CREATE INDEX blobs_by_time ON blobs (written_at);

CREATE TABLE blob_chunks (
    hash BLOB NOT NULL,
    position INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (hash, position)
);

-- Which blobs count: evidence of the newest found look of (entity, task, argument).
CREATE TABLE evidence (
    uid BLOB NOT NULL,
    task TEXT NOT NULL,
    argument TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (uid, task, argument, hash)
);
CREATE INDEX evidence_by_hash ON evidence (hash);
