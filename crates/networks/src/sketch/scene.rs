//! Everything that a sketch needs, loaded once; after that, describing is pure.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Currency, Money, Network};
use serde_json::{Value as Json, json};

use super::warnings::takes_everything;
use crate::{
    Line, MediationPlan, Operation, Price, Via,
    adapters::admob,
    entities::{self, Found, Items, Place},
    networks::Networks,
    normalise::{human, platform_name},
};
use adagent_tools::ToolError;

#[derive(Debug)]
pub struct Scene<'a> {
    pub tool: &'a Operation,
    pub args: &'a Json,
    pub accounts: Items,
    pub apps: Items,
    pub units: Items,
    pub sources: Items,
    pub adapters: Items,
    pub groups: Items,
    /// The mappings of the ad units that the arguments name.
    pub mappings: Vec<EntityItem>,
    /// The mediation group with its current values, loaded for this sketch.
    pub group: Option<EntityItem>,
}

impl Networks {
    pub(super) async fn scene<'a>(
        &self,
        via: Via,
        tool: &'a Operation,
        args: &'a Json,
    ) -> Result<Scene<'a>, ToolError> {
        let account = args["account_id"].as_str().unwrap_or_default();
        let place = Place { via, network: tool.network, account };
        let wants = |kind: EntityKind| tool.entity_params.iter().any(|(_, known)| *known == kind);
        let none = || Items::default();
        let accounts = self.accounts(via, tool.network).await?;
        let known = accounts.iter().any(|item| item.id == account);
        let about_group = wants(EntityKind::MediationGroup) || tool.name == "admob_create_mediation_group";
        let load = |kind: EntityKind, when: bool| async move {
            if known && when { self.of_account(place, kind).await } else { Ok(none()) }
        };
        let apps = load(EntityKind::App, true).await?;
        let units = load(EntityKind::AdUnit, true).await?;
        let sources =
            load(EntityKind::AdSource, wants(EntityKind::AdSource) || wants(EntityKind::AdSourceAdapter)).await?;
        let adapters = load(EntityKind::AdSourceAdapter, wants(EntityKind::AdSourceAdapter)).await?;
        let groups = load(EntityKind::MediationGroup, about_group).await?;
        let group = match args["mediation_group_id"].as_str() {
            Some(id) if known => self.group_now(via, account, id).await?,
            _ => None,
        };
        let mut scene =
            Scene { tool, args, accounts, apps, units, sources, adapters, groups, mappings: Vec::new(), group };
        if wants(EntityKind::AdUnitMapping) {
            for unit in scene.targeted().into_iter().cloned().collect::<Vec<_>>() {
                scene.mappings.extend(self.mappings_of(place, &unit).await?.iter().cloned());
            }
        }
        Ok(scene)
    }

    /// Loads the group without the registry, because "before" must show the values at the time of the question.
    async fn group_now(&self, via: Via, account: &str, id: &str) -> Result<Option<EntityItem>, ToolError> {
        let groups = self.list(via, "admob_list_mediation_groups", &json!({"account_id": account})).await?;
        let found = Found { account: Some(account), parent: None };
        let raw = groups.iter().find(|group| group["mediationGroupId"] == id);
        let facts = self.facts(Network::AdMob)?;
        Ok(raw.and_then(|raw| entities::item(&facts, EntityKind::MediationGroup, raw, found)))
    }
}

impl Scene<'_> {
    pub fn body(&self) -> &Json {
        &self.args["body"]
    }

    pub fn text(&self, pointer: &str) -> &str {
        self.args.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
    }

    /// Checks whether an approval needs more than a click: because of the operation, or because these arguments remove everything.
    pub fn is_destructive(&self) -> bool {
        let update = self.tool.name == "admob_update_mediation_group";
        let takes = |group: &EntityItem| takes_everything(&group.raw, self.body());
        self.tool.destructive || (update && self.group.as_ref().is_some_and(takes))
    }

    /// Returns the ad units that the arguments target, or else those of the current group.
    pub fn targeted(&self) -> Vec<&EntityItem> {
        let ids = self.body().pointer("/targeting/adUnitIds");
        let ids = ids.or_else(|| self.group.as_ref().and_then(|group| group.raw.pointer("/targeting/adUnitIds")));
        let ids: Vec<&str> = ids.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
        self.units.iter().filter(|unit| ids.contains(&unit.id.as_str())).collect()
    }

    pub fn unit(&self, value: &str) -> Option<&EntityItem> {
        self.units.iter().find(|unit| entities::names(unit, value))
    }

    /// Returns the name with the platform: "Puzzle Game (Android)".
    pub fn app_name(&self, id: &str) -> String {
        self.apps.iter().find(|app| app.id == id).map_or_else(
            || id.to_owned(),
            |app| match app.platform.as_deref().and_then(platform_name) {
                Some(platform) => format!("{} ({platform})", app.name),
                None => app.name.clone(),
            },
        )
    }

    /// Returns the names of ad units. If several have the same name, adds their apps.
    pub fn unit_names(&self, ids: &[&str], among: &[&str]) -> Vec<String> {
        let name = |id: &str| self.unit(id).map_or_else(|| id.to_owned(), |unit| unit.name.clone());
        let told = |id: &&str| {
            let own = name(id);
            let twice = among.iter().any(|other| other != id && name(other) == own);
            let app = self.unit(id).filter(|_| twice).and_then(|unit| unit.parent.as_deref());
            app.map_or(own.clone(), |app| format!("{own} in {}", self.app_name(app)))
        };
        ids.iter().map(told).collect()
    }

    /// Returns the apps of some ad units, each once.
    pub fn apps_of(&self, units: &[&EntityItem]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for app in units.iter().filter_map(|unit| unit.parent.as_deref()) {
            let name = self.app_name(app);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub fn source_name(&self, id: &str) -> String {
        self.sources
            .iter()
            .find(|source| source.id == id)
            .map_or_else(|| format!("ad source {id}"), |source| source.name.clone())
    }

    /// Returns the name of an adapter, such as "AppLovin adapter".
    pub fn adapter_name(&self, id: &str) -> String {
        self.adapters
            .iter()
            .find(|adapter| adapter.id == id)
            .map_or_else(|| format!("adapter {id}"), |adapter| adapter.name.clone())
    }

    pub fn account_name(&self) -> String {
        let id = self.text("/account_id");
        self.accounts
            .iter()
            .find(|account| account.id == id)
            .map_or_else(|| id.to_owned(), |account| account.name.clone())
    }

    /// Returns the group that the arguments of a create describe.
    pub fn wanted_plan(&self) -> MediationPlan {
        admob::plan(self.body())
    }

    pub fn line_name(&self, line: &Line) -> String {
        line.name.clone().unwrap_or_else(|| self.source_name(&line.ad_source))
    }

    /// Describes a line: "AppLovin (bidding)", "Unity at $2.00".
    pub fn line_words(&self, line: &Line) -> String {
        let name = self.line_name(line);
        let state = if line.enabled { "" } else { ", paused" };
        match line.price {
            // Some sources already have it in their name.
            Price::Bidding if name.to_lowercase().ends_with("(bidding)") => format!("{name}{state}"),
            Price::Bidding => format!("{name} (bidding{state})"),
            Price::Waterfall { cpm_micros, .. } => format!("{name} at {}{state}", dollars(cpm_micros)),
        }
    }
}

/// Writes a price in US dollars, the only currency for prices of AdMob's lines.
pub fn dollars(micros: i64) -> String {
    Money::new(Currency::USD, micros).display(2)
}

/// Writes a format as words: "banner", "rewarded interstitial".
pub fn format_words(wire: &str) -> String {
    human(&wire.to_uppercase()).to_lowercase()
}

/// Joins names: "a", "a and b", "a, b and 3 more".
pub fn join(names: &[String], most: usize) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        many if many.len() <= most => {
            let (last, rest) = many.split_last().unwrap_or((&many[0], &[]));
            format!("{} and {last}", rest.join(", "))
        }
        many => format!("{} and {} more", many[..most.min(many.len())].join(", "), many.len() - most),
    }
}

/// Returns a count with its noun: "3 line items".
pub fn plural_of(count: usize, kind: EntityKind) -> String {
    format!("{count} {}", if count == 1 { kind.label() } else { kind.plural() })
}

pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
