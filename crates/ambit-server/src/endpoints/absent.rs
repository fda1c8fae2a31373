//! The rows of what the contract knows and Ambit does not have (docs/contract/wider.md §10): what sandboxes saw, rules
//! and profiles of others, references, private scans. One of them is not found, a list of them is empty, none can be
//! made.

use crate::endpoint::Access::Key;
use crate::endpoint::{Endpoint, get, handler, post};
use crate::quota::rules;

/// Every row.
pub(super) const ROWS: &[Endpoint] = &[
    get("/file_behaviours/{id}", Key, handler!(wider::absent::find, "File behaviour"))
        .says("Read what a sandbox saw of a file: there is nothing, since no sandbox runs files here.")
        .costs(&rules::FILE_BEHAVIOURS),
    get("/file_behaviours/{id}/{relationship}", Key, handler!(wider::absent::relationship, "File behaviour"))
        .says("Read what a report of a sandbox is related to, or a file of the report: there is none.")
        .costs(&rules::FILE_BEHAVIOURS),
    get("/yara_rulesets/{id}", Key, handler!(wider::absent::find, "YARA ruleset"))
        .says("Read rules that others publish: the answer is always 404, since none are kept here.")
        .costs(&rules::RULES_OF_OTHERS),
    get("/sigma_rules/{id}", Key, handler!(wider::absent::find, "Sigma rule"))
        .says("Read a rule over logs that others publish: the answer is always 404, since none are kept here.")
        .costs(&rules::RULES_OF_OTHERS),
    get("/threat_profiles", Key, handler!(wider::absent::list))
        .says("List profiles of threats: there are none.")
        .costs(&rules::THREAT_PROFILES),
    get("/threat_profiles/{id}", Key, handler!(wider::absent::find, "Threat profile"))
        .says("Read a profile of threats: there is none.")
        .costs(&rules::THREAT_PROFILES),
    get("/threat_profiles/{id}/{relationship}", Key, handler!(wider::absent::relationship, "Threat profile"))
        .says("Read what a profile of threats is related to.")
        .costs(&rules::THREAT_PROFILES),
    get("/references", Key, handler!(wider::absent::list))
        .says("List references to publications: there are none.")
        .costs(&rules::REFERENCES),
    post("/references", Key, handler!(wider::absent::refuse_references)).costs(&rules::REFERENCE_POST),
    get("/references/{id}", Key, handler!(wider::absent::find, "Reference"))
        .says("Read a reference: there is none.")
        .costs(&rules::REFERENCES),
    get("/references/{id}/{relationship}", Key, handler!(wider::absent::relationship, "Reference"))
        .says("Read what a reference is related to.")
        .costs(&rules::REFERENCES),
    get("/private/files", Key, handler!(wider::absent::list))
        .says("List files that were scanned privately: there are none.")
        .costs(&rules::PRIVATE_FILES),
    post("/private/files", Key, handler!(wider::absent::refuse_private_scans))
        .says(
            "Scan a file privately: this is always refused. To show a file to one project only, use POST /files with \
             visibility=project.",
        )
        .costs(&rules::PRIVATE_SCAN),
    get("/private/files/upload_url", Key, handler!(wider::absent::refuse_private_scans))
        .says("Create an address for a large file that is to be scanned privately: this is always refused.")
        .costs(&rules::PRIVATE_SCAN),
    get("/private/files/{id}", Key, handler!(wider::absent::find, "Private file"))
        .says("Read a file that was scanned privately: there is none.")
        .costs(&rules::PRIVATE_FILES),
    get("/private/files/{id}/{relationship}", Key, handler!(wider::absent::relationship, "Private file"))
        .says("Read what a file that was scanned privately is related to.")
        .costs(&rules::PRIVATE_FILES),
    post("/private/urls", Key, handler!(wider::absent::refuse_private_scans))
        .says("Scan a URL privately: this is always refused.")
        .costs(&rules::PRIVATE_SCAN),
    get("/private/urls/{id}", Key, handler!(wider::absent::find, "Private URL"))
        .says("Read a URL that was scanned privately: there is none.")
        .costs(&rules::PRIVATE_URLS),
    get("/private/urls/{id}/{relationship}", Key, handler!(wider::absent::relationship, "Private URL"))
        .says("Read what a URL that was scanned privately is related to.")
        .costs(&rules::PRIVATE_URLS),
    get("/private/analyses", Key, handler!(wider::absent::list))
        .says("List analyses of private scans: there are none.")
        .costs(&rules::PRIVATE_ANALYSES),
    get("/private/analyses/{id}", Key, handler!(wider::absent::find, "Private analysis"))
        .says("Read an analysis of a private scan: there is none.")
        .costs(&rules::PRIVATE_ANALYSES),
    get("/private/analyses/{id}/{relationship}", Key, handler!(wider::absent::relationship, "Private analysis"))
        .says("Read what an analysis of a private scan is related to.")
        .costs(&rules::PRIVATE_ANALYSES),
];
