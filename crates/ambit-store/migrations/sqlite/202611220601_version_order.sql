-- Closed versions of a noun in the order of their closing: the search index reads them so.
DROP INDEX versions_by_closing;
CREATE INDEX versions_by_noun ON versions (noun, closed_revision);
