//! Sending: limits, circuit breaker, signature, attempts with retries, pages, reports that take time. What is sent was decided
//! before it gets here; nothing here approves, and no secret leaves it but to the network.

pub mod breaker;
mod deliver;
mod files;
mod long;
mod paging;
mod place;
mod refusal;
mod reply;
mod request;
mod retry;
mod send;
mod sessions;
#[cfg(test)]
mod tests;
mod windows;

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adagent_domain::{Clock, Network, WorkspaceId};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde_json::Value as Json;

/// Dotted paths, as the catalogue writes them.
pub mod dotted {
    pub use super::paging::{fill, get};
}

use self::{
    breaker::{Breaker, BreakerPolicy, Circuit},
    paging::{Pager, Step},
    reply::{Content, Expected},
    retry::Subject,
    sessions::Sessions,
    windows::Windows,
};
pub use self::{long::Follow, reply::plain};
use crate::{
    Credentials, ProgressSink, ToolError, ToolErrorClass, adapters,
    catalogue::Operation,
    catalogue::ResultKind,
    normalise::csv,
    sign::{self, Material, Missing, Moment, Outgoing, Profile, Session, Window},
};

/// Number of the workspace's own window, beside the network's.
const OWN_WINDOW: usize = usize::MAX;
/// Numbers for signatures are below this: what an `f64` between 0 and 1 can tell apart.
const NONCES: f64 = 9_007_199_254_740_992.0;

/// Bounds and waits of the pipeline; the defaults suit production, tests shorten them.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    pub connect_timeout: Duration,
    /// Of one attempt, from sending to the last byte.
    pub total_timeout: Duration,
    pub max_response_bytes: usize,
    pub max_report_rows: usize,
    pub max_pages: u32,
    pub max_items: usize,
    pub requests_per_second: NonZeroU32,
    /// Calls of one workspace to one network.
    pub calls_per_minute: NonZeroU32,
    /// How long a call waits for room in a limit before it is refused.
    pub limit_patience: Duration,
    /// Between questions after a report that takes time: the first wait, the longest, and all together.
    pub poll_first: Duration,
    pub poll_most: Duration,
    pub poll_total: Duration,
    pub breaker: BreakerPolicy,
    /// How long a read's answer is served again.
    pub read_cache: Duration,
    /// How long entities are kept.
    pub entity_cache: Duration,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            total_timeout: Duration::from_secs(30),
            max_response_bytes: 32 * 1024 * 1024,
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

/// Gives numbers between 0 and 1, so that retries spread.
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The client all outgoing calls use. It follows no redirect: credentials go where they were meant to go, or nowhere.
pub fn http_client(tuning: &Tuning) -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .connect_timeout(tuning.connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("adagentai/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// A network's answer, pages joined.
#[derive(Debug)]
pub struct Reply {
    /// Lists: the items as an array; otherwise the body.
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

/// An operation to be sent, for whom and with what.
pub struct Call<'a> {
    /// `None` for a connection that is just being made.
    pub workspace: Option<WorkspaceId>,
    pub operation: &'a Operation,
    pub args: &'a Json,
    pub credentials: &'a Credentials,
    pub follow: &'a Follow,
}

/// What stays the same over the requests of one call.
struct Work<'a> {
    profile: &'static Profile,
    workspace: Option<WorkspaceId>,
    credentials: &'a Credentials,
    /// By the scheme it is for.
    session: Option<(&'static str, Arc<Session>)>,
    attempts: u32,
}

impl Work<'_> {
    const fn reply(&self, body: Json) -> Reply {
        Reply { body, attempts: self.attempts, truncated: false, next_page_token: None }
    }

    /// For requests that are part of a call without being the operation itself.
    const fn reading(&self) -> Subject<'static> {
        Subject { network: self.profile.network, name: "session", read_only: true, schema: None }
    }
}

/// A request to be delivered: made and signed anew for every attempt.
struct Delivery<'a> {
    subject: Subject<'a>,
    may_repeat: bool,
    /// For the network's own limits.
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
    breakers: Mutex<BTreeMap<Network, Breaker>>,
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

    /// Whether calls to the network go out, and since when not.
    pub fn circuit(&self, network: Network) -> Circuit {
        let breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        breakers.get(&network).map_or(Circuit::Closed, Breaker::circuit)
    }

    /// Takes a place in the workspace's own window at the network, waiting a little when it is full.
    pub async fn pace(
        &self,
        network: Network,
        workspace: WorkspaceId,
        progress: &mut dyn ProgressSink,
    ) -> Result<(), ToolError> {
        let own = Window { calls: self.tuning.calls_per_minute.get(), seconds: 60, schemes: &[] };
        self.wait_for(network, Some(workspace), &[(OWN_WINDOW, own)], progress).await
    }

    /// Sends an operation, with its pages when it is a list, until its report is done when it is one that takes time.
    pub async fn call(&self, call: &Call<'_>, progress: &mut dyn ProgressSink) -> Result<Reply, SendError> {
        let Call { workspace, operation, args, credentials, follow } = *call;
        let profile = sign::profile(operation.info.network);
        let mut work = Work { profile, workspace, credentials, session: None, attempts: 0 };
        if !operation.info.read_only || follow.is_nothing() {
            return self.pages(&mut work, operation, args, progress).await;
        }
        let first = self.json(&mut work, operation, args, progress).await?;
        self.follow(&mut work, operation, args, first, follow, progress).await
    }

    /// All pages of an operation.
    async fn pages(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, SendError> {
        let (spec, path) = (&operation.result, operation.result.items_path.as_deref());
        let whole = match spec.kind {
            ResultKind::List => false,
            ResultKind::Report => spec.pagination.is_none(),
            ResultKind::Object | ResultKind::Operation => true,
        };
        if whole || !operation.info.read_only {
            let content = self.content(work, operation, args, progress).await?;
            let mut reply = self.as_rows(work, content, progress).await?;
            if let Some(path) = path.filter(|_| spec.kind == ResultKind::Object) {
                match paging::get(&reply.body, path).filter(|object| !object.is_null()) {
                    Some(object) => reply.body = object.clone(),
                    None if operation.info.read_only => return Err(Self::unexpected(operation, "object")),
                    // The network said yes and nothing more.
                    None => {}
                }
            }
            return Ok(reply);
        }
        let bounds = match spec.kind {
            ResultKind::Report => paging::Bounds { pages: self.tuning.max_pages, rows: self.tuning.max_report_rows },
            _ => paging::Bounds { pages: self.tuning.max_pages, rows: self.tuning.max_items },
        };
        let mut pager = Pager::new(operation, args, work.profile.conduct.empty_lists_left_out, bounds);
        let mut first: Option<Json> = None;
        let mut cut = false;
        loop {
            let mut page = match self.content(work, operation, pager.args(), progress).await? {
                Content::Json(page) => page,
                // Rows between commas come in pages too; they are put where rows of JSON would be.
                other => {
                    let rows = self.as_rows(work, other, progress).await?;
                    cut |= rows.truncated;
                    pager.page_of(rows.body)
                }
            };
            let step = pager.take(&mut page).map_err(|_| Self::unexpected(operation, "list"))?;
            first.get_or_insert(page);
            let (truncated, next_page_token) = match step {
                Step::Done { truncated, next } => (truncated, next),
                Step::More => {
                    progress.progress(&format!("{} so far, fetching more", pager.count()), None).await;
                    continue;
                }
            };
            let mut rows = pager.into_rows();
            rows.truncate(bounds.rows.max(1));
            let body = if spec.kind == ResultKind::Report {
                let mut body = first.unwrap_or_default();
                match path.filter(|path| !path.is_empty()) {
                    Some(path) => paging::set(&mut body, &paging::fill(path, args), Json::Array(rows)),
                    None => body = Json::Array(rows),
                }
                body
            } else {
                Json::Array(rows)
            };
            return Ok(Reply { body, attempts: work.attempts, truncated: truncated || cut, next_page_token });
        }
    }

    fn unexpected(operation: &Operation, what: &str) -> SendError {
        let name = operation.info.network.display_name();
        let message = format!("{name}'s reply does not hold the {what} it should.");
        let error = ToolError::new(ToolErrorClass::Retryable, "UNEXPECTED_REPLY", message);
        SendError::Failed(error.guide("Try again later; the network may have changed its replies."))
    }

    /// Rows of a reply that is no JSON.
    async fn as_rows(
        &self,
        work: &mut Work<'_>,
        content: Content,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, SendError> {
        let text = match content {
            Content::Json(json) => return Ok(work.reply(json)),
            Content::Text(text) => text,
            Content::Moved(link) => self.file(work, link.as_str(), progress).await?,
        };
        let (rows, truncated) = csv::objects(&text, self.tuning.max_report_rows).map_err(|why| {
            let message = format!("{}'s rows could not be read: {why}.", work.profile.network.display_name());
            let error = ToolError::new(ToolErrorClass::Retryable, "BROKEN_REPLY", message);
            SendError::Failed(error.guide("Try again later."))
        })?;
        Ok(Reply { truncated, ..work.reply(Json::Array(rows)) })
    }

    /// One reply that is JSON, or rows made into it.
    async fn json(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Json, SendError> {
        match self.content(work, operation, args, progress).await? {
            Content::Json(json) => Ok(json),
            other => self.as_rows(work, other, progress).await.map(|reply| reply.body),
        }
    }

    /// One reply, with the session it needs; a session that is refused is renewed once.
    async fn content(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Content, SendError> {
        let tool = &operation.info;
        let (profile, credentials) = (work.profile, work.credentials);
        let unusable = |message: &str| SendError::Failed(ToolError::invalid(message, Vec::new()));
        let (name, scheme) = profile
            .scheme(&operation.http)
            .ok_or_else(|| unusable("The operation names an unknown way of signing."))?;
        if request::build(profile, &operation.http, credentials, args).is_none() {
            return Err(unusable("The arguments do not fill the operation's path."));
        }
        let csv = operation.result.kind == ResultKind::Report || operation.result.format.as_deref() == Some("csv");
        let expected = Expected { read_only: tool.read_only, csv };
        let may_repeat = adapters::may_repeat(tool, args);
        let mut refused: Option<Arc<Session>> = None;
        loop {
            let session = self.session(work, name, scheme, refused.as_ref(), progress).await?;
            let make = |moment| {
                let material = Material {
                    fields: &credentials.fields,
                    session: session.as_deref(),
                    binding: &operation.http,
                    moment,
                };
                let mut out = request::build(profile, &operation.http, credentials, args)
                    .ok_or_else(|| ToolError::invalid("The arguments do not fill the operation's path.", Vec::new()))?;
                scheme.sign(&mut out, &material).map_err(|missing| without_field(tool.network, missing))?;
                Ok(out)
            };
            let delivery =
                Delivery { subject: Subject::from(&**tool), may_repeat, scheme: name, expected, make: &make };
            match self.deliver(work, &delivery, progress).await {
                Err(SendError::Unauthorized) if session.is_some() && refused.is_none() => refused = session,
                other => return other,
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the jitter is between 0 and 1")]
    fn moment(&self) -> Moment {
        let nonce = ((self.jitter)().clamp(0.0, 1.0) * NONCES) as u64;
        Moment { now: self.clock.now(), nonce }
    }

    const fn bounds(&self) -> send::Bounds {
        send::Bounds { total: self.tuning.total_timeout, bytes: self.tuning.max_response_bytes }
    }
}

/// A field of the connection is missing: said with its name, never with a value.
fn without_field(network: Network, missing: Missing) -> ToolError {
    let message =
        format!("The connection of {} lacks {:?}, which this operation needs.", network.display_name(), missing.0);
    ToolError::new(ToolErrorClass::NotConnected, "CREDENTIAL_MISSING", message)
        .guide(format!("Add it under /settings/networks?connect={}.", network.id()))
}
