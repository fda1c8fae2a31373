//! What tasks make of sites, of repositories that sites hand out, and of what is stored with others: rows as in
//! `looks.rs`.

use super::looks::{Look, assert_looks};

/// A site at an address of theirs.
macro_rules! site {
    ($scheme:literal, $words:literal) => {
        concat!("name w.acme.test A 203.0.113.10\nsite ", $scheme, "://w.acme.test \"W\"\n  plain none ", $words)
    };
}

const SITES: &[Look] = &[
    (
        "http_probe",
        site!("http", ""),
        "DnsRecord w.acme.test 203.0.113.10:80",
        &["found", "> site Uri http://w.acme.test:80"],
    ),
    (
        "http_probe",
        site!("https", ""),
        "DnsRecord w.acme.test 203.0.113.10:443",
        &["found", "> site Uri https://w.acme.test:443"],
    ),
    (
        "http_probe",
        site!("https", "alpn h2,http/1.1"),
        "DnsRecord w.acme.test 203.0.113.10:443",
        &["found", "> site Uri https://w.acme.test:443"],
    ),
    (
        "http_probe",
        site!("https", "alpn h2"),
        "DnsRecord w.acme.test 203.0.113.10:443",
        &["no answer: the server does not speak HTTP/1.1, and HTTP/2 is not spoken here"],
    ),
    (
        "service_identify",
        site!("https", "alpn h2"),
        "NetworkService 203.0.113.10:443/tcp",
        &["found", "service = \"HTTP\"", "ssl = true"],
    ),
    (
        "service_identify",
        "host 203.0.113.10\n  port 7000 redis open tls alpn mqtt names w.acme.test",
        "NetworkService 203.0.113.10:7000/tcp",
        &["found", "service = \"REDIS\"", "ssl = true"],
    ),
    (
        "http_probe",
        "host 203.0.113.10\n  port 7000 redis open tls alpn mqtt names w.acme.test",
        "NetworkService 203.0.113.10:7000/tcp",
        &["absent"],
    ),
    (
        "http_probe",
        "name w.acme.test A 203.0.113.10\nhost 203.0.113.10\n  port 443 silent tls alpn mqtt names w.acme.test",
        "DnsRecord w.acme.test 203.0.113.10:443",
        &["absent"],
    ),
    ("http_probe", site!("https", ""), "DnsRecord w.acme.test 203.0.113.10:80", &["absent"]),
    ("http_probe", "host 203.0.113.10\n  port 80 ssh", "NetworkService 203.0.113.10:80/tcp", &["absent"]),
    (
        "http_probe",
        "host 203.0.113.10\n  port 80 silent",
        "NetworkService 203.0.113.10:80/tcp",
        &["no answer: timed out: head"],
    ),
    ("http_probe", site!("http", ""), "DnsRecord w.acme.test there", &["no answer: not a binding: \"there\""]),
    (
        "favicon",
        site!("http", "favicon acme"),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["found", "hidden_favicon_mmh3 = …"],
    ),
    ("favicon", site!("http", ""), "Uri http://w.acme.test:80 203.0.113.10:80", &["absent"]),
    (
        "favicon",
        site!("http", "page /favicon.ico \"<html>no</html>\""),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["absent"],
    ),
    ("favicon", "host 203.0.113.10\n  port 22 ssh", "Uri http://w.acme.test:80 203.0.113.10:80", &["absent"]),
    (
        "cors_probe",
        site!(
            "http",
            "header Access-Control-Allow-Origin \"https://ambit.invalid\" header Access-Control-Allow-Credentials \
                 true"
        ),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["found", "hidden_foreign_origin = {\"credentials\":true}"],
    ),
    (
        "cors_probe",
        site!("http", "header Access-Control-Allow-Origin \"https://ambit.invalid\""),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["found", "hidden_foreign_origin = {\"credentials\":false}"],
    ),
    (
        "cors_probe",
        site!("http", "header Access-Control-Allow-Origin \"*\""),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["absent"],
    ),
    ("cors_probe", site!("http", ""), "Uri http://w.acme.test:80 203.0.113.10:80", &["absent"]),
    ("cors_probe", site!("https", ""), "Uri http://w.acme.test:80 203.0.113.10:80", &["absent"]),
    (
        "soft404_profile",
        site!("http", ""),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["found", "hidden_soft404 = {\"code\":\"404\",\"kind\":\"plain\"}"],
    ),
    (
        "soft404_profile",
        site!("http", "soft-404"),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["found", "hidden_soft404 = {\"code\":\"200\",\"kind\":\"catch_all\"}"],
    ),
    // What it says of now is not its way of saying no, be it said of the page or of the file.
    (
        "soft404_profile",
        site!("http", "\nhost 203.0.113.10 limit 0 10s 429 retry 10"),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["no answer: …"],
    ),
    (
        "soft404_profile",
        site!("http", "\nhost 203.0.113.10 limit 1 9m 503"),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["no answer: …"],
    ),
    (
        "soft404_profile",
        site!("http", "hostile reset-at-once"),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["no answer: connection reset: head"],
    ),
    (
        "robots_sitemap_wellknown",
        site!(
            "http",
            "robots \"Disallow: /admin\\nSitemap: http://w.acme.test/s.xml\" page /s.xml application/xml \
                 \"<urlset><url><loc>http://v.acme.test/a</loc></url></urlset>\""
        ),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["found", "> link DnsRecord v.acme.test", "hidden_robots = [\"/admin\"]"],
    ),
    ("robots_sitemap_wellknown", site!("http", "soft-404"), "Uri http://w.acme.test:80 203.0.113.10:80", &["absent"]),
    (
        "robots_sitemap_wellknown",
        site!("http", "redirect http://o.test/"),
        "Uri http://w.acme.test:80 203.0.113.10:80",
        &["absent"],
    ),
    (
        "tls_grab",
        site!("https", "cert names w.acme.test v.acme.test"),
        "DnsRecord w.acme.test 203.0.113.10:443",
        &["found", "> certificate SslCertificate …"],
    ),
    ("tls_grab", site!("http", ""), "DnsRecord w.acme.test 203.0.113.10:443", &["absent"]),
    ("tls_grab", "host 203.0.113.10\n  port 443 ssh", "DnsRecord w.acme.test 203.0.113.10:443", &["absent"]),
    ("jarm", site!("https", ""), "NetworkService 203.0.113.10:443/tcp", &["found", "hidden_jarm = …"]),
    ("jarm", site!("http", ""), "NetworkService 203.0.113.10:443/tcp", &["absent"]),
    ("jarm", site!("http", ""), "NetworkService 203.0.113.10:80/tcp", &["absent"]),
    ("jarm", "", "NetworkService 203.0.113.10:53/udp", &["no answer: not a service"]),
];

#[test]
fn sites() {
    assert_looks(SITES);
}

/// A repository that has a key in its first commit, and what lies around a site `w.acme.test` beside its `checkout`.
macro_rules! checkout {
    ($words:literal) => {
        concat!(
            "repository https://git.test/acme/app of acme\n  commit 2024-03-01 \"Begin\" \"Ann <ann@acme.test>\"\n  \
             writes app.env \"\\nTOKEN=gh\\u{70}_q7Lx2VbN9sKd4TfR8mWz1YcHp6Jg3Ea5UoXe\\n\"\n  writes lib/a.txt \
             \"https://api.acme.test/\"\n  commit 2024-03-02 \"Take it away\"\n  removes app.env\n",
            site!("http", $words)
        )
    };
}

const REPOSITORY: &str = "GitRepository http://w.acme.test:80/.git 203.0.113.10:80";

const HANDED_OUT: &str = "Uri http://w.acme.test:80 203.0.113.10:80 with \
                          {\"hidden_exposures\":[{\"what\":\"git_repository\",\"path\":\"/.git/HEAD\",\
                          \"proof\":\"x\"}]}";

const LED: &[&str] = &["found", "> page GitRepository http://w.acme.test:80/.git"];

const LOOKED_THROUGH: &[&str] = &[
    "found",
    "> link DnsRecord api.acme.test",
    "> link Domain git.test",
    "> link Uri https://api.acme.test:443",
    "> token UniqueToken ghp_…",
    "hidden_commits = 2",
    "hidden_leaks = [{\"token\":\"ghp_…",
    "hidden_remotes = [\"https://git.test/acme/app.git\"]",
    "hidden_tracked_files = [\"lib/a.txt\"]",
    "repository_name = \"w.acme.test\"",
    "repository_public = true",
];

/// What stands in front of the reasons why a repository is none.
macro_rules! not_together {
    ($why:literal) => {
        &[concat!("no answer: the repository cannot be put together: ", $why)]
    };
}

#[test]
fn repositories_that_a_site_hands_out() {
    let task = "exposed_repository";
    let bombs = not_together!("an object is larger than is unpacked");
    assert_looks(&[
        (task, checkout!("checkout https://git.test/acme/app"), HANDED_OUT, LED),
        (task, checkout!("checkout https://git.test/acme/app packed"), HANDED_OUT, LED),
        (task, checkout!("checkout https://git.test/acme/app"), REPOSITORY, LOOKED_THROUGH),
        (task, checkout!("checkout https://git.test/acme/app packed"), REPOSITORY, LOOKED_THROUGH),
        (task, checkout!("checkout https://git.test/acme/app bombs"), HANDED_OUT, bombs),
        (task, checkout!("checkout https://git.test/acme/app bombs"), REPOSITORY, bombs),
        (
            task,
            checkout!("checkout https://git.test/acme/app forged"),
            HANDED_OUT,
            not_together!("a pack is left out: …"),
        ),
        (
            task,
            checkout!("checkout https://git.test/acme/app forged"),
            REPOSITORY,
            not_together!("a pack is left out: …"),
        ),
        // A branch that names itself, settings alone, and a site that has a page for everything.
        (
            task,
            site!("http", "exposes git page /.git/refs/heads/main text/plain \"ref: refs/heads/main\\n\""),
            HANDED_OUT,
            not_together!("HEAD is a chain of references that ends at no commit; …"),
        ),
        (task, site!("http", "exposes git"), HANDED_OUT, &["absent"]),
        (task, site!("http", "soft-404"), HANDED_OUT, &["absent"]),
        (task, site!("http", "soft-404"), REPOSITORY, &["absent"]),
        // A page for every object, below what looks like the beginning of a repository.
        (
            task,
            site!("http", "soft-404 page /.git/HEAD text/plain \"1111111111111111111111111111111111111111\\n\""),
            HANDED_OUT,
            not_together!("the content of an object does not match its id"),
        ),
        // Settings that open something are a find of their own.
        (
            task,
            site!(
                "http",
                "page /.git/config text/plain \"[core]\\n[remote \\\"origin\\\"]\\n\\turl = \
                 https://deploy:k3Vq9ZtL7wXb@git.test/a.git\\n\""
            ),
            REPOSITORY,
            &[
                "found",
                "> link Domain git.test",
                "> token UniqueToken …",
                "hidden_remotes = [\"https://git.test/a.git\"]",
                "hidden_leaks = …",
            ],
        ),
        (task, "", HANDED_OUT, &["no answer: …"]),
    ]);
}

#[test]
fn a_token_that_is_a_seed_is_looked_for_in_every_commit() {
    assert_looks(&[(
        "repository",
        "repository https://git.test/acme/tags of acme\n  commit 2024-03-01 \"Begin\" \"Ann <ann@acme.test>\"\n  \
         writes a.js \"tag('acme-7Q1'); tag('acme-7Q2')\"\n  commit 2024-03-02 \"Take it away\"\n  removes a.js\n",
        "GitRepository https://git.test/acme/tags",
        &["found", "> token UniqueToken acme-7Q1", "hidden_commits = 2", "hidden_leaks = []"],
    )]);
}

#[test]
fn what_projects_of_firebase_keep() {
    assert_looks(&[
        (
            "bucket_probe",
            "bucket firebase-database shop-default-rtdb of acme listed keys users",
            "CloudStorageBucket https://shop-default-rtdb.firebaseio.com",
            &["found", "found_objects = []", "hidden_listable = true", "provider = \"firebase\""],
        ),
        (
            "bucket_probe",
            "bucket firebase-database shop.europe-west1 of acme",
            "CloudStorageBucket https://shop.europe-west1.firebasedatabase.app",
            &["found", "hidden_listable = false", "region = \"europe-west1\""],
        ),
        ("bucket_probe", "", "CloudStorageBucket https://shop-default-rtdb.firebaseio.com", &["absent"]),
        (
            "bucket_probe",
            "bucket firestore shop of acme listed",
            "CloudStorageBucket https://firestore.googleapis.com/v1/projects/shop",
            &["found", "bucket_name = \"shop\"", "hidden_listable = true"],
        ),
        (
            "bucket_probe",
            "bucket firestore shop of acme",
            "CloudStorageBucket https://firestore.googleapis.com/v1/projects/shop",
            &["found", "hidden_listable = false"],
        ),
        (
            "bucket_probe",
            "bucket firebase-storage shop.appspot.com of acme listed keys a b",
            "CloudStorageBucket https://firebasestorage.googleapis.com/v0/b/shop.appspot.com",
            &["found", "found_objects = []", "hidden_listable = true"],
        ),
    ]);
}

#[test]
fn buckets_in_another_region() {
    assert_looks(&[
        (
            "bucket_probe",
            "bucket s3 files of acme listed region eu-west-1 keys a.txt",
            "CloudStorageBucket https://files.s3.amazonaws.com",
            &[
                "found",
                "found_objects = [\"a.txt\"]",
                "hidden_listable = true",
                "hidden_readable = true",
                "region = \"eu-west-1\"",
            ],
        ),
        (
            "bucket_probe",
            "bucket s3 files of acme region eu-west-1\nbucket s3 others of acme region us-west-2",
            "CloudStorageBucket https://s3.us-west-2.amazonaws.com/files",
            &["found", "hidden_listable = false", "region = \"eu-west-1\""],
        ),
        (
            "bucket_probe",
            "account hetzner \"A\" of acme\n  shown x\n  answers files.s3.amazonaws.com freely status 301 header \
             x-amz-bucket-region evil xml \"<Error/>\"",
            "CloudStorageBucket https://files.s3.amazonaws.com",
            &["no answer: the bucket answered with status 301, and not from a region that has it"],
        ),
    ]);
}

#[test]
fn what_others_hold() {
    assert_looks(&[
        (
            "bucket_probe",
            "bucket s3 files of acme listed keys a.txt",
            "CloudStorageBucket https://files.s3.amazonaws.com",
            &["found", "found_objects = [\"a.txt\"]", "hidden_listable = true", "hidden_readable = true"],
        ),
        (
            "bucket_probe",
            "bucket s3 files of acme open keys a.txt",
            "CloudStorageBucket https://files.s3.amazonaws.com",
            &["found", "hidden_listable = false", "hidden_readable = false"],
        ),
        (
            "bucket_probe",
            "bucket s3 files of acme listed",
            "CloudStorageBucket https://files.s3.amazonaws.com",
            &["found", "hidden_listable = true", "hidden_readable = false"],
        ),
        ("bucket_probe", "", "CloudStorageBucket https://files.s3.amazonaws.com", &["absent"]),
        ("bucket_probe", "", "CloudStorageBucket https://storage.googleapis.com/files", &["absent"]),
        (
            "bucket_probe",
            "bucket gcs files of acme",
            "CloudStorageBucket https://storage.googleapis.com/files",
            &["found", "hidden_listable = false"],
        ),
        (
            "bucket_probe",
            "bucket azure acc/box of acme listed keys z",
            "CloudStorageBucket https://acc.blob.core.windows.net/box",
            &["found", "found_objects = [\"z\"]"],
        ),
        (
            "takeover",
            "zone github.io of host\n  ns ns1.host.test\nname acme.github.io A 198.51.100.9\nhost \
             198.51.100.9\n  port 80 http\n  unknown-host 404 \"There isn't a GitHub Pages site here.\"",
            "DnsRecord w.acme.test 198.51.100.9:80 with {\"hidden_cname_chain\":[\"acme.github.io\"]}",
            &["found", "hidden_takeover = {\"provider\":\"GitHub Pages\",\"target\":\"acme.github.io\",\"proof\":…"],
        ),
        (
            "takeover",
            "host 198.51.100.9\n  port 80 http\n  unknown-host 404 \"Not here.\"",
            "DnsRecord w.acme.test 198.51.100.9:80 with {\"hidden_cname_chain\":[\"acme.github.io\"]}",
            &["absent"],
        ),
        ("takeover", "", "DnsRecord w.acme.test 198.51.100.9:80", &["absent"]),
        (
            "takeover",
            "",
            "DnsRecord w.acme.test there with {\"hidden_cname_chain\":[\"acme.github.io\"]}",
            &["no answer: not a binding: \"there\""],
        ),
        (
            "certificate_log",
            "cert c names a.acme.test",
            "Domain acme.test",
            &["found", "> logged_certificate PreCertificate …"],
        ),
        ("certificate_log", "", "Domain acme.test", &["absent"]),
    ]);
}
