//! Reads the message of a request to its end before anything else happens. So a request without a valid message gets the answer that
//! JSON-RPC requires, and the connection of a refused request can be used again.

use std::pin::pin;

use bytes::{Buf as _, Bytes};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value as Json, json};

use crate::McpBody;

/// The longest arguments of a tool are much shorter than this. The messages that begin a session stay in memory.
pub(crate) const MAX_BODY: usize = 256 * 1024;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Returns the request with its whole body, or the answer to an invalid message.
pub(crate) async fn read<B>(request: Request<B>) -> Result<Request<Full<Bytes>>, Box<Response<McpBody>>>
where
    B: Body + Send + 'static,
    B::Error: std::fmt::Display,
{
    let (parts, body) = request.into_parts();
    let mut body = pin!(body);
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(refused(PARSE_ERROR, "The request body is incomplete.", &Json::Null).into());
        };
        if let Ok(mut data) = frame.into_data() {
            let length = data.remaining();
            bytes.extend_from_slice(&data.copy_to_bytes(length));
        }
        if bytes.len() > MAX_BODY {
            let mut response = Response::new(Full::new(Bytes::from_static(b"The body is larger than 256 kB.")).boxed());
            *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
            return Err(Box::new(response));
        }
    }
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_json = kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    if parts.method == Method::POST && is_json {
        checked(&bytes)?;
    }
    Ok(Request::from_parts(parts, Full::new(Bytes::from(bytes))))
}

fn checked(bytes: &[u8]) -> Result<(), Box<Response<McpBody>>> {
    let Ok(message) = serde_json::from_slice::<Json>(bytes) else {
        return Err(refused(PARSE_ERROR, "The body isn't JSON.", &Json::Null).into());
    };
    let wrong = |told: &str| Err(Box::new(refused(INVALID_REQUEST, told, &message["id"])));
    match &message {
        Json::Array(_) => wrong("Batches aren't supported. Send one message per request."),
        Json::Object(fields) => {
            if message["jsonrpc"] != "2.0" {
                return wrong("The field jsonrpc must be \"2.0\".");
            }
            if !fields.contains_key("method") && !fields.contains_key("result") && !fields.contains_key("error") {
                return wrong("A message has a method, a result or an error.");
            }
            if fields.get("params").is_some_and(|params| !params.is_object()) {
                return wrong("The params must be an object.");
            }
            Ok(())
        }
        _ => wrong("A message is an object."),
    }
}

fn refused(code: i32, told: &str, id: &Json) -> Response<McpBody> {
    let id = if id.is_string() || id.is_number() { id.clone() } else { Json::Null };
    let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": told}});
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())).boxed());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(body: &str) -> Result<Request<Full<Bytes>>, (u16, Json)> {
        let request = Request::post("/mcp").header("content-type", "application/json; charset=utf-8");
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        match read(request).await {
            Ok(request) => Ok(request),
            Err(response) => {
                let status = response.status().as_u16();
                let bytes = response.into_body().collect().await.unwrap().to_bytes();
                Err((status, serde_json::from_slice(&bytes).unwrap_or_default()))
            }
        }
    }

    #[tokio::test]
    async fn what_is_no_message_is_told_so_with_its_id() {
        for (body, code, id) in [
            ("{", PARSE_ERROR, Json::Null),
            ("", PARSE_ERROR, Json::Null),
            ("[]", INVALID_REQUEST, Json::Null),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, INVALID_REQUEST, Json::Null),
            (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, INVALID_REQUEST, json!(7)),
            (r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}"#, INVALID_REQUEST, json!("a")),
            (r#"{"jsonrpc":"2.0"}"#, INVALID_REQUEST, Json::Null),
            ("5", INVALID_REQUEST, Json::Null),
        ] {
            let (status, told) = asked(body).await.unwrap_err();
            assert_eq!((status, &told["error"]["code"], &told["id"]), (400, &json!(code), &id), "{body}: {told}");
        }
        assert_eq!(asked(&"x".repeat(MAX_BODY + 1)).await.unwrap_err().0, 413);
    }

    #[tokio::test]
    async fn a_message_goes_on_as_it_came() {
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#;
        let request = asked(message).await.unwrap();
        assert_eq!(request.into_body().collect().await.unwrap().to_bytes(), message.as_bytes());
    }
}
