//! A server in this process with its sandbox, on the day that the questions were written for, and the people who use it.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use adagent_config::{Config, Overrides, RateLimits, Source};
use adagent_contract::{AnswerRequest, ApprovalStatus, ContextSettings, MessageView, RunStatus, SessionMessages};
use adagent_domain::{Clock, Network, Timestamp};
use adagent_server::{Running, start_with};
use anyhow::{Context as _, Result, bail};
use reqwest::{Client, RequestBuilder, header};
use serde::Deserialize;
use serde_json::{Value as Json, json};

const PASSWORD: &str = "correct horse battery staple";
/// The longest that a turn may take. A run's own limit is far higher, but a person would be gone.
const PATIENCE: Duration = Duration::from_mins(2);
const LOOK_AGAIN: Duration = Duration::from_millis(15);

/// A clock that began at a given time and goes on from there.
#[derive(Debug)]
struct MovedClock {
    from: i64,
    began: Instant,
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        let since = i64::try_from(self.began.elapsed().as_micros()).unwrap_or(i64::MAX);
        Timestamp::from_micros(self.from.saturating_add(since))
    }
}

pub(crate) struct Desk {
    running: Running,
    people: AtomicUsize,
    _folder: tempfile::TempDir,
}

fn config(folder: &Path) -> Result<Config> {
    // An empty file, so that no other configuration is found.
    let file = folder.join("empty.toml");
    std::fs::write(&file, "").context("cannot write into the folder of the trial")?;
    let overrides = Overrides { port: Some(0), data_dir: Some(folder.to_owned()), ..Overrides::default() };
    let mut config = Config::load(Source { file: Some(file), overrides })?;
    config.password.memory_kib = 64;
    config.password.passes = 1;
    config.rate_limits = RateLimits::Relaxed;
    config.drain_seconds = 5;
    Ok(config)
}

impl Desk {
    /// Starts a server for which it is noon (UTC) of `today`.
    pub(crate) async fn start(today: &str) -> Result<Self> {
        let noon: Timestamp = format!("{today}T12:00:00Z")
            .parse()
            .map_err(|_| anyhow::anyhow!("{today} is no day, such as 2026-11-21"))?;
        let folder = tempfile::tempdir()?;
        let clock = Arc::new(MovedClock { from: noon.as_micros(), began: Instant::now() });
        let running = start_with(config(folder.path())?, clock).await?;
        let desk = Self { running, people: AtomicUsize::new(0), _folder: folder };
        desk.lift_quotas().await?;
        Ok(desk)
    }

    /// Lifts the quotas of the networks: all people of a trial share them, so they would wait for each other.
    async fn lift_quotas(&self) -> Result<()> {
        self.control("quota", &json!({"burst": 1_000_000, "per_minute": 1_000_000})).await
    }

    async fn control(&self, route: &str, body: &Json) -> Result<()> {
        let sandbox = self.running.sandbox.as_ref().context("the server has no sandbox")?;
        let request = Client::new().post(format!("{}/__sandbox/{route}", sandbox.base_url)).json(body);
        request.send().await?.error_for_status()?;
        Ok(())
    }

    /// Brings what the networks hold back to the start, so that no change of an earlier script is met.
    pub(crate) async fn reset(&self) -> Result<()> {
        self.control("reset", &json!({})).await
    }

    /// Signs up a person whose workspace has these networks connected, and these turned off.
    pub(crate) async fn person(&self, connected: &[Network], disabled: &[Network]) -> Result<Person> {
        let number = self.people.fetch_add(1, Ordering::Relaxed);
        let (client, base) = (Client::new(), self.running.base_url());
        let body = json!({"email": format!("trial-{number}@example.com"), "password": PASSWORD, "name": "Trial"});
        let answer = client.post(format!("{base}/api/auth/sign-up")).header(header::ORIGIN, &base).json(&body);
        let answer = answer.send().await?.error_for_status().context("sign up")?;
        let cookie = answer.headers().get(header::SET_COOKIE).context("no cookie after sign-up")?.to_str()?;
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        let mut person = Person { client, base, cookie, on: Vec::new() };
        person.connect(connected).await?;
        for network in disabled {
            person.turn(*network, false).await?;
        }
        Ok(person)
    }

    pub(crate) async fn stop(self) {
        self.running.drain().await;
    }
}

/// Somebody who is signed in.
pub(crate) struct Person {
    client: Client,
    base: String,
    cookie: String,
    /// The networks that are connected and not turned off.
    on: Vec<Network>,
}

/// What a person meets after a message.
#[derive(Debug)]
pub(crate) struct Answered {
    pub session: String,
    pub message: MessageView,
}

#[derive(Deserialize)]
struct Started {
    session_id: String,
    run_id: String,
}

impl Person {
    fn with(&self, request: RequestBuilder) -> RequestBuilder {
        request.header(header::COOKIE, &self.cookie).header(header::ORIGIN, &self.base)
    }

    async fn post(&self, path: &str, body: &Json) -> Result<reqwest::Response> {
        let request = self.with(self.client.post(format!("{}{path}", self.base))).json(body);
        request.send().await?.error_for_status().with_context(|| path.to_owned())
    }

    pub(crate) async fn connect(&mut self, networks: &[Network]) -> Result<()> {
        if !networks.is_empty() {
            self.post("/api/sandbox/explore", &json!({"networks": networks})).await?;
            self.on.extend(networks);
        }
        Ok(())
    }

    /// Turns a network on or off in the person's settings.
    pub(crate) async fn turn(&mut self, network: Network, on: bool) -> Result<()> {
        self.on.retain(|other| *other != network);
        if on {
            self.on.push(network);
        }
        let settings = ContextSettings { enabled_networks: Some(self.on.clone()), ..ContextSettings::default() };
        let request = self.with(self.client.put(format!("{}/api/settings/context", self.base))).json(&settings);
        request.send().await?.error_for_status().context("settings")?;
        Ok(())
    }

    /// Asks and waits until the run has ended or waits for a person.
    pub(crate) async fn ask(&self, session: Option<&str>, message: &str) -> Result<Answered> {
        let mut body = json!({"message": message});
        if let Some(session) = session {
            body["session_id"] = json!(session);
        }
        let mut answer = self.post("/chat/stream", &body).await?;
        let mut text = String::new();
        let started = loop {
            let chunk = tokio::time::timeout(PATIENCE, answer.chunk()).await.context("no event came")??;
            let Some(chunk) = chunk else { bail!("the stream ended before the run began") };
            text.push_str(&String::from_utf8_lossy(&chunk));
            let mut data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            if let Some(started) = data.find_map(|data| serde_json::from_str::<Started>(data.trim()).ok()) {
                break started;
            }
        };
        // The stream ends with the run, so this waits without asking again and again.
        let ended = |text: &str| text.contains("event: done") || text.contains("event: tool_approval_required");
        while !ended(&text) {
            let chunk = tokio::time::timeout(PATIENCE, answer.chunk()).await.context("the answer did not end")??;
            let Some(chunk) = chunk else { break };
            text.push_str(&String::from_utf8_lossy(&chunk));
        }
        let message = self.at_rest(&started.session_id, &started.run_id).await?;
        Ok(Answered { session: started.session_id, message })
    }

    async fn messages(&self, session: &str) -> Result<Vec<MessageView>> {
        let path = format!("{}/api/chat/sessions/{session}/messages?limit=100", self.base);
        let answer = self.with(self.client.get(path)).send().await?.error_for_status()?;
        Ok(answer.json::<SessionMessages>().await?.items)
    }

    /// Returns the message of a run as soon as the run does nothing more by itself.
    async fn at_rest(&self, session: &str, run: &str) -> Result<MessageView> {
        let began = Instant::now();
        loop {
            let of_run = |message: &MessageView| message.run_id.to_string() == run;
            let message = self.messages(session).await?.into_iter().find(of_run).context("the message is gone")?;
            if !matches!(message.turn.status, RunStatus::Queued | RunStatus::Running) {
                return Ok(message);
            }
            if began.elapsed() > PATIENCE {
                bail!("the run did not come to rest");
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Answers every card of a chat that waits.
    pub(crate) async fn decide(&self, session: &str, approved: bool) -> Result<()> {
        for message in self.messages(session).await? {
            let waiting = message.turn.approvals.iter().filter(|card| card.status == ApprovalStatus::Pending);
            for card in waiting {
                let request = AnswerRequest {
                    approval_id: card.approval_id,
                    approved,
                    edited_args: None,
                    reason: None,
                    remember: None,
                };
                self.post("/chat/approve-tool", &serde_json::to_value(request)?).await?;
            }
            self.at_rest(session, &message.run_id.to_string()).await?;
        }
        Ok(())
    }
}
