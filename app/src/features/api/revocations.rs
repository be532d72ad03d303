//! Consents that the server could not take back at their network.

use adagent_contract::RevocationView;
use adagent_domain::JobId;
use leptos::prelude::*;

use super::ApiError;

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "revocations", client = super::DeskClient)]
pub async fn revocations() -> Result<Vec<RevocationView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.failed_revocations(&server::granted(&actor)?).await.map_err(server::fail)
}

/// Somebody took it back at the network.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "forget-revocation", client = super::DeskClient)]
pub async fn forget_revocation(id: JobId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.forget_revocation(&server::granted(&actor)?, id).await.map_err(server::fail)?;
    server::redirect("/settings/networks");
    Ok(())
}
