//! How AdMob's lists depend on each other: adapters are listed per ad source, mappings per ad unit, and only an app names its platform.

use adagent_contract::{EntityItem, EntityKind};
use futures::FutureExt as _;
use serde_json::json;

use super::{Found, Items, Place, fetch::together, item};
use crate::networks::Networks;
use adagent_tools::ToolError;

impl Networks {
    /// Loads the entities of a kind in one AdMob account.
    pub(super) async fn of_admob(&self, place: Place<'_>, kind: EntityKind) -> Result<Items, ToolError> {
        match kind {
            EntityKind::App => self.plain(place, kind, "admob_list_apps").await,
            EntityKind::AdSource => self.plain(place, kind, "admob_list_ad_sources").await,
            EntityKind::MediationGroup => self.plain(place, kind, "admob_list_mediation_groups").await,
            EntityKind::AdUnit => self.ad_units(place).await,
            EntityKind::AdSourceAdapter => self.adapters(place).await,
            EntityKind::AdUnitMapping => self.mappings(place).await,
            EntityKind::Account => self.accounts(place.via, place.network).await,
            // AdMob has no entities of other kinds.
            _ => Ok(Items::default()),
        }
    }

    async fn plain(&self, place: Place<'_>, kind: EntityKind, tool: &str) -> Result<Items, ToolError> {
        let load = async {
            let facts = self.facts(place.network)?;
            let raw = self.list(place.via, tool, &json!({"account_id": place.account})).await?;
            // Ad sources are the networks that AdMob can call, so they belong to no account.
            let account = (kind != EntityKind::AdSource).then_some(place.account);
            Ok(raw.iter().filter_map(|raw| item(&facts, kind, raw, Found { account, parent: None })).collect())
        };
        self.registry().get(&place, kind, "", load.boxed()).await
    }

    async fn ad_units(&self, place: Place<'_>) -> Result<Items, ToolError> {
        let load = async {
            let facts = self.facts(place.network)?;
            let apps = self.plain(place, EntityKind::App, "admob_list_apps").await?;
            let raw = self.list(place.via, "admob_list_ad_units", &json!({"account_id": place.account})).await?;
            let found = Found { account: Some(place.account), parent: None };
            let mut units: Vec<EntityItem> =
                raw.iter().filter_map(|raw| item(&facts, EntityKind::AdUnit, raw, found)).collect();
            for unit in &mut units {
                // Only the app names the platform.
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
            let facts = self.facts(place.network)?;
            let args = json!({"account_id": place.account, "ad_source_id": source});
            let raw = self.list(place.via, "admob_list_ad_source_adapters", &args).await?;
            let found = Found { account: None, parent: Some(source) };
            Ok(raw.iter().filter_map(|raw| item(&facts, EntityKind::AdSourceAdapter, raw, found)).collect())
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

    /// Loads the mappings of one ad unit with one call. All mappings of an account would take one call per ad unit.
    pub(crate) async fn mappings_of(&self, place: Place<'_>, unit: &EntityItem) -> Result<Items, ToolError> {
        let load = async {
            let facts = self.facts(place.network)?;
            let digits = unit.id.rsplit('/').next().unwrap_or_default();
            let args = json!({"account_id": place.account, "ad_unit_id": digits});
            let raw = self.list(place.via, "admob_list_ad_unit_mappings", &args).await?;
            let found = Found { account: Some(place.account), parent: Some(&unit.id) };
            let mut items: Vec<EntityItem> =
                raw.iter().filter_map(|raw| item(&facts, EntityKind::AdUnitMapping, raw, found)).collect();
            for mapping in &mut items {
                mapping.platform.clone_from(&unit.platform);
                mapping.format.clone_from(&unit.format);
            }
            Ok(items)
        };
        self.registry().get(&place, EntityKind::AdUnitMapping, &unit.id, load.boxed()).await
    }
}
