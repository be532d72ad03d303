//! A running server as people see it: pages, the first event after a message, whole questions and waiting streams.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::{StreamExt as _, stream};
use reqwest::{Client, Response, header};
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::{
    Figure,
    machine::{cpu_seconds, percentile, resident_megabytes},
};

const QUESTIONS: u32 = 100;
const PAGES: u32 = 200;
/// How many connections are opened at the same time.
const AT_ONCE: usize = 100;
const PATIENCE: Duration = Duration::from_secs(30);
const PASSWORD: &str = "correct horse battery staple";

pub(crate) struct Visitor {
    client: Client,
    base_url: String,
    cookie: String,
}

pub async fn measure(base_url: &str, pid: u32, streams: u32) -> Result<Vec<Figure>> {
    let visitor = Visitor::signed_up(base_url).await?;
    visitor.post("/api/sandbox/explore", &json!({})).await?.error_for_status().context("explore")?;
    let mut figures = Vec::new();

    let session = visitor.ask_to_the_end("What was my revenue yesterday?", None).await?.session;
    let path = format!("/chat/{session}");
    figures.push(Figure::new("server-rendered chat, p50", visitor.page_p50(&path).await?, "ms"));
    figures.push(Figure::new("server-rendered sign-in page, p50", visitor.page_p50("/sign-in").await?, "ms"));

    let (mut first, mut whole) = (Vec::new(), Vec::new());
    let spent = cpu_seconds(Some(pid));
    for _ in 0..QUESTIONS {
        let asked = visitor.ask_to_the_end("What was my revenue yesterday?", None).await?;
        first.push(asked.first.as_secs_f64() * 1000.0);
        whole.push(asked.whole.as_secs_f64() * 1000.0);
    }
    let cpu = cpu_seconds(Some(pid)) - spent;
    figures.push(Figure::new("first event after the message, p50", percentile(&mut first, 0.5), "ms"));
    figures.push(Figure::new("first event after the message, p99", percentile(&mut first, 0.99), "ms"));
    figures.push(Figure::new("whole question with local planner and sandbox, p50", percentile(&mut whole, 0.5), "ms"));
    figures.push(Figure::new(
        "CPU per 1,000 such questions, sandbox and reader's server included",
        cpu * 1000.0 / f64::from(QUESTIONS),
        "s",
    ));

    let before = resident_megabytes(Some(pid));
    let waiting = visitor.waiting_run().await?;
    let open = visitor.open_streams(&waiting, streams).await?;
    let after = resident_megabytes(Some(pid));
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let count = open.len() as f64;
    figures.push(Figure::new("open event streams", count, ""));
    figures.push(Figure::new("memory with these streams", after, "MB"));
    figures.push(Figure::new("memory per waiting stream", (after - before) * 1024.0 / count.max(1.0), "kB"));
    Ok(figures)
}

/// Signs up a new person, connects the sandbox and returns the person's MCP token.
pub async fn mcp_token(base_url: &str) -> Result<String> {
    let visitor = Visitor::signed_up(base_url).await?;
    visitor.post("/api/sandbox/explore", &json!({})).await?.error_for_status().context("explore")?;
    let made = visitor.post("/api/tokens", &json!({"name": "bench", "scopes": ["mcp"], "password": PASSWORD})).await?;
    let made: Json = made.error_for_status().context("make a token")?.json().await?;
    made["token"].as_str().map(str::to_owned).context("no token")
}

pub(crate) struct Asked {
    pub session: String,
    run: String,
    pub status: String,
    pub first: Duration,
    pub whole: Duration,
    /// The size of the events, without their frames.
    pub bytes: usize,
}

impl Visitor {
    pub(crate) async fn signed_up(base_url: &str) -> Result<Self> {
        let client = Client::builder().build()?;
        let email = format!("bench-{}@example.com", std::process::id());
        let body = json!({"email": email, "password": PASSWORD, "name": "Bench"});
        let answer = client
            .post(format!("{base_url}/api/auth/sign-up"))
            .header(header::ORIGIN, base_url)
            .json(&body)
            .send()
            .await?
            .error_for_status()
            .context("sign up")?;
        let cookie = answer.headers().get(header::SET_COOKIE).context("no cookie after sign-up")?.to_str()?;
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        Ok(Self { client, base_url: base_url.to_owned(), cookie })
    }

    pub(crate) async fn post(&self, path: &str, body: &Json) -> Result<Response> {
        let request = self.client.post(format!("{}{path}", self.base_url)).header(header::COOKIE, &self.cookie);
        Ok(request.header(header::ORIGIN, &self.base_url).json(body).send().await?)
    }

    async fn page_p50(&self, path: &str) -> Result<f64> {
        let mut took = Vec::new();
        for _ in 0..PAGES {
            let began = Instant::now();
            self.page(path).await?;
            took.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(percentile(&mut took, 0.5))
    }

    /// Returns the size of a page in bytes, uncompressed.
    pub(crate) async fn page(&self, path: &str) -> Result<usize> {
        let request = self.client.get(format!("{}{path}", self.base_url)).header(header::COOKIE, &self.cookie);
        let answer = request.header(header::ACCEPT, "text/html").send().await?.error_for_status()?;
        Ok(answer.bytes().await?.len())
    }

    /// Posts a message and reads its event stream until the run ends or asks for approval.
    pub(crate) async fn ask_to_the_end(&self, message: &str, session: Option<&str>) -> Result<Asked> {
        let mut body = json!({"message": message});
        if let Some(session) = session {
            body["session_id"] = json!(session);
        }
        let began = Instant::now();
        let answer = self.post("/chat/stream", &body).await?.error_for_status().context("send a message")?;
        let (mut text, mut first) = (String::new(), None);
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = timeout(PATIENCE, chunks.next()).await.context("the stream stalled")? {
            text.push_str(&String::from_utf8_lossy(&chunk?));
            if first.is_none() && text.contains("data:") {
                first = Some(began.elapsed());
            }
            if text.contains("event: done") || text.contains("event: tool_approval_required") {
                break;
            }
        }
        let whole = began.elapsed();
        let mut asked = Asked {
            session: String::new(),
            run: String::new(),
            status: String::new(),
            first: first.context("no event came")?,
            whole,
            bytes: 0,
        };
        for data in text.lines().filter_map(|line| line.strip_prefix("data:")) {
            asked.bytes += data.trim().len();
            let Ok(event) = serde_json::from_str::<Json>(data.trim()) else { continue };
            let field = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            match event["type"].as_str() {
                Some("run_started") => (asked.session, asked.run) = (field("session_id"), field("run_id")),
                Some("done") => asked.status = field("status"),
                _ => {}
            }
        }
        Ok(asked)
    }

    /// Starts a run that waits for a person, so that its stream stays open.
    async fn waiting_run(&self) -> Result<String> {
        let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
        let asked = self.ask_to_the_end(wish, None).await?;
        if !asked.status.is_empty() {
            bail!("the run that was to wait ended as {}", asked.status);
        }
        Ok(asked.run)
    }

    /// Opens event streams on plain sockets, so that the client's own cost stays small. Each one has received the run's first events.
    async fn open_streams(&self, run: &str, count: u32) -> Result<Vec<TcpStream>> {
        let host = self.base_url.strip_prefix("http://").context("an http address")?;
        let request = format!(
            "GET /api/runs/{run}/events HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nAccept: text/event-stream\r\n\r\n",
            self.cookie
        );
        let opened = stream::iter(0..count).map(|_| open_one(host, &request)).buffer_unordered(AT_ONCE);
        opened.collect::<Vec<_>>().await.into_iter().collect()
    }
}

async fn open_one(host: &str, request: &str) -> Result<TcpStream> {
    let mut socket = timeout(PATIENCE, TcpStream::connect(host)).await.context("cannot connect")??;
    socket.write_all(request.as_bytes()).await?;
    let mut buffer = vec![0; 64 * 1024];
    let mut text = String::new();
    while !text.contains("tool_approval_required") {
        let read = timeout(PATIENCE, socket.read(&mut buffer)).await.context("the stream stalled")??;
        if read == 0 || (text.is_empty() && !buffer.starts_with(b"HTTP/1.1 200")) {
            bail!("a stream was refused: {}", String::from_utf8_lossy(&buffer[..read.min(200)]));
        }
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    Ok(socket)
}
