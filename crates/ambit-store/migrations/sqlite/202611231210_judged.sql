-- What was known against products when everything that is stored was judged by it last.
CREATE TABLE judged (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    knowledge TEXT NOT NULL
);
INSERT INTO judged (one, knowledge) VALUES (1, '');
