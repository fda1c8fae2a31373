//! The rows of domains, addresses, URLs and files in the wider API (docs/contract/wider.md §7).

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, get, handler, post};
use crate::quota::rules;
use ambit_model::object::ObjectType::{Domain, File, IpAddress, Url};

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/domains/{id}", Key, handler!(wider::objects::find, Domain))
        .says("Read a domain or host name that the inventory knows.")
        .costs(&rules::DOMAINS),
    get("/domains/{id}/comments", Key, handler!(wider::objects::comments, Domain))
        .says("List the comments on a domain, newest first.")
        .costs(&rules::DOMAIN_COMMENTS),
    post("/domains/{id}/comments", Key, handler!(wider::objects::add_comment, Domain))
        .says("Comment on a domain.")
        .costs(&rules::DOMAIN_COMMENTS),
    get("/domains/{id}/votes", Key, handler!(wider::votes::list, Domain))
        .says("List the votes on a domain, newest first.")
        .costs(&rules::VOTES),
    post("/domains/{id}/votes", Key, handler!(wider::votes::add, Domain))
        .says("Vote on a domain: harmless or malicious.")
        .costs(&rules::VOTES),
    get("/domains/{id}/{relationship}", Key, handler!(wider::objects::relationship, Domain))
        .says("List what a domain is related to.")
        .costs(&rules::DOMAIN_RELATIONSHIPS),
    get("/domains/{id}/relationships/{relationship}", Key, handler!(wider::objects::descriptors, Domain))
        .says("List the descriptors of what a domain is related to.")
        .costs(&rules::DOMAIN_RELATIONSHIPS),
    get("/ip_addresses/{id}", Key, handler!(wider::objects::find, IpAddress))
        .says("Read an address that the inventory knows.")
        .costs(&rules::ADDRESSES),
    get("/ip_addresses/{id}/comments", Key, handler!(wider::objects::comments, IpAddress))
        .says("List the comments on an address, newest first.")
        .costs(&rules::ADDRESS_COMMENTS),
    post("/ip_addresses/{id}/comments", Key, handler!(wider::objects::add_comment, IpAddress))
        .says("Comment on an address.")
        .costs(&rules::ADDRESS_COMMENTS),
    get("/ip_addresses/{id}/votes", Key, handler!(wider::votes::list, IpAddress))
        .says("List the votes on an address, newest first.")
        .costs(&rules::VOTES),
    post("/ip_addresses/{id}/votes", Key, handler!(wider::votes::add, IpAddress))
        .says("Vote on an address: harmless or malicious.")
        .costs(&rules::VOTES),
    get("/ip_addresses/{id}/{relationship}", Key, handler!(wider::objects::relationship, IpAddress))
        .says("List what an address is related to.")
        .costs(&rules::ADDRESS_RELATIONSHIPS),
    get("/ip_addresses/{id}/relationships/{relationship}", Key, handler!(wider::objects::descriptors, IpAddress))
        .says("List the descriptors of what an address is related to.")
        .costs(&rules::ADDRESS_RELATIONSHIPS),
    post("/urls", Key, handler!(wider::files::submit_url)).costs(&rules::URL_SUBMISSION),
    get("/urls/{id}", Key, handler!(wider::objects::find, Url))
        .says("Read a URL that the inventory knows, by its base64 or SHA-256.")
        .costs(&rules::URLS),
    post("/urls/{id}/analyse", Key, handler!(wider::files::analyse_url)).reads_project().costs(&rules::URL_ANALYSE),
    get("/urls/{id}/comments", Key, handler!(wider::objects::comments, Url))
        .says("List the comments on a URL, newest first.")
        .costs(&rules::URL_COMMENTS),
    post("/urls/{id}/comments", Key, handler!(wider::objects::add_comment, Url))
        .says("Comment on a URL.")
        .costs(&rules::URL_COMMENTS),
    get("/urls/{id}/votes", Key, handler!(wider::votes::list, Url))
        .says("List the votes on a URL, newest first.")
        .costs(&rules::VOTES),
    post("/urls/{id}/votes", Key, handler!(wider::votes::add, Url))
        .says("Vote on a URL: harmless or malicious.")
        .costs(&rules::VOTES),
    get("/urls/{id}/{relationship}", Key, handler!(wider::objects::relationship, Url))
        .says("List what a URL is related to.")
        .costs(&rules::URL_RELATIONSHIPS),
    get("/urls/{id}/relationships/{relationship}", Key, handler!(wider::objects::descriptors, Url))
        .says("List the descriptors of what a URL is related to.")
        .costs(&rules::URL_RELATIONSHIPS),
    post("/files", Key, handler!(wider::files::upload)).reads_project().costs(&rules::UPLOAD),
    get("/files/upload_url", Key, handler!(wider::files::upload_url)).costs(&rules::UPLOAD_URL),
    post("/files/upload/{token}", Key, handler!(wider::files::upload_to)).reads_project().costs(&rules::UPLOAD),
    get("/files/{id}", Key, handler!(wider::files::find)).costs(&rules::FILES),
    post("/files/{id}/analyse", Key, handler!(wider::files::analyse)).costs(&rules::FILE_ANALYSE),
    get("/files/{id}/download", Key, handler!(wider::files::download)).costs(&rules::FILE_DOWNLOAD),
    get("/files/{id}/download_url", Key, handler!(wider::files::download_url)).costs(&rules::FILE_DOWNLOAD),
    get("/files/{id}/comments", Key, handler!(wider::files::comments)).costs(&rules::FILE_COMMENTS),
    post("/files/{id}/comments", Key, handler!(wider::files::add_comment)).costs(&rules::FILE_COMMENTS),
    get("/files/analyses/{id}", Key, handler!(wider::files::analysis)).costs(&rules::ANALYSES),
    get("/files/{id}/votes", Key, handler!(wider::votes::list, File))
        .says("List the votes on a file, newest first.")
        .costs(&rules::VOTES),
    post("/files/{id}/votes", Key, handler!(wider::votes::add, File))
        .says("Vote on a file: harmless or malicious.")
        .costs(&rules::VOTES),
    get("/files/{id}/{relationship}", Key, handler!(wider::files::relationship, false))
        .says("List what a file is related to.")
        .costs(&rules::FILE_RELATIONSHIPS),
    get("/files/{id}/relationships/{relationship}", Key, handler!(wider::files::relationship, true))
        .says("List the descriptors of what a file is related to.")
        .costs(&rules::FILE_RELATIONSHIPS),
    get("/analyses/{id}", Key, handler!(wider::files::analysis)).says("Read an analysis.").costs(&rules::ANALYSES),
    get("/analyses/{id}/item", Key, handler!(wider::files::analysed_item)).costs(&rules::ANALYSES),
];
