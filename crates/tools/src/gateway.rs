//! The ad networks of a workspace apart from their tools: which are connected, their entities, and their current day.

use adagent_contract::{ConnectionName, EntityItem, EntityKind};
use adagent_domain::{Network, WorkspaceId};
use async_trait::async_trait;
use futures::future::join_all;

use crate::{CallScope, ToolError};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityFilter {
    /// Skips the cache.
    pub refresh: bool,
}

/// The networks as the engine sees them.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Lists the networks with usable credentials, and those that are connected but turned off or failing.
    async fn networks(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Vec<(Network, adagent_contract::NetworkState)>, ToolError>;

    /// Lists every connection by its label, for a caller that must choose between several of one network.
    async fn connections(
        &self,
        _workspace: WorkspaceId,
        _settings: &adagent_contract::ContextSettings,
    ) -> Result<Vec<ConnectionName>, ToolError> {
        Ok(Vec::new())
    }

    /// Lists the entities of a network within the settings (strict mode filters), cached for five minutes per workspace.
    async fn entities(
        &self,
        scope: &CallScope,
        network: Network,
        kind: EntityKind,
        filter: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError>;

    /// Works like [`Self::entities`], for several networks and kinds at once. The gateway may look up shared data only once.
    async fn entities_of(
        &self,
        scope: &CallScope,
        wanted: &[(Network, EntityKind)],
        filter: EntityFilter,
    ) -> Vec<Result<Vec<EntityItem>, ToolError>> {
        join_all(wanted.iter().map(|(network, kind)| self.entities(scope, *network, *kind, filter))).await
    }

    /// Returns the current day in the reporting time zone of the workspace's account (`2026-11-21`), and the zone's name.
    async fn today(&self, workspace: WorkspaceId) -> (String, String);
}
