//! A trial of keys before a person stores them.

use std::collections::BTreeMap;

use adagent_contract::{Abilities, Problem};
use adagent_domain::{ConnectionId, Network};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The result of a trial: what the keys can do, or why the network refused them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub opens: Option<Abilities>,
    pub refused: Option<Box<Problem>>,
}

/// Tries keys at the network and stores nothing. Returns what the keys may do there, or which field is wrong. Without JavaScript,
/// the form comes back with the three words for what the keys may do, or with a code and the names of the fields; an address
/// never carries a key.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "try-keys", client = super::DeskClient)]
pub async fn try_keys(
    network: Network,
    #[server(default)] fields: BTreeMap<String, String>,
    place: Option<adagent_contract::KeyPlace>,
    return_to: Option<String>,
    connection_id: Option<ConnectionId>,
    #[server(default)] add: bool,
    label: Option<String>,
) -> Result<Trial, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let target = super::networks::target(connection_id, add, label);
    // The form that comes back must be about the same connection.
    let asked = super::networks::asked(&target);
    let given = super::networks::given(fields, place, target);
    let answer = service.try_keys(&server::granted(&actor)?, network, given).await;
    if server::without_script() {
        let back = return_to.as_deref().and_then(super::safe_return);
        let back = back.map(|path| format!("&return={}", adagent_contract::links::encode(&path))).unwrap_or_default();
        let said = match &answer {
            Ok(abilities) => {
                let words = abilities.each().map(|(_, view)| view.ability.as_str()).join(",");
                format!("&tried={words}")
            }
            Err(error) => super::networks::in_address(&error.problem()),
        };
        server::redirect(&format!("/settings/networks?connect={network}{asked}{said}{back}"));
    }
    match answer {
        Ok(abilities) => Ok(Trial { opens: Some(abilities), refused: None }),
        Err(error) => Ok(Trial { opens: None, refused: server::refused(error)? }),
    }
}
