//! How server functions read their arguments: an error names the argument that is missing or wrong, as it does for a field of a
//! route's body.
//!
//! Every server function uses one of these protocols (`protocol = super::Asked`, …); the test in `client.rs` finds those that do
//! not. A caller's mistake must never be answered as a failure of the server.

use std::marker::PhantomData;

use adagent_contract::{FieldError, Problem, codes};
use http::Method;
use leptos::server_fn::{
    Http, Protocol,
    client::Client,
    codec::{GetUrl, IntoRes, Json, PostUrl},
    request::Req,
    server::Server,
};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_path_to_error::Segment;

use super::ApiError;

/// Arguments in the address, for functions that read.
pub type Asked = Desk<GetUrl>;
/// Arguments in the form encoding, for functions that write.
pub type Sent = Desk<PostUrl>;
/// Arguments as JSON, where the form encoding cannot express them.
pub type SentJson = Desk<Json>;

/// A protocol like Leptos' own HTTP protocol with JSON answers, except for errors in arguments.
pub struct Desk<In>(PhantomData<In>);

impl<In, Input, Output, C, S> Protocol<Input, Output, C, S, ApiError> for Desk<In>
where
    Http<In, Json>: Protocol<Input, Output, C, S, ApiError>,
    In: Reads,
    Input: DeserializeOwned + Send,
    Output: IntoRes<Json, S::Response, ApiError> + Send,
    C: Client<ApiError>,
    S: Server<ApiError>,
{
    const METHOD: Method = <Http<In, Json> as Protocol<Input, Output, C, S, ApiError>>::METHOD;

    async fn run_server<F, Fut>(request: S::Request, server_fn: F) -> Result<S::Response, ApiError>
    where
        F: Fn(Input) -> Fut + Send,
        Fut: Future<Output = Result<Output, ApiError>> + Send,
    {
        let input = In::read(request).await?;
        server_fn(input).await?.into_res().await
    }

    fn run_client(path: &str, input: Input) -> impl Future<Output = Result<Output, ApiError>> + Send {
        <Http<In, Json> as Protocol<Input, Output, C, S, ApiError>>::run_client(path, input)
    }
}

/// An encoding that can read the arguments from its part of the request: the address or the body.
pub trait Reads {
    fn read<Input, R>(request: R) -> impl Future<Output = Result<Input, ApiError>> + Send
    where
        Input: DeserializeOwned + Send,
        R: Req<ApiError> + Send + 'static;
}

impl Reads for GetUrl {
    async fn read<Input, R>(request: R) -> Result<Input, ApiError>
    where
        Input: DeserializeOwned + Send,
        R: Req<ApiError> + Send + 'static,
    {
        of_form(request.as_query().unwrap_or_default())
    }
}

impl Reads for PostUrl {
    async fn read<Input, R>(request: R) -> Result<Input, ApiError>
    where
        Input: DeserializeOwned + Send,
        R: Req<ApiError> + Send + 'static,
    {
        of_form(&request.try_into_string().await?)
    }
}

impl Reads for Json {
    async fn read<Input, R>(request: R) -> Result<Input, ApiError>
    where
        Input: DeserializeOwned + Send,
        R: Req<ApiError> + Send + 'static,
    {
        let body = request.try_into_bytes().await?;
        settle(serde_json::from_slice::<Tracked<Input>>(&body))
    }
}

/// How many levels of brackets in field names we follow.
const DEEPEST: usize = 5;

pub(super) fn of_form<Input: DeserializeOwned>(text: &str) -> Result<Input, ApiError> {
    settle(serde_qs::Config::new(DEEPEST, false).deserialize_str::<Tracked<Input>>(text))
}

/// The value, or the place and the cause of the failure. Deserializers do not report the place.
struct Tracked<T>(Result<T, FieldError>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tracked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(
            serde_path_to_error::deserialize(deserializer)
                .map_err(|error| FieldError::explained(&pointer(error.path()), &error.inner().to_string())),
        ))
    }
}

fn settle<T, E: std::fmt::Display>(read: Result<Tracked<T>, E>) -> Result<T, ApiError> {
    match read {
        Ok(Tracked(Ok(arguments))) => Ok(arguments),
        Ok(Tracked(Err(wrong))) => Err(refused(wrong)),
        // After an error inside a value, the deserializer may trip over the rest of the text. Then this error is all we know.
        Err(error) => Err(refused(FieldError::explained("", &error.to_string()))),
    }
}

/// Answers that the arguments cannot be read.
pub(super) fn refused(wrong: FieldError) -> ApiError {
    let problem = Problem::new(422, codes::VALIDATION, "Some fields aren't valid", wrong.message.clone());
    super::error::answered(problem.with_errors(vec![wrong]))
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    path.iter().fold(String::new(), |place, segment| match segment {
        Segment::Seq { index } => format!("{place}/{index}"),
        Segment::Map { key } => format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Enum { .. } | Segment::Unknown => place,
    })
}

#[cfg(test)]
mod tests {
    use adagent_contract::{ContextSettings, Rating};
    use adagent_domain::MessageId;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what is said about them is looked at")]
    struct Rate {
        id: MessageId,
        rating: Rating,
        accounts: Option<Vec<u8>>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what is said about it is looked at")]
    struct Put {
        settings: ContextSettings,
    }

    const ID: &str = "019aa5c4-9a3e-7000-8000-00000000000a";

    fn place<T: std::fmt::Debug>(read: Result<T, ApiError>) -> String {
        let ApiError(problem) = read.expect_err("refused");
        assert_eq!((problem.status, problem.code.as_str(), problem.errors.len()), (422, codes::VALIDATION, 1));
        assert!(!problem.errors[0].message.is_empty());
        problem.errors[0].pointer.clone()
    }

    #[test]
    fn an_argument_that_is_missing_or_wrong_is_named() {
        let form = |text: &str| place(of_form::<Rate>(text));
        assert_eq!(form(""), "/id");
        assert_eq!(form("rating=up"), "/id");
        assert_eq!(form(&format!("id={ID}")), "/rating");
        assert_eq!(form("id=nobody&rating=up"), "/id");
        assert_eq!(form(&format!("id={ID}&rating=sideways")), "/rating");
        assert_eq!(form(&format!("id={ID}&rating[a]=up")), "/rating");
        assert_eq!(form(&format!("id={ID}&rating=up&accounts[0]=1&accounts[1]=x")), "/accounts/1");
        assert!(of_form::<Rate>(&format!("id={ID}&rating=up&accounts[0]=1")).is_ok());
    }

    #[test]
    fn so_is_a_place_in_json() {
        let json = |text: &str| place(settle(serde_json::from_str::<Tracked<Put>>(text)));
        assert_eq!(json("{}"), "/settings");
        assert_eq!(json("{\"settings\": {\"enabled_apps\": [\"a\", 5]}}"), "/settings/enabled_apps/1");
        assert_eq!(json("{\"settings\": {\"safe_mode\": \"yes\"}}"), "/settings/safe_mode");
        assert_eq!(json("{\"settings\": "), "/settings");
        assert_eq!(json("no"), "");
    }

    #[test]
    fn what_is_no_form_at_all_is_refused_and_breaks_nothing() {
        for hostile in ["a[b", "a[[[[[[[[[[=1", "%", "%00", "=", "&&&", "[]=1", "a[0][0][0][0][0][0][0]=1", "\u{0}"] {
            place(of_form::<Rate>(hostile));
        }
    }
}
