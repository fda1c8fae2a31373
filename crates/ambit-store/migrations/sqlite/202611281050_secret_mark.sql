-- What the secret of this installation derives for it: another secret opens nothing that this one sealed.
CREATE TABLE secret_mark (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    mark BLOB NOT NULL
);
