//! The home page, and the questions that people save.

use adagent_contract::{HomeView, SavedQuestionView};
use adagent_domain::SavedQuestionId;
use leptos::prelude::*;

use super::ApiError;

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "home", client = super::DeskClient)]
pub async fn home() -> Result<HomeView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.home(&server::granted(&actor)?).await.map_err(server::fail)
}

/// Asks the questions of the home page that have no fresh answer; with `again`, asks them all.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "refresh-home", client = super::DeskClient)]
pub async fn refresh_home(#[server(default)] again: bool) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.refresh_home(&server::granted(&actor)?, again).await.map_err(server::fail)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "save-question", client = super::DeskClient)]
pub async fn save_question(question: String, #[server(default)] pinned: bool) -> Result<SavedQuestionView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.save_question(&server::granted(&actor)?, &question, pinned).await.map_err(server::fail)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "pin-question", client = super::DeskClient)]
pub async fn pin_question(id: SavedQuestionId, pinned: bool) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.pin_question(&server::granted(&actor)?, id, pinned).await.map_err(server::fail)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-question", client = super::DeskClient)]
pub async fn delete_question(id: SavedQuestionId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.delete_question(&server::granted(&actor)?, id).await.map_err(server::fail)
}
