//! Streamable HTTP: checks hosts and origins, and gives every access token its own transport, so that nobody can reach another token's
//! session by guessing.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_domain::AccessTokenId;
use adagent_service::{ServiceError, TokenGrant};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::SessionManager as _,
};
use tokio_util::sync::CancellationToken;

use crate::{
    McpParts, Shared,
    desk::Desk,
    message,
    sessions::{Bounded, Kept},
    tools::Listed,
    watch::Watch,
};

/// The body of a response.
pub type McpBody = BoxBody<Bytes, Infallible>;

/// How many tokens can have a transport at a time. The one that was quiet longest is removed first; its sessions can continue from their
/// stored data.
const MOST_TOKENS: usize = 1_000;
const SESSION: &str = "mcp-session-id";
type Transport = StreamableHttpService<Desk, Bounded>;

struct Entry {
    transport: Transport,
    sessions: Arc<Bounded>,
    /// The number of the last request of this token, counted over all tokens.
    used: u64,
    ends: CancellationToken,
}

#[derive(Default)]
struct Transports {
    by_token: HashMap<AccessTokenId, Entry>,
    clock: u64,
}

/// The MCP endpoint. Mount it where requests carry their token and actor.
pub struct Mcp {
    shared: Arc<Shared>,
    config: StreamableHttpServerConfig,
    transports: Mutex<Transports>,
}

impl Mcp {
    pub fn new(parts: McpParts) -> Self {
        let McpParts { service, public_url, hosts, look_every, stopping } = parts;
        let catalogue = Listed::new(&service.catalogue());
        let mut allowed = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        allowed.extend(public_url.host_str().map(|host| host.trim_matches(['[', ']']).to_owned()));
        allowed.extend(hosts);
        let origins = [
            with_port(&public_url),
            "http://localhost:*".to_owned(),
            "http://127.0.0.1:*".to_owned(),
            "http://[::1]:*".to_owned(),
        ];
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(allowed)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_json_response(true)
            .with_max_request_body_bytes(message::MAX_BODY);
        let shared = Arc::new(Shared { service, public_url, look_every, catalogue, stopping });
        Self { shared, config, transports: Mutex::default() }
    }

    /// Answers a request that has a [`TokenGrant`] and an [`adagent_domain::Actor`] in its extensions, and refuses others.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<McpBody>
    where
        B: Body + Send + 'static,
        B::Error: std::fmt::Display,
    {
        let Some(grant) = request.extensions().get::<TokenGrant>().cloned() else {
            let mut response = Response::new(Full::new(Bytes::from_static(b"No access token.")).boxed());
            *response.status_mut() = StatusCode::UNAUTHORIZED;
            return response;
        };
        if begins_session(request.method(), request.headers())
            && let Err(error) = self.shared.service.admit_program_session(grant.user)
        {
            return later(&error);
        }
        let (transport, sessions) = self.transport(&grant);
        let ends_session = request.method() == Method::DELETE;
        if ends_session
            && let Some(session) = request.headers().get(SESSION).and_then(|id| id.to_str().ok())
            && !self.knows(&sessions, &grant, session).await
        {
            let mut response = Response::new(Full::new(Bytes::from_static(b"Not Found: Session not found")).boxed());
            *response.status_mut() = StatusCode::NOT_FOUND;
            return response;
        }
        let request = match message::read(request).await {
            Ok(request) => request,
            Err(refused) => return *refused,
        };
        let mut response = transport.handle(request).await;
        if ends_session && response.status() == StatusCode::ACCEPTED {
            // The session has ended; clients read "accepted" as a failure.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }

    /// Checks whether a session exists, in memory or stored for any server to continue.
    async fn knows(&self, sessions: &Bounded, grant: &TokenGrant, session: &str) -> bool {
        let here = sessions.has_session(&session.to_owned().into()).await;
        if here.unwrap_or(true) {
            return true;
        }
        // If the database does not answer, we assume that the session exists.
        self.shared.service.program_session(grant.id, session).await.map_or(true, |kept| kept.is_some())
    }

    fn transport(&self, grant: &TokenGrant) -> (Transport, Arc<Bounded>) {
        let mut transports = self.transports.lock().unwrap_or_else(PoisonError::into_inner);
        transports.clock += 1;
        let now = transports.clock;
        if let Some(entry) = transports.by_token.get_mut(&grant.id)
            && !entry.ends.is_cancelled()
        {
            entry.used = now;
            return (entry.transport.clone(), Arc::clone(&entry.sessions));
        }
        if transports.by_token.len() >= MOST_TOKENS {
            let quietest = transports.by_token.iter().min_by_key(|(_, entry)| entry.used).map(|(id, _)| *id);
            if let Some(entry) = quietest.and_then(|id| transports.by_token.remove(&id)) {
                entry.ends.cancel();
            }
        }
        let ends = self.shared.stopping.child_token();
        let sessions = Arc::new(Bounded::new());
        let transport = self.build(grant, Arc::clone(&sessions), ends.clone());
        let entry = Entry { transport: transport.clone(), sessions: Arc::clone(&sessions), used: now, ends };
        transports.by_token.insert(grant.id, entry);
        (transport, sessions)
    }

    fn build(&self, grant: &TokenGrant, sessions: Arc<Bounded>, ends: CancellationToken) -> Transport {
        let shared = Arc::clone(&self.shared);
        let watch = Watch::new(Arc::clone(&shared), grant.clone(), ends.clone());
        let mut config = self.config.clone().with_cancellation_token(ends);
        config.session_store = Some(Arc::new(Kept { service: Arc::clone(&shared.service), token: grant.id }));
        let desk = Desk::new(shared, watch);
        StreamableHttpService::new(move || Ok(desk.clone()), sessions, config)
    }
}

/// Checks whether a client of an older revision wants a session: its request has none, and names no method in its headers, as requests of
/// the current revision do.
fn begins_session(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::POST && !headers.contains_key(SESSION) && !headers.contains_key("mcp-method")
}

/// Refuses for now, with the time to wait.
fn later(error: &ServiceError) -> Response<McpBody> {
    let problem = error.problem();
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    *response.status_mut() = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::TOO_MANY_REQUESTS);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if let Some(seconds) = error.retry_after_seconds() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Returns the origin with its port, because the SDK needs it exactly.
fn with_port(url: &url::Url) -> String {
    let host = url.host_str().unwrap_or("localhost");
    format!("{}://{host}:{}", url.scheme(), url.port_or_known_default().unwrap_or(443))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_name_their_port() {
        assert_eq!(with_port(&"https://desk.example.com/base".parse().unwrap()), "https://desk.example.com:443");
        assert_eq!(with_port(&"http://127.0.0.1:3000".parse().unwrap()), "http://127.0.0.1:3000");
        assert_eq!(with_port(&"http://[::1]:8080".parse().unwrap()), "http://[::1]:8080");
    }
}
