-- What is overdue is counted by severity.
CREATE INDEX issues_by_severity ON issues (collection_id, severity) WHERE open = 1;
