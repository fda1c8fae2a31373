//! Every limit of the door, with its unit and its reason. Times are wire time. Defaults follow what browsers and
//! well-behaved scanners accept; each was set so that a hostile peer costs a bounded, small amount of time and memory.

use std::time::Duration;

/// One TCP connection attempt. A healthy host answers within a few hundred milliseconds; five seconds cover two lost
/// SYNs.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// One TCP connection attempt of a port sweep: two SYNs (0 s, 1 s) and a long round trip.
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_millis(2_500);
/// One TCP connection attempt of a port sweep to an address that has not answered at all so far: round trips over
/// satellites and overloaded links take seconds.
pub(crate) const SLOW_PROBE_TIMEOUT: Duration = Duration::from_secs(6);
/// The time after which a SYN without an answer goes out again, from us as from the system (RFC 6298 §2).
pub(crate) const REPEATED_AFTER: Duration = Duration::from_secs(1);
/// One TCP connection attempt where a whole block is asked: one SYN and a repeat after a second. Loss is met by asking
/// several ports.
pub(crate) const KNOCK_TIMEOUT: Duration = Duration::from_millis(1_500);
/// A whole TLS handshake.
pub(crate) const TLS_TIMEOUT: Duration = Duration::from_secs(10);
/// From the request to the end of the response's head.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// From the first byte of a head to its end: a server that has begun to answer sends the rest within a round trip or
/// two, and one that drips bytes would hold each of its visits for the whole of [`HEAD_TIMEOUT`].
pub(crate) const HEAD_REST_TIMEOUT: Duration = Duration::from_secs(5);
/// A handshake or a head at an address that let the last ones hang: ten slow seconds for each of its ports and names
/// would hold up a run, and a host that has recovered answers within a second.
pub(crate) const HANGING_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest silence in the middle of a body.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// A whole HTTP exchange, connection included.
pub(crate) const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(60);
/// From the request to the end of the head of a data provider's answer: certificate logs commonly look for 10 to 60 s
/// before they begin.
pub(crate) const SOURCE_HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// A whole exchange with a data provider: the head may take a minute, and a list of tens of megabytes as long again.
pub const SOURCE_TIMEOUT: Duration = Duration::from_secs(120);
/// A whole exchange with a data provider whose answer goes to a file: a repository of a gigabyte over a slow line.
pub const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(2 * 3_600);
/// After this time a body must have come at `RATE_MIN` or better (slow drips).
pub(crate) const RATE_GRACE: Duration = Duration::from_secs(10);
/// Bytes per second that a body must reach after the grace.
pub(crate) const RATE_MIN: u64 = 100;

/// Bytes of a response's head, all interim heads included.
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Header lines of a response.
pub(crate) const HEADERS_MAX: usize = 100;
/// Interim (1xx) heads before the real one.
pub(crate) const INTERIM_HEADS_MAX: usize = 8;
/// Bytes of a body that are read from the wire, and bytes that it may decode to, unless the request asks for more to be
/// kept.
pub(crate) const BODY_READ_MAX: usize = 10 * 1024 * 1024;
/// Bytes of a decoded body that are kept, unless the request asks for more or less.
pub(crate) const BODY_KEPT: usize = 1024 * 1024;
/// Ceiling for what a request may ask to be kept.
pub const BODY_KEPT_MAX: usize = 64 * 1024 * 1024;
/// How long a data provider's list of its servers holds within a run: they change some times a year.
pub(crate) const SOURCE_LIST_HOLDS: Duration = Duration::from_secs(24 * 3_600);
/// Bytes of a data provider's list, such as the certificates of a large organisation: half of all bodies in flight.
pub const SOURCE_LIST_MAX: usize = 32 * 1024 * 1024;
/// Decoded bytes from which the ratio is watched: small pages compress well without being bombs.
pub(crate) const RATIO_GRACE_BYTES: usize = 1024 * 1024;
/// Decoded bytes per byte on the wire.
pub(crate) const RATIO_MAX: usize = 100;
/// Content encodings stacked on one body.
pub(crate) const ENCODINGS_MAX: usize = 2;
/// zstd window as a power of two (8 MiB).
pub(crate) const ZSTD_WINDOW_LOG_MAX: u32 = 23;
/// brotli's largest window, bytes (RFC 7932 §9.1); its streams choose it, so it is counted as taken.
pub(crate) const BROTLI_WINDOW_MAX: usize = 16 * 1024 * 1024;
/// Bytes of one chunk-size line, extensions included.
pub(crate) const CHUNK_LINE_MAX: usize = 4 * 1024;
/// The most bytes of bodies in flight in the whole process; further bodies wait.
pub(crate) const BODIES_IN_FLIGHT_MAX: usize = 64 * 1024 * 1024;
/// Redirects followed.
pub(crate) const REDIRECTS_MAX: usize = 10;
/// Bytes of a URL, `Location` included.
pub(crate) const URL_BYTES_MAX: usize = 8 * 1024;
/// Cookies read from one response.
pub(crate) const COOKIES_MAX: usize = 50;
/// HTTP exchanges with one address at once.
pub(crate) const EXCHANGES_PER_ADDRESS: usize = 10;
/// Idle connections that a run keeps to one site for its next requests: as many as browsers open to it.
pub(crate) const CONNECTIONS_KEPT_PER_SITE: usize = 6;
/// Idle connections that a run keeps in all: four for each of the sites that it goes into depth at (some 50 kB each
/// with TLS). With fewer, sites would take them from one another, and most requests would begin with a handshake.
pub(crate) const CONNECTIONS_KEPT_MAX: usize = 1_024;
/// Longest that a kept connection is idle. Usual servers close after 5 s or more; a request on a closing connection is
/// made twice.
pub(crate) const CONNECTION_IDLE_MAX: Duration = Duration::from_secs(4);
/// Exchanges on one connection: usual servers end it after a hundred or a thousand.
pub(crate) const EXCHANGES_PER_CONNECTION: usize = 100;
/// Idle connections are kept while at least this part of all sockets is free (one in so many): they never stand in the
/// way of new ones.
pub(crate) const SOCKETS_FREE_SHARE: usize = 2;

/// Bytes of a banner.
pub(crate) const BANNER_BYTES_MAX: usize = 16 * 1024;
/// Time for a banner.
pub(crate) const BANNER_TIMEOUT: Duration = Duration::from_secs(10);
/// Silence after the first bytes that ends a banner.
pub(crate) const BANNER_QUIET: Duration = Duration::from_millis(500);
/// Bytes of one line of a STARTTLS dialogue.
pub(crate) const LINE_BYTES_MAX: usize = 4 * 1024;
/// Lines of one reply of a STARTTLS dialogue.
pub(crate) const REPLY_LINES_MAX: usize = 64;
/// Bytes of an answer of a data provider without HTTP (WHOIS).
pub(crate) const PLAIN_ANSWER_MAX: usize = 256 * 1024;

/// Bytes of a datagram that answers a probe.
pub(crate) const DATAGRAM_BYTES_MAX: usize = 16 * 1024;
/// The same where a sweep asks many ports: what is larger comes in fragments, which few let through.
pub(crate) const SWEPT_ANSWER_BYTES_MAX: usize = 4 * 1024;
/// Addresses of which many ports are asked with datagrams at once take at most this part of all sockets, one in so
/// many: each keeps its socket while its questions wait for their turns, which at a low rate is long.
pub(crate) const SWEPT_BY_DATAGRAM_SHARE: usize = 2;
/// Times that a datagram without an answer is sent: one may be lost on the way.
pub(crate) const DATAGRAM_TRIES: usize = 2;
/// Addresses of a provider's or an operator's host that are tried.
pub(crate) const ADDRESSES_TRIED: usize = 4;

/// Certificates of a chain.
pub(crate) const CHAIN_MAX: usize = 10;
/// Bytes of one certificate.
pub(crate) const CERTIFICATE_BYTES_MAX: usize = 64 * 1024;
/// Bytes of an answer about revocation: usual ones have 500, those with the certificate of their signer 3,000.
pub(crate) const OCSP_BYTES_MAX: usize = 16 * 1024;
/// Names of one certificate that are parsed.
pub(crate) const NAMES_MAX: usize = 10_000;
/// Bytes that the hello prober reads before it gives up.
pub(crate) const HELLO_BYTES_MAX: usize = 1024 * 1024;

/// How long each try of a DNS question waits. Recursive resolvers need seconds for slow authorities, lost datagrams
/// want an early retry.
pub(crate) const DNS_TRIES: [Duration; 4] =
    [Duration::from_millis(1_500), Duration::from_millis(2_500), Duration::from_secs(4), Duration::from_secs(5)];
/// The same of a question whose answer is mostly none: one try for each of two resolvers.
pub(crate) const DNS_TRIES_BRIEF: [Duration; 2] = [DNS_TRIES[0], DNS_TRIES[1]];
/// One question over TCP.
pub(crate) const DNS_TCP_TIMEOUT: Duration = Duration::from_secs(5);
/// UDP payload that is announced by EDNS (the size that passes everywhere without fragments; DNS flag day 2020).
pub(crate) const DNS_PAYLOAD: u16 = 1_232;
/// Bytes of a datagram that are read.
pub(crate) const DNS_DATAGRAM_MAX: usize = 4_096;
/// Aliases followed for one name: as many as the patient among resolvers follow.
pub(crate) const DNS_CHAIN_MAX: usize = 16;
/// Records kept of one answer.
pub(crate) const DNS_RECORDS_MAX: usize = 256;
/// Protocols, and addresses, kept of one HTTPS or SVCB record.
pub(crate) const DNS_SERVICE_ITEMS_MAX: usize = 16;
/// Longest time that an answer is kept, seconds, whatever its TTL says.
pub(crate) const DNS_TTL_MAX: u32 = 3_600;
/// Longest time that a negative answer is kept, seconds (RFC 2308 recommends one to three hours; names come and go
/// during a run).
pub(crate) const DNS_NEGATIVE_TTL_MAX: u32 = 900;
/// How long a failure is kept, so that many who ask the same do not all wait for the same silence (RFC 2308 §7 allows
/// five minutes).
pub const DNS_FAILURE_HOLDS: Duration = Duration::from_secs(30);
/// Answers kept per run: about 10 MB. What a run asks again it asks soon, or so often that it stays.
pub(crate) const DNS_CACHE_MAX: usize = 20_000;
/// Records of a zone transfer that are kept.
pub(crate) const TRANSFER_RECORDS_MAX: usize = 100_000;
/// Bytes of a zone transfer that are read.
pub(crate) const TRANSFER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Time for a whole zone transfer.
pub(crate) const TRANSFER_TIMEOUT: Duration = Duration::from_secs(60);
/// Questions in flight per resolver at the start, at least, and at most. Beyond about a thousand only the loss grows
/// (measured on loopback).
pub(crate) const DNS_WINDOW: (usize, usize, usize) = (64, 16, 1_500);
/// How long a resolver that refuses is left alone the first time; twice as long each further time in a row.
pub(crate) const RESOLVER_PAUSE: Duration = Duration::from_secs(1);
/// The longest that it is left alone.
pub(crate) const RESOLVER_PAUSE_MAX: Duration = Duration::from_secs(16);
/// Pauses in a row that a resolver gets which has answered before; one that still refuses is believed.
pub(crate) const RESOLVER_PAUSES_MAX: u32 = 8;
/// Random labels that wildcard sampling asks at most.
pub(crate) const WILDCARD_SAMPLES_MAX: usize = 103;
/// Samples in a row without a new answer that end the sampling.
pub(crate) const WILDCARD_QUIET: usize = 10;

/// Sockets open at once, where the machine does not say how many it allows.
pub(crate) const SOCKETS_DEFAULT: usize = 800;
/// Sockets open at once, at most.
pub(crate) const SOCKETS_MAX: usize = 4_096;
/// Probes of one sweep in flight.
pub(crate) const SWEEP_IN_FLIGHT: usize = 500;
/// Failures in a row at one address after which it is left alone for `ERRORS_PAUSE`.
pub(crate) const ERRORS_IN_A_ROW: u32 = 30;
/// How long an address that only fails is left alone.
pub(crate) const ERRORS_PAUSE: Duration = Duration::from_secs(60);
/// Longest `Retry-After` that is honoured as said; longer ones are cut to it.
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_secs(600);
