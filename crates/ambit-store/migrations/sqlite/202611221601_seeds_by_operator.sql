-- Seeds that somebody named on a command line of this installation, who may name reserved ranges; over the API nobody may.
ALTER TABLE seeds ADD COLUMN by_operator INTEGER NOT NULL DEFAULT 0;
-- Only the command line makes a collection together with its seeds, on demand: what the API took came later, to a collection made empty.
UPDATE seeds SET by_operator = 1 WHERE EXISTS
    (SELECT 1 FROM collections c WHERE c.id = seeds.collection_id AND c.schedule = 'on_demand' AND c.created_at = seeds.created_at);
