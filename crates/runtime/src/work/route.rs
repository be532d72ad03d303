//! Route, load entities, choose tools.

use std::sync::Arc;

use adagent_contract::{DecidedBy, EntityItem, ModelTier, NetworkState, Path};
use adagent_domain::{Network, ToolCallId};
use adagent_run_core::{Input, Retrieval, Route, State, Unusable, UnusableWhy};
use adagent_understanding::{Question, Understood};

use super::{ask::Asking, second::opinion};
use crate::{
    context::{Context, load_entities},
    deps::RuntimeDeps,
    live::LiveSender,
};

/// Names in the question are known only with the entities at hand; they are cached, so this costs the first question only.
pub(crate) async fn route(
    deps: &RuntimeDeps,
    context: &Context,
    state: &State,
    sender: LiveSender,
) -> (Input, Arc<Vec<EntityItem>>) {
    let entities = if let Some(known) = &context.entities {
        Arc::clone(known)
    } else {
        let scope = context.scope(ToolCallId(context.run.id.0));
        Arc::new(load_entities(deps, &scope, &context.usable(), false).await.0)
    };
    let question = Question {
        text: context.question.clone(),
        history: context.history.clone(),
        connected: context.connected(),
        disabled: context.disabled(),
        today: context.today.clone(),
        entities: entities.as_ref().clone(),
        connections: context.names(),
    };
    let local = deps.understanding.route(&question);
    let asking = Asking { deps, context, state, sender: &sender };
    let (opinion, asked) = opinion(&asking, &question, &local).await;
    let decided_by = if opinion.is_some() { DecidedBy::Model } else { DecidedBy::Local };
    // Which accounts are meant is read from the words, whoever decides about the rest.
    let accounts = local.accounts.clone();
    let understood = Understood { accounts, ..opinion.unwrap_or(local) };
    let unusable = understood.services.iter().filter_map(|network| unusable(context, *network)).collect();
    let tier = match understood.path {
        Path::Reactive => ModelTier::Fast,
        Path::Workflow => ModelTier::Strong,
    };
    let thinking = (!understood.thinking.is_empty()).then(|| understood.thinking.clone());
    let route = Route {
        services: understood.services.clone(),
        capability: word(&understood.capability),
        path: understood.path,
        tier,
        confidence: understood.confidence,
        decided_by,
        understood: serde_json::to_value(&understood).unwrap_or_default(),
    };
    (Input::Routed { route: Box::new(route), thinking, unusable, asked }, entities)
}

fn word<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|json| json.as_str().map(str::to_owned)).unwrap_or_default()
}

fn unusable(context: &Context, network: Network) -> Option<Unusable> {
    if context.chat_only() {
        return Some(Unusable { network, why: UnusableWhy::ChatOnly });
    }
    let state = context.networks.iter().find(|(known, _)| *known == network).map(|(_, state)| *state);
    let why = match state {
        Some(NetworkState::Connected) if context.enabled(network) => return None,
        Some(NetworkState::Connected | NetworkState::Disabled) => UnusableWhy::Disabled,
        Some(NetworkState::AuthFailed) => UnusableWhy::AuthFailed,
        _ if !network.is_available() => UnusableWhy::ComingSoon,
        _ => UnusableWhy::NotConnected,
    };
    Some(Unusable { network, why })
}

pub(crate) async fn load(deps: &RuntimeDeps, context: &Context, refresh: bool) -> (Input, Arc<Vec<EntityItem>>) {
    if let (Some(known), false) = (&context.entities, refresh) {
        return (Input::EntitiesLoaded { problems: Vec::new() }, Arc::clone(known));
    }
    let scope = context.scope(ToolCallId(context.run.id.0));
    let (items, problems) = load_entities(deps, &scope, &context.usable(), refresh).await;
    (Input::EntitiesLoaded { problems }, Arc::new(items))
}

/// What the route stored; a route of an older version that no longer reads is routed afresh by its defaults.
pub(crate) fn understood(state: &State) -> Option<Understood> {
    serde_json::from_value(state.route.as_ref()?.understood.clone()).ok()
}

pub(crate) fn retrieve(deps: &RuntimeDeps, context: &Context, state: &State) -> Input {
    let usable = context.usable();
    let visible: Vec<_> = deps
        .gateway
        .tools()
        .into_iter()
        .filter(|tool| usable.contains(&tool.network))
        .filter(|tool| tool.read_only || !context.settings.safe_mode)
        .collect();
    let tools =
        understood(state).map(|understood| deps.understanding.retrieve(&understood, &visible)).unwrap_or_default();
    Input::Retrieved(Retrieval { tools })
}
