//! Finds in which of their workspaces a person's chat or run is, for links that were opened in another workspace.
//!
//! Looks only in workspaces of the person, and reads what it finds with the usual checks before it answers. So it never reveals that
//! another person's thing exists.

use adagent_contract::WorkspaceView;
use adagent_domain::{Actor, ChatSessionId, RunId, UserId, WorkspaceId};
use adagent_store::{Membership, WorkspaceKind};

use crate::{Service, ServiceError, ServiceResult};

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    Chat(ChatSessionId),
    Run(RunId),
}

impl Service {
    /// Returns the person's workspace, other than `not`, that has it. `None` if no workspace has it.
    pub async fn whereabouts(
        &self,
        user: UserId,
        not: WorkspaceId,
        thing: Thing,
    ) -> ServiceResult<Option<WorkspaceView>> {
        let place = match thing {
            Thing::Chat(id) => self.store.place_of_chat(user, id).await?,
            Thing::Run(id) => self.store.place_of_run(user, id).await?,
        };
        let Some(place) = place.filter(|place| *place != not) else { return Ok(None) };
        let found = match self.resolve_actor(user, Some(place)).await {
            Ok(actor) => self.has(&actor, thing).await,
            Err(error) => Err(error),
        };
        match found {
            Ok(()) => Ok(self.workspaces(user).await?.into_iter().find(|workspace| workspace.id == place)),
            // The person has left, or it was deleted meanwhile.
            Err(ServiceError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists the workspaces that a person can choose: the personal one first, then organizations by name.
    pub async fn workspaces(&self, user: UserId) -> ServiceResult<Vec<WorkspaceView>> {
        let memberships = self.store.list_memberships(user).await?;
        Ok(memberships.into_iter().map(view).collect())
    }

    async fn has(&self, actor: &Actor, thing: Thing) -> ServiceResult<()> {
        match thing {
            Thing::Chat(id) => self.session(actor, id).await.map(|_| ()),
            Thing::Run(id) => self.run(actor, id).await.map(|_| ()),
        }
    }
}

fn view(membership: Membership) -> WorkspaceView {
    let personal = membership.workspace.kind == WorkspaceKind::Personal;
    let name = if personal { "Personal".to_owned() } else { membership.workspace.name };
    WorkspaceView { id: membership.workspace.id, name, role: membership.role, personal }
}
