//! Routes the question, loads entities and chooses tools.

use std::sync::Arc;

use adagent_contract::{DecidedBy, EntityItem, ModelTier, NetworkState, Path};
use adagent_domain::{Network, ToolCallId};
use adagent_llm::{Question, Routing, aside};
use adagent_run_core::{Retrieval, Route, Turn, TurnInput, Unusable, UnusableWhy};
use adagent_tools::ToolInfo;

use super::{ask::Asking, second::opinion};
use crate::{
    context::{Context, left_out, load_entities},
    deps::RuntimeDeps,
    live::LiveSender,
};

/// Names that the workspace uses, and those that its strict selection leaves out.
pub(crate) struct Loaded {
    pub entities: Arc<Vec<EntityItem>>,
    pub outside: Vec<EntityItem>,
}

impl Loaded {
    async fn of(deps: &RuntimeDeps, context: &Context, entities: Arc<Vec<EntityItem>>) -> Self {
        let outside =
            left_out(deps, &context.claim.scope(ToolCallId(context.claim.run.id.0)), &context.usable(), &entities)
                .await;
        Self { entities, outside }
    }
}

/// Routes the question. To find names in it, loads the entities first. They are cached, so only the first question takes longer.
pub(crate) async fn route(
    deps: &RuntimeDeps,
    context: &Context,
    state: &Turn,
    sender: &LiveSender,
) -> (TurnInput, Loaded) {
    let entities = if let Some(known) = &context.turn.entities {
        Arc::clone(known)
    } else {
        let scope = context.claim.scope(ToolCallId(context.claim.run.id.0));
        Arc::new(load_entities(deps, &scope, &context.usable(), false).await.0)
    };
    let question = Question {
        text: context.turn.question.clone(),
        history: context.turn.history.clone(),
        connected: context.connected(),
        disabled: context.disabled(),
        today: context.turn.today.clone(),
        entities: Arc::clone(&entities).into(),
        connections: context.names(),
        own_tools: context.own_tools(),
        colleagues: context.colleagues(),
    };
    let bytes = question.text.len() + question.history.iter().map(|entry| entry.content.len()).sum::<usize>();
    let understanding = Arc::clone(&deps.understanding);
    let read = move || {
        let local = understanding.route(&question);
        (question, local)
    };
    let (question, local) = aside(bytes, read).await;
    let asking = Asking { deps, context, state, sender };
    let (opinion, asked) = opinion(&asking, &question, &local).await;
    let decided_by = if opinion.is_some() { DecidedBy::Model } else { DecidedBy::Local };
    let routing = opinion.unwrap_or(local);
    let mut unusable: Vec<Unusable> =
        routing.services.iter().filter_map(|network| unusable(context, *network)).collect();
    if routing.connect_any && !context.claim.chat_only() {
        unusable.push(Unusable { network: None, why: UnusableWhy::NotConnected });
    }
    let Routing { services, capability, path, confidence, thinking, understood, .. } = routing;
    let tier = match path {
        Path::Reactive => ModelTier::Fast,
        Path::Workflow => ModelTier::Strong,
    };
    let thinking = (!thinking.is_empty()).then_some(thinking);
    let route = Route { services, capability, path, tier, confidence, decided_by, understood };
    let loaded = Loaded::of(deps, context, entities).await;
    (TurnInput::Routed { route: Box::new(route), thinking, unusable, asked }, loaded)
}

fn unusable(context: &Context, network: Network) -> Option<Unusable> {
    if context.claim.chat_only() {
        return Some(Unusable { network: Some(network), why: UnusableWhy::ChatOnly });
    }
    let state = context.turn.networks.iter().find(|(known, _)| *known == network).map(|(_, state)| *state);
    let why = match state {
        Some(_) if !context.claim.grants.opens(network) => UnusableWhy::NotGranted,
        Some(NetworkState::Connected) if context.claim.enabled(network) => return None,
        Some(NetworkState::Connected | NetworkState::Disabled) => UnusableWhy::Disabled,
        Some(NetworkState::AuthFailed) => UnusableWhy::AuthFailed,
        _ => UnusableWhy::NotConnected,
    };
    Some(Unusable { network: Some(network), why })
}

pub(crate) async fn load(deps: &RuntimeDeps, context: &Context, refresh: bool) -> (TurnInput, Loaded) {
    if let (Some(known), false) = (&context.turn.entities, refresh) {
        let loaded = Loaded::of(deps, context, Arc::clone(known)).await;
        return (TurnInput::EntitiesLoaded { problems: Vec::new() }, loaded);
    }
    let scope = context.claim.scope(ToolCallId(context.claim.run.id.0));
    let (items, problems) = load_entities(deps, &scope, &context.usable(), refresh).await;
    (TurnInput::EntitiesLoaded { problems }, Loaded::of(deps, context, Arc::new(items)).await)
}

/// Returns the tools that a turn may use.
pub(super) fn visible(deps: &RuntimeDeps, context: &Context) -> Vec<Arc<ToolInfo>> {
    let usable = context.usable();
    deps.tools
        .tools()
        .into_iter()
        .chain(context.turn.own_tools.iter().cloned())
        .filter(|tool| tool.network().is_none_or(|network| usable.contains(&network)))
        .filter(|tool| tool.read_only || !context.claim.settings.safe_mode)
        .collect()
}

pub(crate) async fn retrieve(deps: &RuntimeDeps, context: &Context, state: &Turn) -> TurnInput {
    let visible = visible(deps, context);
    let Some(route) = &state.route else { return TurnInput::Retrieved(Retrieval::default()) };
    let (understood, understanding) = (route.understood.clone(), Arc::clone(&deps.understanding));
    let bytes = context.turn.question.len();
    let tools = aside(bytes, move || understanding.retrieve(&understood, &visible)).await;
    TurnInput::Retrieved(Retrieval { tools })
}
