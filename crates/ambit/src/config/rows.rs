//! The table of settings. A setting is a row here, a method of [`Settings`](super::Settings) that reads its value where
//! that is more than a text, and the place that asks for it.

/// One row of the settings table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) default: &'static str,
    /// What it is for, in a sentence or more: docs/reference.md and `ambit config NAME` show it.
    pub(crate) meaning: &'static str,
    /// Its value is never printed.
    pub(crate) secret: bool,
    /// Another file may hold it: `AMBIT_…_FILE`, and `…_file` in `ambit.toml`.
    pub(crate) by_file: bool,
    /// Several values, by commas; in `ambit.toml` also as an array.
    pub(crate) list: bool,
    /// `true` or `false`; in `ambit.toml` also without quotes.
    pub(crate) truth: bool,
}

/// Every setting; the environment variable is `AMBIT_` and the name in upper case.
pub(crate) const ROWS: &[Row] = &[
    row("data", "", "The data folder; without it `$XDG_DATA_HOME/ambit`."),
    Row {
        by_file: true,
        ..row(
            "database",
            "",
            "`postgres://…`, instead of SQLite in the data folder. `ambit config` hides a password in it.",
        )
    },
    row(
        "listen",
        "127.0.0.1:8080",
        "Where `serve` and `demo` listen. Port 0 picks a free one, `:8080` means all addresses.",
    ),
    row(
        "metrics_listen",
        "",
        "Where `serve` and `demo` answer monitors, at `/metrics` and without a key: an address that only monitors \
         reach. Empty: nowhere, and `/api/ambit/v1/metrics` needs the key of an administrator.",
    ),
    list(
        "hosts",
        "Host names that are accepted for requests authenticated by a browser session. Empty: all names, but on a \
         loopback address only loopback names and the host of `public_url`.",
    ),
    row("public_url", "", "The root of every link in answers, whatever a proxy sends."),
    list("trusted_proxies", "Addresses or blocks of proxies whose forwarding headers are believed."),
    row("tls_certificate", "", "PEM file: the certificate, then its chain. With `tls_key` the server speaks HTTPS."),
    row("tls_key", "", "PEM file of the key, without a password."),
    row("key_rate", "", "Requests per minute of one API key. Empty: no limit."),
    truth(
        "open_accounts",
        "false",
        "Whether a new address gets an account when somebody adds it to a project or group.",
    ),
    truth(
        "private_uploads",
        "false",
        "Whether uploaded files are visible to their project only, unless the upload says otherwise.",
    ),
    row("rate", "", "Contacts per second, over all targets of all runs. Empty: only the limits of each target."),
    list(
        "rates",
        "Contacts per second with each peer of a kind, above or below the defaults: `address=50`, `block=300`, \
         `host=10`, `server=100`, `provider=2`, `resolver`.",
    ),
    truth(
        "syn_probes",
        "true",
        "Whether ports are probed with half-open (SYN) handshakes if the process may open raw sockets; otherwise \
         it connects.",
    ),
    row(
        "contact",
        "",
        "Whom the operators of contacted systems may ask: a URL or a mail address. It stands in the `User-Agent` of \
         requests and in `/.well-known/probing.txt` (RFC 9511).",
    ),
    list("resolver", "Resolvers to ask, such as `192.0.2.53:5353`. Empty: those of the system."),
    list("ca", "PEM files of authorities to trust, beside the built-in ones."),
    list("geo", "Databases of places and networks (MMDB), held in memory; the first one with an answer is used."),
    list("exclude", "What the whole installation never contacts: names, `*.names`, addresses, blocks, URLs."),
    list("reserved_ranges", "Reserved ranges that may be contacted."),
    secret(
        "smtp",
        "The mail server through which notifications are sent: `smtps://`, `smtp://` (STARTTLS) or \
         `smtp+clear://`, with user and password.",
    ),
    row("mail_from", "", "The sender of notifications by mail."),
    list("notify_ranges", "Reserved ranges in which receivers of notifications are allowed."),
    row(
        "packs_mirror",
        "",
        "A URL below which `ambit packs update` finds the files of all feeds, instead of at their publishers.",
    ),
    row(
        "vulnerability_issues",
        "weighty",
        "Which known vulnerabilities become issues: `exploited` (those in CISA's catalogue), `weighty` (exploited \
         ones, those with EPSS of at least 0.1 or CVSS of at least 7, and those of packages that nobody has graded, as \
         medium) or `all`. Where a record has no CVSS, the word of its database counts: `HIGH` as 7. The others are \
         only listed in `vulns`.",
    ),
    list("words", "Files with further labels for the name sweep, one per line."),
    row("log_format", "text", "How the log is written: `text`, or `json`, one object per line."),
    list(
        "application_requests",
        "Maximum number of requests to one application, by sort: `walk=300` (all pages, scripts and documents of the \
         walk), `scripts=40` among them, `parameters=160` (guesses), `redirects=40`.",
    ),
    row("repository_mib", "1024", "The largest repository that is fetched, in MiB."),
    list(
        "app_mirror",
        "Mirrors from which packages of apps are fetched that nobody uploaded: URLs with placeholders, such as \
         `https://mirror.example/apps/{id}.apk`. `{version}` and `{version_code}` are filled in as a store states \
         them. Empty: none.",
    ),
    row(
        "aws_access_key_id",
        "",
        "The installation's own AWS access key. Integrations that have only a role assume it with this key. Empty: \
         such integrations do not work.",
    ),
    secret("aws_secret_access_key", "The secret of that key."),
    row("aws_endpoint", "", "Where AWS is asked instead of at its own hosts: a URL without a path."),
    list(
        "cloud_endpoints",
        "Where other cloud providers are asked instead of at their own hosts: `hetzner=https://cloud.example.org`, \
         without a path. `azure.login` and `gcp.login` are where their tokens are issued.",
    ),
    list(
        "sources",
        "Data providers that are asked for names, by their names; `none` for none. Empty: all that need no key, and \
         those whose key is set.",
    ),
    secret(
        "source_keys",
        "Keys of these data providers: `shodan=KEY securitytrails=KEY`, separated by blanks, commas or new lines.",
    ),
    list(
        "ports",
        "TCP ports that are probed on addresses and blocks instead of the built-in list: ports and ranges, \
         `top:100` or `all`.",
    ),
    row(
        "browser",
        "",
        "The executable of a Chromium that takes pictures of sites, or `auto` for the first on the search path. Empty: \
         no pictures.",
    ),
    row("server", "", "The server that client commands ask, unless `--data` is given."),
    secret("api_key", "The key of client commands. `VT_API_KEY` and `GTI_APIKEY` are read, too."),
    row("plan_expires_at", "", "The end of the plan that the API shows for projects. Empty: 2100-01-01."),
    row("plan_status", "", "The status of the plan that the API shows for projects. Empty: `paid`."),
    row("project", "", "The project of client commands; empty: the primary one."),
    row(
        "secret_file",
        "",
        "The file of the master secret; empty: `secret.key` in the data folder, created by the first start.",
    ),
    row(
        "open_runs",
        "",
        "Runs that one user may have open. Empty: 20. There is no limit for administrators of the installation.",
    ),
    row(
        "due_days",
        "none",
        "Days until issues are due, by severity, such as `critical=7,high=30,medium=90,low=180`, counted from when an \
         issue was found, or found again. A collection may have its own.",
    ),
    row("oidc_issuer", "", "The OpenID Connect provider through which people sign in: its issuer URL. Empty: none."),
    row("oidc_client", "", "The client id of this server at the provider."),
    secret("oidc_secret", "The secret of that client. Empty: a public client, which only PKCE protects."),
    row(
        "oidc_scopes",
        "email profile",
        "Scopes that are requested beside `openid`; some providers send groups only if `groups` is requested.",
    ),
    row("oidc_groups_claim", "groups", "The claim that holds a person's groups."),
    list(
        "oidc_roles",
        "Which groups give which roles: `GROUP=PROJECT:owner` or `GROUP=PROJECT:member`, the project by name or \
         uuid.",
    ),
    truth(
        "oidc_trust_email",
        "false",
        "Whether e-mail addresses are trusted although the provider does not say that it verified them.",
    ),
    row(
        "keep_versions_days",
        "",
        "Days for which closed versions of records, and observations that were replaced, are kept. Empty: for good.",
    ),
    row(
        "keep_evidence_days",
        "",
        "Days for which the bytes of evidence are kept after they were seen last. Empty: for good.",
    ),
    row(
        "seed_addresses",
        "",
        "Addresses that the seeds of a project, or those that one user added, may name. Empty: 1,048,576.",
    ),
];

/// Returns the row of a setting.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// Returns the names of all settings, for whoever mistyped one.
pub(crate) fn known() -> String {
    ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

const fn row(name: &'static str, default: &'static str, meaning: &'static str) -> Row {
    Row { name, default, meaning, secret: false, by_file: false, list: false, truth: false }
}

const fn truth(name: &'static str, default: &'static str, meaning: &'static str) -> Row {
    Row { truth: true, ..row(name, default, meaning) }
}

const fn secret(name: &'static str, meaning: &'static str) -> Row {
    Row { secret: true, by_file: true, ..row(name, "", meaning) }
}

const fn list(name: &'static str, meaning: &'static str) -> Row {
    Row { list: true, ..row(name, "", meaning) }
}
