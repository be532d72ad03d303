//! Networks that people connect with API keys.

use std::collections::BTreeMap;

use adagent_contract::{ConnectTarget, FieldError, KeyNetworkView, KeyPlace, Page};
use adagent_domain::{ConnectionId, Network};
use adagent_service::{ServiceError, connections::GivenKeys};
use axum::{Json, extract::State, http::StatusCode};
use secrecy::SecretString;
use serde_json::{Map, Value};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Deciding, Id, IdempotencyKey, Json as Body},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "connections";
const ONE: &str = "/api/networks/{network}";
const TEST: &str = "/api/networks/{network}/test";
/// Fields in addition to the network's own; no network has a field with one of these names.
const PLACE: &str = "place";
const CONNECTION: &str = "connection_id";
const ADD: &str = "add";
const LABEL: &str = "label";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(
                "/api/networks",
                "list_key_networks",
                TAG,
                "API-key networks: state, and the fields each asks for",
            )
            .json(200, "KeyNetworkList"),
            list,
        ),
        Route::new(
            Operation::post(
                ONE,
                "connect_key_network",
                TAG,
                "Connect with keys; they are tested before they are stored",
            )
            .network()
            .body("KeyNetworkFields")
            .idempotent()
            .json(200, "KeyNetwork"),
            connect,
        ),
        Route::new(
            Operation::post(TEST, "test_key_network", TAG, "Test the stored keys again")
                .network()
                .json(200, "KeyNetwork"),
            test,
        ),
        Route::new(
            Operation::delete(ONE, "remove_key_network", TAG, "Disconnect; the keys are deleted here")
                .network()
                .empty(204),
            remove,
        ),
    ]
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<Page<KeyNetworkView>>> {
    Ok(Json(Page::last(state.service.key_networks(&actor.grant()?).await?)))
}

async fn connect(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(network): Id<Network>,
    IdempotencyKey(key): IdempotencyKey,
    Body(fields): Body<Map<String, Value>>,
) -> ApiResult<Json<KeyNetworkView>> {
    let given = given(fields)?;
    Ok(Json(state.service.connect_keys(&actor.grant()?, network, given, key.as_deref()).await?))
}

async fn test(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(network): Id<Network>,
) -> ApiResult<Json<KeyNetworkView>> {
    Ok(Json(state.service.test_keys(&actor.grant()?, network).await?))
}

async fn remove(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(network): Id<Network>,
) -> ApiResult<StatusCode> {
    state.service.remove_keys(&actor.grant()?, network).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads the fields as texts; IDs that are numbers may come as numbers. Errors never repeat a value, because it is a secret.
fn given(fields: Map<String, Value>) -> Result<GivenKeys, ServiceError> {
    let mut given = GivenKeys { fields: BTreeMap::new(), place: None, target: ConnectTarget::default() };
    let mut wrong = Vec::new();
    for (name, value) in fields {
        let at = || format!("/{}", name.chars().take(60).collect::<String>().replace('~', "~0").replace('/', "~1"));
        match (name.as_str(), value) {
            (_, Value::Null) => {}
            (PLACE, Value::String(text)) if text == "sandbox" => given.place = Some(KeyPlace::Sandbox),
            (PLACE, Value::String(text)) if text == "live" => given.place = Some(KeyPlace::Live),
            (PLACE, _) => wrong.push(FieldError::new(at(), "Expected \"sandbox\" or \"live\".")),
            (CONNECTION, Value::String(text)) if text.parse::<ConnectionId>().is_ok() => {
                given.target.connection_id = text.parse().ok();
            }
            (CONNECTION, _) => wrong.push(FieldError::new(at(), "Expected the id of a connection.")),
            (ADD, Value::Bool(add)) => given.target.add = add,
            (ADD, _) => wrong.push(FieldError::new(at(), "Expected true or false.")),
            (LABEL, Value::String(text)) => given.target.label = Some(text),
            (LABEL, _) => wrong.push(FieldError::new(at(), "Expected a string.")),
            (_, Value::String(text)) => {
                given.fields.insert(name, SecretString::from(text));
            }
            (_, Value::Number(number)) if number.is_u64() => {
                given.fields.insert(name, SecretString::from(number.to_string()));
            }
            _ => wrong.push(FieldError::new(at(), "Expected a string.")),
        }
    }
    // Sort the errors, so that their order does not depend on how the request was written.
    wrong.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    if wrong.is_empty() { Ok(given) } else { Err(ServiceError::Validation(wrong)) }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn numbers_are_ids_and_other_shapes_are_named_without_their_value() {
        let kept = given(object(&json!({"user_id": 45901, "place": "live", "role_id": null}))).expect("fits");
        assert_eq!(kept.fields["user_id"].expose_secret(), "45901");
        assert_eq!((kept.fields.len(), kept.place), (1, Some(KeyPlace::Live)));
        let Err(ServiceError::Validation(errors)) = given(object(&json!({"secret": ["hunter2"], "place": "moon"})))
        else {
            panic!("refused");
        };
        let pointers: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(pointers, ["/place", "/secret"]);
        assert!(errors.iter().all(|error| !error.message.contains("hunter2") && !error.message.contains("moon")));
    }
}
