-- Whether those who are told by mail and by webhook hear of new entities of a collection; NULL: as their rules say.
ALTER TABLE collections ADD COLUMN notify_emails_new_entities INTEGER;
ALTER TABLE collections ADD COLUMN notify_webhooks_new_entities INTEGER;
