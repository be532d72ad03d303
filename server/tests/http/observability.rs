//! What administrators see, from end to end: the server's own program in its own process, its log lines, its metrics read by
//! Prometheus' parser, and its spans sent through a collector and read by OpenTelemetry's own classes. The test plants secrets on
//! the way and searches everywhere for them. On first use, it needs Python and its package index.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, OnceLock},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const PASSWORD: &str = "correct-horse-hunter2";
const WRONG: &str = "battery-staple-hunter2";
/// Secrets that pass through a server on an ordinary day. The session's cookie is added to these.
const PLANTED: [&str; 9] = [
    PASSWORD,
    WRONG,
    "sk-ant-api03-hunter2hunter2",
    "metrics-token-hunter2",
    "collector-key-hunter2",
    "4/0AbCd-hunter2-oauth-code",
    "state-hunter2",
    "bearer-hunter2-token",
    "query-hunter2",
];
/// The trace of the client that calls this server.
const CALLER_TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER_SPAN: &str = "00f067aa0ba902b7";
const QUESTION: &str = "What was my revenue yesterday? zebra-content";
const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin bidding";

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../end2end/peers")
}

/// Returns a Python with the packages of this test, installed on first use outside of the checkout.
fn python() -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        #[expect(clippy::disallowed_methods, reason = "a test has no configuration crate to read it for it")]
        let home = std::env::var("HOME").expect("HOME is set");
        let folder = Path::new(&home).join(".cache/adagentai/venv-telemetry");
        let python = folder.join("bin/python");
        let installed = || {
            let check = "import rotel, prometheus_client, opentelemetry.proto.trace.v1.trace_pb2";
            let asked = Command::new(&python).args(["-c", check]).stderr(Stdio::null()).status();
            asked.is_ok_and(|status| status.success())
        };
        if !installed() {
            let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status();
            assert!(made.is_ok_and(|made| made.success()), "apt-get install python3 python3-venv");
            let requirements = peers().join("telemetry.txt");
            let pip = Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(&requirements).status();
            assert!(pip.is_ok_and(|pip| pip.success()) && installed(), "PyPI cannot be reached");
        }
        python
    })
    .clone()
}

/// The collector, and the receiver behind it.
struct Collector {
    child: Child,
    stdin: Option<ChildStdin>,
    port: u16,
    spans: PathBuf,
}

impl Collector {
    fn start(folder: &Path) -> Self {
        let spans = folder.join("spans.jsonl");
        let mut child = Command::new(python())
            .arg(peers().join("collector.py"))
            .arg(&spans)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(folder.join("collector.log")).unwrap())
            .spawn()
            .expect("python starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap_or_else(|_| {
            panic!("no collector: {}", std::fs::read_to_string(folder.join("collector.log")).unwrap_or_default())
        });
        Self { stdin: child.stdin.take(), child, port, spans }
    }

    /// Stops it; returns the spans, which are written by then.
    fn spans(mut self) -> Vec<Span> {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
        let text = std::fs::read_to_string(&self.spans).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).map(Span).collect()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

struct Span(Value);

impl Span {
    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default()
    }

    fn attribute(&self, key: &str) -> &Value {
        &self.0["attributes"][key]
    }
}

/// The program itself, with sandbox and SQLite.
struct Program {
    child: Child,
    base: String,
    log: PathBuf,
    http: reqwest::Client,
    cookie: Mutex<String>,
    /// The program's stdout. We keep it open, because the program ends if it cannot print.
    _said: BufReader<ChildStdout>,
}

impl Program {
    fn start(folder: &Path, settings: &[(&str, &str)]) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let log = folder.join("server.log");
        // Give it an empty configuration file, so that it finds no other.
        let configuration = folder.join("empty.toml");
        std::fs::write(&configuration, "").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_server"))
            .args(["--port", "0", "--data-dir"])
            .arg(folder.join("data"))
            .arg("--config")
            .arg(&configuration)
            .envs([
                ("ADAGENT_LOG__FORMAT", "json"),
                ("ADAGENT_LOG__FILTER", "debug"),
                ("ADAGENT_PASSWORD__MEMORY_KIB", "64"),
            ])
            .envs([("ANTHROPIC_API_KEY", PLANTED[2]), ("ADAGENT_METRICS__TOKEN", PLANTED[3])])
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let base = line.trim().strip_prefix("ADAgentAI is ready on ").unwrap_or_else(|| {
            panic!("{line:?}: {}", std::fs::read_to_string(&log).unwrap_or_default());
        });
        Self { base: base.to_owned(), child, log, http: reqwest::Client::new(), cookie: Mutex::default(), _said: said }
    }

    fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method.parse().unwrap(), format!("{}{path}", self.base));
        request.header("cookie", self.cookie.lock().unwrap().as_str())
    }

    async fn post(&self, path: &str, body: Value) -> reqwest::Response {
        let response = self.request("POST", path).json(&body).send().await.unwrap();
        if let Some(cookie) = response.headers().get("set-cookie") {
            cookie.to_str().unwrap().split(';').next().unwrap().clone_into(&mut self.cookie.lock().unwrap());
        }
        response
    }

    /// Asks, and reads until the run ends or waits; returns the run and its events.
    async fn ask(&self, path: &str, body: Value) -> (String, Vec<Value>) {
        let mut response = self.post(path, body).await;
        assert_eq!(response.status(), 200);
        let run = response.headers()["x-run-id"].to_str().unwrap().to_owned();
        let (mut events, mut text) = (Vec::new(), String::new());
        while let Some(chunk) = response.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            while let Some(end) = text.find("\n\n") {
                let block: String = text.drain(..end + 2).collect();
                let Some(data) = block.lines().find_map(|line| line.strip_prefix("data:")) else { continue };
                let event: Value = serde_json::from_str(data).unwrap();
                let over = matches!(event["type"].as_str(), Some("done" | "tool_approval_required"));
                events.push(event);
                if over {
                    return (run, events);
                }
            }
        }
        panic!("the stream ended early: {events:?}");
    }

    async fn explorer(&self) {
        let body = json!({"email": "ada@example.com", "password": PASSWORD, "name": "Ada"});
        assert_eq!(self.post("/api/auth/sign-up", body).await.status(), 201);
        assert_eq!(self.post("/api/sandbox/explore", json!({})).await.status(), 200);
    }

    /// Stops the program as an administrator would, and returns its log.
    fn stop(mut self) -> String {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(told.success() && self.child.wait().unwrap().success());
        std::fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_page(page: &str) -> BTreeMap<String, Value> {
    let mut parser = Command::new(python())
        .arg(peers().join("exposition.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    parser.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let mut read = String::new();
    parser.stdout.take().unwrap().read_to_string(&mut read).unwrap();
    assert!(parser.wait().unwrap().success(), "{page}");
    serde_json::from_str(&read).unwrap()
}

/// Checks that every exposed metric is in our table, with the same type and labels.
fn check_families(families: &BTreeMap<String, Value>) {
    for (name, family) in families.iter().filter(|(name, _)| name.starts_with("adagent_")) {
        // The parser removes the `_total` of counters.
        let described = adagent_telemetry::METRICS
            .iter()
            .find(|metric| metric.name.strip_suffix("_total").unwrap_or(metric.name) == name)
            .unwrap_or_else(|| panic!("{name} is not in the table"));
        assert_eq!(family["help"], described.help, "{name}");
        let kind = match described.kind {
            adagent_telemetry::Kind::Counter => "counter",
            adagent_telemetry::Kind::Gauge => "gauge",
            adagent_telemetry::Kind::Histogram(_) => "histogram",
        };
        assert_eq!(family["type"], kind, "{name}");
        for sample in family["samples"].as_array().unwrap() {
            for (label, value) in sample["labels"].as_object().unwrap() {
                assert!(label == "le" || described.labels.contains(&label.as_str()), "{name}: {label}");
                let value = value.as_str().unwrap();
                assert!(value.len() < 60 && !value.contains("019"), "{name}: {label} looks like an id: {value}");
            }
        }
    }
}

fn sample(families: &BTreeMap<String, Value>, family: &str, labels: &[(&str, &str)]) -> f64 {
    let samples = families.get(family).unwrap_or_else(|| panic!("no {family}"))["samples"].as_array().unwrap();
    let fits = |sample: &&Value| labels.iter().all(|(name, value)| sample["labels"][*name] == *value);
    samples.iter().filter(fits).map(|s| s["value"].as_str().unwrap().parse::<f64>().unwrap()).sum()
}

fn lines(log: &str) -> Vec<Value> {
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Checks the spans of a run, found by the run's ID alone.
fn check_tree(spans: &[Span], run: &str, claims: usize) {
    let trace = run.replace('-', "");
    let of_run: Vec<&Span> = spans.iter().filter(|span| span.text("trace") == trace).collect();
    let known: BTreeMap<&str, &Span> = of_run.iter().map(|span| (span.text("span"), *span)).collect();
    let [root] = of_run.iter().filter(|span| span.text("parent").is_empty()).collect::<Vec<_>>()[..] else {
        panic!("one root in {:?}", of_run.iter().map(|span| &span.0).collect::<Vec<_>>())
    };
    assert_eq!(root.text("name"), "invoke_agent adagentai");
    assert_eq!(root.attribute("gen_ai.operation.name"), "invoke_agent");
    assert_eq!(root.attribute("adagent.run.id"), run);
    assert_eq!(root.attribute("adagent.run.status"), "completed");
    assert!(root.attribute("gen_ai.conversation.id").is_string());
    for span in &of_run {
        let parent = span.text("parent");
        assert!(parent.is_empty() || known.contains_key(parent), "{} has no parent", span.0);
    }
    let parent_of = |span: &Span| known[span.text("parent")].text("name").to_owned();
    let named = |name: &str| of_run.iter().filter(|span| span.text("name") == name).copied().collect::<Vec<_>>();
    assert_eq!(named("advance").len(), claims);
    assert!(named("advance").iter().all(|span| parent_of(span) == root.text("name")));
    for chat in named("chat local") {
        assert_eq!(parent_of(chat), "ask_model");
        assert_eq!(chat.attribute("gen_ai.operation.name"), "chat");
        assert_eq!(chat.attribute("gen_ai.provider.name"), "adagent");
        assert_eq!(chat.attribute("gen_ai.request.model"), "local");
        assert_eq!(chat.attribute("gen_ai.response.model"), "local");
        assert!(chat.attribute("gen_ai.usage.input_tokens").is_number());
    }
    assert!(!named("chat local").is_empty());
    let tools: Vec<_> = of_run.iter().filter(|span| span.text("name").starts_with("execute_tool ")).collect();
    assert!(!tools.is_empty());
    for tool in tools {
        assert!(matches!(parent_of(tool).as_str(), "read" | "send"), "{}", tool.0);
        let name = tool.attribute("gen_ai.tool.name").as_str().unwrap();
        assert_eq!(tool.text("name"), format!("execute_tool {name}"));
        assert!(tool.attribute("gen_ai.tool.call.id").is_string() && tool.attribute("adagent.source") == "admob");
    }
    let statements: Vec<_> = of_run.iter().filter(|span| span.attribute("db.system.name") == "sqlite").collect();
    let files: BTreeSet<_> = statements.iter().map(|span| span.text("name")).collect();
    let events = files.iter().any(|file| file.starts_with("runs/insert_event"));
    assert!(events && !files.contains("unnamed"), "{files:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_what_happened_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(folder.path());
    let endpoint = format!("http://127.0.0.1:{}", collector.port);
    let headers = format!("x-key={}", PLANTED[4]);
    let program = Program::start(
        folder.path(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint),
            ("OTEL_EXPORTER_OTLP_HEADERS", &headers),
            ("ADAGENT_TELEMETRY__DETAIL", "debug"),
        ],
    );

    program.explorer().await;
    let wrong = json!({"email": "ada@example.com", "password": WRONG});
    assert_eq!(program.post("/api/auth/sign-in", wrong).await.status(), 401);
    let callback = format!("/api/providers/oauth/callback?code={}&state={}", PLANTED[5], PLANTED[6]);
    let _ = program.request("GET", &callback).send().await.unwrap();
    let odd = program.request("GET", &format!("/api/me?token={}", PLANTED[8])).bearer_auth(PLANTED[7]);
    let _ = odd.send().await.unwrap();

    let (asked, _) = program.ask("/chat/stream", json!({"message": QUESTION})).await;
    let (changed, events) = program.ask("/chat/stream", json!({"message": CREATE})).await;
    let approval = &events.last().unwrap()["approval_id"];
    let page = |token: &'static str| program.request("GET", "/metrics").bearer_auth(token).send();
    let during = read_page(&page(PLANTED[3]).await.unwrap().text().await.unwrap());
    assert!((sample(&during, "adagent_approvals_pending", &[]) - 1.0).abs() < 0.1);
    let (_, after) = program.ask("/chat/approve-tool", json!({"approval_id": approval, "approved": true})).await;
    assert_eq!(after.last().unwrap()["status"], "completed");

    // Errors name the request and the run.
    let missing = "019aa000-0000-7000-8000-000000000001";
    let request = program.request("GET", &format!("/api/runs/{missing}")).header("x-request-id", "from-the-proxy-1");
    let request = request.header("traceparent", format!("00-{CALLER_TRACE}-{CALLER_SPAN}-01"));
    let problem: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!((&problem["request_id"], &problem["run_id"]), (&json!("from-the-proxy-1"), &json!(missing)));

    assert_eq!(page("guessed").await.unwrap().status(), 401);
    // A run is counted after its commit, which its reader may see a moment earlier.
    let deadline = Instant::now() + Duration::from_secs(10);
    let response = loop {
        let text = page(PLANTED[3]).await.unwrap().text().await.unwrap();
        let done = sample(&read_page(&text), "adagent_runs_finished", &[("status", "completed")]);
        if done >= 2.0 || Instant::now() > deadline {
            break page(PLANTED[3]).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    let page = response.text().await.unwrap();
    let families = read_page(&page);
    check_families(&families);
    assert!((sample(&families, "adagent_runs_finished", &[("status", "completed")]) - 2.0).abs() < 0.1, "{page}");
    assert!(sample(&families, "adagent_model_calls", &[("provider", "adagent"), ("outcome", "ok")]) >= 2.0);
    let writes = [("source", "admob"), ("kind", "write"), ("outcome", "ok")];
    assert!((sample(&families, "adagent_tool_calls", &writes) - 1.0).abs() < 0.1);
    let route = [("route", "/api/runs/{run_id}"), ("status", "4xx")];
    assert!((sample(&families, "adagent_http_requests", &route) - 1.0).abs() < 0.1);
    assert!((sample(&families, "adagent_database_up", &[]) - 1.0).abs() < 0.1);
    assert!(sample(&families, "process_resident_memory_bytes", &[]) > 1e6);

    let cookie = program.cookie.lock().unwrap().split_once('=').unwrap().1.to_owned();
    let log = program.stop();
    let spans = collector.spans();
    check_tree(&spans, &asked, 1);
    check_tree(&spans, &changed, 2);
    assert!(spans.iter().any(|span| span.text("name") == "POST /chat/stream" && span.0["kind"] == 2));
    // A caller with its own trace finds the request in that trace.
    let joined = spans.iter().find(|span| span.text("parent") == CALLER_SPAN).expect("the caller's trace goes on");
    assert_eq!((joined.text("name"), joined.text("trace")), ("GET /api/runs/{run_id}", CALLER_TRACE));
    assert_eq!(spans[0].0["resource"]["service.name"], "adagentai");

    let lines = lines(&log);
    let finished = |route: &str| {
        let line = lines.iter().find(|line| line["message"] == "request finished" && line["route"] == route);
        line.unwrap_or_else(|| panic!("no line for {route}"))
    };
    assert_eq!(finished("/api/runs/{run_id}")["request_id"], "from-the-proxy-1");
    assert_eq!(
        (&finished("/chat/stream")["run_id"], &finished("/chat/stream")["status"]),
        (&json!(asked), &json!(200))
    );
    for line in lines.iter().filter(|line| line["message"] == "run finished") {
        assert!(line["run_id"] == json!(asked) || line["run_id"] == json!(changed), "{line}");
    }

    let all_spans: String = spans.iter().map(|span| span.0.to_string()).collect();
    for secret in PLANTED.into_iter().chain([cookie.as_str(), "hunter2"]) {
        for (place, text) in [("log", &log), ("spans", &all_spans), ("metrics", &page)] {
            let found = text.find(secret).map(|at| &text[at.saturating_sub(200)..(at + 60).min(text.len())]);
            assert_eq!(found, None, "{secret} in the {place}");
        }
    }
    assert!(!all_spans.contains("zebra-content"), "what people wrote is not in spans unless asked for");
}

#[tokio::test(flavor = "multi_thread")]
async fn content_is_captured_only_where_it_was_switched_on() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(folder.path());
    let endpoint = format!("http://127.0.0.1:{}", collector.port);
    let program = Program::start(
        folder.path(),
        &[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint), ("ADAGENT_TELEMETRY__CAPTURE_CONTENT", "true")],
    );
    program.explorer().await;
    program.ask("/chat/stream", json!({"message": QUESTION})).await;
    program.stop();
    let spans = collector.spans();
    let chat = spans.iter().find(|span| span.text("name") == "chat local").expect("a model was asked");
    assert!(chat.attribute("gen_ai.input.messages").as_str().unwrap().contains("zebra-content"));
    assert!(spans.iter().any(|span| span.attribute("gen_ai.tool.call.result").is_string()));
    assert!(spans.iter().all(|span| span.attribute("db.system.name").is_null()), "statements are for debug only");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_never_answers_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    // The system accepts connections, but nobody reads from them.
    let deaf = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", deaf.local_addr().unwrap());
    let program = Program::start(folder.path(), &[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)]);
    program.explorer().await;
    let (_, events) = program.ask("/chat/stream", json!({"message": QUESTION})).await;
    assert_eq!(events.last().unwrap()["status"], "completed");
    let log = program.stop();
    assert!(lines(&log).iter().any(|line| line["message"] == "the last spans did not reach the collector"), "{log}");
}
