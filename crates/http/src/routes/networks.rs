//! Networks that are connected by API keys.

use adagent_contract::{KeyNetworkView, Page};
use adagent_domain::Network;
use axum::{Json, extract::State, http::StatusCode};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Id},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "connections";
const ONE: &str = "/api/networks/{network}";
const TEST: &str = "/api/networks/{network}/test";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(
                "/api/networks",
                "list_key_networks",
                TAG,
                "Networks that ask for API keys, with their fields",
            )
            .json(200, "KeyNetworkList"),
            list,
        ),
        Route::new(
            Operation::post(ONE, "connect_key_network", TAG, "Connect with keys; 409 network_coming_soon until then")
                .network()
                .optional_body("KeyNetworkFields")
                .empty(204),
            change,
        ),
        Route::new(
            Operation::post(TEST, "test_key_network", TAG, "Try the keys again; 409 network_coming_soon until then")
                .network()
                .empty(204),
            change,
        ),
        Route::new(
            Operation::delete(ONE, "remove_key_network", TAG, "Remove the keys; 409 network_coming_soon until then")
                .network()
                .empty(204),
            change,
        ),
    ]
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<Page<KeyNetworkView>>> {
    Ok(Json(Page::last(state.service.key_networks(&actor)?)))
}

/// The body holds secrets nobody can use yet: it is not even read.
async fn change(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(network): Id<Network>,
) -> ApiResult<StatusCode> {
    state.service.change_key_network(&actor, network)?;
    Ok(StatusCode::NO_CONTENT)
}
