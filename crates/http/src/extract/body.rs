//! Request bodies: JSON, or a form for pages that must work without JavaScript.

use adagent_contract::{FieldError, Problem, codes};
use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use futures::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use crate::error::{ApiError, ApiResult};

/// The limit for most bodies. It leaves room for a message of one megabyte, so that we can refuse the message itself, with its pointer.
const LIMIT: usize = 2 << 20;
/// The limit for people who are not signed in: names, addresses and passwords.
const SMALL: usize = 16 << 10;
const DRAIN_LIMIT: usize = 32 << 20;
/// Fields of a form that are for the next page, not for the operation.
const OF_THE_PAGE: [&str; 2] = ["return", "redirect"];

/// A JSON body.
pub struct Json<T>(pub T);

/// A JSON body, or a form with the same fields.
pub struct JsonOrForm<T> {
    pub value: ApiResult<T>,
    /// All fields, if the body was a form.
    pub form: Option<Vec<(String, String)>>,
}

/// A JSON body that may be absent.
pub struct OptionalJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        if media_type(request.headers()) != Media::Json {
            return Err(wrong_media_type("application/json"));
        }
        parse(&read(request).await?).map(Self)
    }
}

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        let media = media_type(request.headers());
        let bytes = read(request).await?;
        match media {
            _ if bytes.is_empty() => Ok(Self(T::default())),
            Media::Json => parse(&bytes).map(Self),
            _ => Err(wrong_media_type("application/json")),
        }
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonOrForm<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        match media_type(request.headers()) {
            // The error stays in `value`, so that the handler checks the caller first: only a caller who may send this body learns what is
            // wrong with it.
            Media::Json => Ok(Self { value: parse(&read(request).await?), form: None }),
            Media::Form => {
                let bytes = read(request).await?;
                let fields: Vec<(String, String)> = url::form_urlencoded::parse(&bytes).into_owned().collect();
                // An empty field counts as absent.
                let object: serde_json::Map<String, serde_json::Value> = fields
                    .iter()
                    .filter(|(name, value)| !value.is_empty() && !OF_THE_PAGE.contains(&name.as_str()))
                    .map(|(key, value)| (key.clone(), value.clone().into()))
                    .collect();
                Ok(Self { value: typed(&serde_json::Value::Object(object)), form: Some(fields) })
            }
            Media::Other => Err(wrong_media_type("application/json or application/x-www-form-urlencoded")),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Media {
    Json,
    Form,
    Other,
}

fn media_type(headers: &HeaderMap) -> Media {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" => Media::Json,
        "application/x-www-form-urlencoded" => Media::Form,
        other if other.starts_with("application/") && other.ends_with("+json") => Media::Json,
        _ => Media::Other,
    }
}

fn wrong_media_type(expected: &str) -> ApiError {
    ApiError::new(
        415,
        codes::UNSUPPORTED_MEDIA_TYPE,
        "Unsupported media type",
        format!("Send the body with Content-Type: {expected}."),
    )
}

fn limit_of(path: &str) -> usize {
    if path.starts_with("/api/auth/") { SMALL } else { LIMIT }
}

/// Reads the body up to the limit. Drains a longer one (up to a bound), because a client that is cut off while it sends never sees the
/// answer.
async fn read(request: Request) -> ApiResult<Vec<u8>> {
    let limit = limit_of(request.uri().path());
    let mut chunks = request.into_body().into_data_stream();
    let mut body = Vec::new();
    let mut length = 0_usize;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| ApiError::bad_request("The body ended before it was complete."))?;
        length += chunk.len();
        if length <= limit {
            body.extend_from_slice(&chunk);
        } else if length > DRAIN_LIMIT {
            break;
        }
    }
    if length > limit {
        let most = if limit == SMALL { "16 kB" } else { "2 MB" };
        let detail = format!("The body is larger than the limit of {most}.");
        return Err(ApiError::new(413, codes::TOO_LARGE, "Too large", detail));
    }
    Ok(body)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        not_json(
            String::new(),
            format!("The body is not UTF-8 (byte {}); a JSON object is expected.", error.valid_up_to()),
        )
    })?;
    if text.trim().is_empty() {
        return Err(not_json(String::new(), "The body is empty; a JSON object is expected.".into()));
    }
    // Parse to a tree first, to tell invalid JSON from JSON of the wrong shape.
    let mut reader = serde_json::Deserializer::from_str(text);
    let value: serde_json::Value =
        serde_path_to_error::deserialize(&mut reader).map_err(|error| broken(pointer(error.path()), error.inner()))?;
    reader.end().map_err(|error| broken(String::new(), &error))?;
    typed(&value)
}

/// Says where the text stops being JSON, and what could follow there. The parser's message never repeats the text.
fn broken(pointer: String, error: &serde_json::Error) -> ApiError {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    not_json(pointer, format!("The body is not JSON (line {line}, column {column}): {what}."))
}

fn not_json(pointer: String, message: String) -> ApiError {
    let problem = Problem::new(400, codes::BAD_REQUEST, "Bad request", message.clone());
    ApiError::from_problem(problem.with_errors(vec![FieldError::new(pointer, message)]))
}

fn typed<T: DeserializeOwned>(value: &serde_json::Value) -> ApiResult<T> {
    // serde would also read a list as a struct, field by field.
    if !value.is_object() {
        let field = FieldError::new("", "Expected an object.");
        let problem = Problem::new(422, codes::VALIDATION, "Some fields are not valid", field.message.clone());
        return Err(ApiError::from_problem(problem.with_errors(vec![field])));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let pointer = pointer(error.path());
        let field = FieldError::explained(&pointer, &error.inner().to_string());
        let problem = Problem::new(422, codes::VALIDATION, "Some fields aren't valid", field.message.clone());
        ApiError::from_problem(problem.with_errors(vec![field]))
    })
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    let segments = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(format!("/{}", key.replace('~', "~0").replace('/', "~1"))),
        Segment::Seq { index } => Some(format!("/{index}")),
        // A pointer does not name enum variants, or places that serde cannot name.
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    segments.collect()
}

#[cfg(test)]
mod tests {
    use adagent_contract::{
        AnswerRequest, ChatRequest, ConnectRequest, ContextSettings, RetentionSettings, SignUpRequest,
    };

    use super::*;

    fn refused<T: DeserializeOwned + std::fmt::Debug>(body: &str) -> (u16, String, String) {
        let problem = parse::<T>(body.as_bytes()).expect_err("refused").problem;
        let error = problem.errors.first().cloned().unwrap_or_else(|| FieldError::new("-", problem.detail.clone()));
        (problem.status, error.pointer, error.message)
    }

    #[test]
    fn the_pointer_names_the_wrong_field_and_the_message_what_is_expected() {
        assert_eq!(refused::<ChatRequest>("{}"), (422, "/message".into(), "The field \"message\" is missing.".into()));
        assert_eq!(refused::<ChatRequest>(r#"{"message":5}"#), (422, "/message".into(), "Expected a string.".into()));
        let (status, pointer, message) = refused::<ChatRequest>(r#"{"message":"x","session_id":"no"}"#);
        assert_eq!((status, pointer.as_str()), (422, "/session_id"));
        assert!(message.contains("UUID"), "{message}");
        assert_eq!(refused::<ContextSettings>(r#"{"mode":"hard"}"#).1, "/mode");
        assert_eq!(refused::<ContextSettings>(r#"{"enabled_networks":["admob","facebook"]}"#).1, "/enabled_networks/1");
        assert_eq!(
            refused::<ContextSettings>(r#"{"safe_mode":"yes"}"#),
            (422, "/safe_mode".into(), "Expected true or false.".into())
        );
        assert_eq!(refused::<AnswerRequest>("5"), (422, String::new(), "Expected an object.".into()));
    }

    #[test]
    fn a_list_is_no_object_wherever_it_stands() {
        let object = (422, String::new(), "Expected an object.".to_owned());
        let answer = r#"["019aa5c4-9a3e-7000-8000-000000000001", false]"#;
        assert_eq!(refused::<AnswerRequest>(answer), object);
        assert_eq!(refused::<RetentionSettings>("[30,7]"), object);
        for settings in ["[]", r#"["strict",["admob"]]"#] {
            assert_eq!(refused::<ContextSettings>(settings), object);
        }
        assert_eq!(refused::<serde_json::Map<String, serde_json::Value>>("[]"), object);
        let (status, pointer, message) = refused::<ChatRequest>(r#"{"message":"x","context":["strict"]}"#);
        assert_eq!((status, pointer.as_str(), message.as_str()), (422, "/context", "Expected an object."));
        for context in ["null", r#"{"safe_mode":true}"#] {
            assert!(parse::<ChatRequest>(format!(r#"{{"message":"x","context":{context}}}"#).as_bytes()).is_ok());
        }
        assert_eq!(refused::<ChatRequest>(r#"{"message":"x","context":{"safe_mode":1}}"#).1, "/context/safe_mode");
    }

    #[test]
    fn a_misspelled_field_is_refused_and_named() {
        let answer = r#"{"approval_id":"019aa5c4-9a3e-7000-8000-000000000001","approved":true,"edit_args":{}}"#;
        let expected = (422, "/edit_args".to_owned(), "Unknown field.".to_owned());
        assert_eq!(refused::<AnswerRequest>(answer), expected);
        let connect = r#"{"provider":"admob","conection_id":null}"#;
        assert_eq!(refused::<ConnectRequest>(connect).1, "/conection_id");
        assert_eq!(refused::<ContextSettings>(r#"{"safemode":true}"#).1, "/safemode");
    }

    #[test]
    fn what_is_no_json_says_where() {
        assert_eq!(refused::<ChatRequest>("{\"message\":").0, 400);
        let (status, pointer, message) = refused::<ChatRequest>("{]");
        assert_eq!((status, pointer.as_str()), (400, ""));
        assert!(message.contains("line 1, column 2") && message.contains("key must be a string"), "{message}");
        let (status, pointer, message) = refused::<ChatRequest>(r#"{"message":"x","context":{"enabled_apps":["a",}}"#);
        assert_eq!((status, pointer.as_str()), (400, "/context/enabled_apps/1"), "{message}");
        assert!(refused::<ChatRequest>(r#"{"message":"x"} y"#).2.contains("trailing characters"));
        let (_, pointer, message) = refused::<SignUpRequest>(r#"{"password":"hunter2\q"}"#);
        assert!(pointer == "/password" && !message.contains("hunter2"), "{pointer} {message}");
        assert_eq!(refused::<ChatRequest>("").0, 400);
        assert_eq!(parse::<ChatRequest>(b"{\"message\":\"\xff\"}").err().map(|e| e.problem.status), Some(400));
    }

    #[test]
    fn a_password_in_the_wrong_shape_is_not_repeated() {
        let (_, pointer, message) =
            refused::<SignUpRequest>(r#"{"email":"a@b.c","name":"A","password":{"x":"hunter2"}}"#);
        assert_eq!(pointer, "/password");
        assert!(!message.contains("hunter2"), "{message}");
        let (_, _, message) = refused::<SignUpRequest>(r#"{"email":"a@b.c","name":"A","password":12345678}"#);
        assert!(!message.contains("12345678"), "{message}");
    }
}
