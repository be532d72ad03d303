//! Loading entities through the list operations, so that limits, retries and credentials hold here too.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Network, WorkspaceId};
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, future::BoxFuture, stream};
use serde_json::{Value as Json, json};

use super::{Items, admob::Found, item};
use crate::{ToolError, networks::Networks, networks::Quiet};

/// Lists fetched side by side.
const PARALLEL: usize = 4;

/// Whose entities.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub workspace: WorkspaceId,
    pub network: Network,
    pub account: &'a str,
}

async fn together(loads: Vec<BoxFuture<'_, Result<Items, ToolError>>>) -> Result<Vec<Items>, ToolError> {
    stream::iter(loads).buffered(PARALLEL).try_collect().await
}

impl Networks {
    /// Ids of the accounts the connection works in.
    pub(crate) async fn selected_accounts(
        &self,
        workspace: WorkspaceId,
        network: Network,
    ) -> Result<Vec<String>, ToolError> {
        Ok(self.accounts(workspace, network).await?.iter().map(|account| account.id.clone()).collect())
    }

    /// The accounts the connection works in.
    pub(crate) async fn accounts(&self, workspace: WorkspaceId, network: Network) -> Result<Items, ToolError> {
        let place = Place { workspace, network, account: "" };
        let load = async {
            let credentials = self.credentials(workspace, network).await?;
            let raw = self.list(workspace, "admob_list_accounts", &json!({})).await?;
            let mut items: Vec<EntityItem> = raw
                .iter()
                .filter_map(|raw| item(EntityKind::Account, raw, Found { account: None, parent: None }))
                .collect();
            if credentials.selected().next().is_some() {
                items.retain(|item| credentials.selected().any(|choice| choice.id == item.id));
            }
            for item in &mut items {
                if let Some(choice) =
                    credentials.accounts.iter().find(|choice| choice.id == item.id && !choice.name.is_empty())
                {
                    item.name.clone_from(&choice.name);
                }
            }
            Ok(items)
        };
        self.registry().get(&place, EntityKind::Account, "", load.boxed()).await
    }

    /// All entities of a kind over the connection's accounts.
    pub(crate) async fn all(
        &self,
        workspace: WorkspaceId,
        network: Network,
        kind: EntityKind,
    ) -> Result<Vec<EntityItem>, ToolError> {
        if kind == EntityKind::Account {
            return Ok(self.accounts(workspace, network).await?.to_vec());
        }
        let accounts = self.selected_accounts(workspace, network).await?;
        let places = accounts.iter().map(|account| Place { workspace, network, account });
        let lists = together(places.map(|place| self.of_account(place, kind).boxed()).collect()).await?;
        let mut items: Vec<EntityItem> = Vec::new();
        for list in &lists {
            for item in list.iter() {
                // Ad sources and their adapters are the same in every account.
                let shared = matches!(kind, EntityKind::AdSource | EntityKind::AdSourceAdapter);
                if !shared || !items.iter().any(|known| known.id == item.id) {
                    items.push(item.clone());
                }
            }
        }
        Ok(items)
    }

    /// Entities of a kind in one account.
    pub(crate) async fn of_account(&self, place: Place<'_>, kind: EntityKind) -> Result<Items, ToolError> {
        match kind {
            EntityKind::Account => self.accounts(place.workspace, place.network).await,
            EntityKind::App => self.plain(place, kind, "admob_list_apps").await,
            EntityKind::AdSource => self.plain(place, kind, "admob_list_ad_sources").await,
            EntityKind::MediationGroup => self.plain(place, kind, "admob_list_mediation_groups").await,
            EntityKind::AdUnit => self.ad_units(place).await,
            EntityKind::AdSourceAdapter => self.adapters(place).await,
            EntityKind::AdUnitMapping => self.mappings(place).await,
        }
    }

    async fn plain(&self, place: Place<'_>, kind: EntityKind, tool: &str) -> Result<Items, ToolError> {
        let load = async {
            let raw = self.list(place.workspace, tool, &json!({"account_id": place.account})).await?;
            // Ad sources are the networks AdMob can call: they belong to no account.
            let account = (kind != EntityKind::AdSource).then_some(place.account);
            Ok(raw.iter().filter_map(|raw| item(kind, raw, Found { account, parent: None })).collect())
        };
        self.registry().get(&place, kind, "", load.boxed()).await
    }

    async fn ad_units(&self, place: Place<'_>) -> Result<Items, ToolError> {
        let load = async {
            let apps = self.plain(place, EntityKind::App, "admob_list_apps").await?;
            let raw = self.list(place.workspace, "admob_list_ad_units", &json!({"account_id": place.account})).await?;
            let found = Found { account: Some(place.account), parent: None };
            let mut units: Vec<EntityItem> =
                raw.iter().filter_map(|raw| item(EntityKind::AdUnit, raw, found)).collect();
            for unit in &mut units {
                // The platform stands only at the app.
                let app = apps.iter().find(|app| Some(&app.id) == unit.parent.as_ref());
                unit.platform = app.and_then(|app| app.platform.clone());
            }
            Ok(units)
        };
        self.registry().get(&place, EntityKind::AdUnit, "", load.boxed()).await
    }

    async fn adapters(&self, place: Place<'_>) -> Result<Items, ToolError> {
        let load = async {
            let sources = self.plain(place, EntityKind::AdSource, "admob_list_ad_sources").await?;
            let lists =
                together(sources.iter().map(|source| self.adapters_of(place, &source.id).boxed()).collect()).await?;
            Ok(lists.iter().flat_map(|list| list.iter().cloned()).collect())
        };
        self.registry().get(&place, EntityKind::AdSourceAdapter, "", load.boxed()).await
    }

    async fn adapters_of(&self, place: Place<'_>, source: &str) -> Result<Items, ToolError> {
        let load = async {
            let args = json!({"account_id": place.account, "ad_source_id": source});
            let raw = self.list(place.workspace, "admob_list_ad_source_adapters", &args).await?;
            let found = Found { account: None, parent: Some(source) };
            Ok(raw.iter().filter_map(|raw| item(EntityKind::AdSourceAdapter, raw, found)).collect())
        };
        self.registry().get(&place, EntityKind::AdSourceAdapter, source, load.boxed()).await
    }

    async fn mappings(&self, place: Place<'_>) -> Result<Items, ToolError> {
        let load = async {
            let units = self.ad_units(place).await?;
            let lists = together(units.iter().map(|unit| self.mappings_of(place, unit).boxed()).collect()).await?;
            Ok(lists.iter().flat_map(|list| list.iter().cloned()).collect())
        };
        self.registry().get(&place, EntityKind::AdUnitMapping, "", load.boxed()).await
    }

    /// Mappings of one ad unit: one call, where all of an account would be one per ad unit.
    pub(crate) async fn mappings_of(&self, place: Place<'_>, unit: &EntityItem) -> Result<Items, ToolError> {
        let load = async {
            let digits = unit.id.rsplit('/').next().unwrap_or_default();
            let args = json!({"account_id": place.account, "ad_unit_id": digits});
            let raw = self.list(place.workspace, "admob_list_ad_unit_mappings", &args).await?;
            let found = Found { account: Some(place.account), parent: Some(&unit.id) };
            let mut items: Vec<EntityItem> =
                raw.iter().filter_map(|raw| item(EntityKind::AdUnitMapping, raw, found)).collect();
            for mapping in &mut items {
                mapping.platform.clone_from(&unit.platform);
                mapping.format.clone_from(&unit.format);
            }
            Ok(items)
        };
        self.registry().get(&place, EntityKind::AdUnitMapping, &unit.id, load.boxed()).await
    }

    pub(crate) async fn list(&self, workspace: WorkspaceId, tool: &str, args: &Json) -> Result<Vec<Json>, ToolError> {
        Ok(self.listed(workspace, tool, args).await?.0)
    }

    /// With whether the list was read to its end: bounds may have cut it.
    pub(crate) async fn listed(
        &self,
        workspace: WorkspaceId,
        tool: &str,
        args: &Json,
    ) -> Result<(Vec<Json>, bool), ToolError> {
        let operation = self.operation(tool)?;
        let reply = self.send(workspace, &operation, args, &mut Quiet).await?;
        match reply.body {
            Json::Array(items) => Ok((items, !reply.truncated)),
            _ => Ok((Vec::new(), false)),
        }
    }
}
