-- Who was asked to come to a project or group and has not answered yet.
CREATE TABLE invitations (
    id INTEGER PRIMARY KEY,
    -- `project` or `group`, and which one.
    kind TEXT NOT NULL,
    target_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    -- What it gives: `owner` or `member` of a project, `administrator` or `user` of a group.
    role TEXT NOT NULL,
    -- The project user id that the person has when it is accepted; none for groups.
    member_id INTEGER,
    invited_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (kind, target_id, user_id)
);
CREATE INDEX invitations_by_user ON invitations (user_id, id);
CREATE UNIQUE INDEX invitations_by_member ON invitations (member_id);

-- What a member may draw from a group, as its administrators set it.
CREATE TABLE group_caps (
    group_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    PRIMARY KEY (group_id, user_id, name)
);

-- The key with which a key was made.
ALTER TABLE api_keys ADD COLUMN parent INTEGER;
CREATE INDEX api_keys_by_parent ON api_keys (parent);
