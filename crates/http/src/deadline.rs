//! Limits how long a request waits, whatever hangs behind it. Event streams are not affected: we answer them at once, and they continue
//! after that.

use std::time::Duration;

use adagent_service::ServiceError;
use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tokio::time::timeout;

use crate::error::ApiError;

/// Longer than one slow network or a recovering database takes, and shorter than proxies wait.
const LONGEST: Duration = Duration::from_secs(45);

/// Answers 503 if a request takes too long. The database then rolls back the open transaction.
///
/// MCP has its own deadlines, and sends signs of life during long reports if its client asked for them.
pub async fn bounded(request: Request, next: Next) -> Response {
    if request.uri().path() == "/mcp" {
        return next.run(request).await;
    }
    within(LONGEST, request, next).await
}

async fn within(longest: Duration, request: Request, next: Next) -> Response {
    timeout(longest, next.run(request)).await.unwrap_or_else(|_| {
        let told = "This took too long, so we stopped waiting. Check whether it happened before you try again.";
        ApiError::from(ServiceError::Unavailable(told)).into_response()
    })
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, middleware::from_fn, routing::get};
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn what_stands_still_is_answered_all_the_same() {
        let still = get(|| async { std::future::pending::<()>().await });
        let router = Router::new()
            .route("/", still)
            .layer(from_fn(|request, next| within(Duration::from_millis(5), request, next)));
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), 503);
        assert!(response.headers().contains_key("retry-after"));
    }
}
