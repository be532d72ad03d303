//! Runs the eval program with a hosted model, through an independent mock server that speaks the providers' wire formats. Needs
//! the packages of `end2end`.

use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

struct Mock {
    child: Child,
    base: String,
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mock {
    fn start() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let modules = here.join("../../end2end/node_modules");
        let program = modules.join("@copilotkit/aimock/dist/cli.js");
        assert!(
            program.exists(),
            "the model mock server is not installed: run `cargo xtask test`, or `npm ci` in end2end/"
        );
        let packaged = modules.join("node/bin/node");
        let node = if packaged.exists() { packaged } else { PathBuf::from("node") };
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let child = Command::new(node)
            .arg(program)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "--strict", "--validate-on-load", "--log-level", "warn"])
            .arg("-f")
            .arg(here.join("tests/fixtures/hosted.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("node starts");
        let mock = Self { child, base: format!("http://127.0.0.1:{port}/v1") };
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return mock;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the model mock server does not answer on port {port}");
    }
}

fn record(id: &str, query: &str, expect: &Value) -> String {
    let context = json!({ "connected": ["admob"], "disabled": [], "history": [] });
    json!({ "id": id, "query": query, "context": context, "expect": expect, "lang": "en", "tags": [] }).to_string()
}

fn data(folder: &Path) -> PathBuf {
    let revenue = json!({
        "services": ["admob"], "capability": "reporting", "path": "reactive", "outcome": "answer",
        "tools_any": ["admob_generate_mediation_report"], "write_tool": null,
        "slots": { "metrics": ["revenue"], "dimensions": [], "date_from": "2026-11-20", "date_to": "2026-11-20",
                   "limit": null, "filters": {}, "compare_to": null },
    });
    let chat = json!({
        "services": [], "capability": "assistant", "path": "reactive", "outcome": "chat",
        "tools_any": [], "write_tool": null, "slots": null,
    });
    let apps = json!({
        "services": ["admob"], "capability": "inventory", "path": "reactive", "outcome": "answer",
        "tools_any": ["admob_list_apps"], "write_tool": null, "slots": null,
    });
    let lines = [
        record("h1", "What was my revenue yesterday?", &revenue),
        record("h2", "Hello there", &chat),
        record("h3", "Show my apps", &apps),
    ];
    let file = folder.join("set.jsonl");
    std::fs::write(&file, lines.join("\n")).expect("written");
    file
}

fn eval(folder: &Path, model: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_eval"));
    for name in ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command.arg("--data").arg(data(folder)).args(["--model", model]);
    command.arg("--json").arg(folder.join("scores.json")).output().expect("the program runs")
}

fn close(value: &Value, wanted: f64) -> bool {
    value.as_f64().is_some_and(|got| (got - wanted).abs() < 1e-9)
}

fn a_hosted_model_is_asked_and_scored(model: &str, key: &str, base: &str) {
    let mock = Mock::start();
    let folder = tempfile::tempdir().expect("a folder");
    let output = eval(folder.path(), model, &[(key, "test-key"), (base, &mock.base)]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("test-key"));
    let scores: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("scores.json")).expect("scores")).expect("JSON");
    let overall = &scores["overall"];
    // The first answer is right except for a filter, the second except for its path; the third says nothing at all.
    assert_eq!(overall["count"], 3);
    assert!(close(&overall["services_capability"], 2.0 / 3.0), "{overall}");
    assert!(close(&overall["path"], 1.0 / 3.0) && close(&overall["outcome"], 2.0 / 3.0), "{overall}");
    assert!(close(&overall["tool_at_1"], 0.5) && close(&overall["recall_at_15"], 0.5), "{overall}");
    assert!(close(&overall["slot_f1"], 6.0 / 7.0), "{overall}");
    assert_eq!(scores["files"]["set.jsonl"]["count"], 3);
}

#[test]
fn openai_is_asked_and_scored() {
    a_hosted_model_is_asked_and_scored("openai/gpt-5-mini", "OPENAI_API_KEY", "OPENAI_BASE_URL");
}

#[test]
fn anthropic_is_asked_and_scored() {
    a_hosted_model_is_asked_and_scored("anthropic/claude-haiku-4-5", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL");
}

#[test]
fn what_cannot_be_asked_is_said_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (model, word) in
        [("gpt-9", "gpt-9"), ("mistral/large", "mistral/large"), ("openai/gpt-5-mini", "OPENAI_API_KEY")]
    {
        let output = eval(folder.path(), model, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(word), "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
}
