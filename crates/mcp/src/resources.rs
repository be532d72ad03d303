//! Resources: the workspace's entities at its networks, and recent results.

use adagent_contract::{ApprovalStatus, EntityKind, NetworkState, TurnApproval};
use adagent_domain::{Actor, Network, RunId};
use adagent_service::{ServiceError, ServiceResult};
use rmcp::{
    ErrorData,
    model::{CacheScope, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::{Value as Json, json};

use crate::{Shared, answers, budget, who, whole};

const NETWORKS: &str = "adagent://networks";
const APPROVALS: &str = "adagent://approvals";
const RUNS: &str = "adagent://runs/";
const ENTITIES: &str = "adagent://entities/";
const JSON: &str = "application/json";
const TTL_MS: u64 = 30_000;
const PAGE: u32 = 50;
/// The bytes of one page of entities: as much as an answer holds.
const ENTITY_PAGE: usize = 40_000;

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("adagent://entities/{network}/{kind}", "entities")
            .with_title("A network's inventory")
            .with_description(
                "Accounts, apps, ad units and the rest of a connected network; kind is account, app, ad_unit … A long list comes in pages: next is the address of the next one.",
            )
            .with_mime_type(JSON),
        ResourceTemplate::new("adagent://runs/{run_id}", "run")
            .with_title("A run")
            .with_description("Question, answer, tables and approvals of a run. Many tables come in pages: next is the address of the next one.")
            .with_mime_type(JSON),
        whole::template(),
    ]
}

/// Lists the fixed resources and the entities on the first page, then the person's runs, newest first.
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
            if let Some(rest) = uri.strip_prefix(RUNS) {
                let (id, page) = paged(rest, 1).ok_or_else(|| missing(uri))?;
                run(shared, actor, id.parse().map_err(|_| missing(uri))?, uri, page).await?
            } else if let Some(rest) = uri.strip_prefix(ENTITIES) {
                let (named, page) = paged(rest, 2).ok_or_else(|| missing(uri))?;
                entities(shared, actor, uri, named, page).await?
            } else {
                return Err(missing(uri));
            }
        }
    };
    let (data, _) = budget::within(data, whole::PAGE);
    let contents = ResourceContents::text(data.to_string(), uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
}

/// Checks whether a subscription can follow this address: runs, and pending approvals.
pub(crate) fn is_watched(uri: &str) -> bool {
    uri == APPROVALS || uri.strip_prefix(RUNS).is_some_and(|id| id.parse::<RunId>().is_ok())
}

/// Returns a mark of a watched resource's current content: if the mark differs, so does the content. `None` if this person has no such
/// resource.
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
    let mut networks: Vec<Network> = tools.iter().filter_map(|tool| tool.network()).collect();
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

/// Splits an address with this many parts from the page number after them; without a number, the page is the first.
fn paged(rest: &str, parts: usize) -> Option<(&str, usize)> {
    if rest.split('/').count() == parts {
        return Some((rest, 1));
    }
    let (named, page) = rest.rsplit_once('/')?;
    let page = page.parse().ok().filter(|page| *page > 0)?;
    (named.split('/').count() == parts).then_some((named, page))
}

/// Puts the items of a page into `head`, which every page repeats.
fn page_of(mut head: Json, field: &str, lines: &[String], next: Option<String>) -> Json {
    let items = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
    head[field] = Json::Array(items.collect());
    head["next"] = next.into();
    head
}

/// Returns the link to the whole run.
pub(crate) fn run_link(run: RunId) -> Resource {
    Resource::new(format!("{RUNS}{run}"), format!("run-{run}"))
        .with_title("The whole answer")
        .with_description("Every table of the run; next is the address of the next page.")
        .with_mime_type(JSON)
}

/// Returns a run: its tables page by page, and everything else on the first page.
async fn run(shared: &Shared, actor: &Actor, id: RunId, uri: &str, page: usize) -> Result<Json, ErrorData> {
    let run = shared.service.run(actor, id).await.map_err(|_| missing(uri))?;
    let turn = shared.service.turn_with_agents(actor, id).await.map_err(|error| who::failed(&error))?;
    let mut data = answers::run_data(shared, &turn);
    data["question"] = run.question.into();
    let tables = match data["artifacts"].take() {
        Json::Array(tables) => tables,
        _ => Vec::new(),
    };
    let lines = tables.into_iter().map(|table| budget::within(table, whole::PAGE / 2).0.to_string());
    let (lines, more) = whole::nth_page(lines, whole::PAGE / 2, page).ok_or_else(|| missing(uri))?;
    let head = if page == 1 { data } else { json!({"run_id": id, "status": data["status"]}) };
    Ok(page_of(head, "artifacts", &lines, more.then(|| format!("{RUNS}{id}/{}", page + 1))))
}

async fn entities(shared: &Shared, actor: &Actor, uri: &str, named: &str, page: usize) -> Result<Json, ErrorData> {
    let (network, kind) = named.split_once('/').ok_or_else(|| missing(uri))?;
    let network: Network = network.parse().map_err(|_| missing(uri))?;
    let kind: EntityKind = serde_json::from_value(kind.into()).map_err(|_| missing(uri))?;
    // A network that is turned off or not connected has nothing to show here.
    if !connected(shared, actor).await?.contains(&network) {
        return Err(missing(uri));
    }
    let items = shared
        .service
        .visible_entities(&who::granted(actor)?, network, kind)
        .await
        .map_err(|error| who::failed(&error))?;
    let lines = items.iter().filter_map(|item| serde_json::to_string(item).ok());
    let (lines, more) = whole::nth_page(lines, ENTITY_PAGE, page).ok_or_else(|| missing(uri))?;
    let head = json!({"network": network, "kind": kind, "page": page, "total": items.len()});
    let next = more.then(|| format!("{ENTITIES}{network}/{}/{}", word(kind), page + 1));
    Ok(page_of(head, "items", &lines, next))
}

pub(crate) fn word(kind: EntityKind) -> String {
    serde_json::to_value(kind).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_say_which_page() {
        assert_eq!(paged("1", 1), Some(("1", 1)));
        assert_eq!(paged("1/3", 1), Some(("1", 3)));
        assert_eq!(paged("admob/app", 2), Some(("admob/app", 1)));
        assert_eq!(paged("admob/app/2", 2), Some(("admob/app", 2)));
        for other in ["admob", "admob/app/0", "admob/app/x", "admob/app/1/2", "admob/app/-1"] {
            assert_eq!(paged(other, 2), None, "{other}");
        }
    }

    #[test]
    fn pages_of_a_list_hold_every_item_once() {
        let item = |n: usize| json!({"id": n, "name": "x".repeat(500)}).to_string();
        let (mut seen, mut page) = (0, 1);
        loop {
            let (lines, more) = whole::nth_page((0..1_000).map(item), ENTITY_PAGE, page).unwrap();
            let data = page_of(json!({"total": 1_000}), "items", &lines, more.then(|| "next".to_owned()));
            assert!(data.to_string().len() < ENTITY_PAGE + 1_000);
            assert_eq!(data["items"][0]["id"], seen);
            seen += data["items"].as_array().unwrap().len();
            assert_eq!(data["next"].is_null(), !more);
            if !more {
                break;
            }
            page += 1;
        }
        assert_eq!(seen, 1_000);
        assert!(page > 5 && whole::nth_page((0..1_000).map(item), ENTITY_PAGE, page + 1).is_none());
    }
}
