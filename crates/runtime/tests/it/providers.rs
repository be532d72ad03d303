//! Hosted models in the engine, against a second independent mock server. It breaks answers on demand and judges the client, and after all
//! faults of all providers it must have no complaint. Needs Python with venv.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use adagent_contract::{EventBody, ModelTier, RunStatus};
use adagent_llm::{HostedModel, Model, Models, ModelsConfig, Provider, ProviderConfig};
use adagent_runtime::Runtime;
use adagent_testkit::{fixtures::Must, sqlite_store};
use serde_json::{Value as Json, json};

use crate::world::{World, says};

const TEXT: &str = "All of your apps are listed here, one after another, in the order in which they were made.";

/// Ends when its standard input closes, that is, with this program.
const WRAPPER: &str = "import os, sys, threading\n\
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()\n\
    from llmock.cli import app\n\
    app()";

/// Returns the Python of the test peers' environment. Its folder is outside the checkout: `ADAGENT_PEERS_VENV`, otherwise
/// `~/.cache/adagentai/venv`. Creates it on first use.
fn python() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a test has no configuration crate to read it for it")]
    let variable = |name: &str| std::env::var(name).ok();
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".cache/adagentai/venv"));
    let folder = variable("ADAGENT_PEERS_VENV").map(PathBuf::from).or_else(home);
    let folder = folder.expect("ADAGENT_PEERS_VENV or HOME is set");
    let python = folder.join("bin/python");
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../end2end/peers/requirements.txt");
    let runs = |command: &mut Command| command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    let installed = || runs(Command::new(&python).args(["-c", "import llmock"]));
    if !installed() {
        let made = python.exists() || runs(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        assert!(made, "python3 with venv is missing: apt-get install python3 python3-venv");
        runs(Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(&requirements));
        assert!(installed(), "pip could not install {}: check that PyPI is reachable", requirements.display());
    }
    python
}

struct Mock {
    child: Child,
    base: String,
    http: reqwest::Client,
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mock {
    async fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let child = Command::new(python())
            .args(["-c", WRAPPER, "serve", "--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--tool-mode", "off", "--stream-chunk-delay-ms", "15", "--log-level", "error"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("python starts");
        let base = format!("http://127.0.0.1:{port}");
        let http = reqwest::Client::builder().build().expect("a client");
        let mock = Self { child, base, http };
        for _ in 0..300 {
            if mock.http.get(format!("{}/_llmock/verdict", mock.base)).send().await.is_ok() {
                return mock;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the model mock server does not answer on port {port}");
    }

    fn model(&self, provider: Provider, name: &str) -> HostedModel {
        let path = match provider {
            Provider::Anthropic => "anthropic/v1",
            Provider::OpenAi | Provider::DeepSeek => "v1",
            Provider::Gemini => "gemini/v1beta",
            Provider::Xai => "xai/v1",
        };
        let base_url = Some(format!("{}/{path}", self.base));
        let settings = ProviderConfig { api_key: Some("test-key".to_owned().into()), base_url };
        let patience = Duration::from_secs(2);
        let config = ModelsConfig { providers: [(provider, settings)].into(), patience, ..ModelsConfig::default() };
        HostedModel::new(provider, name, &config).expect("a model")
    }

    /// Plans the behavior for the next questions to this model.
    async fn plan(&self, model: &str, mut behaviors: Json) {
        for behavior in behaviors.as_array_mut().expect("a list") {
            behavior["match"] = json!({ "model": model });
        }
        let url = format!("{}/_llmock/scenario", self.base);
        let answer = self.http.post(url).json(&json!({ "behaviors": behaviors })).send().await.expect("an answer");
        assert!(answer.status().is_success(), "{:?}", answer.text().await);
    }

    async fn get(&self, path: &str) -> Json {
        let url = format!("{}/_llmock/{path}", self.base);
        self.http.get(url).send().await.expect("an answer").json().await.expect("JSON")
    }
}

struct Only(Arc<HostedModel>);

impl Models for Only {
    fn model(&self, _: ModelTier, _: Option<&str>) -> Arc<dyn Model> {
        Arc::clone(&self.0) as _
    }
}

/// Returns the faults, each with its name. The run has an answer after each of them.
fn faults() -> Vec<(&'static str, Json)> {
    let reply = json!({ "type": "reply", "text": TEXT });
    let then_reply = |fault: Json| json!([fault, reply]);
    let stream = |kind: &str| {
        // The first answer breaks off. The second is the same, but complete.
        json!([{ "type": "stream_fault", "kind": kind, "after_chunks": 4, "stall_seconds": 20 },
               { "type": "reply", "text": TEXT, "times": 2 }])
    };
    let call = |name: &str, arguments: Json| json!({ "name": name, "arguments": arguments });
    let asks = |calls: Json| json!([{ "type": "reply", "tool_calls": calls }, reply]);
    vec![
        ("busy", then_reply(json!({ "type": "fail", "status": 429, "retry_after": 1 }))),
        ("broken", then_reply(json!({ "type": "fail", "status": 500, "times": 2 }))),
        ("overloaded", then_reply(json!({ "type": "fail", "status": 529 }))),
        ("unavailable for a second", then_reply(json!({ "type": "fail", "status": 503, "retry_after": 1 }))),
        ("disconnected", stream("disconnect")),
        ("truncated", stream("truncate")),
        ("stalled", stream("stall")),
        ("garbled", stream("malformed")),
        ("side by side", asks(json!([call("list_apps", json!({})), call("report", json!({ "day": 1 }))]))),
        ("wrong schema", asks(json!([call("list_apps", json!({ "name": 5 }))]))),
        ("unlisted tool", asks(json!([call("delete_everything", json!({}))]))),
        (
            "half a call",
            json!([{ "type": "stream_fault", "kind": "truncate", "after_chunks": 3 },
                   { "type": "reply", "tool_calls": [call("list_apps", json!({ "a": "long enough to be cut" }))] },
                   reply]),
        ),
        (
            "nonsense arguments",
            json!([{ "type": "reply", "tool_calls": [call("list_apps", json!({ "a": "long enough to be cut" }))] },
                   { "type": "tool_fault", "kind": "malformed_arguments" }, reply]),
        ),
    ]
}

/// Plays all faults of one provider, one after the other.
async fn bears_everything(mock: &Mock, provider: Provider, name: &str) {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says("not asked"))).await;
    world.config.model_backoff = Duration::from_millis(250);
    let model = Arc::new(mock.model(provider, name));
    for (what, behaviors) in faults() {
        mock.plan(name, behaviors).await;
        world.chat = world.base.chat(&world.person, what).await;
        let run = world.ask(&format!("{name}: {what}")).await;
        let mut deps = world.deps("worker", None);
        deps.models = Arc::new(Only(Arc::clone(&model)));
        Runtime::new(deps).run_until_idle().await.must();

        let (events, view) = (world.events(run).await, world.view(run).await);
        assert_eq!((view.status, view.answer.as_str()), (RunStatus::Completed, TEXT), "{name}, {what}: {view:#?}");
        let shown: String = events
            .iter()
            .filter_map(|event| match &event.body {
                EventBody::Content { content, .. } => Some(content.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(shown, TEXT, "{name}, {what}: nothing is shown twice");
        let usage = view.usage.expect("usage");
        assert!(usage.cost_micros > 0 && usage.input_tokens > 0, "{name}, {what}: {usage:?}");
        if what == "busy" {
            let told = events.iter().any(
                |event| matches!(&event.body, EventBody::Status { label } if label.contains("asked us to wait 1 second")),
            );
            assert!(told, "{name}: {events:#?}");
        }
        let left = mock.get("scenario").await;
        let mine = left["pending"].as_array().expect("a list").iter().filter(|one| one["match"]["model"] == name);
        assert_eq!(mine.count(), 0, "{name}, {what}: {left}");
    }
    let reads = world.network.lock().reads.len();
    // Two reads at the same time, and one complete call each after half a call and after an unreadable one, if the provider can produce
    // these.
    assert!((2..=4).contains(&reads), "{name}: {reads} reads");
    assert!(world.written().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_every_provider_is_borne_and_the_judge_finds_nothing() {
    let mock = Mock::start().await;
    tokio::join!(
        bears_everything(&mock, Provider::OpenAi, "gpt-5-mini"),
        bears_everything(&mock, Provider::Anthropic, "claude-haiku-4-5"),
        bears_everything(&mock, Provider::Gemini, "gemini-2.5-flash"),
        bears_everything(&mock, Provider::Xai, "grok-4"),
        bears_everything(&mock, Provider::DeepSeek, "deepseek-chat"),
    );
    let verdict = mock.get("verdict").await;
    assert_eq!(verdict["findings"], json!([]), "{verdict:#}");
    assert!(verdict["faults_injected"].as_u64() >= Some(40), "{verdict:#}");
}
