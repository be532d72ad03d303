//! Reads the rest of a body after a refusal. We answer a wrong token, an exceeded limit or a wrong method before we read the body. The
//! server closes a connection with unread bytes, and then the next request on it, which may already be on its way, is lost.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderValue, Version, header},
    middleware::Next,
    response::Response,
};
use futures::StreamExt as _;
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::timeout;

/// How many bytes of a refused body we read. If a client sends more, the response says that the connection closes.
const MOST: u64 = 256 << 10;
/// How long a refusal waits for the rest of the body.
const PATIENCE: Duration = Duration::from_secs(3);

/// Reads the rest of the body, or says that the connection ends with this response.
pub async fn read_away(request: Request, next: Next) -> Response {
    within(PATIENCE, request, next).await
}

async fn within(patience: Duration, request: Request, next: Next) -> Response {
    let one_by_one = request.version() <= Version::HTTP_11;
    if !one_by_one || request.body().is_end_stream() {
        return next.run(request).await;
    }
    // Its client waits for our answer before it sends the body, so after a refusal there is nothing to read.
    let asks_first = request.headers().contains_key(header::EXPECT);
    let (parts, body) = request.into_parts();
    let kept = Kept(Arc::new(Mutex::new(Some(body))));
    let mut response = next.run(Request::from_parts(parts, Body::new(kept.clone()))).await;
    if kept.is_read_elsewhere() {
        return response;
    }
    let whole = match kept.take() {
        None => true,
        Some(_) if asks_first => false,
        Some(body) => timeout(patience, to_its_end(body)).await.unwrap_or(false),
    };
    if !whole {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn to_its_end(body: Body) -> bool {
    if body.size_hint().lower() > MOST {
        return false;
    }
    let (mut body, mut left) = (body.into_data_stream(), MOST);
    while let Some(chunk) = body.next().await {
        let Some(less) = chunk.ok().and_then(|chunk| left.checked_sub(chunk.len() as u64)) else { return false };
        left = less;
    }
    true
}

/// A body that outlives its reader. `None` after it was read to its end.
#[derive(Clone)]
struct Kept(Arc<Mutex<Option<Body>>>);

impl Kept {
    /// Checks whether the response continues to read the body while it is sent.
    fn is_read_elsewhere(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    fn take(&self) -> Option<Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().filter(|body| !body.is_end_stream())
    }
}

impl http_body::Body for Kept {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(body) = &mut *kept else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) {
            *kept = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().map_or_else(|| SizeHint::with_exact(0), http_body::Body::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, http::StatusCode, middleware::from_fn, routing::post};
    use futures::stream;
    use tower::ServiceExt as _;

    use super::*;

    async fn asked(body: Body, expects: bool) -> (Response, usize) {
        let router = Router::new()
            .route("/refuses", post(|| async { StatusCode::UNAUTHORIZED }))
            .layer(from_fn(|request, next| within(Duration::from_millis(50), request, next)));
        let polled = Arc::new(Mutex::new(0));
        let counted = {
            let polled = Arc::clone(&polled);
            body.into_data_stream().inspect(move |chunk| *polled.lock().unwrap() += chunk.as_ref().unwrap().len())
        };
        let mut request = Request::post("/refuses");
        if expects {
            request = request.header("expect", "100-continue");
        }
        let response = router.oneshot(request.body(Body::from_stream(counted)).unwrap()).await.unwrap();
        let polled = *polled.lock().unwrap();
        (response, polled)
    }

    fn chunks(count: usize) -> Body {
        Body::from_stream(stream::iter((0..count).map(|_| Ok::<_, axum::Error>(Bytes::from_static(&[b'x'; 1024])))))
    }

    #[tokio::test]
    async fn what_a_refusal_left_is_read_to_its_end() {
        let (response, read) = asked(chunks(100), false).await;
        assert_eq!((response.status(), read), (StatusCode::UNAUTHORIZED, 100 << 10));
        assert!(!response.headers().contains_key("connection"));
    }

    #[tokio::test]
    async fn what_is_long_or_does_not_come_ends_the_connection() {
        let never = Body::from_stream(stream::pending::<Result<Bytes, axum::Error>>());
        for (body, expects, most) in [(chunks(100_000), false, 300 << 10), (never, false, 0), (chunks(1), true, 0)] {
            let (response, read) = asked(body, expects).await;
            assert!(read <= most, "{read}");
            assert_eq!(response.headers()["connection"], "close");
        }
    }

    #[tokio::test]
    async fn a_body_reaches_who_reads_it() {
        let router = Router::new()
            .route("/", post(|body: Bytes| async move { body.len().to_string() }))
            .layer(from_fn(read_away));
        let response = router.oneshot(Request::post("/").body(chunks(7)).unwrap()).await.unwrap();
        let body = axum::body::to_bytes(response.into_body(), 100).await.unwrap();
        assert_eq!(body, "7168");
    }
}
