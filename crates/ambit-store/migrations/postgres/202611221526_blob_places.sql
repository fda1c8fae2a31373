-- Where the chunks of a blob stand, when not under its hash: an upload is written while it comes, before its hash is known.
ALTER TABLE blobs ADD COLUMN stored_as BYTEA;
