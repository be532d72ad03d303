//! Everything the API's description allows, and what it does not, made up by somebody else's program and asked by a member of an
//! organisation: nothing breaks, and every answer is one that is described.

use std::process::Stdio;

use adagent_domain::Role;
use serde_json::json;
use tokio::process::Command;

use crate::{
    harness::{Caller, TestApp},
    matrix::stored,
    mcp_clients::python,
};

/// Held against every answer. What a wrong request is answered with is tested by hand, field by field, in `bad_input`.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,unsupported_method,allow_header_conformance";
/// These end the session or the membership that the others need: asked at the end, by somebody whose they are to lose.
const ENDINGS: [&str; 8] = [
    "sign_up",
    "sign_in",
    "sign_out",
    "second_factor",
    "change_password",
    "end_other_sessions",
    "end_browser_session",
    "leave_organization",
];
const SEED: &str = "20261122";
const EXAMPLES: &str = "8";

async fn asked(who: &Caller<'_>, organization: &str, which: &str) {
    let python = python("schemathesis", "import schemathesis").await;
    let cookie = who.cookie.lock().unwrap().clone().unwrap();
    // It keeps notes where it runs.
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(python.with_file_name("schemathesis"))
        .args(["run", &format!("{}/api/openapi.json", who.base()), "--url", &who.base()])
        .args(["--phases", "examples,coverage,fuzzing", "--checks", CHECKS, "--seed", SEED])
        .args(["--max-examples", EXAMPLES, "--request-timeout", "30", "--workers", "2", "--no-color"])
        .args(["--suppress-health-check", "all", "--warnings", "off", "--generation-database", "none"])
        .args(["-H", &format!("Cookie: {cookie}"), "-H", &format!("x-organization-id: {organization}")])
        .args(ENDINGS.into_iter().flat_map(|id| [which, id]))
        .current_dir(folder.path())
        .kill_on_drop(true)
        .stdin(Stdio::null())
        .output()
        .await
        .expect("schemathesis runs");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("Tested:") || told.contains("passed"), "{told}");
}

#[tokio::test]
async fn no_request_breaks_anything_and_every_answer_is_described() {
    let app = TestApp::sqlite().await;
    let (ada, bob, eve) = (app.person("ada").await, app.person("bob").await, app.person("eve").await);
    let people = [("ada", Role::Owner), ("bob", Role::Member), ("eve", Role::Member)];
    let organization = stored::organization(&app, "Acme", &people).await;
    let explore = ada.request("POST", "/api/sandbox/explore").header("x-organization-id", &organization);
    assert_eq!(explore.json(&json!({"networks": ["admob"]})).send().await.unwrap().status(), 200);
    asked(&bob, &organization, "--exclude-operation-id").await;
    let runs = bob.request("GET", "/api/runs").header("x-organization-id", &organization).send().await.unwrap();
    assert_eq!(runs.status(), 200, "still signed in, still a member: it was a member who asked all that");
    asked(&eve, &organization, "--include-operation-id").await;
    assert!(app.writes().await.is_empty(), "nobody approved anything");
    app.stop().await;
}
