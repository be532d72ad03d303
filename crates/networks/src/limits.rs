//! Enforces the person's context settings: networks that are turned off, safe mode and a strict selection. This module is pure.

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

/// Checks a call before anything is looked up.
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

/// Checks whether strict mode lets a person see this entity. In soft mode they may see everything.
///
/// `known` holds the entities between the item and its app: ad units for groups and mappings, placements for instances.
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
            // A group with ad units of selected and other apps may be read. A change of it is checked ad unit by ad unit.
            targeted.is_empty()
                || targeted
                    .iter()
                    .filter_map(Json::as_str)
                    .any(|id| known.iter().any(|unit| unit.id == id && of_app(unit.parent.as_ref())))
        }
        // A selection of apps does not apply to an entity that belongs to no app.
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

/// How many parents we follow from an entity to its app.
const STEPS: usize = 4;

/// Checks that everything that the arguments name is in the selection.
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

/// The note if a report cannot be limited to a selection that is only a preference.
const ALL_APPS: &str = "This report can't be limited to your selected apps, so it covers all of them.";

fn limited(count: usize) -> String {
    if count == 1 {
        "Limited to your selected app.".to_owned()
    } else {
        format!("Limited to your {count} selected apps.")
    }
}

/// Returns the note about an account of which no app is selected: its report covers all of its apps.
fn none_of(account: &str) -> String {
    format!("None of your selected apps is in account {account}, so its numbers cover all of its apps.")
}

/// Checks whether the arguments name an entity inside an app: an ad unit, a placement, a group or an instance.
fn names_part(tool: &Operation, args: &Json) -> bool {
    let part = |kind: EntityKind| {
        matches!(kind, EntityKind::AdUnit | EntityKind::Placement | EntityKind::MediationGroup | EntityKind::Instance)
    };
    tool.entity_params.iter().any(|(path, kind)| part(*kind) && !paths::ids(args, path).is_empty())
}

/// Says how many items of a list are selected: "2 of 12 selected". Only for a soft selection, where the list shows everything. `None` if
/// there is no selection, if all items are selected, or if the list does not say which apps its items belong to.
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

/// Limits a report that names no app to the selected apps: adds the filter before we send it, and returns a note for the answer. In soft
/// mode, a report that cannot be limited covers everything, and the note says so.
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
    // Apps in the filter were already checked one by one; other filters only narrow the report further.
    let named = filters_by(&["APP"]);
    // A soft selection is a preference, so an ad unit or group that the filter names counts, whatever its app.
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
    // Counts the apps of the whole network: several accounts share one selection, and the answer says it once.
    Ok((narrowed, vec![limited(apps.len())]))
}

/// Does what `narrow` does, for networks whose reports take apps as a parameter. `apps` are the selected apps that this network has.
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
    // Apps in the arguments were already checked one by one.
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
        // A filter that names no app is limited, and a strict selection also limits a filter by group.
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
