//! Loads entities through the list and get operations that the catalog names, so that limits, retries and credentials apply here too. This
//! module must never send a request that changes something.

use std::sync::Arc;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, future::BoxFuture, stream};
use serde_json::{Map, Value as Json, json};

use super::{Found, Items, item};
use crate::{
    Via,
    catalogue::{EntityFacts, LookUp, NetworkFacts, Operation},
    networks::{Networks, Quiet},
    pipeline::dotted,
    sign::Accounts,
};
use adagent_tools::{ToolError, ToolErrorClass};

/// How many lists we fetch at the same time.
const PARALLEL: usize = 4;
/// If a kind has too many entities to list them all, we search this many for one that resembles an unknown ID.
const FIRST_PAGE: u64 = 200;

/// The account whose entities are loaded.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub via: Via,
    pub network: Network,
    pub account: &'a str,
}

pub async fn together(loads: Vec<BoxFuture<'_, Result<Items, ToolError>>>) -> Result<Vec<Items>, ToolError> {
    stream::iter(loads).buffered(PARALLEL).try_collect().await
}

/// How the entities of a kind are listed.
struct Listing {
    facts: Arc<NetworkFacts>,
    operation: Arc<Operation>,
    /// The parent that the list operation requires (one call per parent), and the parameter that names it.
    parent: Option<(EntityKind, String)>,
}

impl Listing {
    fn entity(&self, kind: EntityKind) -> Option<&EntityFacts> {
        self.facts.of_kind(kind)
    }

    fn args(&self, kind: EntityKind, place: &Place<'_>, parent: &str) -> Json {
        let mut args = self.entity(kind).map_or_else(Map::new, |entity| entity.list_args.clone());
        let schema = &self.operation.info.input_schema;
        for name in required(schema) {
            let value = match &self.parent {
                Some((_, param)) if param == name => typed(&schema["properties"][name], parent),
                _ if schema["properties"][name]["type"] == "object" => json!({}),
                _ => typed(&schema["properties"][name], place.account),
            };
            args.insert(name.to_owned(), value);
        }
        Json::Object(args)
    }
}

fn required(schema: &Json) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str)
}

/// Returns an ID in the type that the parameter takes.
fn typed(schema: &Json, id: &str) -> Json {
    match id.parse::<i64>() {
        Ok(number) if schema["type"] == "integer" => number.into(),
        _ => id.into(),
    }
}

impl Networks {
    /// Returns the IDs of the accounts that the connection uses.
    pub(crate) async fn selected_accounts(&self, via: Via, network: Network) -> Result<Vec<String>, ToolError> {
        Ok(self.accounts(via, network).await?.iter().map(|account| account.id.clone()).collect())
    }

    /// Returns the accounts that the connection uses.
    pub(crate) async fn accounts(&self, via: Via, network: Network) -> Result<Items, ToolError> {
        let place = Place { via, network, account: "" };
        let load = async {
            let credentials = self.credentials(via, network).await?;
            let facts = self.facts(network)?;
            let membership = &facts.profile().membership;
            if let Accounts::One { .. } = membership.accounts {
                let mut choices = credentials.accounts.clone();
                if choices.is_empty() {
                    choices.push(self.one_account(&facts, &credentials, None, None));
                }
                return Ok(choices.iter().map(|choice| account(network, choice)).collect());
            }
            let list = membership.proofs.first().map(|proof| proof.tool).unwrap_or_default();
            let raw = self.list(via, list, &json!({})).await?;
            let found = Found { account: None, parent: None };
            let mut items: Vec<EntityItem> =
                raw.iter().filter_map(|raw| item(&facts, EntityKind::Account, raw, found)).collect();
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

    /// Loads all entities of a kind in the accounts of the connection; empty if the network does not have the kind or cannot list it.
    pub(crate) async fn all(&self, via: Via, network: Network, kind: EntityKind) -> Result<Vec<EntityItem>, ToolError> {
        if kind == EntityKind::Account {
            return Ok(self.accounts(via, network).await?.to_vec());
        }
        if !self.can_list(network, kind) {
            return Ok(Vec::new());
        }
        let accounts = self.selected_accounts(via, network).await?;
        let places = accounts.iter().map(|account| Place { via, network, account });
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

    /// Loads the entities of a kind in one account.
    pub(crate) fn of_account<'a>(
        &'a self,
        place: Place<'a>,
        kind: EntityKind,
    ) -> BoxFuture<'a, Result<Items, ToolError>> {
        async move {
            match (place.network, kind) {
                (Network::AdMob, _) => return self.of_admob(place, kind).await,
                (_, EntityKind::Account) => return self.accounts(place.via, place.network).await,
                _ => {}
            }
            let Some(listing) = self.listing(place.network, kind) else { return Ok(Items::default()) };
            let Some((above, _)) = listing.parent else { return self.inside(place, kind, "").await };
            let load = async {
                let parents = self.of_account(place, above).await?;
                let lists =
                    together(parents.iter().map(|parent| self.inside(place, kind, &parent.id).boxed()).collect());
                Ok(lists.await?.iter().flat_map(|list| list.iter().cloned()).collect())
            };
            self.registry().get(&place, kind, "", load.boxed()).await
        }
        .boxed()
    }

    /// Loads the entities that one parent holds, or all entities if the kind is listed without a parent.
    pub(crate) async fn inside(&self, place: Place<'_>, kind: EntityKind, parent: &str) -> Result<Items, ToolError> {
        let Some(listing) = self.listing(place.network, kind) else { return Ok(Items::default()) };
        let parent = if listing.parent.is_some() { parent } else { "" };
        let load = async {
            let args = listing.args(kind, &place, parent);
            self.things(&place, &listing, kind, &args, parent).await
        };
        self.registry().get(&place, kind, parent, load.boxed()).await
    }

    /// Loads up to one page of a kind that may have very many entities, to suggest some of them.
    pub(crate) async fn some(&self, place: Place<'_>, kind: EntityKind) -> Result<Items, ToolError> {
        let Some(listing) = self.listing(place.network, kind).filter(|listing| listing.parent.is_none()) else {
            return Ok(Items::default());
        };
        let load = async {
            let mut args = listing.args(kind, &place, "");
            let size = listing.operation.result.pagination.as_ref().and_then(|rule| rule.page_size_param.as_deref());
            if let Some(size) = size {
                dotted::set(&mut args, size, FIRST_PAGE.into());
            }
            self.things(&place, &listing, kind, &args, "").await
        };
        self.registry().get(&place, kind, "~", load.boxed()).await
    }

    /// Loads one entity by its ID, if the network can return a single one; `None` if it does not exist.
    pub(crate) async fn one(
        &self,
        place: Place<'_>,
        kind: EntityKind,
        id: &str,
    ) -> Result<Option<EntityItem>, ToolError> {
        let load = async { Ok(self.read_one(place, kind, id).await?.into_iter().collect()) };
        let found = self.registry().get(&place, kind, &format!("={id}"), load.boxed()).await?;
        Ok(found.first().cloned())
    }

    /// Loads all entities of a kind in one place without the cache, and says whether the list was read to its end. `None` if they cannot be
    /// listed there.
    pub(crate) async fn all_as_it_is(
        &self,
        place: Place<'_>,
        kind: EntityKind,
        parent: Option<&str>,
    ) -> Result<Option<(Vec<EntityItem>, bool)>, ToolError> {
        let Some(listing) = self.listing(place.network, kind) else { return Ok(None) };
        let parent = match (&listing.parent, parent) {
            (Some(_), None) => return Ok(None),
            (Some(_), Some(parent)) => parent,
            (None, _) => "",
        };
        let args = listing.args(kind, &place, parent);
        Ok(Some(self.things_of(&place, &listing, kind, &args, parent).await?))
    }

    async fn read_one(&self, place: Place<'_>, kind: EntityKind, id: &str) -> Result<Option<EntityItem>, ToolError> {
        let facts = self.facts(place.network)?;
        let Some(get) = facts.of_kind(kind).and_then(|entity| entity.get.as_ref()) else { return Ok(None) };
        let operation = self.operation(&get.name)?;
        let schema = &operation.info.input_schema;
        let mut args = json!({ &get.id: typed(&schema["properties"][&get.id], id) });
        if let Some(param) = &get.account {
            args[param] = place.account.into();
        }
        // Request all optional parts; a part that we do not name would look empty.
        if let Some(parts) = schema.pointer("/properties/fields/items/enum") {
            args["fields"] = parts.clone();
        }
        match self.send(place.via, &operation, &args, None, &mut Quiet).await {
            Ok(reply) => Ok(item(&facts, kind, &reply.body, Found { account: Some(place.account), parent: None })),
            Err(error) if error.class == ToolErrorClass::Deterministic && error.code == "NOT_FOUND" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Loads one entity without the cache; `None` if it does not exist or we cannot read it.
    pub(crate) async fn as_it_is(
        &self,
        place: Place<'_>,
        kind: EntityKind,
        id: &str,
        parent: Option<&str>,
    ) -> Result<Option<EntityItem>, ToolError> {
        let facts = self.facts(place.network)?;
        if facts.of_kind(kind).is_some_and(|entity| entity.get.is_some()) {
            return self.read_one(place, kind, id).await;
        }
        let all = self.all_as_it_is(place, kind, parent).await?;
        Ok(all.and_then(|(all, _)| all.into_iter().find(|item| item.id == id)))
    }

    /// Checks whether entities of this kind can be listed.
    pub(crate) fn can_list(&self, network: Network, kind: EntityKind) -> bool {
        kind == EntityKind::Account || self.listing(network, kind).is_some()
    }

    /// Checks whether a single entity is loaded with a request of its own, because there may be too many to list, or they can be listed
    /// only parent by parent.
    pub(crate) fn is_asked_for(&self, network: Network, kind: EntityKind) -> bool {
        let Ok(facts) = self.facts(network) else { return false };
        let Some(entity) = facts.of_kind(kind).filter(|entity| entity.get.is_some()) else { return false };
        entity.look_up == LookUp::One || self.listing(network, kind).is_none_or(|listing| listing.parent.is_some())
    }

    /// Returns the kind of parent that must be named to list entities of this kind.
    pub(crate) fn listed_for(&self, network: Network, kind: EntityKind) -> Option<EntityKind> {
        self.listing(network, kind)?.parent.map(|(kind, _)| kind)
    }

    /// Returns how a kind is listed; `None` if the operation requires something other than the account or a parent that can be listed.
    fn listing(&self, network: Network, kind: EntityKind) -> Option<Listing> {
        let facts = self.facts(network).ok()?;
        let entity = facts.of_kind(kind)?;
        let operation = self.operation(entity.list_tool.as_deref()?).ok()?;
        let mut parent = None;
        for name in required(&operation.info.input_schema) {
            let of = operation.entities.iter().find(|(path, _)| path == name).map(|(_, entity)| entity.as_str());
            match of.and_then(|of| facts.entity(of)).and_then(EntityFacts::kind) {
                Some(EntityKind::Account) => {}
                Some(above) if of == entity.parent.as_deref() && self.can_list(network, above) => {
                    parent = Some((above, name.to_owned()));
                }
                None if operation.info.input_schema["properties"][name]["type"] == "object" => {}
                _ => return None,
            }
        }
        Some(Listing { facts: Arc::clone(&facts), operation, parent })
    }

    async fn things(
        &self,
        place: &Place<'_>,
        listing: &Listing,
        kind: EntityKind,
        args: &Json,
        parent: &str,
    ) -> Result<Vec<EntityItem>, ToolError> {
        Ok(self.things_of(place, listing, kind, args, parent).await?.0)
    }

    async fn things_of(
        &self,
        place: &Place<'_>,
        listing: &Listing,
        kind: EntityKind,
        args: &Json,
        parent: &str,
    ) -> Result<(Vec<EntityItem>, bool), ToolError> {
        let reply = self.send(place.via, &listing.operation, args, None, &mut Quiet).await?;
        let path = listing.entity(kind).and_then(|entity| entity.list_path.as_deref());
        let list = path.map_or(Some(&reply.body), |path| dotted::get(&reply.body, path));
        let found = Found { account: Some(place.account), parent: Some(parent).filter(|parent| !parent.is_empty()) };
        let raw = list.and_then(Json::as_array).into_iter().flatten();
        Ok((raw.filter_map(|raw| item(&listing.facts, kind, raw, found)).collect(), !reply.truncated))
    }

    pub(crate) async fn list(&self, via: Via, tool: &str, args: &Json) -> Result<Vec<Json>, ToolError> {
        Ok(self.listed(via, tool, args).await?.0)
    }

    /// Returns the items, and whether the list was read to its end; our bounds may have cut it.
    pub(crate) async fn listed(&self, via: Via, tool: &str, args: &Json) -> Result<(Vec<Json>, bool), ToolError> {
        let operation = self.operation(tool)?;
        let reply = self.send(via, &operation, args, None, &mut Quiet).await?;
        match reply.body {
            Json::Array(items) => Ok((items, !reply.truncated)),
            _ => Ok((Vec::new(), false)),
        }
    }
}

/// Returns the account of a connection made with keys.
fn account(network: Network, choice: &adagent_contract::AccountChoice) -> EntityItem {
    EntityItem {
        network,
        kind: EntityKind::Account,
        id: choice.id.clone(),
        name: if choice.name.is_empty() { network.display_name().to_owned() } else { choice.name.clone() },
        parent: None,
        account: Some(choice.id.clone()),
        platform: None,
        format: None,
        status: None,
        connection: None,
        raw: json!({"currencyCode": choice.currency, "reportingTimeZone": choice.time_zone}).into(),
    }
}
