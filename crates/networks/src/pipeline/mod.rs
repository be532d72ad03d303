//! Sends operations: limits, circuit breaker, signature, attempts with retries, pages, and reports that take time. The caller has already
//! decided what is sent; nothing here approves. Secrets go only to the network.

mod deliver;
mod files;
mod hush;
mod long;
mod pages;
mod paging;
mod place;
mod refusal;
mod reply;
mod request;
mod retry;
mod send;
mod sessions;
#[cfg(test)]
pub mod tests;
mod windows;

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adagent_domain::{Clock, ConnectionId, Network, WorkspaceId};
use adagent_outgoing::breaker::{Breaker, BreakerPolicy, Circuit};
pub use adagent_outgoing::{WayOut, breaker};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde_json::Value as Json;

/// Dotted paths, as the catalog writes them.
pub mod dotted {
    pub use super::paging::{fill, get, set};
}

use self::{
    hush::Secrets,
    reply::Expected,
    retry::Subject,
    sessions::Sessions,
    windows::{Owner, Windows},
};
pub use self::{long::Follow, reply::plain};
use crate::{
    Credentials,
    catalogue::Operation,
    sign::{Missing, Moment, Outgoing, Profile, Session, Window},
};
use adagent_tools::{ProgressSink, ToolError, ToolErrorClass};

/// The index of the workspace's own window, apart from those of the network.
const OWN_WINDOW: usize = usize::MAX;
/// Random numbers for signatures are below 2^53, the most that an `f64` between 0 and 1 can tell apart.
const NONCES: f64 = 9_007_199_254_740_992.0;

/// Bounds and waits of the pipeline. The defaults suit production; tests shorten them.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    pub connect_timeout: Duration,
    /// The limit for one attempt, from sending to the last byte.
    pub total_timeout: Duration,
    pub max_response_bytes: usize,
    /// The limit for all replies and files of one call together.
    pub max_call_bytes: usize,
    pub max_report_rows: usize,
    pub max_pages: u32,
    pub max_items: usize,
    pub requests_per_second: NonZeroU32,
    /// The limit for calls of one workspace to one network.
    pub calls_per_minute: NonZeroU32,
    /// How long a call waits for room in a limit before it is refused.
    pub limit_patience: Duration,
    /// The waits between two questions about a report that takes time: the first, the longest, and their sum.
    pub poll_first: Duration,
    pub poll_most: Duration,
    pub poll_total: Duration,
    pub breaker: BreakerPolicy,
    /// How long we reuse the reply to a read.
    pub read_cache: Duration,
    /// How long we keep entities.
    pub entity_cache: Duration,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            total_timeout: Duration::from_secs(30),
            max_response_bytes: 32 * 1024 * 1024,
            max_call_bytes: 128 * 1024 * 1024,
            max_report_rows: 100_000,
            max_pages: 50,
            max_items: 20_000,
            requests_per_second: NonZeroU32::new(25).unwrap_or(NonZeroU32::MIN),
            calls_per_minute: NonZeroU32::new(60).unwrap_or(NonZeroU32::MIN),
            limit_patience: Duration::from_secs(10),
            poll_first: Duration::from_secs(1),
            poll_most: Duration::from_secs(10),
            poll_total: Duration::from_mins(5),
            breaker: BreakerPolicy { failures: 5, open_millis: 15_000 },
            read_cache: Duration::from_secs(30),
            entity_cache: Duration::from_mins(5),
        }
    }
}

/// A function that returns numbers between 0 and 1, which spread the retries.
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// Builds the HTTP client for all outgoing calls. It follows no redirects, so credentials go only where they were meant to go. It does not
/// connect to names that lead into our own network, unless the configuration lists them.
pub fn http_client(tuning: &Tuning) -> Result<reqwest::Client, reqwest::Error> {
    http_client_by(tuning, WayOut::default())
}

/// Builds the same client with the outgoing settings of the configuration. Only the configuration reads environment variables.
pub fn http_client_by(tuning: &Tuning, way: WayOut) -> Result<reqwest::Client, reqwest::Error> {
    adagent_outgoing::client(tuning.connect_timeout, way).build()
}

/// A network's reply, with all pages joined.
#[derive(Debug)]
pub struct Reply {
    /// For a list, the items as an array; otherwise the body.
    pub body: Json,
    pub attempts: u32,
    pub truncated: bool,
    pub next_page_token: Option<String>,
}

/// Why there is no reply.
#[derive(Debug)]
pub enum SendError {
    /// 401: renew the credentials and try once more.
    Unauthorized,
    Failed(ToolError),
}

/// An operation to send, with everything that it needs.
pub struct Call<'a> {
    pub operation: &'a Operation,
    pub args: &'a Json,
    pub credentials: &'a Credentials,
    pub follow: &'a Follow,
}

/// What one breaker is for: a network, whether it is simulated, and the connection (`None` while it is being made).
type Line = (Network, bool, Option<ConnectionId>);

/// What the requests of one call share.
struct Work<'a> {
    profile: &'static Profile,
    credentials: &'a Credentials,
    /// The session and the scheme that it belongs to.
    session: Option<(&'static str, Arc<Session>)>,
    attempts: u32,
    /// How many more bytes may arrive.
    room: usize,
}

impl Work<'_> {
    /// Returns the key of the breaker. Each connection has its own: a failure through one connection says nothing about another, and a
    /// failure of a sandbox says nothing about the real network.
    const fn line(&self) -> Line {
        (self.profile.network, self.credentials.sandbox, self.credentials.connection)
    }

    const fn took(&mut self, bytes: usize) {
        self.room = self.room.saturating_sub(bytes);
    }

    /// Returns the secrets that a network's message must not repeat.
    fn secrets(&self, outgoing: Option<&Outgoing>) -> Secrets {
        let session = self.session.as_ref().map(|(_, session)| &**session);
        Secrets::of(&self.credentials.fields, session, outgoing)
    }

    const fn reply(&self, body: Json) -> Reply {
        Reply { body, attempts: self.attempts, truncated: false, next_page_token: None }
    }

    /// Describes the requests that a call needs besides the operation itself.
    const fn reading(&self) -> Subject<'static> {
        Subject { network: self.profile.network, name: "session", read_only: true, schema: None }
    }
}

/// A request to deliver. Every attempt builds and signs it again.
struct Delivery<'a> {
    subject: Subject<'a>,
    may_repeat: bool,
    /// The signature scheme, which decides the network limits that count.
    scheme: &'static str,
    expected: Expected,
    make: &'a (dyn Fn(Moment) -> Result<Outgoing, ToolError> + Sync),
}

pub struct Transport {
    client: reqwest::Client,
    clock: Arc<dyn Clock>,
    jitter: Jitter,
    tuning: Tuning,
    limiters: BTreeMap<Network, DefaultDirectRateLimiter>,
    breakers: Mutex<BTreeMap<Line, Breaker>>,
    windows: Windows,
    sessions: Sessions,
}

impl Transport {
    pub fn new(client: reqwest::Client, clock: Arc<dyn Clock>, jitter: Jitter, tuning: Tuning) -> Self {
        let quota = Quota::per_second(tuning.requests_per_second);
        let limiters = Network::ALL.into_iter().map(|network| (network, RateLimiter::direct(quota))).collect();
        let (breakers, windows, sessions) = (Mutex::default(), Windows::default(), Sessions::default());
        Self { client, clock, jitter, tuning, limiters, breakers, windows, sessions }
    }

    pub const fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// Returns whether calls of a connection are sent, and if not, until when.
    pub fn circuit(&self, network: Network, connection: Option<ConnectionId>) -> Circuit {
        let breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let both = [false, true].into_iter().filter_map(|sandbox| breakers.get(&(network, sandbox, connection)));
        both.max_by_key(|breaker| breaker.level()).map_or(Circuit::Closed, Breaker::circuit)
    }

    /// Drops the tokens and sessions of a connection that was removed or changed.
    pub fn forget(&self, connection: ConnectionId) {
        self.sessions.forget(connection);
    }

    /// Takes a place in the workspace's own window at the network, and waits a little if it is full. Reads leave a tenth of the places to
    /// approved writes.
    pub async fn pace(
        &self,
        network: Network,
        workspace: WorkspaceId,
        read_only: bool,
        progress: &mut dyn ProgressSink,
    ) -> Result<(), ToolError> {
        let all = self.tuning.calls_per_minute.get();
        let calls = if read_only { all - all / 10 } else { all };
        let own = [(OWN_WINDOW, Window { calls, seconds: 60, schemes: &[] })];
        let wait = self.wait_for(network, Owner::Workspace(workspace), &own, progress).await;
        wait.map_err(|wait| deliver::crowded(network, wait, true))
    }

    /// Sends an operation. A list is read with all its pages, and a report that takes time is followed until it is done.
    pub async fn call(&self, call: &Call<'_>, progress: &mut dyn ProgressSink) -> Result<Reply, SendError> {
        let Call { operation, args, credentials, follow } = *call;
        let profile = operation.facts.profile();
        let mut work = Work { profile, credentials, session: None, attempts: 0, room: self.tuning.max_call_bytes };
        if !operation.info.read_only || follow.is_nothing() {
            return self.pages(&mut work, operation, args, progress).await;
        }
        let first = self.json(&mut work, operation, args, progress).await?;
        self.follow(&mut work, operation, args, first, follow, progress).await
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the jitter is between 0 and 1")]
    fn moment(&self) -> Moment {
        let nonce = ((self.jitter)().clamp(0.0, 1.0) * NONCES) as u64;
        Moment { now: self.clock.now(), nonce }
    }

    fn bounds(&self, work: &Work<'_>) -> send::Bounds {
        send::Bounds { total: self.tuning.total_timeout, bytes: self.tuning.max_response_bytes.min(work.room) }
    }
}

/// Returns the error for a missing field of the connection. It names the field and never contains a value.
fn without_field(network: Network, missing: Missing) -> ToolError {
    let message =
        format!("The {} connection has no {:?}, which this operation needs.", network.display_name(), missing.0);
    ToolError::new(ToolErrorClass::NotConnected, "CREDENTIAL_MISSING", message)
        .guide(format!("Add it under /settings/networks?connect={}.", network.id()))
}
