-- People of the wider API: what they say of themselves, and from which groups they draw. A service account is a user of one group.
ALTER TABLE users ADD COLUMN profile TEXT NOT NULL DEFAULT '{}';
ALTER TABLE users ADD COLUMN status TEXT NOT NULL DEFAULT 'active';
ALTER TABLE users ADD COLUMN api_quota_group INTEGER;
ALTER TABLE users ADD COLUMN intelligence_quota_group INTEGER;
ALTER TABLE users ADD COLUMN service_of INTEGER;
ALTER TABLE user_groups ADD COLUMN profile TEXT NOT NULL DEFAULT '{}';

-- What was used of a quota in a window. Payers are `user` and `group`.
CREATE TABLE quota_used (
    payer TEXT NOT NULL,
    payer_id INTEGER NOT NULL,
    meter TEXT NOT NULL,
    number INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (payer, payer_id, meter, number)
);

-- What each member drew from a group.
CREATE TABLE quota_drawn (
    group_id INTEGER NOT NULL,
    meter TEXT NOT NULL,
    number INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (group_id, meter, number, user_id)
);

-- Calls of a day by the name of their endpoint.
CREATE TABLE api_usage (
    payer TEXT NOT NULL,
    payer_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    name TEXT NOT NULL,
    consuming INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (payer, payer_id, day, name, consuming)
);

-- Graphs; the number is the order in which they were made. Deleting leaves the row.
CREATE TABLE graphs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL,
    -- The group that the owner drew from when it was made.
    group_id INTEGER,
    private INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    comments INTEGER NOT NULL DEFAULT 0,
    views INTEGER NOT NULL DEFAULT 0,
    -- The attributes as they were sent.
    document TEXT NOT NULL,
    -- The revision of its last change; views raise none.
    revision INTEGER NOT NULL,
    deleted_at INTEGER
);
CREATE INDEX graphs_by_owner ON graphs (owner_id);
CREATE INDEX graphs_by_revision ON graphs (revision);

-- Who else may see (`viewer`) or change (`editor`) a graph: a `user` or a `group`.
CREATE TABLE graph_access (
    id INTEGER PRIMARY KEY,
    graph INTEGER NOT NULL,
    role TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_id INTEGER NOT NULL,
    UNIQUE (graph, role, subject, subject_id)
);
CREATE INDEX graph_access_by_subject ON graph_access (subject, subject_id);

-- Comments on objects of the wider API.
CREATE TABLE comments (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    item_type TEXT NOT NULL,
    item_id TEXT NOT NULL,
    author_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX comments_by_item ON comments (item_type, item_id);
CREATE INDEX comments_by_author ON comments (author_id);

-- One vote of a user on an object.
CREATE TABLE votes (
    number INTEGER PRIMARY KEY,
    item_type TEXT NOT NULL,
    item_id TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    UNIQUE (item_type, item_id, user_id)
);
