-- What the secret of this installation derives for it: another secret opens nothing that this one sealed.
CREATE TABLE secret_mark (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    mark BYTEA NOT NULL
);
