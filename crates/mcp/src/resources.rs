//! Resources: what the workspace has at its networks, and what was found lately.

use adagent_contract::{ApprovalStatus, EntityKind, NetworkState, TurnApproval};
use adagent_domain::{Actor, Network, RunId};
use adagent_service::{ServiceError, ServiceResult};
use rmcp::{
    ErrorData,
    model::{CacheScope, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::{Value as Json, json};

use crate::{Shared, answers, who, whole};

const NETWORKS: &str = "adagent://networks";
const APPROVALS: &str = "adagent://approvals";
const RUNS: &str = "adagent://runs/";
const ENTITIES: &str = "adagent://entities/";
const JSON: &str = "application/json";
const TTL_MS: u64 = 30_000;
const PAGE: u32 = 50;

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("adagent://entities/{network}/{kind}", "entities")
            .with_title("A network's inventory")
            .with_description(
                "Accounts, apps, ad units and the rest of a connected network; kind is account, app, ad_unit …",
            )
            .with_mime_type(JSON),
        ResourceTemplate::new("adagent://runs/{run_id}", "run")
            .with_title("A run")
            .with_description("Question, answer, tables and approvals of a run")
            .with_mime_type(JSON),
        whole::template(),
    ]
}

/// The fixed ones and entities on the first page, then the person's runs, newest first.
pub(crate) async fn list(
    shared: &Shared,
    actor: &Actor,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ErrorData> {
    let mut items = Vec::new();
    if cursor.is_none() {
        items.push(
            Resource::new(NETWORKS, "networks")
                .with_title("Networks")
                .with_description("Every network with its state")
                .with_mime_type(JSON),
        );
        items.push(
            Resource::new(APPROVALS, "approvals")
                .with_title("Pending approvals")
                .with_description("Changes that need approval")
                .with_mime_type(JSON),
        );
        for network in connected(shared, actor).await? {
            for (kind, title) in [(EntityKind::App, "apps"), (EntityKind::AdUnit, "ad units")] {
                items.push(
                    Resource::new(format!("{ENTITIES}{network}/{}", word(kind)), format!("{network}-{}", word(kind)))
                        .with_title(format!("{}: {title}", network.display_name()))
                        .with_mime_type(JSON),
                );
            }
        }
    }
    let runs = shared.service.list_runs(actor, cursor, Some(PAGE)).await.map_err(|error| who::failed(&error))?;
    items.extend(runs.items.into_iter().map(|run| {
        Resource::new(format!("{RUNS}{}", run.id), format!("run-{}", run.id))
            .with_title(run.question.chars().take(100).collect::<String>())
            .with_description(format!("{}, {}", run.status.as_str(), run.created_at))
            .with_mime_type(JSON)
    }));
    let mut result =
        ListResourcesResult::with_all_items(items).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private);
    result.next_cursor = runs.next_cursor;
    Ok(result)
}

pub(crate) async fn read(shared: &Shared, actor: &Actor, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if let Some(named) = whole::named(uri) {
        let page = whole::read(shared, actor, &named, uri).await?.ok_or_else(|| missing(uri))?;
        return Ok(ReadResourceResult::new(vec![page]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private));
    }
    let data = match uri {
        NETWORKS => networks(shared, actor).await?,
        APPROVALS => approvals(shared, actor).await?,
        _ => {
            if let Some(id) = uri.strip_prefix(RUNS) {
                run(shared, actor, id.parse().map_err(|_| missing(uri))?, uri).await?
            } else if let Some((network, kind)) = uri.strip_prefix(ENTITIES).and_then(|rest| rest.split_once('/')) {
                entities(shared, actor, uri, network, kind).await?
            } else {
                return Err(missing(uri));
            }
        }
    };
    let contents = ResourceContents::text(data.to_string(), uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
}

/// Whether a subscription may follow it: runs, and what waits for a person.
pub(crate) fn is_watched(uri: &str) -> bool {
    uri == APPROVALS || uri.strip_prefix(RUNS).is_some_and(|id| id.parse::<RunId>().is_ok())
}

/// A mark of what a watched resource says now: another mark, another content. `None` when there is no such thing for this person.
pub(crate) async fn mark(shared: &Shared, actor: &Actor, uri: &str) -> ServiceResult<Option<String>> {
    if uri == APPROVALS {
        let page = shared.service.list_approvals(actor, Some(ApprovalStatus::Pending), None, Some(PAGE)).await?;
        return Ok(Some(page.items.iter().map(|approval| approval.id.to_string()).collect()));
    }
    let Some(id) = uri.strip_prefix(RUNS).and_then(|id| id.parse().ok()) else { return Ok(None) };
    match shared.service.run(actor, id).await {
        Ok(run) => Ok(Some(format!("{} {}", run.status.as_str(), run.last_seq))),
        Err(ServiceError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn missing(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("There is no resource {}.", who::quoted(uri)),
        Some(json!({"uri": who::quoted(uri)})),
    )
}

pub(crate) async fn connected(shared: &Shared, actor: &Actor) -> Result<Vec<Network>, ErrorData> {
    let tools = shared.service.usable_tools(&who::granted(actor)?).await.map_err(|error| who::failed(&error))?;
    let mut networks: Vec<Network> = tools.iter().map(|tool| tool.network).collect();
    networks.sort();
    networks.dedup();
    Ok(networks)
}

async fn networks(shared: &Shared, actor: &Actor) -> Result<Json, ErrorData> {
    let providers = shared.service.providers(&who::granted(actor)?).await.map_err(|error| who::failed(&error))?;
    let connect = |network: Network, state: NetworkState| {
        (state == NetworkState::NotConnected).then(|| shared.page(&format!("/settings/networks?connect={network}")))
    };
    let items = providers.into_iter().map(|provider| {
        json!({
            "network": provider.network, "name": provider.display_name, "state": provider.state,
            "sandbox": provider.sandbox, "accounts": provider.accounts, "connect_at": connect(provider.network, provider.state),
        })
    });
    Ok(json!({"items": items.collect::<Vec<_>>()}))
}

async fn approvals(shared: &Shared, actor: &Actor) -> Result<Json, ErrorData> {
    let page = shared.service.list_approvals(actor, Some(ApprovalStatus::Pending), None, Some(PAGE)).await;
    let page = page.map_err(|error| who::failed(&error))?;
    let items = page.items.into_iter().map(|view| {
        let run = view.run_id;
        answers::approval_of(shared, run, &TurnApproval::from(view))
    });
    Ok(json!({"items": items.collect::<Vec<_>>()}))
}

async fn run(shared: &Shared, actor: &Actor, id: RunId, uri: &str) -> Result<Json, ErrorData> {
    let run = shared.service.run(actor, id).await.map_err(|_| missing(uri))?;
    let turn = shared.service.turn(actor, id).await.map_err(|error| who::failed(&error))?;
    let mut data = answers::run_data(shared, &turn);
    data["question"] = run.question.into();
    Ok(data)
}

async fn entities(shared: &Shared, actor: &Actor, uri: &str, network: &str, kind: &str) -> Result<Json, ErrorData> {
    let network: Network = network.parse().map_err(|_| missing(uri))?;
    let kind: EntityKind = serde_json::from_value(kind.into()).map_err(|_| missing(uri))?;
    // What is switched off or not connected has nothing to show here.
    if !connected(shared, actor).await?.contains(&network) {
        return Err(missing(uri));
    }
    let items = shared
        .service
        .visible_entities(&who::granted(actor)?, network, kind)
        .await
        .map_err(|error| who::failed(&error))?;
    Ok(json!({"network": network, "kind": kind, "items": items}))
}

pub(crate) fn word(kind: EntityKind) -> String {
    serde_json::to_value(kind).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
