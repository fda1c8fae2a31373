//! A contract fuzzer (schemathesis) reads our description of the API and tries it: no answer is a 5xx, none has a
//! status or a content type that is not documented, and none breaks its schema. The number of examples is bounded and
//! deterministic, so that the same build is always asked the same.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use ambit_testkit::{Inventory, TestServer, inventory};
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// Examples of each operation and phase; every member is left out, of the wrong type, too long and too large once in
/// any case. `AMBIT_FUZZ_EXAMPLES` asks for another number: hundreds before a release.
const EXAMPLES: &str = "4";

/// What every answer must keep to. Wrong keys are not among it: the fuzzer asks faster than an address may ask with
/// wrong ones (429), and the walk over the table of endpoints asks each row without a key.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method";

/// Runs the fuzzer with a configuration and more arguments; it must find nothing.
async fn fuzz(server: &TestServer, configuration: &Path, more: &[&str]) {
    let programs = std::env::var_os("AMBIT_TEST_PYTHON").map(PathBuf::from);
    let programs = programs
        .expect("AMBIT_TEST_PYTHON is not set: run the tests with `make test`, or below `cargo xtask with-python`");
    let mut fuzzer = Command::new(programs.join("schemathesis"));
    fuzzer.arg("--config-file").arg(configuration);
    fuzzer.arg("run").arg(format!("http://{}/openapi.json", server.address));
    fuzzer.arg("--header").arg(format!("x-apikey: {}", server.keys["owner"]));
    fuzzer.args(["--checks", CHECKS]);
    let examples = std::env::var("AMBIT_FUZZ_EXAMPLES").unwrap_or_else(|_| EXAMPLES.to_owned());
    fuzzer.args(["--max-examples", &examples, "--generation-deterministic", "--continue-on-failure"]);
    fuzzer.args(["--suppress-health-check", "all", "--warnings", "off", "--no-color"]).args(more);
    fuzzer.current_dir(std::env::temp_dir()).kill_on_drop(true);
    let output = fuzzer.output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("No issues found"), "it must have tried something: {said}");
}

/// The key of version 2, which is a parameter; that of the others is a header of every request.
fn credential(server: &TestServer) -> String {
    format!("[auth.openapi.key_of_v2]\napi_key = \"{}\"\n", server.keys["owner"])
}

/// The identifiers of what is there, so that bodies and queries reach the handlers behind them.
fn known(server: &TestServer, found: &Inventory) -> String {
    let (project, collection) = (server.project_uuid, server.collection);
    let mut text = credential(server);
    for (path, parameters) in [
        ("projects", format!("uuid = \"{project}\"")),
        ("user_collections", format!("uuid = \"{collection}\", collection_uuid = \"{collection}\"")),
        ("collections", format!("collection_uuid = \"{collection}\"")),
        ("entities", format!("entity_uid = \"{}\"", found.site)),
        ("issues", format!("id = \"{}\"", found.issue)),
        ("tags", format!("item_type = \"issue\", item_uid = \"{}\"", found.issue)),
        ("notes", format!("item_type = \"entity\", item_uid = \"{}\"", found.site)),
        ("time_series/point_in_time/entities", format!("uid = \"{}\"", found.site)),
        ("time_series/points_in_time/entities", format!("uid = \"{}\"", found.site)),
        ("time_series/point_in_time/issues", format!("uid = \"{}\"", found.issue)),
        ("time_series/points_in_time/issues", format!("uid = \"{}\"", found.issue)),
        ("library/issues", "issue_name = \"dns_caa_missing\"".to_owned()),
    ] {
        text += &format!(
            "[[operations]]\ninclude-path-regex = \"^/api/(v3/asm|ambit/v1)/{path}/\"\nparameters = {{ {parameters} \
             }}\n"
        );
    }
    text + "[[operations]]\ninclude-path-regex = \"^/api/ambit/v1/collection_runs/\"\nparameters = { id = 1 }\n"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_description_holds_whatever_is_asked() {
    let server = TestServer::new().await.unwrap();
    let found = inventory::fill(&server, "Welcome").await.unwrap();
    let file = std::env::temp_dir().join(format!("ambit-contract-{}.toml", server.collection));
    std::fs::write(&file, known(&server, &found)).unwrap();
    fuzz(&server, &file, &["--phases", "coverage,fuzzing", "--exclude-method", "DELETE"]).await;
    // Bodies did reach the handlers behind the identifiers.
    let audit = server.call("owner", "GET", "/api/ambit/v1/audit?limit=1000", None).await.unwrap().text();
    for action in ["entity.note.create", "issue.tag", "issue.status", "seed.add", "integration.create"] {
        assert!(audit.contains(action), "{action}: {audit}");
    }
    std::fs::write(&file, credential(&server)).unwrap();
    fuzz(&server, &file, &["--phases", "examples,coverage,fuzzing"]).await;
    std::fs::remove_file(&file).unwrap();
}
