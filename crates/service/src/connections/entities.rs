//! Entities of a connection (accounts, apps, ad units and others), in pages.

use adagent_contract::{EntityItem, EntityKind, Page};
use adagent_domain::{ConnectionId, Granted, Network, rights::ViewConnections};
use adagent_store::ConnectionState;

use super::{source, told};
use crate::{Service, ServiceResult, cursor};

impl Service {
    pub async fn entities(
        &self,
        actor: &Granted<ViewConnections>,
        id: ConnectionId,
        kind: EntityKind,
        refresh: bool,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<EntityItem>> {
        let limit = cursor::limit(limit)?;
        let after: Option<String> = cursor::to_id(cursor.as_deref())?;
        let connection = self.connection(actor, id).await?;
        let network = connection.network;
        // Until a person has chosen accounts, these accounts are the only entities.
        let items = if kind == EntityKind::Account && connection.state == ConnectionState::ChooseAccount {
            let choices = source::accounts(&connection).into_iter();
            choices.map(|choice| account_item(network, choice)).collect()
        } else {
            let via = source::via_of(&connection);
            let found = self.connections.networks.entities_through(via, network, kind, refresh).await;
            found.map_err(|error| told(network, &error))?
        };
        let start = match &after {
            None => 0,
            // If the list has changed and lacks this ID, it ends here instead of repeating entities.
            Some(after) => items.iter().position(|item| item.id == *after).map_or(items.len(), |at| at + 1),
        };
        let rest: Vec<EntityItem> = items.into_iter().skip(start).take(limit as usize + 1).collect();
        let (items, more) = cursor::cut(rest, limit);
        let next_cursor = items.last().filter(|_| more).map(|item| cursor::of_id(&item.id));
        Ok(Page { items, next_cursor })
    }

    /// Lists all entities of a kind, for the context tree and forms: a person must see an entity to select it.
    pub async fn entities_of(
        &self,
        actor: &Granted<ViewConnections>,
        network: Network,
        kind: EntityKind,
    ) -> ServiceResult<Vec<EntityItem>> {
        let found = self.connections.networks.entities_of(actor.workspace, network, kind, false).await;
        let mut items = found.map_err(|error| told(network, &error))?;
        for item in &mut items {
            item.raw = serde_json::Value::Null.into();
        }
        Ok(items)
    }
}

fn account_item(network: Network, choice: adagent_contract::AccountChoice) -> EntityItem {
    EntityItem {
        network,
        kind: EntityKind::Account,
        name: choice.called().to_owned(),
        parent: None,
        account: Some(choice.id.clone()),
        id: choice.id,
        platform: None,
        format: None,
        status: None,
        connection: None,
        raw: serde_json::json!({"currencyCode": choice.currency, "reportingTimeZone": choice.time_zone}).into(),
    }
}
