//! Google's JSON error bodies. A message names the field and how to fix it, never a token.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub struct ApiError {
    pub code: u16,
    status: &'static str,
    message: String,
    details: Vec<Value>,
    retry_after: Option<u64>,
}

impl ApiError {
    fn new(code: u16, status: &'static str, message: impl Into<String>) -> Self {
        Self { code, status, message: message.into(), details: Vec::new(), retry_after: None }
    }

    /// Returns a 400 that names the invalid field.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        let (field, message) = (field.into(), message.into());
        let mut error = Self::new(400, "INVALID_ARGUMENT", format!("{field}: {message}"));
        error.details.push(json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{ "field": field, "description": message }],
        }));
        error
    }

    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(400, "INVALID_ARGUMENT", message)
    }

    pub fn precondition(message: impl Into<String>) -> Self {
        Self::new(400, "FAILED_PRECONDITION", message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(404, "NOT_FOUND", message)
    }

    pub fn exists(message: impl Into<String>) -> Self {
        Self::new(409, "ALREADY_EXISTS", message)
    }

    pub fn too_large() -> Self {
        Self::new(413, "INVALID_ARGUMENT", "The request body is larger than 1 MiB.")
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "INTERNAL", message)
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(403, "PERMISSION_DENIED", message)
    }

    pub fn scope_insufficient() -> Self {
        Self::forbidden("Request had insufficient authentication scopes.")
            .with_reason("ACCESS_TOKEN_SCOPE_INSUFFICIENT")
    }

    pub fn unauthenticated() -> Self {
        Self::new(
            401,
            "UNAUTHENTICATED",
            "Request had invalid authentication credentials. Expected OAuth 2 access token that is valid and not expired.",
        )
        .with_reason("ACCESS_TOKEN_EXPIRED_OR_INVALID")
    }

    pub fn exhausted(retry_after: u64) -> Self {
        let mut error = Self::new(
            429,
            "RESOURCE_EXHAUSTED",
            "Quota exceeded for quota metric 'Requests' of service 'admob.googleapis.com'.",
        )
        .with_reason("RATE_LIMIT_EXCEEDED");
        error.retry_after = Some(retry_after);
        error
    }

    /// Returns the error for an injected status.
    pub fn injected(code: u16) -> Self {
        let status = match code {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ABORTED",
            429 => "RESOURCE_EXHAUSTED",
            499 => "CANCELLED",
            501 => "UNIMPLEMENTED",
            503 => "UNAVAILABLE",
            504 => "DEADLINE_EXCEEDED",
            500..=599 => "INTERNAL",
            _ => "UNKNOWN",
        };
        let mut error = Self::new(code, status, format!("Injected fault: status {code}."));
        if code == 429 || code == 503 {
            error.retry_after = Some(1);
        }
        error
    }

    /// Returns the same error for another of Google's services.
    pub fn of_service(mut self, service: &str) -> Self {
        self.message = self.message.replace("admob.googleapis.com", service);
        for detail in self.details.iter_mut().filter(|detail| detail["metadata"].is_object()) {
            detail["metadata"]["service"] = json!(service);
        }
        self
    }

    pub fn with_detail(mut self, detail: Value) -> Self {
        self.details.push(detail);
        self
    }

    fn with_reason(mut self, reason: &str) -> Self {
        self.details.push(json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": reason,
            "domain": "googleapis.com",
            "metadata": { "service": "admob.googleapis.com" },
        }));
        self
    }

    pub fn body(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message, "status": self.status });
        if !self.details.is_empty() {
            error["details"] = Value::Array(self.details.clone());
        }
        json!({ "error": error })
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, axum::Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code == 401 {
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\""),
            );
        }
        response
    }
}
