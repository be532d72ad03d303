//! Access that the server could not revoke at the network.

use adagent_contract::RevocationView;
use adagent_domain::JobId;
use leptos::prelude::*;

use super::{ApiError, Told};

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "revocations", client = super::DeskClient)]
pub async fn revocations() -> Result<Vec<RevocationView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.failed_revocations(&server::granted(&actor)?).await.map_err(server::fail)
}

/// Records that the person revoked the access at the network. An error is shown at its form, with and without JavaScript.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "forget-revocation", client = super::DeskClient)]
pub async fn forget_revocation(id: JobId) -> Result<Told<()>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    match service.forget_revocation(&server::granted(&actor)?, id).await {
        Ok(()) => {
            if server::without_script() {
                server::redirect("/settings/networks");
            }
            Ok(Ok(()))
        }
        Err(error) => server::told_on(&format!("/settings/networks?removed={id}&wrong="), error),
    }
}
