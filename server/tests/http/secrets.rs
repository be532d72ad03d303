//! Plants secrets and searches for them wherever a journey leaves data: answers, events, checkpoints, exports, the audit log, log
//! lines, spans, and the database row by row and byte by byte.

use std::{
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_sandbox::credentials::{CREDENTIALS, Standing};
use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;

use crate::harness::{Answer, Caller, TestApp, of};

const PASSWORD: &str = "planted-Passw0rd-Kx82";
const SECRET: &str = "Yt7Lq2Vb9Nc4Xw8Zp1Rf6Hj3Kd5Sg0Ma";
const CHANGE: &str =
    "Create a mediation group in AdMob for Puzzle Game on Android banner with AppLovin and Unity bidding";

/// Everything that any server of this test program logs, with its spans, at the most verbose level.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// What must appear nowhere, with a description.
#[derive(Default)]
struct Planted(Vec<(String, String)>);

impl Planted {
    fn plant(&mut self, what: impl Into<String>, secret: impl Into<String>) {
        let secret = secret.into();
        assert!(secret.len() >= 6, "too short to be told from chance");
        self.0.push((what.into(), secret));
    }

    fn nowhere_in(&self, place: &str, text: &str) {
        for (what, secret) in &self.0 {
            if let Some(at) = text.find(secret.as_str()) {
                let from = text[..at].char_indices().rev().nth(120).map_or(0, |(at, _)| at);
                panic!("{what} stands in {place}: …{}", &text[from..at]);
            }
        }
    }
}

/// Keeps every answer for later.
struct Heard<'a> {
    caller: &'a Caller<'a>,
    answers: Mutex<Vec<(String, String)>>,
}

impl Heard<'_> {
    async fn send(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let answer = self.caller.send(method, path, body).await;
        let headers =
            format!("{:?}", answer.headers.iter().filter(|(name, _)| *name != "set-cookie").collect::<Vec<_>>());
        self.keep(format!("{method} {path}"), format!("{headers}\n{}", answer.text));
        answer
    }

    async fn ask(&self, message: &str) -> Vec<Value> {
        let events = self.caller.ask(json!({"message": message})).await;
        self.keep(format!("the events of {message:?}"), json!(events).to_string());
        events
    }

    fn keep(&self, place: String, text: String) {
        self.answers.lock().unwrap().push((place, text));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[expect(clippy::too_many_lines, reason = "one journey, told in order")]
async fn no_planted_secret_leaves_a_trace_anywhere() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter("trace,h2=info,rustls=info,hyper=info,tungstenite=info,leptos=info,reactive_graph=info")
        .with_span_events(
            tracing_subscriber::fmt::format::FmtSpan::NEW | tracing_subscriber::fmt::format::FmtSpan::CLOSE,
        )
        .with_writer(lines.clone())
        .finish();
    // Only one subscriber per program can be global. If another test were first, its lines would not be searched here.
    let heard_lines = tracing::subscriber::set_global_default(subscriber).is_ok();
    assert!(heard_lines, "nobody else of this program listens to everything");

    for engine in ["sqlite", "postgres"] {
        let folder = tempfile::tempdir().unwrap();
        let url = if engine == "postgres" { Some(adagent_testkit::postgres_url().await) } else { None };
        let mut config = crate::harness::config(folder.path(), url);
        config.encryption_secret = Some(SECRET.to_owned().into());
        let app = TestApp::run(config, Some(folder)).await;
        let mut planted = Planted::default();
        planted.plant("the password", PASSWORD);
        planted.plant("ENCRYPTION_SECRET", SECRET);

        let caller = app.caller();
        let sign_up = json!({"email": "ada@example.com", "password": PASSWORD, "name": "Ada"});
        assert_eq!(caller.post("/api/auth/sign-up", sign_up).await.status, 201);
        planted.plant("the browser session", session(&caller));
        let heard = Heard { caller: &caller, answers: Mutex::default() };
        heard
            .send(
                "POST",
                "/api/auth/sign-in",
                Some(json!({"email": "ada@example.com", "password": format!("{PASSWORD}x")})),
            )
            .await;

        // Nine networks: seven by their keys, valid and invalid ones; two by signing in.
        let is_secret = |name: &str| !name.ends_with("_id") && !["user_name", "consumer_key"].contains(&name);
        for set in CREDENTIALS.iter().filter(|set| takes_keys(set.network)) {
            for (name, value) in set.fields.iter().filter(|(name, _)| is_secret(name)) {
                planted.plant(format!("{name} of {}", set.network), *value);
            }
            let fields: serde_json::Map<String, Value> =
                set.fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            heard.send("POST", &format!("/api/networks/{}", set.network), Some(fields.into())).await;
        }
        for network in CREDENTIALS
            .iter()
            .filter(|set| set.standing == Standing::Valid && takes_keys(set.network))
            .map(|set| set.network)
        {
            let fields = adagent_sandbox::credentials::of(network, Standing::Valid).unwrap().fields;
            let fields: serde_json::Map<String, Value> =
                fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            assert_eq!(
                heard.send("POST", &format!("/api/networks/{network}"), Some(fields.into())).await.status,
                200,
                "{network}"
            );
            heard.send("POST", &format!("/api/networks/{network}/test"), Some(json!({}))).await;
        }
        for network in ["admob", "admanager"] {
            sign_in_at(&heard, network, &mut planted).await;
        }
        // The prefixes of all access and refresh tokens of the sandbox's sign-in, including later ones.
        planted.plant("an access token of OAuth", "ya29.sandbox-");
        planted.plant("a refresh token of OAuth", "1//sandbox-");
        let all = heard.send("GET", "/api/providers", None).await.json();
        let connected = all["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|item| item["state"] == "connected" || item["state"] == "choose_account");
        assert_eq!(connected.count(), 9, "{all}");

        // Tokens, links, context, questions, an approved change, failures.
        let token = caller
            .post("/api/tokens", json!({"name": "t", "scopes": ["api", "mcp"], "password": PASSWORD}))
            .await
            .json();
        planted.plant("an access token", token["token"].as_str().unwrap());
        let organisation = heard.send("POST", "/api/organizations", Some(json!({"name": "Acme"}))).await.json();
        let id = organisation["id"].as_str().unwrap();
        heard
            .send(
                "POST",
                &format!("/api/organizations/{id}/invitations"),
                Some(json!({"email": "bob@example.com", "role": "member"})),
            )
            .await;
        heard.send("PUT", "/api/settings/context", Some(json!({"safe_mode": false}))).await;
        heard.ask("What was my revenue yesterday by network?").await;
        heard.ask("Show my apps on Unity and Pangle").await;
        // Connect all its accounts, so that the change finds its app.
        heard.send("POST", "/api/sandbox/explore", Some(json!({"networks": ["admob"]}))).await;
        let events = heard.ask(CHANGE).await;
        let approval = of(&events, "tool_approval_required")["approval_id"].as_str().unwrap();
        let answer =
            caller.request("POST", "/chat/approve-tool").json(&json!({"approval_id": approval, "approved": true}));
        let events = caller.stream(answer).await;
        heard.keep("the events after the approval".into(), json!(events).to_string());
        let run = of(&events, "done")["run_id"].as_str().unwrap().to_owned();
        // The access is revoked at the network: refreshes fail, and say so.
        let base = &app.running.sandbox.as_ref().unwrap().base_url;
        let control = reqwest::Client::new().post(format!("{base}/__sandbox/oauth")).json(&json!({"revoke_all": true}));
        assert!(control.send().await.unwrap().status().is_success());
        heard.ask("What was my AdMob revenue last week?").await;
        let checkpoints = heard.send("GET", &format!("/api/runs/{run}/checkpoints"), None).await.json();
        for saved in checkpoints["items"].as_array().unwrap() {
            heard.send("GET", &format!("/api/runs/{run}/checkpoints/{}", saved["id"].as_str().unwrap()), None).await;
        }
        let home = heard.send("GET", "/api/me", None).await.json()["user"]["personal_workspace_id"]
            .as_str()
            .unwrap()
            .to_owned();
        for path in [
            format!("/api/runs/{run}"),
            "/api/runs".into(),
            "/api/networks".into(),
            "/api/approvals".into(),
            "/api/tokens".into(),
            "/api/chat/sessions".into(),
            "/api/account/export".into(),
            format!("/api/organizations/{home}/audit-log"),
            format!("/api/organizations/{home}/audit-log?format=csv"),
            "/metrics".into(),
            "/api/nothing".into(),
        ] {
            heard.send("GET", &path, None).await;
        }

        for (place, text) in heard.answers.lock().unwrap().iter() {
            planted.nowhere_in(&format!("{engine}: the answer of {place}"), text);
        }
        // The session's own ID is the key of its row, which only its store knows.
        let dump = app.database.dump().await;
        let dump: String =
            dump.lines().filter(|line| !line.starts_with("http_sessions:")).collect::<Vec<_>>().join("\n");
        assert!(dump.contains("eyJ"), "sealed values are there");
        planted.nowhere_in(&format!("{engine}: the database"), &dump);
        let database = app.database.clone();
        let folder = app.stop().await;
        let planted_in_files =
            Planted(planted.0.iter().filter(|(what, _)| what != "the browser session").cloned().collect());
        planted_in_files.nowhere_in(&format!("{engine}: the files"), &String::from_utf8_lossy(&database.files()));
        drop(folder);
        let said = std::mem::take(&mut *lines.0.lock().unwrap_or_else(PoisonError::into_inner));
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(said.contains("starting") && said.contains("TRACE"), "the log was heard");
        planted.nowhere_in(&format!("{engine}: the log"), &said);
    }
}

fn takes_keys(network: &str) -> bool {
    network.parse::<adagent_domain::Network>().is_ok_and(|network| !network.uses_oauth())
}

/// Returns the value of the cookie.
fn session(caller: &Caller<'_>) -> String {
    caller.cookie.lock().unwrap().clone().unwrap().split_once('=').unwrap().1.to_owned()
}

/// Signs in at a network as a person would; the code and the state are secrets too.
async fn sign_in_at(heard: &Heard<'_>, network: &str, planted: &mut Planted) {
    let begun = heard.caller.post("/api/providers/connect", json!({"provider": network})).await.json();
    let consent: url::Url = begun["authorization_url"].as_str().unwrap().parse().unwrap();
    let mut form: Vec<(String, String)> = consent.query_pairs().into_owned().collect();
    let identity = if network == "admob" { "single@sandbox.example" } else { "demo@sandbox.example" };
    form.push(("identity".into(), identity.into()));
    form.push(("decision".into(), "allow".into()));
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let address = consent.as_str().split('?').next().unwrap().to_owned();
    let answer = http.post(address).form(&form).send().await.unwrap();
    let back: url::Url = answer.headers()["location"].to_str().unwrap().parse().unwrap();
    for (name, value) in back.query_pairs() {
        if name == "code" || name == "state" {
            planted.plant(format!("the OAuth {name} of {network}"), value.into_owned());
        }
    }
    let path = format!("/api/providers/oauth/callback?{}", back.query().unwrap());
    let request = heard.caller.request("GET", &path);
    let answer = heard.caller.finish("GET", "/api/providers/oauth/callback", request).await;
    assert!(answer.status < 400, "{network}: {} {}", answer.status, answer.text);
    heard.keep(format!("the callback of {network}"), answer.text);
}
