//! A person at a browser: asks again while a server is down, and follows a run from any server that can read it.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::chance::Chance;

/// Longer than any recovery may take.
pub const PATIENCE: Duration = Duration::from_mins(1);
const AGAIN: Duration = Duration::from_millis(40);
/// Longer than the 15 s between heartbeats.
const SILENCE: Duration = Duration::from_secs(25);

pub struct Person {
    /// Any of these may be down.
    servers: Arc<Vec<String>>,
    http: reqwest::Client,
    cookie: String,
    pub chance: Mutex<Chance>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub kind: String,
    pub retry_after: Option<u64>,
    pub run: Option<String>,
    pub body: Value,
}

impl Person {
    /// Signs up and connects the sandbox networks.
    pub async fn arrive(name: &str, servers: &Arc<Vec<String>>, chance: Chance) -> Self {
        // Use a new connection for each request: a kept one would hide whether a request was cut off or never began.
        let http = reqwest::Client::builder()
            .pool_max_idle_per_host(0)
            .connect_timeout(Duration::from_secs(5))
            .build()
            .unwrap();
        let mut person = Self { servers: Arc::clone(servers), http, cookie: String::new(), chance: Mutex::new(chance) };
        let body = json!({"email": format!("{name}@example.com"), "password": "correct horse", "name": name});
        let signed_up = person.post("/api/auth/sign-up", &body, None).await.unwrap();
        assert_eq!(signed_up.status(), 201);
        let cookie = signed_up.headers()["set-cookie"].to_str().unwrap();
        person.cookie = cookie.split(';').next().unwrap().to_owned();
        let explored = person.call(Method::POST, "/api/sandbox/explore", Some(&json!({})), None).await;
        assert_eq!(explored.status, 200, "{explored:?}");
        person
    }

    fn server(&self) -> String {
        self.chance.lock().unwrap().pick(&self.servers).clone()
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.server())).header("cookie", &self.cookie)
    }

    async fn post(&self, path: &str, body: &Value, key: Option<&str>) -> reqwest::Result<Response> {
        let mut request = self.request(Method::POST, path).json(body);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        request.send().await
    }

    /// Repeats a request until it is answered. An answer of a server that is down or cannot reach its database does not count.
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>, key: Option<&str>) -> Answer {
        let started = Instant::now();
        loop {
            let mut request = self.request(method.clone(), path).timeout(PATIENCE);
            if let Some(body) = body {
                request = request.json(body);
            }
            if let Some(key) = key {
                request = request.header("idempotency-key", key);
            }
            let seen = match request.send().await {
                Ok(response) => match self.read(response).await {
                    Ok(answer) if answer.status < 500 => return answer,
                    Ok(answer) => {
                        // "Unavailable" is an honest answer; any other 5xx is a defect.
                        assert!([502, 503].contains(&answer.status), "{method} {path}: {answer:?}");
                        format!("{answer:?}")
                    }
                    Err(error) => error.to_string(),
                },
                Err(error) => error.to_string(),
            };
            assert!(started.elapsed() < PATIENCE, "{method} {path} was never answered: {seen}");
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Reads an answer. Of an event stream, it reads only the head: the run continues by itself and is followed separately.
    async fn read(&self, response: Response) -> reqwest::Result<Answer> {
        let status = response.status().as_u16();
        let header = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
        let (run, kind) = (header("x-run-id"), header("content-type").unwrap_or_default());
        let retry_after = header("retry-after").and_then(|seconds| seconds.parse().ok());
        let body = if kind.starts_with("text/event-stream") {
            Value::Null
        } else {
            serde_json::from_str(&response.text().await?).unwrap_or_default()
        };
        Ok(Answer { status, kind, retry_after, run, body })
    }

    /// Returns the same person at one server.
    pub fn at(&self, server: &str) -> Self {
        Self {
            servers: Arc::new(vec![server.to_owned()]),
            http: self.http.clone(),
            cookie: self.cookie.clone(),
            chance: Mutex::new(self.chance.lock().unwrap().fork()),
        }
    }

    /// Sends a request once, whatever the result.
    pub async fn once(&self, method: Method, path: &str) -> reqwest::Result<Answer> {
        self.once_with(method, path, None).await
    }

    pub async fn once_with(&self, method: Method, path: &str, body: Option<&Value>) -> reqwest::Result<Answer> {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request.json(body);
        }
        self.read(request.send().await?).await
    }

    /// Opens a page as a browser does.
    pub async fn open(&self, path: &str) -> Answer {
        let request = self.request(Method::GET, path).header("accept", "text/html,application/xhtml+xml");
        self.read(request.send().await.unwrap()).await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None, None).await
    }

    /// Reads the events after `events`, from any server, until `over` returns `true`. No event may be missing or come twice.
    pub async fn follow(&self, run: &str, events: &mut Vec<Value>, over: impl Fn(&[Value]) -> bool) {
        let started = Instant::now();
        while !over(events) {
            assert!(
                started.elapsed() < PATIENCE,
                "run {run} neither ends nor asks; it has {} events, the last: {:?}",
                events.len(),
                events.last()
            );
            self.read_on(run, events, &over).await;
            if !over(events) {
                tokio::time::sleep(AGAIN).await;
            }
        }
    }

    /// Reads one connection to its end. Returns whether it ended as a stream should.
    pub async fn read_on(&self, run: &str, events: &mut Vec<Value>, over: impl Fn(&[Value]) -> bool) -> bool {
        let request = self.request(Method::GET, &format!("/api/runs/{run}/events"));
        let Ok(mut response) = request.header("last-event-id", events.len().to_string()).send().await else {
            return false;
        };
        if response.status() != 200 {
            let status = response.status();
            assert!(status == 503, "events of {run}: {status} {:?}", response.text().await);
            return false;
        }
        let mut buffer: Vec<u8> = Vec::new();
        loop {
            match tokio::time::timeout(SILENCE, response.chunk()).await {
                Ok(Ok(Some(chunk))) => buffer.extend_from_slice(&chunk),
                Ok(Ok(None)) => return true,
                Ok(Err(_)) | Err(_) => return false,
            }
            while let Some(end) = buffer.windows(2).position(|pair| pair == b"\n\n") {
                let block = String::from_utf8(buffer.drain(..end + 2).collect()).unwrap();
                let Some(data) = block.lines().find_map(|line| line.strip_prefix("data:")) else { continue };
                let event: Value = serde_json::from_str(data.trim()).unwrap();
                assert_eq!(event["seq"], json!(events.len() + 1), "run {run} has a gap or says something twice");
                events.push(event);
                if over(events) {
                    return true;
                }
            }
        }
    }

    /// Asks a question. With the same key, it counts only once, however often it must be sent.
    pub async fn ask(&self, message: &str, key: &str) -> String {
        let answer = self.call(Method::POST, "/chat/stream", Some(&json!({"message": message})), Some(key)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.run.expect("a run is named")
    }

    /// Answers an approval. Returns whether this try or an earlier one was accepted.
    pub async fn answer(&self, approval: &str, approved: bool, edited: Option<&Value>) -> Answer {
        let mut body = json!({"approval_id": approval, "approved": approved});
        if let Some(edited) = edited {
            body["edited_args"] = edited.clone();
        }
        self.call(Method::POST, "/chat/approve-tool", Some(&body), Some(&format!("answer-{approval}"))).await
    }
}
