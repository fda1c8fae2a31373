//! Registries, sources, storage, clouds, stores and forges.

use crate::ask::{Served, assert_served};

const REGISTRIES: &[Served] = &[
    (
        "org mail \"Mail Ltd\" vendor email post@mail.test\nblock 192.0.2.0/24 of mail asn AS64511 named MAIL-NET \
         country DE \
         allocated 2019-03-01\nblock 192.0.2.128/25 of acme named INNER",
        &[
            (
                "GET https://rdap.org/ip/192.0.2.7 ? Content-Type has:\"name\":\"MAIL-NET\"",
                "200 | application/rdap+json | yes",
            ),
            ("GET https://rdap.org/ip/192.0.2.7 ? has:\"country\":\"DE\"", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.7 ? has:post@mail.test", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.7 ? has:\"eventDate\":\"2019-03-01T00:00:00", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.0/24 ? has:\"endAddress\":\"192.0.2.255\"", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.200 ? has:\"name\":\"INNER\"", "200 | yes"),
            ("GET https://rdap.org/ip/192.0.2.200 ? has:\"country\":\"NL\"", "200 | yes"),
            ("GET https://rdap.org/ip/100.64.0.1", "404"),
            ("GET https://rdap.org/ip/x", "404"),
            ("GET https://rdap.org/autnum/64511 ? has:\"name\":\"MAIL-NET\"", "200 | yes"),
            ("GET https://rdap.org/autnum/1", "404"),
            ("GET https://rdap.org/nothing/1", "404"),
            ("GET https://rdap.org/help ? has:rdap_level_0", "200 | yes"),
            (
                "TXT 7.2.0.192.origin.asn.cymru.com",
                "NOERROR 7.2.0.192.origin.asn.cymru.com TXT 64511 | 192.0.2.0/24 | DE | ripencc | 2019-03-01",
            ),
            ("TXT 1.0.64.100.origin.asn.cymru.com", "NXDOMAIN"),
            (
                "GET https://stat.ripe.net/data/announced-prefixes/data.json?resource=AS64511 ? \
                 has:\"prefix\":\"192.0.2.0/24\"",
                "200 | yes",
            ),
            (
                "GET https://stat.ripe.net/data/announced-prefixes/data.json?resource=AS1 ? has:\"prefixes\":[]",
                "200 | yes",
            ),
            ("GET https://stat.ripe.net/data/announced-prefixes/data.json?resource=x", "400"),
            ("GET https://stat.ripe.net/data/other.json?resource=AS64511", "400"),
            (
                "say 198.19.0.15:43 192.0.2.7\r\n",
                "inetnum:        192.0.2.0 - 192.0.2.255\\r\\nnetname:        MAIL-NET\\r\\ndescr:          Mail \
                 Ltd\\r\\ncountry:        DE\\r\\norigin:         AS64511\\r\\ncreated:        2019-03-01T00:00:00…",
            ),
            ("GET https://rdap.db.ripe.net/entities?fn=mail* ? has:ORG-MAIL", "200 | yes"),
            ("GET https://rdap.db.ripe.net/entities?fn=Mail+Ltd ? has:ORG-MAIL", "200 | yes"),
            ("GET https://rdap.db.ripe.net/entities?fn=Mail ? has:ORG-MAIL", "200 | no"),
            ("GET https://rdap.arin.net/registry/entities?fn=mail* ? has:ORG-MAIL", "200 | no"),
            ("GET https://rdap.db.ripe.net/entity/ORG-MAIL ? has:192.0.2.0", "200 | yes"),
            ("GET https://rdap.db.ripe.net/entity/ORG-NONE", "404"),
        ],
    ),
    (
        "zone b.test of out\n  ns ns1.acme.test\n  registrar \"Names Ltd\" registered 2015-05-05 expires +20d\nzone \
         r.test of out\n  \
         ns ns1.acme.test\n  redacted",
        &[
            ("GET https://rdap.org/domain/b.test ? has:Names Ltd", "200 | yes"),
            ("GET https://rdap.org/domain/b.test ? has:2015-05-05T00:00:00", "200 | yes"),
            ("GET https://rdap.org/domain/b.test ? has:2025-07-21T00:00:00", "200 | yes"),
            ("GET https://rdap.org/domain/b.test ? has:\"Out\"", "200 | yes"),
            ("GET https://rdap.org/domain/r.test ? has:\"Out\"", "200 | no"),
            ("GET https://rdap.org/domain/r.test ? has:REDACTED FOR PRIVACY", "200 | yes"),
            ("GET https://rdap.org/domain/www.b.test", "404"),
            (
                "say 198.19.0.15:43 b.test\r\n",
                "Domain Name: b.test\\r\\nRegistrar: Names Ltd\\r\\nRegistrar WHOIS Server: \
                 whois.registrar.example\\r\\nCreation Date: 2015-05-05T00:00:00…",
            ),
            ("say 198.19.0.15:43 none.test\r\n", "No match for \\\"none.test\\\".\\r\\n"),
            (
                "say 198.19.0.13:43 b.test\r\n",
                "% IANA WHOIS server\\r\\n\\r\\nrefer:        whois.rdap-registry.example\\r\\n…",
            ),
            ("GET https://data.iana.org/rdap/dns.json ? has:\"test\"", "200 | yes"),
            ("GET https://data.iana.org/rdap/asn.json ? has:https://rdap-registry.example/", "200 | yes"),
            ("GET https://data.iana.org/rdap/none.json", "404"),
        ],
    ),
    (
        "name {a,b}.acme.test A 203.0.113.{5,6}\nname a.acme.test archived\nname old.acme.test archived",
        &[
            ("GET https://jonlu.ca/anubis/subdomains/acme.test ? has:\"a.acme.test\"", "200 | yes"),
            ("GET https://jonlu.ca/anubis/subdomains/acme.test ? has:\"old.acme.test\"", "200 | yes"),
            ("GET https://jonlu.ca/anubis/subdomains/acme.test ? has:\"b.acme.test\"", "200 | no"),
            ("GET https://jonlu.ca/anubis/subdomains/other.test ? has:acme", "200 | no"),
            ("GET https://jonlu.ca/none", "404"),
            ("GET https://osint.bevigil.com/api/acme.test/subdomains/", "401"),
            (
                "GET https://osint.bevigil.com/api/acme.test/subdomains/ with \"X-Access-Token: any\" ? \
                 has:a.acme.test",
                "200 | yes",
            ),
            ("A old.acme.test", "NOERROR"),
        ],
    ),
];

#[tokio::test]
async fn registries_and_sources() {
    assert_served(1, REGISTRIES).await;
}

const STORAGE: &[Served] = &[(
    "bucket s3 files of acme listed keys a.txt \"b&c\"\nbucket s3 shut of acme keys a.txt\nbucket s3 part of acme \
     open keys \
     a.txt\nbucket gcs files of acme listed keys g.txt\nbucket azure acc/box of acme listed keys z.txt\nbucket azure \
     acc/part of acme \
     open keys z.txt\nbucket azure acc/shut of acme keys z.txt\n\
     bucket firebase-database open of acme listed keys users\n\
     bucket firebase-database empty of acme listed\nbucket firebase-database shut.europe-west1 of acme\n\
     bucket firestore open of acme listed\nbucket firestore shut of acme\n\
     bucket firebase-storage open.appspot.com of acme listed keys a b\n\
     bucket firebase-storage shut.appspot.com of acme\n\
     bucket s3 far of acme listed region eu-west-1 keys a.txt\nbucket s3 away of acme region us-west-2",
    &[
        ("GET https://files.s3.amazonaws.com/ ? Server has:<Key>b&amp;c</Key>", "200 | AmazonS3 | yes"),
        ("GET https://files.s3.amazonaws.com/a.txt ? body", "200 | planted file a.txt"),
        ("GET https://files.s3.amazonaws.com/none ? has:NoSuchKey", "404 | yes"),
        ("GET https://s3.amazonaws.com/files ? has:<Key>a.txt</Key>", "200 | yes"),
        ("GET https://s3.amazonaws.com/files/a.txt ? body", "200 | planted file a.txt"),
        ("GET https://shut.s3.amazonaws.com/ ? has:AccessDenied", "403 | yes"),
        ("GET https://shut.s3.amazonaws.com/a.txt ? has:AccessDenied", "403 | yes"),
        ("GET https://part.s3.amazonaws.com/ ? has:AccessDenied", "403 | yes"),
        ("GET https://part.s3.amazonaws.com/a.txt ? body", "200 | planted file a.txt"),
        ("GET https://part.s3.amazonaws.com/none ? has:AccessDenied", "403 | yes"),
        ("GET https://none.s3.amazonaws.com/ ? has:<BucketName>none</BucketName>", "404 | yes"),
        ("GET https://far.s3.eu-west-1.amazonaws.com/ ? has:<Key>a.txt</Key>", "200 | yes"),
        ("GET https://s3.eu-west-1.amazonaws.com/far/a.txt ? body", "200 | planted file a.txt"),
        (
            "GET https://far.s3.amazonaws.com/ ? x-amz-bucket-region has:<Endpoint>far.s3.eu-west-1.amazonaws.com<",
            "301 | eu-west-1 | yes",
        ),
        ("GET https://far.s3.us-west-2.amazonaws.com/ ? has:PermanentRedirect", "301 | yes"),
        ("GET https://s3.us-west-2.amazonaws.com/far ? x-amz-bucket-region", "301 | eu-west-1"),
        ("GET https://none.s3.us-west-2.amazonaws.com/ ? has:NoSuchBucket", "404 | yes"),
        ("A far.s3.eu-north-1.amazonaws.com", "NXDOMAIN"),
        ("GET https://storage.googleapis.com/files ? Server has:<Key>g.txt</Key>", "200 | UploadServer | yes"),
        ("GET https://files.storage.googleapis.com/g.txt ? body", "200 | planted file g.txt"),
        ("GET https://storage.googleapis.com/shut ? has:NoSuchBucket", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/box?restype=container&comp=list ? has:<Name>z.txt</Name>", "200 | yes"),
        ("GET https://acc.blob.core.windows.net/box ? has:ResourceNotFound", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/part?comp=list ? has:ResourceNotFound", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/part/z.txt ? body", "200 | planted file z.txt"),
        ("GET https://acc.blob.core.windows.net/shut/z.txt ? has:ResourceNotFound", "404 | yes"),
        ("GET https://acc.blob.core.windows.net/none?comp=list ? has:ContainerNotFound", "404 | yes"),
        ("GET https://open.firebaseio.com/.json?shallow=true ? body", "200 | {\"users\":true}"),
        ("GET https://open.firebaseio.com/.json ? has:users", "400 | no"),
        ("GET https://empty.firebaseio.com/.json?shallow=true ? body", "200 | null"),
        (
            "GET https://shut.europe-west1.firebasedatabase.app/.json?shallow=true ? body",
            "401 | {\"error\":\"Permission denied\"}",
        ),
        ("GET https://none.firebaseio.com/.json?shallow=true ? body", "404 | {\"error\":\"404 Not Found\"}"),
        (
            "GET https://firestore.googleapis.com/v1/projects/open/databases/(default)/documents/ambit ? body",
            "200 | {}",
        ),
        (
            "GET https://firestore.googleapis.com/v1/projects/shut/databases/(default)/documents/ambit ? \
             has:PERMISSION_DENIED",
            "403 | yes",
        ),
        ("GET https://firestore.googleapis.com/v1/projects/none/databases/(default)/documents/ambit", "404"),
        (
            "GET https://firebasestorage.googleapis.com/v0/b/open.appspot.com/o?maxResults=1 ? body",
            "200 | {\"prefixes\":[],\"items\":[{\"name\":\"a\",\"bucket\":\"open.appspot.com\"}]}",
        ),
        (
            "GET https://firebasestorage.googleapis.com/v0/b/shut.appspot.com/o?maxResults=1 ? has:PERMISSION_DENIED",
            "403 | yes",
        ),
    ],
)];

#[tokio::test]
async fn buckets() {
    assert_served(1, STORAGE).await;
}

const INTERFACES: &[Served] = &[
    (
        "account hetzner M of acme shown \"Bearer t0ken\"\n  answers api.hetzner.cloud when /v1/servers when page=2 \
         json \"['two']\"\n  \
         answers api.hetzner.cloud when /v1/servers json \"['one']\"\n  answers api.hetzner.cloud when /v1/busy \
         status 429 json \
         \"{}\"\n  answers api.hetzner.cloud when /open freely xml \"<a/>\"\n  answers api.hetzner.cloud when /by by \
         special json \"[3]\"\n\
         account aws A of acme shown AKIA\n  answers ec2.amazonaws.com when Describe xml \"<ok/>\"",
        &[
            (
                "GET https://api.hetzner.cloud/v1/servers with \"Authorization: Bearer t0ken\" ? Content-Type body",
                "200 | application/json | [\"one\"]",
            ),
            (
                "GET https://api.hetzner.cloud/v1/servers?page=2 with \"Authorization: Bearer t0ken\" ? body",
                "200 | [\"two\"]",
            ),
            (
                "GET https://api.hetzner.cloud/v1/servers with \"Authorization: Bearer other\" ? \
                 has:InvalidClientTokenId",
                "401 | yes",
            ),
            ("GET https://api.hetzner.cloud/v1/busy with \"Authorization: Bearer t0ken\"", "429"),
            (
                "GET https://api.hetzner.cloud/v1/none with \"Authorization: Bearer t0ken\" ? has:AccessDenied",
                "403 | yes",
            ),
            ("GET https://api.hetzner.cloud/open ? Content-Type body", "200 | text/xml | <a/>"),
            ("GET https://api.hetzner.cloud/by with \"Authorization: Bearer t0ken\"", "403"),
            (
                "GET https://api.hetzner.cloud/by with \"Authorization: Bearer t0ken\" with \"X-A: special\" ? body",
                "200 | [3]",
            ),
            (
                "POST https://ec2.amazonaws.com/ with \"Authorization: AKIA\" and \"Action=DescribeInstances\" ? body",
                "200 | <ok/>",
            ),
            (
                "POST https://ec2.amazonaws.com/ and \"Action=DescribeInstances\" ? Content-Type \
                 has:InvalidClientTokenId",
                "403 | text/xml | yes",
            ),
            ("A api.hetzner.cloud", "NOERROR api.hetzner.cloud A 198.19.0.23"),
        ],
    ),
    (
        "app android test.acme.shop \"Shop\" of acme\n  named w.acme.test\napp ios test.acme.desk \"Desk\" of \
         acme\n  named w.acme.test",
        &[
            (
                "GET https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://w.acme.test \
                 ? has:test.acme.shop",
                "200 | yes",
            ),
            (
                "GET https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://w.acme.test \
                 ? has:test.acme.desk",
                "200 | no",
            ),
            (
                "GET https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://v.acme.test \
                 ? has:statements",
                "200 | no",
            ),
            ("GET https://digitalassetlinks.googleapis.com/v1/statements:list", "404"),
            ("GET https://app-site-association.cdn-apple.com/a/v1/w.acme.test ? has:test.acme.desk", "200 | yes"),
            ("GET https://app-site-association.cdn-apple.com/a/v1/v.acme.test", "404"),
        ],
    ),
];

#[tokio::test]
async fn interfaces_of_clouds_and_stores_of_apps() {
    assert_served(1, INTERFACES).await;
}

const FORGES: &[Served] = &[
    (
        "forge https://github.com/acme \"Acme Code\" of acme\n  website https://acme.test\n  member ann\n  fork \
         theirs\n  token \
         s3cret\nrepository https://github.com/acme/app of acme commit -5d \"One\"\n  writes README.md \"About \
         quoins\"\nrepository \
         https://github.com/acme/inner of acme private commit -5d \"One\"\n  writes a b\nrepository \
         https://github.com/else/quoin of out \
         commit -5d \"One\"\n  writes a b",
        &[
            ("GET https://api.github.com/users/acme ? has:\"blog\":\"https://acme.test\"", "200 | yes"),
            ("GET https://api.github.com/users/none", "404"),
            ("GET https://api.github.com/users/acme/repos ? has:https://github.com/acme/app", "200 | yes"),
            ("GET https://api.github.com/users/acme/repos ? has:\"fork\":true", "200 | yes"),
            ("GET https://api.github.com/users/acme/repos ? has:acme/inner", "200 | no"),
            ("GET https://api.github.com/users/acme/repos?page=2 ? body", "200 | []"),
            ("GET https://api.github.com/orgs/acme/repos ? body", "200 | []"),
            (
                "GET https://api.github.com/orgs/acme/repos with \"Authorization: Bearer s3cret\" ? has:acme/inner",
                "200 | yes",
            ),
            ("GET https://api.github.com/orgs/acme/public_members ? has:https://github.com/ann", "200 | yes"),
            ("GET https://api.github.com/orgs/acme/members", "404"),
            (
                "GET https://api.github.com/orgs/acme/members with \"Authorization: Bearer s3cret\" ? has:ann",
                "200 | yes",
            ),
            ("GET https://api.github.com/search/repositories?q=quoin ? has:\"total_count\":2", "200 | yes"),
            (
                "GET https://api.github.com/search/repositories?q=quoin&per_page=1&page=3 ? body",
                "200 | {\"total_count\":2,\"incomplete_results\":false,\"items\":[]}",
            ),
            ("GET https://api.github.com/search/repositories?q=inner ? has:\"total_count\":0", "200 | yes"),
            (
                "GET https://github.com/acme/app.git/info/refs?service=git-upload-pack ? Content-Type",
                "200 | application/x-git-upload-pack-advertisement",
            ),
            ("GET https://github.com/acme/app.git/info/refs?service=git-receive-pack", "404"),
            ("GET https://github.com/acme/inner/info/refs?service=git-upload-pack", "401"),
            (
                "GET https://github.com/acme/inner/info/refs?service=git-upload-pack with \"Authorization: Bearer \
                 s3cret\"",
                "200",
            ),
            ("GET https://github.com/acme/none", "404"),
            (
                "POST https://github.com/acme/app/git-upload-pack and \"command=ls-refs\" ? has:refs/heads/main",
                "200 | yes",
            ),
        ],
    ),
    (
        "forge https://gitlab.com/acme \"Acme\" of acme\nrepository https://gitlab.com/acme/app of acme commit -5d \
         x\n  writes a \
         b\nforge https://codeberg.org/acme \"Acme\" of acme\n  member ann\n  token t0k\nrepository \
         https://codeberg.org/acme/app of acme \
         private commit -5d x\n  writes a b\nforge https://bitbucket.org/acme \"Acme\" of acme\n  fork f\nrepository \
         https://bitbucket.org/acme/app of acme commit -5d x\n  writes a b",
        &[
            ("GET https://gitlab.com/api/v4/groups/acme ? has:\"full_path\":\"acme\"", "200 | yes"),
            ("GET https://gitlab.com/api/v4/groups/acme/projects ? has:https://gitlab.com/acme/app", "200 | yes"),
            ("GET https://gitlab.com/api/v4/groups/none", "404"),
            ("GET https://gitlab.com/api/v4/projects?search=app ? has:acme/app", "200 | yes"),
            ("GET https://gitlab.com/api/v4/projects?search=app&page=2 ? body", "200 | []"),
            ("GET https://gitlab.com/api/v4/users?username=acme ? body", "200 | []"),
            ("GET https://codeberg.org/api/v1/orgs/acme ? has:Acme", "200 | yes"),
            ("GET https://codeberg.org/api/v1/orgs/acme/repos ? body", "200 | []"),
            (
                "GET https://codeberg.org/api/v1/orgs/acme/repos with \"Authorization: Bearer t0k\" ? has:acme/app.git",
                "200 | yes",
            ),
            ("GET https://codeberg.org/api/v1/orgs/acme/public_members ? has:ann", "200 | yes"),
            ("GET https://codeberg.org/api/v1/orgs/acme/members", "404"),
            ("GET https://codeberg.org/api/v1/repos/search?q=app ? has:\"data\":[]", "200 | yes"),
            ("GET https://api.bitbucket.org/2.0/workspaces/acme ? has:\"slug\":\"acme\"", "200 | yes"),
            ("GET https://api.bitbucket.org/2.0/repositories/acme ? has:https://bitbucket.org/acme/app", "200 | yes"),
            ("GET https://api.bitbucket.org/2.0/repositories/none", "404"),
            ("GET https://api.bitbucket.org/2.0/other/acme", "404"),
        ],
    ),
];

#[tokio::test]
async fn forges_of_code() {
    assert_served(1, FORGES).await;
}
