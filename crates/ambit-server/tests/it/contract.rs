//! Every endpoint that the contract names (docs/contract/asm.md §6) is there: in both trees, with and without a slash
//! at the end, with `-` for `_`.

use ambit_server::{Access, ENDPOINTS, Tree};
use ambit_testkit::{Ask, TestServer, ask};

/// Method and path as the contract writes them.
const CONTRACT: &[(&str, &str)] = &[
    ("GET", "/projects"),
    ("POST", "/projects"),
    ("DELETE", "/projects/{uuid}"),
    ("GET", "/projects/{uuid}/users"),
    ("POST", "/projects/{uuid}/users/bulk"),
    ("GET", "/user_collections"),
    ("POST", "/user_collections"),
    ("GET", "/user_collections/{uuid}"),
    ("DELETE", "/user_collections/{uuid}"),
    ("PATCH", "/user_collections/{uuid}/archive"),
    ("PATCH", "/user_collections/{uuid}/unarchive"),
    ("GET", "/user_collections/{uuid}/collection_project_users"),
    ("POST", "/user_collections/{uuid}/collection_project_users"),
    ("GET", "/collections/{uuid}/collection_runs"),
    ("POST", "/collections/{uuid}/collection_runs"),
    ("GET", "/search/entities/{search_string}"),
    ("GET", "/entities/{uid}"),
    ("GET", "/entities/{uid}/raw"),
    ("GET", "/search/issues/{search_string}"),
    ("GET", "/issues/{uid}"),
    ("POST", "/issues/{uid}/status"),
    ("GET", "/time_series/point_in_time/entities/{uid}"),
    ("GET", "/time_series/points_in_time/entities/{uid}"),
    ("GET", "/time_series/point_in_time/issues/{uid}"),
    ("GET", "/time_series/points_in_time/issues/{uid}"),
    ("GET", "/search/technologies/{search_string}"),
    ("GET", "/notes/{item_type}/{uid}"),
    ("POST", "/notes/{item_type}/{uid}"),
    ("DELETE", "/notes/{item_type}/{uid}/{uid}"),
    ("GET", "/tags/{item_type}/{uid}"),
    ("POST", "/tags/{item_type}/{uid}"),
    ("DELETE", "/tags/{item_type}/{uid}/{tag_name}"),
    ("GET", "/user_collections/{uuid}/user_entities"),
    ("POST", "/user_collections/{uuid}/user_entities"),
    ("DELETE", "/entities/{integer}"),
    ("GET", "/projects/{uuid}/integrations"),
    ("POST", "/projects/{uuid}/integrations"),
    ("GET", "/projects/{uuid}/integrations/jira_projects"),
    ("DELETE", "/integrations/{uuid}"),
    ("GET", "/integration_collections"),
    ("POST", "/user_collections/{uuid}/integration_collections"),
    ("DELETE", "/integration_collections/{uuid}"),
    ("GET", "/library/entities"),
    ("GET", "/library/entities/stats"),
    ("GET", "/library/issues"),
    ("GET", "/library/issues/{issue_name}"),
    ("GET", "/library/issues/stats"),
    ("GET", "/library/tasks"),
    ("GET", "/library/tasks/stats"),
    ("GET", "/library/fingerprints"),
    ("GET", "/library/fingerprints/stats"),
    ("GET", "/library/issues/export_csv"),
    ("GET", "/library/tasks/export_csv"),
    ("GET", "/library/catalog/stats"),
];

/// The path with identifiers that nothing has.
fn example(path: &str) -> String {
    let value = |part: &str| match part {
        "{uuid}" => "00000000-0000-0000-0000-000000000000".to_owned(),
        "{uid}" => "0".repeat(64),
        "{item_type}" => "issue".to_owned(),
        part if part.starts_with('{') => "7".to_owned(),
        part => part.to_owned(),
    };
    path.split('/').map(value).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_endpoint_of_the_contract_is_there_in_each_spelling() {
    let server = TestServer::new().await.unwrap();
    for (method, path) in CONTRACT {
        let example = example(path);
        for tree in ["/api/v3/asm", "/api/v1"] {
            for path in [example.clone(), format!("{example}/"), example.replace('_', "-")] {
                let request = Ask {
                    method: (*method).to_owned(),
                    target: format!("{tree}{path}?page_size=100&page=0"),
                    ..Ask::default()
                };
                // Without a key: the row is there, and says so.
                let reply = ask(&server.address, &request).await.unwrap();
                assert_eq!(reply.status, 401, "{method} {tree}{path}: {}", reply.text());
            }
        }
    }
}

#[test]
fn what_we_have_beyond_the_contract_is_known() {
    let parameter = |path: &str| {
        let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    let contract: Vec<(&str, String)> = CONTRACT.iter().map(|(method, path)| (*method, parameter(path))).collect();
    let rows = ENDPOINTS.iter().filter(|row| row.tree == Tree::Asm && row.access != Access::Open);
    let mut ours: Vec<String> = rows
        .map(|row| (row.method.name(), parameter(row.path)))
        .filter(|row| !contract.contains(row))
        .map(|(method, path)| format!("{method} {path}"))
        .collect();
    ours.sort();
    assert_eq!(
        ours,
        [
            "DELETE /projects/{}/users/{}",
            "DELETE /user_collections/{}/collection_project_users/{}",
            "GET /library/workflows",
            "PATCH /integrations/{}",
            "PATCH /notes/{}/{}/{}",
            "PATCH /projects/{}",
            "PATCH /user_collections/{}",
        ]
    );
}

#[tokio::test]
async fn exports_are_saved_under_a_name() {
    let server = TestServer::new().await.unwrap();
    for name in ["issues", "tasks"] {
        let target = format!("/api/v3/asm/library/{name}/export_csv");
        let reply = server.call("owner", "GET", &target, None).await.unwrap();
        let saved = format!("attachment; filename=\"{name}.csv\"");
        assert_eq!((reply.status, reply.header("content-disposition")), (200, Some(saved.as_str())));
    }
}
