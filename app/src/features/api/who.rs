//! Who asks, and in which workspace: found out anew for every request.

use adagent_contract::{Me, RunLimits};
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The signed-in person, and what the desk says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Viewer {
    pub me: Me,
    /// "Local planner", or provider and model.
    pub model: String,
    /// The sandbox networks run beside this server.
    pub sandbox: bool,
    /// How far one run may go.
    pub limits: RunLimits,
}

/// The signed-in person; `None` when nobody is.
#[server(input = GetUrl, prefix = "/desk", endpoint = "viewer")]
pub async fn read_viewer() -> Result<Option<Viewer>, ApiError> {
    let Some(user) = server::user() else { return Ok(None) };
    let service = server::service()?;
    let me = service.me(user).await.map_err(server::fail)?;
    let sandbox = service.sandbox_info().is_some();
    Ok(Some(Viewer { me, model: service.model_label(), sandbox, limits: service.run_limits() }))
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::sync::Arc;

    use adagent_contract::{Problem, codes};
    use adagent_domain::{Actor, Granted, Right, UserId, WorkspaceId};
    use adagent_service::{CurrentUser, Service, ServiceError};
    use axum::http::{StatusCode, request::Parts};
    use leptos::prelude::*;

    use super::ApiError;

    /// The person of the browser session.
    pub fn user() -> Option<UserId> {
        use_context::<Parts>()?.extensions.get::<CurrentUser>().and_then(|current| current.0)
    }

    pub fn service() -> Result<Arc<Service>, ApiError> {
        use_context::<Arc<Service>>().ok_or_else(|| {
            ApiError(Box::new(Problem::new(500, codes::INTERNAL, "Not available", "The service is not mounted.")))
        })
    }

    /// The service and who asks; membership of the workspace is checked on the way.
    pub async fn actor() -> Result<(Arc<Service>, Actor), ApiError> {
        let service = service()?;
        let Some(user) = user() else {
            return Err(answer(Problem::new(
                401,
                codes::UNAUTHENTICATED,
                "Not signed in",
                "Your session ended. Sign in to go on.",
            )));
        };
        let named = use_context::<Parts>().and_then(|parts| parts.headers.get("x-organization-id").cloned());
        // A workspace that cannot be read is nobody's: it must never become the personal one.
        let workspace = match named {
            None => None,
            Some(value) => match value.to_str().ok().and_then(|text| text.parse::<WorkspaceId>().ok()) {
                Some(id) => Some(id),
                None => {
                    return Err(answer(Problem::new(
                        404,
                        codes::NOT_FOUND,
                        "Not found",
                        "There is no such workspace.",
                    )));
                }
            },
        };
        let actor = service.resolve_actor(user, workspace).await.map_err(fail)?;
        Ok((service, actor))
    }

    /// The proof of a right that a use case asks for; who lacks it is told who has it.
    pub fn granted<P: Right>(actor: &Actor) -> Result<Granted<P>, ApiError> {
        actor.grant().map_err(|denied| fail(denied.into()))
    }

    /// A service error as an answer with its status.
    #[expect(clippy::needless_pass_by_value, reason = "shape of map_err")]
    pub fn fail(error: ServiceError) -> ApiError {
        answer(error.problem())
    }

    /// What was typed cannot be read.
    pub fn refuse(pointer: &str, detail: &str) -> ApiError {
        let mut problem = Problem::new(422, codes::VALIDATION, "Not possible", detail);
        problem.errors = vec![adagent_contract::FieldError::new(pointer, detail)];
        answer(problem)
    }

    /// What a network or a field says against it is an answer like another; only what keeps from answering is an error.
    pub fn refused(error: ServiceError) -> Result<Option<Box<Problem>>, ApiError> {
        match error {
            ServiceError::KeysRefused { .. }
            | ServiceError::Validation(_)
            | ServiceError::Network { .. }
            | ServiceError::Conflict { .. } => Ok(Some(Box::new(error.problem()))),
            error => Err(fail(error)),
        }
    }

    /// A browser posted the form itself: it wants a page back.
    pub fn without_script() -> bool {
        let accepts = |parts: Parts| {
            let value = parts.headers.get(axum::http::header::ACCEPT)?.to_str().ok()?;
            Some(value.contains("text/html"))
        };
        use_context::<Parts>().and_then(accepts).unwrap_or(false)
    }

    fn answer(problem: Problem) -> ApiError {
        if let Some(response) = use_context::<leptos_axum::ResponseOptions>()
            && is_server_function()
            && let Ok(status) = StatusCode::from_u16(problem.status)
        {
            response.set_status(status);
        }
        ApiError(Box::new(problem))
    }

    /// A page that shows a problem decides about its own status; a server function answers with the problem's.
    fn is_server_function() -> bool {
        use_context::<Parts>().is_some_and(|parts| parts.uri.path().starts_with("/desk/"))
    }
}
