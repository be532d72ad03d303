//! Another program (Schemathesis) generates everything that the API's description allows, and some things that it does not, and
//! sends it as the owner of an organization. Nothing breaks, and every answer must be a described one.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Stdio,
};

use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    harness::TestApp,
    matrix::{
        people::{Caller, Standing, Thing, World},
        rows,
    },
    mcp_clients::python,
};

/// The checks of every answer. `bad_input` has the tests for the answers to wrong requests, field by field.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,unsupported_method,allow_header_conformance";
/// Operations that end the session, the membership or the organization, or remove what others need. They run last.
const ENDINGS: [&str; 11] = [
    "sign_up",
    "sign_in",
    "sign_out",
    "second_factor",
    "change_password",
    "end_other_sessions",
    "end_browser_session",
    "leave_organization",
    "transfer_ownership",
    "delete_organization",
    "delete_account",
];
const SEED: &str = "20261122";
const EXAMPLES: &str = "8";
/// How many operations must have succeeded at least once before the endings. Without real IDs, it would be half of them.
const DONE: usize = 60;

/// Returns the description as we feed it in. It leaves out access tokens and workspaces: the program would invent some and get
/// refusals instead of testing the operation. Every ID is one that exists.
fn fed(document: &Value, world: &World<'_>) -> Value {
    let mut document = document.clone();
    let things = world.things(Caller::Owner).with(Thing::Organization, &world.organization);
    document.as_object_mut().unwrap().remove("security");
    document["components"].as_object_mut().unwrap().remove("securitySchemes");
    for row in rows::all().iter().filter(|row| row.is_described()) {
        let (method, path) = row.operation.split_once(' ').unwrap();
        let operation = &mut document["paths"][path][method.to_ascii_lowercase()];
        operation.as_object_mut().unwrap().remove("security");
        if let Some(stream) = operation.pointer_mut("/responses/200/content/text~1event-stream/schema") {
            // It reads events, but generators of clients read a text.
            *stream = json!({
                "type": "object", "required": ["id", "event", "data"],
                "properties": {"data": {
                    "type": "string", "contentMediaType": "application/json",
                    "contentSchema": {"$ref": "#/components/schemas/RunEvent"}
                }}
            });
        }
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        let Some(parameters) = parameters else { continue };
        parameters.retain(|parameter| parameter["name"] != "x-organization-id");
        let ids = parameters.iter_mut().filter(|parameter| parameter["in"] == "path");
        for (parameter, thing) in ids.zip(row.ids) {
            parameter["schema"] = json!({"type": "string", "enum": [things.get(*thing)]});
        }
    }
    document
}

/// Returns the operations by ID, with the statuses of their answers.
async fn asked(world: &World<'_>, folder: &Path, which: &[String]) -> BTreeMap<String, BTreeSet<u64>> {
    let python = python("schemathesis", "import schemathesis").await;
    let Standing::Cookie(cookie) = world.standing(Caller::Owner) else { panic!("a session") };
    let (described, seen) = (folder.join("openapi.json"), folder.join("seen.har"));
    let output = Command::new(python.with_file_name("schemathesis"))
        .arg("run")
        .arg(&described)
        .args(["--url", &world.base])
        .args(["--phases", "examples,coverage,fuzzing", "--checks", CHECKS, "--seed", SEED])
        .args(["--max-examples", EXAMPLES, "--request-timeout", "30", "--workers", "2", "--no-color"])
        .args(["--suppress-health-check", "all", "--warnings", "off", "--generation-database", "none"])
        .args(["-H", &format!("Cookie: {cookie}"), "-H", &format!("x-organization-id: {}", world.organization)])
        .args(["--report", "har", "--report-har-path"])
        .arg(&seen)
        .args(which)
        // It writes notes into its working folder.
        .current_dir(folder)
        .kill_on_drop(true)
        .stdin(Stdio::null())
        .output()
        .await
        .expect("schemathesis runs");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("Tested:") || told.contains("passed"), "{told}");
    let document: Value = serde_json::from_slice(&std::fs::read(&described).unwrap()).unwrap();
    let seen: Value = serde_json::from_slice(&std::fs::read(&seen).unwrap()).unwrap();
    let mut answers: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for entry in seen["log"]["entries"].as_array().unwrap() {
        let (method, url) = (&entry["request"]["method"], entry["request"]["url"].as_str().unwrap());
        let path = url.trim_start_matches(&world.base).split(['?', '#']).next().unwrap();
        if let Some(id) = operation(&document, &method.as_str().unwrap().to_ascii_lowercase(), path) {
            answers.entry(id).or_default().insert(entry["response"]["status"].as_u64().unwrap());
        }
    }
    answers
}

/// Returns the operation for a path; one without IDs comes before one with IDs.
fn operation(document: &Value, method: &str, path: &str) -> Option<String> {
    let fits = |template: &str| {
        let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
        template.len() == path.len() && template.iter().zip(&path).all(|(t, p)| t == p || t.starts_with('{'))
    };
    let paths = document["paths"].as_object().unwrap();
    let template = paths.keys().find(|template| *template == path).or_else(|| paths.keys().find(|t| fits(t)))?;
    paths[template][method]["operationId"].as_str().map(str::to_owned)
}

#[tokio::test]
async fn no_request_breaks_anything_and_every_answer_is_described() {
    let app = TestApp::sqlite().await;
    let world = World::begin(&app).await;
    let folder = tempfile::tempdir().unwrap();
    let document = fed(&app.document, &world);
    std::fs::write(folder.path().join("openapi.json"), document.to_string()).unwrap();
    let id_of = |operation: &str| {
        let (method, path) = operation.split_once(' ').unwrap();
        document["paths"][path][method.to_ascii_lowercase()]["operationId"].as_str().unwrap().to_owned()
    };
    let used_up =
        rows::all().into_iter().filter(|row| row.is_described() && row.uses_up).map(|row| id_of(row.operation));
    let last: BTreeSet<String> = used_up.chain(ENDINGS.map(str::to_owned)).collect();
    let each = |which: &str| last.iter().flat_map(|id| [which.to_owned(), id.clone()]).collect::<Vec<_>>();

    let answers = asked(&world, folder.path(), &each("--exclude-operation-id")).await;
    let in_200s = |statuses: &BTreeSet<u64>| statuses.iter().any(|status| (200..400).contains(status));
    let done = answers.values().filter(|statuses| in_200s(statuses)).count();
    let never: Vec<_> = answers.iter().filter(|(_, statuses)| !in_200s(statuses)).collect();
    assert!(done >= DONE, "only {done} of {} operations were ever done; never: {never:?}", answers.len());
    let turned_away: Vec<_> = answers.iter().filter(|(_, statuses)| statuses.contains(&401)).collect();
    assert!(turned_away.len() <= 2, "it was not signed in: {turned_away:?}");

    asked(&world, folder.path(), &each("--include-operation-id")).await;
    assert!(app.writes().await.is_empty(), "nobody approved anything");
    app.stop().await;
}
