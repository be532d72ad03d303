//! The token of a request that is still answered: what was asked with a token that was revoked meanwhile is told to nobody.

use adagent_service::TokenGrant;
use http::request::Parts;
use rmcp::{
    ErrorData,
    model::{ErrorCode, Extensions},
};

use crate::Shared;

/// What the request came with.
pub(crate) fn grant(extensions: &Extensions) -> Result<TokenGrant, ErrorData> {
    let grant = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<TokenGrant>()).cloned();
    grant.ok_or_else(|| ErrorData::internal_error("the request was not signed in", None))
}

/// The answer, if the token still holds when it is there; an error as soon as it does not.
pub(crate) async fn while_it_holds<T>(
    shared: &Shared,
    extensions: &Extensions,
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let grant = grant(extensions)?;
    tokio::select! {
        answer = work => if holds(shared, &grant).await { answer } else { Err(ended()) },
        () = over(shared, &grant) => Err(ended()),
    }
}

/// Waits until the token is revoked, expired, or its person is no longer in the workspace.
pub(crate) async fn over(shared: &Shared, grant: &TokenGrant) {
    loop {
        tokio::time::sleep(shared.look_every).await;
        if !holds(shared, grant).await {
            return;
        }
    }
}

/// A database that does not answer has revoked nothing.
pub(crate) async fn holds(shared: &Shared, grant: &TokenGrant) -> bool {
    shared.service.grant_holds(grant).await.unwrap_or(true)
}

pub(crate) fn ended() -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_REQUEST, "The access token was revoked or has expired.", None)
}
