//! Suggestions while a person fills in a prompt: usual values of arguments, and the names of the workspace's own apps.

use adagent_contract::EntityKind;
use adagent_domain::{Actor, Network};
use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use crate::{Shared, prompts, resources, who};

const PERIODS: &[&str] =
    &["yesterday", "the last 7 days", "the last 30 days", "this week", "last week", "this month", "last month"];
const FORMATS: &[&str] = &["banner", "interstitial", "rewarded", "rewarded interstitial", "native", "app open"];

/// Completes an argument. An unknown prompt or resource is an error; an argument about which we know nothing has no suggestions.
pub(crate) async fn complete(
    shared: &Shared,
    actor: &Actor,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let typed = &request.argument.value;
    let values = match &request.r#ref {
        Reference::Prompt(prompt) => {
            if !prompts::all().iter().any(|known| known.name == prompt.name) {
                let told =
                    format!("Unknown prompt: {}. prompts/list shows the available ones.", who::quoted(&prompt.name));
                return Err(ErrorData::invalid_params(told, None));
            }
            match request.argument.name.as_str() {
                "period" => fitting(PERIODS.iter().copied(), typed),
                "format" => fitting(FORMATS.iter().copied(), typed),
                "app" => fitting(apps(shared, actor).await?.iter().map(String::as_str), typed),
                _ => Vec::new(),
            }
        }
        Reference::Resource(template) => {
            if !resources::templates().iter().any(|known| known.uri_template == template.uri) {
                let told = format!("Unknown resource template: {}.", who::quoted(&template.uri));
                return Err(ErrorData::invalid_params(told, None));
            }
            match request.argument.name.as_str() {
                "network" => fitting(resources::connected(shared, actor).await?.into_iter().map(Network::id), typed),
                "kind" => {
                    let kinds: Vec<String> = EntityKind::ALL.iter().copied().map(resources::word).collect();
                    fitting(kinds.iter().map(String::as_str), typed)
                }
                "run_id" => fitting(runs(shared, actor).await?.iter().map(String::as_str), typed),
                _ => Vec::new(),
            }
        }
        _ => return Err(ErrorData::invalid_params("Only prompts and resource templates are completed.", None)),
    };
    let info = CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

/// Lists the person's latest runs.
async fn runs(shared: &Shared, actor: &Actor) -> Result<Vec<String>, ErrorData> {
    let page = shared.service.list_runs(actor, None, Some(50)).await.map_err(|error| who::failed(&error))?;
    Ok(page.items.into_iter().map(|run| run.id.to_string()).collect())
}

/// Lists the names of apps. A network that does not answer adds none.
async fn apps(shared: &Shared, actor: &Actor) -> Result<Vec<String>, ErrorData> {
    let mut names = Vec::new();
    for network in resources::connected(shared, actor).await? {
        match shared.service.visible_entities(&who::granted(actor)?, network, EntityKind::App).await {
            Ok(items) => names.extend(items.into_iter().map(|item| item.name)),
            Err(error) if error.is_internal() => return Err(who::failed(&error)),
            Err(_) => {}
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// Returns the values that contain what was typed; those that begin with it come first.
fn fitting<'a>(all: impl Iterator<Item = &'a str>, typed: &str) -> Vec<String> {
    let typed = typed.trim().to_lowercase();
    let mut found: Vec<(bool, &str)> = all
        .filter_map(|one| {
            let lower = one.to_lowercase();
            lower.contains(&typed).then(|| (!lower.starts_with(&typed), one))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, one)| one.to_owned()).take(CompletionInfo::MAX_VALUES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_so_comes_before_what_contains_it() {
        assert_eq!(fitting(["ab", "ba", "c", "Bx"].into_iter(), " b"), ["Bx", "ba", "ab"]);
        assert_eq!(fitting(FORMATS.iter().copied(), "").len(), FORMATS.len());
        assert!(fitting(PERIODS.iter().copied(), "zzz").is_empty());
    }
}
