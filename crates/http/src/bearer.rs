//! `Authorization: Bearer`: programs show with a personal access token for whom they act.
//!
//! Only the routes of the API read it, and `/mcp` with its own scope; pages never do. We refuse an invalid token even if the request also
//! has a browser session, so that nobody acts as a different person than they said.

use adagent_contract::TokenScope;
use adagent_service::{ClientInfo, ServiceError};
use axum::{
    extract::{FromRequestParts as _, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{error::ApiError, extract::Client, state::HttpState};

/// Checks whether tokens with scope `api` count at this path.
pub fn is_for_programs(path: &str) -> bool {
    path.starts_with("/api/") || matches!(path, "/chat/stream" | "/chat/approve-tool")
}

/// Returns the token of a request; the case of the scheme does not matter. `Some("")` for a header that cannot be read.
pub fn token_of(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?;
    let Ok(text) = value.to_str() else { return Some("") };
    let (scheme, token) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Requires a valid token of scope `mcp`. Puts the [`adagent_service::TokenGrant`] and the [`adagent_domain::Actor`] into the request's
/// extensions.
pub async fn require_mcp_token(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(client) = Client::from_request_parts(&mut parts, &state).await;
    let token = token_of(&parts.headers).map(str::to_owned);
    match admit(&state, token.as_deref(), client.0).await {
        Ok((grant, actor)) => {
            // The service behind this needs no secret.
            parts.headers.remove(header::AUTHORIZATION);
            parts.headers.remove(header::COOKIE);
            parts.extensions.insert(grant);
            parts.extensions.insert(actor);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(error) => refused(error),
    }
}

async fn admit(
    state: &HttpState,
    token: Option<&str>,
    client: ClientInfo,
) -> Result<(adagent_service::TokenGrant, adagent_domain::Actor), ServiceError> {
    let token = token.ok_or(ServiceError::Unauthenticated)?;
    let grant = state.service.check_token(token, TokenScope::Mcp, client).await?;
    state.service.admit_person(grant.user)?;
    let actor = state.service.actor_of(&grant).await?;
    Ok((grant, actor))
}

/// Makes the response to a refusal, with the challenge that programs expect.
pub fn refused(error: ServiceError) -> Response {
    let challenge = match &error {
        ServiceError::Unauthenticated => Some(r#"Bearer realm="ADAgentAI""#.to_owned()),
        ServiceError::InvalidToken => Some(r#"Bearer realm="ADAgentAI", error="invalid_token""#.to_owned()),
        ServiceError::InsufficientScope(scope) => {
            Some(format!(r#"Bearer realm="ADAgentAI", error="insufficient_scope", scope="{scope}""#))
        }
        _ => None,
    };
    let mut response = ApiError::from(error).into_response();
    if let Some(value) = challenge.and_then(|text| HeaderValue::from_str(&text).ok()) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(value: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        headers
    }

    #[test]
    fn only_bearer_tokens_are_tokens() {
        assert_eq!(token_of(&given(b"Bearer abc")), Some("abc"));
        assert_eq!(token_of(&given(b"bEARER   abc ")), Some("abc"));
        assert_eq!(token_of(&given(b"Bearer")), Some(""));
        assert_eq!(token_of(&given(b"Basic abc")), None);
        assert_eq!(token_of(&given(b"Bearer \xff")), Some(""), "unreadable is a token nobody has");
        assert_eq!(token_of(&HeaderMap::new()), None);
    }

    #[test]
    fn pages_and_server_functions_look_at_no_token() {
        assert!(is_for_programs("/api/me") && is_for_programs("/chat/stream") && is_for_programs("/chat/approve-tool"));
        for other in ["/", "/chat", "/chat/1", "/desk/context", "/mcp", "/metrics", "/apis"] {
            assert!(!is_for_programs(other), "{other}");
        }
    }
}
