//! Names of the tasks whose looks the judges read. The crates do not know each other; a test of the engine, which knows both, compares them.

/// Addresses and aliases of a name.
pub(crate) const RESOLVE: &str = "resolve";
/// SOA, NS, MX, TXT, CAA … of a zone.
pub(crate) const ZONE_PROFILE: &str = "zone_profile";
/// Asks each name server of a zone for all of it.
pub(crate) const ZONE_TRANSFER: &str = "zone_transfer";
/// Follows the NSEC records of a signed zone.
pub(crate) const NSEC_WALK: &str = "nsec_walk";
/// Who may sign certificates for a domain: one of the looks of `ZONE_PROFILE`.
pub(crate) const CAA: (&str, &str) = (ZONE_PROFILE, "CAA");
/// SPF with its tree, DMARC and their like, each in a look of its own.
pub(crate) const MAIL_POLICY: &str = "mail_policy";
/// SPF with its tree.
pub(crate) const SPF: (&str, &str) = (MAIL_POLICY, "SPF");
/// What shall happen to forgeries.
pub(crate) const DMARC: (&str, &str) = (MAIL_POLICY, "DMARC");
/// Records that lead nowhere.
pub(crate) const DANGLING: &str = "dangling";
/// Names that a stranger could claim at their provider.
pub(crate) const TAKEOVER: &str = "takeover";
/// Names that resemble a seed.
pub(crate) const LOOKALIKES: &str = "lookalikes";
/// What speaks behind a port.
pub(crate) const SERVICE_IDENTIFY: &str = "service_identify";
/// The certificate and the protocol versions of a service.
pub(crate) const TLS_GRAB: &str = "tls_grab";
/// All that one page says.
pub(crate) const HTTP_ENRICH: &str = "http_enrich";
/// Files and pages that nobody meant to publish.
pub(crate) const CONTENT_FOCUS: &str = "content_focus";
/// Whether a bucket answers a listing.
pub(crate) const BUCKET_PROBE: &str = "bucket_probe";
/// Hosts, mailboxes, buckets and identifiers in what a site sends.
pub(crate) const LINKED_HOSTS: &str = "linked_hosts";
/// Whom a site lets read its answers.
pub(crate) const CORS_PROBE: &str = "cors_probe";
/// Whether a name server recurses for strangers.
pub(crate) const OPEN_RESOLVER: &str = "open_resolver";
