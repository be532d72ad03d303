//! The person's context settings, enforced: what is switched off, safe mode, strict selection. Pure.

use adagent_contract::{ContextMode, ContextSettings, EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::{Value as Json, json};

use crate::{
    Operation,
    catalogue::{NetworkFacts, ResultKind},
    grounding::{leads_to_app, parent_kind},
    paths,
};
use adagent_tools::ToolError;

/// Before anything is looked up.
pub fn admit(settings: &ContextSettings, tool: &Operation) -> Result<(), ToolError> {
    if !settings.is_on(tool.network) {
        return Err(ToolError::disabled(tool.network));
    }
    if settings.safe_mode && !tool.read_only {
        return Err(ToolError::out_of_context("Safe mode is on: no changes, not even after approval.")
            .guide("Turn off safe mode to make changes."));
    }
    Ok(())
}

/// Whether strict mode lets this be seen. In soft mode everything may.
///
/// `known` holds what lies between the item and its app: ad units for groups and mappings, placements for instances.
pub fn sees(settings: &ContextSettings, facts: &NetworkFacts, item: &EntityItem, known: &[EntityItem]) -> bool {
    if settings.mode != ContextMode::Strict {
        return true;
    }
    if let Some(account) = &item.account
        && !settings.has_account(item.network, account)
    {
        return false;
    }
    let Some(apps) = settings.apps_of(item.network) else { return true };
    let of_app = |app: Option<&String>| app.is_some_and(|app| apps.contains(app));
    match item.kind {
        EntityKind::App => apps.contains(&item.id),
        EntityKind::MediationGroup if item.network == Network::AdMob => {
            let targeted = item.raw["targeting"]["adUnitIds"].as_array().map_or(&[][..], Vec::as_slice);
            // A group over selected and other apps may be looked at; changing it is checked ad unit by ad unit.
            targeted.is_empty()
                || targeted
                    .iter()
                    .filter_map(Json::as_str)
                    .any(|id| known.iter().any(|unit| unit.id == id && of_app(unit.parent.as_ref())))
        }
        // What belongs to no app is not chosen by app.
        kind if !leads_to_app(facts, kind) => true,
        _ => {
            let mut at = item;
            for _ in 0..STEPS {
                let Some(above) = parent_kind(facts, at.kind) else { break };
                if above == EntityKind::App {
                    return of_app(at.parent.as_ref());
                }
                let next = known.iter().find(|known| known.kind == above && Some(&known.id) == at.parent.as_ref());
                let Some(next) = next else { break };
                at = next;
            }
            false
        }
    }
}

/// How far an app may be above what belongs to it.
const STEPS: usize = 4;

/// Everything the arguments name must lie in the selection.
pub fn check(settings: &ContextSettings, facts: &NetworkFacts, resolved: &[EntityItem]) -> Result<(), ToolError> {
    let outside = resolved.iter().find(|item| !sees(settings, facts, item, resolved));
    outside.map_or(Ok(()), |item| {
        let what = item.kind.label();
        Err(ToolError::out_of_context(format!(
            "The {what} {} isn't in your current selection (Selected only).",
            item.name
        ))
        .guide("Select it, or set the scope to Flexible."))
    })
}

/// Said where a report cannot be limited, and the selection is a preference.
const ALL_APPS: &str = "This report can't be limited to your selected apps, so it covers all of them.";

fn limited(count: usize) -> String {
    if count == 1 {
        "Limited to your selected app.".to_owned()
    } else {
        format!("Limited to your {count} selected apps.")
    }
}

/// A second account of which no app is selected is read whole, and that is said.
fn none_of(account: &str) -> String {
    format!("None of your selected apps is in account {account}, so its numbers cover all of its apps.")
}

/// Whether the arguments name something that lies in an app: its ad unit, its placement, its group.
fn names_part(tool: &Operation, args: &Json) -> bool {
    let part = |kind: EntityKind| {
        matches!(kind, EntityKind::AdUnit | EntityKind::Placement | EntityKind::MediationGroup | EntityKind::Instance)
    };
    tool.entity_params.iter().any(|(path, kind)| part(*kind) && !paths::ids(args, path).is_empty())
}

/// How many of a list are selected, where a selection is only a preference and the list shows everything: "2 of 12 selected". `None`
/// where nothing is selected, or where the list doesn't say which app its items are of.
pub fn selected_of(settings: &ContextSettings, items: &[EntityItem]) -> Option<String> {
    let network = items.first()?.network;
    let apps = settings.apps_of(network).filter(|_| settings.mode != ContextMode::Strict)?;
    let app = |item: &EntityItem| match item.kind {
        EntityKind::App => Some(item.id.clone()),
        _ => item.parent.clone(),
    };
    let of: Vec<String> = items.iter().filter_map(app).collect();
    let chosen = of.iter().filter(|app| apps.contains(app)).count();
    (of.len() == items.len() && chosen < of.len()).then(|| format!("{chosen} of {} selected", of.len()))
}

/// A report that names no app covers the selected apps only: the filter is added before it is sent, and the answer says so. In soft
/// mode what cannot be limited is read whole, and that is said.
pub fn narrow(
    settings: &ContextSettings,
    tool: &Operation,
    kind: ResultKind,
    args: &Json,
) -> Result<(Json, Vec<String>), ToolError> {
    let unchanged = Ok((args.clone(), Vec::new()));
    let strict = settings.mode == ContextMode::Strict;
    let (Some(apps), ResultKind::Report) = (settings.apps_of(tool.network), kind) else {
        return unchanged;
    };
    let has_app_filter =
        tool.input_schema.pointer("/properties/body/properties/reportSpec/properties/dimensionFilters").is_some();
    if !has_app_filter && !strict {
        return Ok((args.clone(), vec![ALL_APPS.to_owned()]));
    }
    if !has_app_filter {
        return Err(ToolError::out_of_context("This report can't be limited to your selected apps (Selected only).")
            .guide("Set the scope to Flexible to see it."));
    }
    let account = args["account_id"].as_str().unwrap_or_default();
    let prefix = format!("ca-app-{account}~");
    let of_account: Vec<&String> = apps.iter().filter(|app| app.starts_with(&prefix)).collect();
    let mut narrowed = args.clone();
    let spec = &mut narrowed["body"]["reportSpec"];
    let filters_by = |dimensions: &[&str]| {
        spec["dimensionFilters"].as_array().into_iter().flatten().any(|filter| {
            dimensions.iter().any(|dimension| filter["dimension"] == *dimension)
                && filter["matchesAny"]["values"].as_array().is_some_and(|values| !values.is_empty())
        })
    };
    // Apps that are named were checked one by one; other filters only narrow further.
    let named = filters_by(&["APP"]);
    // A selection is a preference: an ad unit or group that is named is meant, whatever app it is of.
    if named || !strict && filters_by(&["AD_UNIT", "MEDIATION_GROUP"]) {
        return unchanged;
    }
    if of_account.is_empty() && !strict {
        return Ok((args.clone(), vec![none_of(account)]));
    }
    if of_account.is_empty() {
        return Err(ToolError::out_of_context(format!(
            "No app of account {account} is in your current selection (Selected only)."
        ))
        .guide("Select one of its apps, or set the scope to Flexible."));
    }
    let filter = json!({"dimension": "APP", "matchesAny": {"values": of_account}});
    match spec["dimensionFilters"].as_array_mut() {
        Some(filters) => filters.push(filter),
        None => spec["dimensionFilters"] = json!([filter]),
    }
    // Of the whole network: several accounts are one selection, and an answer says it once.
    Ok((narrowed, vec![limited(apps.len())]))
}

/// The same for networks whose reports take apps as a parameter: `apps` are the selected ones this network has.
pub fn narrow_to(
    settings: &ContextSettings,
    tool: &Operation,
    args: &Json,
    apps: &[&str],
) -> Result<(Json, Vec<String>), ToolError> {
    let network = tool.network.display_name();
    let whole = || (settings.mode != ContextMode::Strict).then(|| Ok((args.clone(), vec![ALL_APPS.to_owned()])));
    let param = tool.entity_params.iter().find(|(path, kind)| *kind == EntityKind::App && !path.contains('.'));
    let Some((path, _)) = param else {
        return whole().unwrap_or_else(|| {
            Err(ToolError::out_of_context("This report can't be limited to your selected apps (Selected only).")
                .guide("Set the scope to Flexible to see it."))
        });
    };
    // Apps that are named were checked one by one.
    if !paths::ids(args, path).is_empty() || settings.mode != ContextMode::Strict && names_part(tool, args) {
        return Ok((args.clone(), Vec::new()));
    }
    let (name, several) = path.strip_suffix("[]").map_or((path.as_str(), false), |name| (name, true));
    let field = &tool.input_schema["properties"][name];
    let field = if several { &field["items"] } else { field };
    let typed = |id: &str| match id.parse::<i64>() {
        Ok(number) if field["type"] == "integer" => Json::from(number),
        _ => Json::from(id),
    };
    let value = match apps {
        [] => {
            return whole().unwrap_or_else(|| {
                Err(ToolError::out_of_context(format!(
                    "No {network} app is in your current selection (Selected only)."
                ))
                .guide("Select one of its apps, or set the scope to Flexible."))
            });
        }
        many if several => many.iter().map(|id| typed(id)).collect(),
        [one] => typed(one),
        _ => {
            return whole().unwrap_or_else(|| {
                Err(ToolError::out_of_context(
                    "This report can be limited to only one app, and you selected several (Selected only).",
                )
                .guide("Ask about one of your selected apps, or set the scope to Flexible."))
            });
        }
    };
    let mut narrowed = args.clone();
    narrowed[name] = value;
    Ok((narrowed, vec![limited(apps.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    const APP: &str = "ca-app-pub-1111111111111111~1";

    fn soft() -> ContextSettings {
        ContextSettings {
            mode: ContextMode::Soft,
            enabled_apps: serde_json::from_value(json!({"admob": [APP], "liftoff": ["a1"]})).expect("apps"),
            ..ContextSettings::default()
        }
    }

    fn report(settings: &ContextSettings, account: &str, filters: &Json) -> (Json, Vec<String>) {
        let tool = Catalogue::built_in().expect("loads").get("admob_generate_mediation_report").expect("known").clone();
        let args = json!({"account_id": account, "body": {"reportSpec": {"dimensionFilters": filters}}});
        narrow(settings, &tool, ResultKind::Report, &args).expect("allowed")
    }

    fn filter(dimension: &str) -> Json {
        json!([{"dimension": dimension, "matchesAny": {"values": ["ca-app-pub-1111111111111111/9"]}}])
    }

    #[test]
    fn what_is_named_of_an_app_that_is_not_selected_is_read() {
        for dimension in ["AD_UNIT", "MEDIATION_GROUP", "APP"] {
            let (args, notes) = report(&soft(), "pub-1111111111111111", &filter(dimension));
            assert_eq!(args["body"]["reportSpec"]["dimensionFilters"], filter(dimension), "{dimension}");
            assert!(notes.is_empty(), "{dimension}: {notes:?}");
        }
        // What names nothing of an app is limited, and a strict selection limits a group, too.
        let (args, notes) = report(&soft(), "pub-1111111111111111", &filter("COUNTRY"));
        assert_eq!(args["body"]["reportSpec"]["dimensionFilters"].as_array().map(Vec::len), Some(2));
        assert_eq!(notes, ["Limited to your selected app."]);
        let strict = ContextSettings { mode: ContextMode::Strict, ..soft() };
        let (args, _) = report(&strict, "pub-1111111111111111", &filter("MEDIATION_GROUP"));
        assert_eq!(args["body"]["reportSpec"]["dimensionFilters"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn an_account_without_selected_apps_is_said_to_be_whole() {
        let (args, notes) = report(&soft(), "pub-2222222222222222", &json!([]));
        assert_eq!(args["body"]["reportSpec"]["dimensionFilters"], json!([]));
        assert!(notes[0].contains("pub-2222222222222222"), "{notes:?}");
    }

    #[test]
    fn a_list_says_how_much_of_it_is_selected() {
        let item = |kind: EntityKind, id: &str, parent: Option<&str>| EntityItem {
            network: Network::Liftoff,
            kind,
            id: id.into(),
            name: id.into(),
            parent: parent.map(Into::into),
            account: None,
            platform: None,
            format: None,
            status: None,
            connection: None,
            raw: Json::Null.into(),
        };
        let apps = [item(EntityKind::App, "a1", None), item(EntityKind::App, "a2", None)];
        assert_eq!(selected_of(&soft(), &apps).as_deref(), Some("1 of 2 selected"));
        let units = [item(EntityKind::AdUnit, "u1", Some("a2")), item(EntityKind::AdUnit, "u2", Some("a2"))];
        assert_eq!(selected_of(&soft(), &units).as_deref(), Some("0 of 2 selected"));
        assert_eq!(selected_of(&soft(), &apps[..1]), None);
        let unsaid = [item(EntityKind::AdUnit, "u1", None)];
        assert_eq!(selected_of(&soft(), &unsaid), None);
        assert_eq!(selected_of(&ContextSettings::default(), &apps), None);
    }
}
