//! Forms that are posted to their own page. The answer is that page with the result of the form, so a secret is shown once,
//! without JavaScript, and appears in no address and no history. This module decides nothing itself.

use std::sync::Arc;

use adagent_app::{
    AgentForm, AgentPosted, DocumentForm, DocumentPosted, Minted, PageWorkspace, QUERY, Renewed, SignInForm,
    SignInPosted, TokenForm, in_workspace, posted_agent,
};
use adagent_contract::{AgentUpdate, AgentView, CreatedToken, NewToken, Problem, RecoveryCodesView, RenewCodesRequest};
use adagent_domain::Actor;
use adagent_service::{ClientInfo, Proof, Service, ServiceError, SessionHash, SignedInAt};
use axum::{
    body::Body,
    extract::{Form, FromRequest, Request},
    http::{Method, Uri, request::Parts},
    response::{IntoResponse as _, Redirect, Response},
};
use futures::future::BoxFuture;
use leptos::{IntoView, prelude::provide_context};
use leptos_axum::render_app_async_with_context;

/// Where access tokens are created, and where recovery codes are renewed.
pub const TOKENS: &str = "/settings/tokens";
pub const ACCOUNT: &str = "/settings/account";
/// Where a person begins to sign in to a tool server.
pub const TOOL_SERVERS: &str = "/settings/tool-servers";
/// Where an agent is created or changed. `/agents/new` matches too; a form there has no ID.
pub const AGENT: &str = "/agents/{id}";

/// Where a document is created or changed. `/library/documents/new` matches too; a form there has no ID.
pub const DOCUMENT: &str = "/library/documents/{id}";

/// What follows a form: its page with the result, or another page.
pub enum After<M> {
    Page(M),
    GoTo(String),
}

/// Returns the handler of a form: performs the action, then renders the page.
pub fn answer<F, M, V, Done>(
    act: impl Fn(Place, Option<F>) -> Done + Clone + Send + Sync + 'static,
    context: impl Fn() + Clone + Send + Sync + 'static,
    document: impl Fn() -> V + Clone + Send + Sync + 'static,
) -> impl Fn(Request) -> BoxFuture<'static, Response> + Clone + Send + Sync + 'static
where
    F: Send + 'static,
    Form<F>: FromRequest<()>,
    M: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
    Done: Future<Output = After<M>> + Send + 'static,
{
    move |request: Request| {
        let (act, context, document) = (act.clone(), context.clone(), document.clone());
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let place = Place::of(&parts);
            let posted = Request::from_parts(parts.clone(), body);
            let form = Form::<F>::from_request(posted, &()).await.ok().map(|Form(form)| form);
            let outcome = match act(place, form).await {
                After::Page(outcome) => outcome,
                After::GoTo(path) => return Redirect::to(&path).into_response(),
            };
            // Render the page as for a GET; only its starting data differs.
            parts.method = Method::GET;
            let page = render_app_async_with_context(
                move || {
                    context();
                    provide_context(outcome.clone());
                },
                document,
            );
            page(Request::from_parts(parts, Body::empty())).await
        })
    }
}

/// Who posts, in which workspace, and the proof of their identity.
pub struct Place {
    workspace: Option<PageWorkspace>,
    at: Option<SignedInAt>,
    client: ClientInfo,
    /// The browser session, as it is stored.
    session: Option<SessionHash>,
    /// The workspace's name in the address of the form.
    named: Option<String>,
}

impl Place {
    fn of(parts: &Parts) -> Self {
        let extensions = &parts.extensions;
        Self {
            workspace: extensions.get().cloned(),
            at: extensions.get().copied(),
            client: extensions.get().copied().unwrap_or_default(),
            session: extensions.get().cloned(),
            named: named(&parts.uri),
        }
    }

    /// Returns one of our pages in the workspace of the form.
    pub fn page(&self, path: &str) -> String {
        self.named.as_ref().map_or_else(|| path.to_owned(), |name| in_workspace(path, name))
    }

    pub fn actor(&self) -> Result<Actor, Box<Problem>> {
        let signed_out = || Box::new(ServiceError::Unauthenticated.problem());
        let PageWorkspace(place) = self.workspace.as_ref().ok_or_else(signed_out)?;
        place.as_ref().map(|standing| standing.actor).map_err(Clone::clone)
    }

    fn proof<'a>(&self, password: Option<&'a str>) -> Proof<'a> {
        Proof { password, signed_in_at: self.at.map(|SignedInAt(at)| at), address: self.client.ip }
    }
}

fn named(address: &Uri) -> Option<String> {
    let query = url::form_urlencoded::parse(address.query().unwrap_or_default().as_bytes());
    query.filter(|(name, _)| name == QUERY).map(|(_, value)| value.into_owned()).next()
}

fn unread(pointer: &str) -> Problem {
    ServiceError::field(pointer, "The form could not be read; fill it in again.").problem()
}

/// Creates an access token.
pub async fn mint(service: Arc<Service>, place: Place, form: Option<TokenForm>) -> After<Minted> {
    let Some(form) = form else {
        return After::Page(Minted { made: Err(unread("/name")), form: TokenForm::default() });
    };
    let made = async {
        let actor = place.actor().map_err(|problem| *problem)?;
        let granted = actor.grant().map_err(|denied| ServiceError::from(denied).problem())?;
        let request: NewToken = form.request();
        let made = service.create_token_for(&granted, request, &form.days, place.proof(None)).await;
        made.map_err(|error| error.problem())
    };
    let made: Result<CreatedToken, Problem> = made.await;
    After::Page(Minted { made, form: TokenForm { password: None, ..form } })
}

/// Creates new recovery codes.
pub async fn renew(service: Arc<Service>, place: Place, form: Option<RenewCodesRequest>) -> After<Renewed> {
    let renewed = async {
        let form = form.ok_or_else(|| unread("/code"))?;
        let proof = place.proof(form.password.as_deref());
        let actor = place.actor().map_err(|problem| *problem)?;
        let renewed = service.renew_recovery_codes(&actor, &form.code, proof).await;
        renewed.map_err(|error| error.problem())
    };
    let renewed: Result<RecoveryCodesView, Problem> = renewed.await;
    After::Page(Renewed(renewed))
}

/// Begins to sign in to a tool server. The page then shows where the person goes.
pub async fn sign_in(service: Arc<Service>, place: Place, form: Option<SignInForm>) -> After<SignInPosted> {
    // A form that we cannot read names no server.
    let Some(SignInForm { id }) = form else { return After::GoTo(place.page(TOOL_SERVERS)) };
    let begun = async {
        let actor = place.actor().map_err(|problem| *problem)?;
        let granted = actor.grant().map_err(|denied| ServiceError::from(denied).problem())?;
        let SessionHash(session) = place.session.clone().ok_or_else(|| ServiceError::Unauthenticated.problem())?;
        let page = place.page(TOOL_SERVERS);
        let begun = service.sign_in_tool_server(&granted, id, &session, Some(&page)).await;
        begun.map_err(|error| error.problem())
    };
    let begun: Result<_, Problem> = begun.await;
    After::Page(SignInPosted { id, begun })
}

/// Creates an agent, or a new version of one.
pub async fn save_agent(
    service: Arc<Service>,
    place: Place,
    fields: Option<Vec<(String, String)>>,
) -> After<AgentPosted> {
    let text = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields.unwrap_or_default()).finish();
    let form = match posted_agent(&text) {
        Ok(form) => form,
        Err(error) => return After::Page(AgentPosted { form: AgentForm::default(), problem: *error.0 }),
    };
    let saved = async {
        let actor = place.actor().map_err(|problem| *problem)?;
        let granted = actor.grant().map_err(|denied| ServiceError::from(denied).problem())?;
        let (id, version) = (form.id, form.version);
        let wrong = |error| ServiceError::Validation(vec![error]).problem();
        let agent = form.clone().body().map_err(wrong)?;
        service.save_agent(&granted, id, AgentUpdate { version, agent }).await.map_err(|error| error.problem())
    };
    let saved: Result<AgentView, Problem> = saved.await;
    match saved {
        Ok(view) => After::GoTo(place.page(&format!("/agents/{}", view.id))),
        Err(problem) => After::Page(AgentPosted { form, problem }),
    }
}

/// Creates a document, or writes its next version.
pub async fn save_document(service: Arc<Service>, place: Place, form: Option<DocumentForm>) -> After<DocumentPosted> {
    let Some(form) = form else {
        return After::Page(DocumentPosted { form: DocumentForm::default(), problem: unread("/title") });
    };
    let saved = async {
        let actor = place.actor().map_err(|problem| *problem)?;
        let granted = actor.grant().map_err(|denied| ServiceError::from(denied).problem())?;
        form.clone().save(&service, &granted).await.map_err(|error| error.problem())
    };
    let saved: Result<_, Problem> = saved.await;
    match saved {
        Ok(view) => After::GoTo(place.page(&format!("/library/documents/{}", view.id))),
        Err(problem) => After::Page(DocumentPosted { form, problem }),
    }
}
