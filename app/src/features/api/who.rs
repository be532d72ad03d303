//! Who asks, and in which workspace. Every request finds this out for itself.

use adagent_contract::{Me, RunLimits, WorkspaceView};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The signed-in person, and facts about this server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Viewer {
    pub me: Me,
    /// The workspace of this page; `None` if the person is not a member of the workspace that the address names.
    pub here: Option<WorkspaceView>,
    /// How many people are in the workspace.
    pub members: u64,
    /// "Built-in assistant", or the provider and the model.
    pub model: String,
    /// Whether the sandbox networks run with this server.
    pub sandbox: bool,
    /// IDs of the models a person may choose. The first one answers by default.
    pub models: Vec<String>,
    /// The limits of one run.
    pub limits: RunLimits,
    /// Whether pages ask the person to confirm their address.
    pub confirm_email: bool,
}

/// Returns the signed-in person; `None` if nobody is signed in.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "viewer", client = super::DeskClient)]
pub async fn read_viewer() -> Result<Option<Viewer>, ApiError> {
    let Some(user) = server::user() else { return Ok(None) };
    let service = server::service()?;
    let me = service.me(user).await.map_err(server::fail)?;
    let sandbox = service.sandbox_info().is_some();
    let (mut here, mut members) = (None, 1);
    if let Some(actor) = server::actor_if_any().await {
        let all = service.workspaces(user).await.map_err(server::fail)?;
        here = all.into_iter().find(|workspace| workspace.id == actor.workspace);
        if let Ok(granted) = actor.grant() {
            members = service.count_members(&granted).await.map_err(server::fail)?;
        }
    }
    let models = service.models().to_vec();
    let confirm_email = !server::put_off() && service.asks_to_confirm(user).await.map_err(server::fail)?;
    let (model, limits) = (service.model_label(), service.run_limits());
    Ok(Some(Viewer { me, here, members, model, sandbox, models, limits, confirm_email }))
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::sync::Arc;

    use adagent_contract::{Problem, codes};
    use adagent_domain::{Actor, Granted, Right, UserId, WorkspaceId};
    use adagent_service::{ClientInfo, CurrentUser, Service, ServiceError, SessionHash, SignedInAt};
    use axum::http::{HeaderValue, StatusCode, header, request::Parts};
    use leptos::prelude::*;

    use super::{
        super::Told,
        super::place::{
            PERSONAL, in_workspace,
            server::{COOKIE, PageWorkspace, SecureCookies, cookie_name, cookie_of, named, of_request, unnamed},
        },
        ApiError,
    };

    /// Returns the person of the browser session.
    pub fn user() -> Option<UserId> {
        use_context::<Parts>()?.extensions.get::<CurrentUser>().and_then(|current| current.0)
    }

    pub fn service() -> Result<Arc<Service>, ApiError> {
        use_context::<Arc<Service>>().ok_or_else(|| {
            ApiError(Box::new(Problem::new(
                500,
                codes::INTERNAL,
                "Not available",
                "The service isn't available. Try again in a moment.",
            )))
        })
    }

    /// Returns what we know about the client, for rate limits.
    pub fn client() -> ClientInfo {
        use_context::<Parts>().and_then(|parts| parts.extensions.get::<ClientInfo>().copied()).unwrap_or_default()
    }

    /// Returns when the person signed in here and their IP address. The password comes with the request that needs it.
    pub fn proof() -> adagent_service::Proof<'static> {
        let since = use_context::<Parts>().and_then(|parts| parts.extensions.get::<SignedInAt>().copied());
        adagent_service::Proof { password: None, signed_in_at: since.map(|SignedInAt(at)| at), address: client().ip }
    }

    /// Returns the person of the browser session, or an error that the session ended.
    pub fn person() -> Result<UserId, ApiError> {
        user().ok_or_else(|| answer(signed_out()))
    }

    /// Returns the service and who asks. On the way, this checks that the person is a member of the workspace.
    pub async fn actor() -> Result<(Arc<Service>, Actor), ApiError> {
        let service = service()?;
        let actor = find(&service).await.map_err(answer)?;
        Ok((service, actor))
    }

    /// Returns who asks; `None` if [`actor`] would return an error.
    pub async fn actor_if_any() -> Option<Actor> {
        find(&*service().ok()?).await.ok()
    }

    async fn find(service: &Service) -> Result<Actor, Problem> {
        let user = user().ok_or_else(signed_out)?;
        let parts = use_context::<Parts>().ok_or_else(signed_out)?;
        // A page acts in its own workspace, which was determined before rendering.
        if let Some(PageWorkspace(found)) = parts.extensions.get() {
            return found.as_ref().map(|standing| standing.actor).map_err(|problem| (**problem).clone());
        }
        let found = async {
            match of_request(&parts)? {
                Some(workspace) => service.resolve_actor(user, workspace).await,
                None if service.workspaces(user).await?.len() > 1 => Err(unnamed()),
                None => service.resolve_actor(user, None).await,
            }
        };
        found.await.map_err(|error| error.problem())
    }

    fn signed_out() -> Problem {
        Problem::new(401, codes::UNAUTHENTICATED, "Not signed in", "Your session ended. Sign in to continue.")
    }

    /// Opens a page in a workspace, and makes the workspace this browser's choice.
    pub fn enter(actor: &Actor, page: &str) {
        remember(actor);
        leptos_axum::redirect(&in_workspace(page, &name_of(actor)));
    }

    /// Returns the workspace's name in addresses.
    fn name_of(actor: &Actor) -> String {
        if actor.personal { PERSONAL.to_owned() } else { actor.workspace.to_string() }
    }

    fn remember(actor: &Actor) {
        set_cookie(COOKIE, &actor.workspace.to_string(), "; Max-Age=31536000");
    }

    fn are_secure() -> bool {
        use_context::<SecureCookies>().is_some_and(|SecureCookies(secure)| secure)
    }

    /// Scripts may read this cookie, because pages need it before the first paint. It has the same name with and without TLS,
    /// because it holds no secret.
    const THEME: &str = "theme";

    pub fn theme() -> super::super::Theme {
        let parts = use_context::<Parts>();
        let named = parts.and_then(|parts| cookie_of(&parts.headers, THEME));
        super::super::Theme::named(&named.unwrap_or_default())
    }

    pub fn remember_theme(theme: super::super::Theme) {
        let lives = if theme == super::super::Theme::System { 0 } else { 31_536_000 };
        let cookie = format!("{THEME}={}; Path=/; Max-Age={lives}; SameSite=Lax", theme.id());
        if let Some(response) = use_context::<leptos_axum::ResponseOptions>()
            && let Ok(cookie) = HeaderValue::from_str(&cookie)
        {
            response.append_header(header::SET_COOKIE, cookie);
        }
    }

    fn set_cookie(name: &str, value: &str, lives: &str) {
        let name = cookie_name(name, are_secure());
        let secure = if are_secure() { "; Secure" } else { "" };
        let cookie = format!("{name}={value}; Path=/{lives}; SameSite=Lax; HttpOnly{secure}");
        if let Some(response) = use_context::<leptos_axum::ResponseOptions>()
            && let Ok(cookie) = HeaderValue::from_str(&cookie)
        {
            response.append_header(header::SET_COOKIE, cookie);
        }
    }

    /// This cookie holds for one sign-in. It names the session by a part of the session's storage key, which cannot be used to
    /// sign in.
    const PUT_OFF: &str = "confirm_later";

    fn session_mark(parts: &Parts) -> Option<String> {
        parts.extensions.get::<SessionHash>()?.0.get(..16).map(str::to_owned)
    }

    pub fn put_off_until_sign_out() {
        if let Some(mark) = use_context::<Parts>().as_ref().and_then(session_mark) {
            set_cookie(PUT_OFF, &mark, "");
        }
    }

    pub fn put_off() -> bool {
        use_context::<Parts>().is_some_and(|parts| {
            let mark = session_mark(&parts);
            mark.is_some() && cookie_of(&parts.headers, &cookie_name(PUT_OFF, are_secure())) == mark
        })
    }

    /// Makes a workspace this browser's choice after the person joined, created or left one (`None`: the personal one). Returns
    /// the address of the page, which a script opens; without JavaScript, the browser is redirected there.
    pub async fn lead_into(
        service: &Service,
        user: UserId,
        workspace: Option<WorkspaceId>,
        page: &str,
    ) -> Result<Told<String>, ApiError> {
        let actor = service.resolve_actor(user, workspace).await.map_err(fail)?;
        remember(&actor);
        let page = in_workspace(page, &name_of(&actor));
        if without_script() {
            leptos_axum::redirect(&page);
        }
        Ok(Ok(page))
    }

    /// Returns the address to return to after a round trip to another site: the page in this workspace, even if another tab
    /// changes this browser's choice in the meantime.
    pub async fn way_back(
        service: &Service,
        actor: &Actor,
        return_to: Option<String>,
    ) -> Result<Option<String>, ApiError> {
        let page = return_to.filter(|path| !path.is_empty());
        if service.workspaces(actor.user).await.map_err(fail)?.len() < 2 {
            return Ok(page);
        }
        remember(actor);
        Ok(Some(in_workspace(page.as_deref().unwrap_or("/settings/networks"), &name_of(actor))))
    }

    /// Returns the answer to a form of the team page. Without JavaScript, redirects to the page, with a code for an error.
    pub fn back_to_team<T>(form: &str, outcome: Result<T, ServiceError>) -> Result<Told<()>, ApiError> {
        match outcome {
            Ok(_) => {
                if without_script() {
                    redirect("/settings/team");
                }
                Ok(Ok(()))
            }
            Err(error) => told(form, error),
        }
    }

    /// Returns the refusal of a form of the team page. Without JavaScript, redirects to the page, with the refusal as a code.
    pub fn told<T>(form: &str, error: ServiceError) -> Result<Told<T>, ApiError> {
        told_on(&format!("/settings/team?form={form}&error="), error)
    }

    /// Returns the refusal of a form. Without JavaScript, redirects to `page` with the code at the end of the address.
    #[expect(clippy::needless_pass_by_value, reason = "it is answered, and nothing else is done with it")]
    pub fn told_on<T>(page: &str, error: ServiceError) -> Result<Told<T>, ApiError> {
        let problem = error.problem();
        let told = matches!(
            error,
            ServiceError::Validation(_) | ServiceError::Conflict { .. } | ServiceError::RateLimited { .. }
        );
        if without_script() && problem.status < 500 && problem.status != 401 {
            redirect(&format!("{page}{}", problem.code));
        } else if !told {
            return Err(answer(problem));
        }
        Ok(Err(Box::new(problem)))
    }

    /// Redirects to a page in the workspace of the posted form.
    pub fn redirect(page: &str) {
        let named = use_context::<Parts>().and_then(|parts| named(&parts.uri));
        leptos_axum::redirect(&named.map_or_else(|| page.to_owned(), |name| in_workspace(page, &name)));
    }

    /// Returns errors of fields as a normal answer. Only an error that prevents an answer stays an error.
    pub fn told_at<T>(error: ServiceError) -> Result<Told<T>, ApiError> {
        match error {
            ServiceError::Validation(_) | ServiceError::Conflict { .. } => Ok(Err(Box::new(error.problem()))),
            error => Err(answer(error.problem())),
        }
    }

    /// Returns the proof of a permission that a use case requires. Without the permission, the error says who has it.
    pub fn granted<P: Right>(actor: &Actor) -> Result<Granted<P>, ApiError> {
        actor.grant().map_err(|denied| fail(denied.into()))
    }

    /// Turns a service error into an answer with its status.
    #[expect(clippy::needless_pass_by_value, reason = "shape of map_err")]
    pub fn fail(error: ServiceError) -> ApiError {
        answer(error.problem())
    }

    /// Returns the error for typed text that cannot be read.
    pub fn refuse(pointer: &str, detail: &str) -> ApiError {
        let mut problem = Problem::new(422, codes::VALIDATION, "Invalid input", detail);
        problem.errors = vec![adagent_contract::FieldError::new(pointer, detail)];
        answer(problem)
    }

    /// Returns the refusal of a network or a field as a normal answer. Only an error that prevents an answer stays an error.
    pub fn refused(error: ServiceError) -> Result<Option<Box<Problem>>, ApiError> {
        match error {
            ServiceError::KeysRefused { .. }
            | ServiceError::Validation(_)
            | ServiceError::Network { .. }
            | ServiceError::Conflict { .. } => Ok(Some(Box::new(error.problem()))),
            error => Err(fail(error)),
        }
    }

    /// Checks whether a browser posted the form itself and so wants a page back.
    pub fn without_script() -> bool {
        let accepts = |parts: Parts| {
            let value = parts.headers.get(axum::http::header::ACCEPT)?.to_str().ok()?;
            Some(value.contains("text/html"))
        };
        use_context::<Parts>().and_then(accepts).unwrap_or(false)
    }

    fn answer(problem: Problem) -> ApiError {
        super::super::error::answered(problem)
    }

    /// Sets the status of the answer, if this is a server function.
    pub fn say_status(status: u16) {
        if let Some(response) = use_context::<leptos_axum::ResponseOptions>()
            && is_server_function()
            && let Ok(status) = StatusCode::from_u16(status)
        {
            response.set_status(status);
        }
    }

    /// Checks whether a server function answers this request: only those take the problem's status. A page that shows a problem
    /// chooses its own.
    fn is_server_function() -> bool {
        use_context::<Parts>().is_some_and(|parts| parts.uri.path().starts_with("/desk/"))
    }
}
