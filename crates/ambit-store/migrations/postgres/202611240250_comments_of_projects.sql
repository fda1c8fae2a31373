-- What is said of a file that was uploaded for the people of a project is theirs alone; 0: of everybody who sees the
-- thing. Of what was said before it is where one project alone has the file.
ALTER TABLE comments ADD COLUMN project_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE votes ADD COLUMN project_id BIGINT NOT NULL DEFAULT 0;
UPDATE comments SET project_id = (SELECT MIN(f.project_id) FROM files f WHERE f.sha256 = decode(comments.item_id, 'hex'))
WHERE item_type = 'file' AND (SELECT COUNT(*) FROM files f WHERE f.sha256 = decode(comments.item_id, 'hex')) = 1;
UPDATE votes SET project_id = (SELECT MIN(f.project_id) FROM files f WHERE f.sha256 = decode(votes.item_id, 'hex'))
WHERE item_type = 'file' AND (SELECT COUNT(*) FROM files f WHERE f.sha256 = decode(votes.item_id, 'hex')) = 1;
CREATE INDEX comments_of_projects ON comments (project_id) WHERE project_id > 0;
CREATE INDEX votes_of_projects ON votes (project_id) WHERE project_id > 0;
