//! Suggestions while a person fills in a prompt: what the arguments usually are, and the names of the workspace's own apps.

use adagent_contract::EntityKind;
use adagent_domain::Actor;
use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use crate::{Shared, resources, who};

const PERIODS: &[&str] =
    &["yesterday", "the last 7 days", "the last 30 days", "this week", "last week", "this month", "last month"];
const FORMATS: &[&str] = &["banner", "interstitial", "rewarded", "rewarded interstitial", "native", "app open"];

/// Nothing is known about what is none of ours: that is an empty answer, not an error.
pub(crate) async fn complete(
    shared: &Shared,
    actor: &Actor,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let values = match &request.r#ref {
        Reference::Prompt(_) => match request.argument.name.as_str() {
            "period" => fitting(PERIODS.iter().copied(), &request.argument.value),
            "format" => fitting(FORMATS.iter().copied(), &request.argument.value),
            "app" => {
                let names = apps(shared, actor).await?;
                fitting(names.iter().map(String::as_str), &request.argument.value)
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let info = CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

/// A network that does not answer suggests nothing.
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

/// Those that begin with what was typed come first, then those that contain it.
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
