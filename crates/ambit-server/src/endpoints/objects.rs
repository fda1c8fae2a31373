//! The rows of domains, addresses, URLs and files in the wider API (docs/contract/wider.md §7).

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, get, handler, post};
use crate::quota::rules;
use ambit_api::Contract;
use ambit_api::files::AnalysisAnswer;
use ambit_api::objects::{Form, OneObject, Said};
use ambit_model::object::ObjectType::{Domain, File, IpAddress, Url};

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/domains/{id}", Key, handler!(wider::objects::find, Domain))
        .says("Read a domain or host name that the inventory knows.")
        .costs(&rules::DOMAINS)
        .reads(),
    get("/domains/{id}/comments", Key, handler!(wider::objects::comments, Domain))
        .says("List the comments on a domain, newest first.")
        .costs(&rules::DOMAIN_COMMENTS)
        .lists(),
    post("/domains/{id}/comments", Key, handler!(wider::objects::add_comment, Domain))
        .says("Comment on a domain.")
        .costs(&rules::DOMAIN_COMMENTS)
        .writes(),
    get("/domains/{id}/votes", Key, handler!(wider::votes::list, Domain))
        .says("List the votes on a domain, newest first.")
        .costs(&rules::VOTES)
        .lists(),
    post("/domains/{id}/votes", Key, handler!(wider::votes::add, Domain))
        .says("Vote on a domain: harmless or malicious.")
        .costs(&rules::VOTES)
        .writes(),
    get("/domains/{id}/{relationship}", Key, handler!(wider::objects::relationship, Domain, false))
        .says("List what a domain is related to.")
        .costs(&rules::DOMAIN_RELATIONSHIPS)
        .relates(),
    get("/domains/{id}/relationships/{relationship}", Key, handler!(wider::objects::relationship, Domain, true))
        .says("List their descriptors.")
        .costs(&rules::DOMAIN_RELATIONSHIPS)
        .relates(),
    get("/ip_addresses/{id}", Key, handler!(wider::objects::find, IpAddress))
        .says("Read an address that the inventory knows.")
        .costs(&rules::ADDRESSES)
        .reads(),
    get("/ip_addresses/{id}/comments", Key, handler!(wider::objects::comments, IpAddress))
        .says("List the comments on an address, newest first.")
        .costs(&rules::ADDRESS_COMMENTS)
        .lists(),
    post("/ip_addresses/{id}/comments", Key, handler!(wider::objects::add_comment, IpAddress))
        .says("Comment on an address.")
        .costs(&rules::ADDRESS_COMMENTS)
        .writes(),
    get("/ip_addresses/{id}/votes", Key, handler!(wider::votes::list, IpAddress))
        .says("List the votes on an address, newest first.")
        .costs(&rules::VOTES)
        .lists(),
    post("/ip_addresses/{id}/votes", Key, handler!(wider::votes::add, IpAddress))
        .says("Vote on an address: harmless or malicious.")
        .costs(&rules::VOTES)
        .writes(),
    get("/ip_addresses/{id}/{relationship}", Key, handler!(wider::objects::relationship, IpAddress, false))
        .says("List what an address is related to.")
        .costs(&rules::ADDRESS_RELATIONSHIPS)
        .relates(),
    get(
        "/ip_addresses/{id}/relationships/{relationship}",
        Key,
        handler!(wider::objects::relationship, IpAddress, true),
    )
    .says("List their descriptors.")
    .costs(&rules::ADDRESS_RELATIONSHIPS)
    .relates(),
    post("/urls", Key, handler!(wider::files::submit_url))
        .costs(&rules::URL_SUBMISSION)
        .may_take(Form::SHAPE)
        .answers(OneObject::SHAPE),
    get("/urls/{id}", Key, handler!(wider::objects::find, Url))
        .says("Read a URL that the inventory knows, by its base64 or SHA-256.")
        .costs(&rules::URLS)
        .reads(),
    post("/urls/{id}/analyse", Key, handler!(wider::files::analyse_url))
        .reads_project()
        .costs(&rules::URL_ANALYSE)
        .answers(OneObject::SHAPE),
    get("/urls/{id}/comments", Key, handler!(wider::objects::comments, Url))
        .says("List the comments on a URL, newest first.")
        .costs(&rules::URL_COMMENTS)
        .lists(),
    post("/urls/{id}/comments", Key, handler!(wider::objects::add_comment, Url))
        .says("Comment on a URL.")
        .costs(&rules::URL_COMMENTS)
        .writes(),
    get("/urls/{id}/votes", Key, handler!(wider::votes::list, Url))
        .says("List the votes on a URL, newest first.")
        .costs(&rules::VOTES)
        .lists(),
    post("/urls/{id}/votes", Key, handler!(wider::votes::add, Url))
        .says("Vote on a URL: harmless or malicious.")
        .costs(&rules::VOTES)
        .writes(),
    get("/urls/{id}/{relationship}", Key, handler!(wider::objects::relationship, Url, false))
        .says("List what a URL is related to.")
        .costs(&rules::URL_RELATIONSHIPS)
        .relates(),
    get("/urls/{id}/relationships/{relationship}", Key, handler!(wider::objects::relationship, Url, true))
        .says("List their descriptors.")
        .costs(&rules::URL_RELATIONSHIPS)
        .relates(),
    post("/files", Key, handler!(wider::files::upload))
        .reads_project()
        .costs(&rules::UPLOAD)
        .may_take(Form::SHAPE)
        .answers(OneObject::SHAPE),
    get("/files/upload_url", Key, handler!(wider::files::upload_url)).costs(&rules::UPLOAD_URL).answers(Said::SHAPE),
    post("/files/upload/{token}", Key, handler!(wider::files::upload_to))
        .reads_project()
        .costs(&rules::UPLOAD)
        .may_take(Form::SHAPE)
        .answers(OneObject::SHAPE),
    get("/files/{id}", Key, handler!(wider::files::find)).costs(&rules::FILES).reads(),
    post("/files/{id}/analyse", Key, handler!(wider::files::analyse))
        .costs(&rules::FILE_ANALYSE)
        .answers(OneObject::SHAPE),
    get("/files/{id}/download", Key, handler!(wider::files::download))
        .costs(&rules::FILE_DOWNLOAD)
        .as_type("application/octet-stream"),
    get("/files/{id}/download_url", Key, handler!(wider::files::download_url))
        .costs(&rules::FILE_DOWNLOAD)
        .answers(Said::SHAPE),
    get("/files/{id}/comments", Key, handler!(wider::files::comments)).costs(&rules::FILE_COMMENTS).lists(),
    post("/files/{id}/comments", Key, handler!(wider::files::add_comment)).costs(&rules::FILE_COMMENTS).writes(),
    get("/files/analyses/{id}", Key, handler!(wider::files::analysis))
        .says("Read an analysis; the same as /analyses/{id}.")
        .costs(&rules::ANALYSES)
        .answers(AnalysisAnswer::SHAPE),
    get("/files/{id}/votes", Key, handler!(wider::votes::list, File))
        .says("List the votes on a file, newest first.")
        .costs(&rules::VOTES)
        .lists(),
    post("/files/{id}/votes", Key, handler!(wider::votes::add, File))
        .says("Vote on a file: harmless or malicious.")
        .costs(&rules::VOTES)
        .writes(),
    get("/files/{id}/{relationship}", Key, handler!(wider::files::relationship, false))
        .says("List what a file is related to.")
        .costs(&rules::FILE_RELATIONSHIPS)
        .lists(),
    get("/files/{id}/relationships/{relationship}", Key, handler!(wider::files::relationship, true))
        .says("List their descriptors.")
        .costs(&rules::FILE_RELATIONSHIPS)
        .lists(),
    get("/analyses/{id}", Key, handler!(wider::files::analysis))
        .says("Read an analysis.")
        .costs(&rules::ANALYSES)
        .answers(AnalysisAnswer::SHAPE),
    get("/analyses/{id}/item", Key, handler!(wider::files::analysed_item))
        .costs(&rules::ANALYSES)
        .answers(OneObject::SHAPE),
];
