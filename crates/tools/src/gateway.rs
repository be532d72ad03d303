//! The ad networks of a workspace, besides their tools: which are connected, what is in them, what day it is there.

use adagent_contract::{ConnectionName, EntityItem, EntityKind};
use adagent_domain::{Network, WorkspaceId};
use async_trait::async_trait;
use futures::future::join_all;

use crate::{CallScope, ToolError};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityFilter {
    /// Skip the cache.
    pub refresh: bool,
}

/// Networks as the engine sees them.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Networks with usable credentials, and those that are connected but switched off or failing.
    async fn networks(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Vec<(Network, adagent_contract::NetworkState)>, ToolError>;

    /// Every connection by name, for anyone who has to choose between several of one network.
    async fn connections(
        &self,
        _workspace: WorkspaceId,
        _settings: &adagent_contract::ContextSettings,
    ) -> Result<Vec<ConnectionName>, ToolError> {
        Ok(Vec::new())
    }

    /// Entities of a network within the settings (strict mode filters), cached five minutes per workspace.
    async fn entities(
        &self,
        scope: &CallScope,
        network: Network,
        kind: EntityKind,
        filter: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError>;

    /// [`Self::entities`] of several networks and kinds, side by side; what the gateway looks up for all of them it may look up once.
    async fn entities_of(
        &self,
        scope: &CallScope,
        wanted: &[(Network, EntityKind)],
        filter: EntityFilter,
    ) -> Vec<Result<Vec<EntityItem>, ToolError>> {
        join_all(wanted.iter().map(|(network, kind)| self.entities(scope, *network, *kind, filter))).await
    }

    /// Today in the reporting time zone of the workspace's account (civil date, `2026-11-21`) and that zone's name.
    async fn today(&self, workspace: WorkspaceId) -> (String, String);
}
