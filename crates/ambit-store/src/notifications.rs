//! Who is told what happened: receivers as people keep them, the outbox that is filled from the change feed, and
//! deliveries with their tries (docs/notifications.md).

pub(crate) mod deliveries;
pub(crate) mod happened;
pub(crate) mod near_quotas;
pub(crate) mod outbox;
pub(crate) mod position;
pub(crate) mod receivers;
pub(crate) mod removal;
