//! The form that makes an access token, posted to its own page: the answer is that page with the secret on it, so that it is seen
//! once, without script, and stands in no address and no history.

use std::sync::Arc;

use adagent_app::{Minted, TokenForm};
use adagent_contract::CreatedToken;
use adagent_service::{CurrentUser, Service, ServiceError, ServiceResult};
use axum::{
    body::Body,
    extract::{Form, FromRequest as _, Request},
    http::Method,
    response::Response,
};
use leptos::{IntoView, prelude::provide_context};
use leptos_axum::render_app_async_with_context;

pub const PAGE: &str = "/settings/tokens";

/// Makes the token, then the page.
pub fn answer<V: IntoView + 'static>(
    service: Arc<Service>,
    context: impl Fn() + Clone + Send + Sync + 'static,
    document: impl Fn() -> V + Clone + Send + Sync + 'static,
) -> impl Fn(Request) -> futures::future::BoxFuture<'static, Response> + Clone + Send + Sync + 'static {
    move |request: Request| {
        let (service, context, document) = (Arc::clone(&service), context.clone(), document.clone());
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let user = parts.extensions.get::<CurrentUser>().copied().unwrap_or_default();
            let posted = Request::from_parts(parts.clone(), body);
            let form = Form::<TokenForm>::from_request(posted, &()).await.map(|Form(form)| form);
            let made = match form {
                Ok(form) => make(&service, user, &form).await,
                Err(_) => Err(ServiceError::field("/name", "The form could not be read; fill it in again.")),
            };
            let minted = Minted(made.map_err(|error| error.problem()));
            // The page is the one people open; only what it begins with is different.
            parts.method = Method::GET;
            let page = render_app_async_with_context(
                move || {
                    context();
                    provide_context(minted.clone());
                },
                document,
            );
            page(Request::from_parts(parts, Body::empty())).await
        })
    }
}

async fn make(service: &Service, CurrentUser(user): CurrentUser, form: &TokenForm) -> ServiceResult<CreatedToken> {
    let actor = service.resolve_actor(user.ok_or(ServiceError::Unauthenticated)?, None).await?;
    service.create_token_for(&actor.grant()?, form.name.clone(), form.scopes(), &form.days).await
}
