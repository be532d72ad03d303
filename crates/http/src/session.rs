//! The browser session: who is signed in, for how long, and the form of the cookie.

use adagent_contract::TokenScope;
use adagent_domain::{Timestamp, UserId};
use adagent_identity::{DbSessionStore, SESSION_COOKIE, SESSION_DAYS, SIGNED_IN, SignedIn, is_unavailable};
use adagent_service::{CurrentUser, ServiceError, SessionHash, SignedInAt};
use axum::{
    extract::{FromRequestParts as _, Request, State},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};
use tower_sessions::{Expiry, Session, SessionManagerLayer, cookie::SameSite, session::Id};

use crate::{
    bearer,
    error::{ApiError, ApiResult},
    extract::{Client, Device},
    state::HttpState,
};

/// Browsers accept it only from this host and with `Secure`, so that no neighboring host can plant one.
const SECURE_COOKIE: &str = "__Host-adagent_session";
/// The key under which a session says that only the code is missing. It grants nothing: nobody is signed in with it.
const PENDING: &str = "second_factor";
/// We note the last use, and with it the end of a session, at most this often, so that most requests write nothing.
const TOUCH_AFTER: Duration = Duration::minutes(10);
/// How long after the password we wait for a code.
const PENDING_FOR: Duration = Duration::minutes(10);

/// The password was right, or Google vouched for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub user: UserId,
    /// When this was, in seconds since 1970.
    since: i64,
    /// With Google; otherwise with a password.
    pub google: bool,
}

/// Makes the layer with the cookie and its store.
pub fn layer(state: &HttpState) -> SessionManagerLayer<DbSessionStore> {
    let secure = state.settings.public_url.scheme() == "https";
    SessionManagerLayer::new(state.sessions.clone())
        .with_name(if secure { SECURE_COOKIE } else { SESSION_COOKIE })
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_secure(secure)
        .with_expiry(Expiry::OnInactivity(Duration::days(SESSION_DAYS)))
}

/// Puts [`CurrentUser`] and, for a signed-in person, [`SessionHash`] into the request's extensions.
///
/// A personal access token replaces the browser session: the request then also has [`adagent_service::TokenGrant`], and we do not read the
/// session.
pub async fn current_user(State(state): State<HttpState>, session: Session, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    // Server functions read it from here.
    let Ok(Client(client)) = Client::from_request_parts(&mut parts, &state).await;
    parts.extensions.insert(client);
    if bearer::is_for_programs(parts.uri.path())
        && let Some(token) = bearer::token_of(&parts.headers).map(str::to_owned)
    {
        let grant = match state.service.check_token(&token, TokenScope::Api, client).await {
            Ok(grant) => grant,
            Err(error) => return bearer::refused(error),
        };
        parts.extensions.insert(CurrentUser(Some(grant.user)));
        parts.extensions.insert(grant);
        return next.run(Request::from_parts(parts, body)).await;
    }
    let mut request = Request::from_parts(parts, body);
    let mut user = CurrentUser(None);
    // A request without the cookie, or for a file, does not query the database.
    if let Some(id) = session.id().filter(|_| !state.files.has(request.uri().path())) {
        match load(&session).await {
            Ok(found) => {
                if let Some(signed_in) = found {
                    user = CurrentUser(Some(signed_in.user));
                    let since = Timestamp::from_micros(signed_in.since.saturating_mul(1_000_000));
                    request.extensions_mut().insert(SignedInAt(since));
                    request.extensions_mut().insert(hash(id));
                }
            }
            Err(error) => return error.into_response(),
        }
    }
    request.extensions_mut().insert(user);
    next.run(request).await
}

fn hash(id: Id) -> SessionHash {
    SessionHash(hex::encode(Sha256::digest(id.to_string())))
}

/// Returns the key of this browser's session, whether or not a person is signed in.
pub fn hash_of(session: &Session) -> Option<SessionHash> {
    session.id().map(hash)
}

/// Turns a session error into an answer: if the database is unavailable, a later try may work; otherwise something is broken.
fn broken(error: tower_sessions::session::Error) -> ApiError {
    if is_unavailable(&error) {
        tracing::warn!(%error, "a browser session could not be read or written");
        return ServiceError::Unavailable("The database isn't responding. Try again in a moment.").into();
    }
    ApiError::internal(error)
}

async fn load(session: &Session) -> ApiResult<Option<SignedIn>> {
    let Some(mut signed_in) = session.get::<SignedIn>(SIGNED_IN).await.map_err(broken)? else { return Ok(None) };
    let now = OffsetDateTime::now_utc().unix_timestamp();
    if now - signed_in.touched > TOUCH_AFTER.whole_seconds() {
        signed_in.touched = now;
        session.insert(SIGNED_IN, signed_in.clone()).await.map_err(broken)?;
    }
    Ok(Some(signed_in))
}

/// Signs a person in under a new session ID, so that an ID that somebody planted gives nothing.
pub async fn sign_in(session: &Session, user: UserId, device: &Device) -> ApiResult<()> {
    session.cycle_id().await.map_err(broken)?;
    session.clear().await;
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let Device { agent, address } = device.clone();
    let signed_in = SignedIn { user, touched: now, since: now, agent, address };
    session.insert(SIGNED_IN, signed_in).await.map_err(broken)?;
    // Save now, while we can still explain an error: the layer around this would answer 500 without a text.
    session.save().await.map_err(broken)
}

/// Waits for the code under a new session ID. A person who was signed in here is signed out.
pub async fn wait_for_code(session: &Session, user: UserId, google: bool) -> ApiResult<()> {
    session.cycle_id().await.map_err(broken)?;
    session.clear().await;
    let pending = Pending { user, since: OffsetDateTime::now_utc().unix_timestamp(), google };
    session.insert(PENDING, pending).await.map_err(broken)?;
    session.save().await.map_err(broken)
}

/// Returns the person who must still enter a code in this browser.
pub async fn pending(session: &Session) -> ApiResult<Option<Pending>> {
    let pending = session.get::<Pending>(PENDING).await.map_err(broken)?;
    let now = OffsetDateTime::now_utc().unix_timestamp();
    Ok(pending.filter(|pending| now - pending.since < PENDING_FOR.whole_seconds()))
}

/// Ends the session, here and in the store.
pub async fn sign_out(session: &Session) -> ApiResult<()> {
    if session.id().is_some() {
        session.flush().await.map_err(broken)?;
    }
    Ok(())
}

/// What browsers must delete with the session: the data that pages stored in them. No personal data is cached (`no-store`), so the files of
/// the interface may stay. Cookies are not included, because that would delete those of neighboring hosts too.
const FORGET: HeaderValue = HeaderValue::from_static("\"storage\"");

/// Adds this to the response for a person who has signed out.
pub fn left_behind(mut response: Response) -> Response {
    response.headers_mut().insert(HeaderName::from_static("clear-site-data"), FORGET);
    response
}
