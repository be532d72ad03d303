//! Checks the token again while a request is answered. If the token was revoked meanwhile, the client gets no answer.

use adagent_service::TokenGrant;
use rmcp::{
    ErrorData,
    model::{ErrorCode, Extensions},
};

use crate::{Shared, who};

/// Returns the answer if the token is still valid by then, and an error as soon as it is not.
pub(crate) async fn while_it_holds<T>(
    shared: &Shared,
    extensions: &Extensions,
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let grant = who::grant(extensions)?;
    tokio::select! {
        answer = work => if holds(shared, &grant).await { answer } else { Err(ended()) },
        () = over(shared, &grant) => Err(ended()),
    }
}

/// Waits until the token is revoked or expired, or its person is no longer in the workspace.
pub(crate) async fn over(shared: &Shared, grant: &TokenGrant) {
    loop {
        tokio::time::sleep(shared.look_every).await;
        if !holds(shared, grant).await {
            return;
        }
    }
}

/// Checks whether the token is still valid. If the database does not answer, we assume that it is.
pub(crate) async fn holds(shared: &Shared, grant: &TokenGrant) -> bool {
    shared.service.grant_holds(grant).await.unwrap_or(true)
}

pub(crate) fn ended() -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_REQUEST, "The access token was revoked or has expired.", None)
}
