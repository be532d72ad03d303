//! In which of their workspaces a person's thing is: for links that were opened in another one.
//!
//! Looks only where the person is a member, and what it finds is read as everywhere before it is told; so it never tells that
//! somebody else's thing exists.

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
    /// The workspace of the person, other than `not`, that has it; nothing when none has.
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
            // Left or deleted meanwhile.
            Err(ServiceError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Every workspace a person may choose: the personal one first, then organisations by name.
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
