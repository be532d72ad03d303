//! Routes for monitoring.

use axum::{Json, extract::State, http::StatusCode};
use serde_json::{Value, json};

use super::Route;
use crate::{openapi::Operation, state::HttpState};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get("/healthz", "healthz", "system", "The process is alive").json(200, "Health").public(),
            healthz,
        ),
        Route::new(
            Operation::get("/readyz", "readyz", "system", "Database, migrations and workers are ready")
                .json(200, "Health")
                .json(503, "Health")
                .public(),
            readyz,
        ),
    ]
}

async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

async fn readyz(State(state): State<HttpState>) -> (StatusCode, Json<Value>) {
    let database = state.service.ready().await.is_ok();
    let workers = state.health.workers();
    let stopping = state.stopping.is_cancelled();
    let ready = database && workers && !stopping;
    let word = |up: bool| if up { "ok" } else { "down" };
    // Migrations run before the server listens, so a server that answers has a migrated database.
    let checks = json!({"database": word(database), "migrations": word(database), "workers": word(workers)});
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let text = match (ready, stopping) {
        (true, _) => "ready",
        (false, true) => "stopping",
        (false, false) => "not_ready",
    };
    (status, Json(json!({"status": text, "checks": checks})))
}
