//! `accounts.mediationGroups.patch`: changes only what the field mask names.

use super::{Done, Objects, groups, json, lines};
use crate::journal::Effect;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::{Fields, camel};
use crate::networks::admob::wire::MediationGroup;

const SUPPORTED: &str = "targeting.ad_unit_ids, mediation_group_lines[\"ID\"] and, after it, .cpm_micros, .cpm_mode, .state, \
                         .display_name, .ad_unit_mappings[\"AD_UNIT_ID\"]";

/// A path in the mask.
#[derive(Debug, PartialEq)]
enum Path {
    AdUnits,
    Line(String),
    /// Line and field, in `camelCase`.
    Field(String, String),
    Mapping(String, String),
}

pub fn find<'a>(objects: &'a Objects, context: &Context) -> Result<&'a MediationGroup, ApiError> {
    let name = format!("accounts/{}/mediationGroups/{}", context.call.account, context.call.parent);
    let group = objects.groups.iter().find(|group| group.name == name);
    group.ok_or_else(|| ApiError::not_found(format!("Mediation group {name} was not found.")))
}

pub fn run(objects: &Objects, context: &Context) -> Done {
    let mut group = find(objects, context)?.clone();
    let mask = context.query("updateMask").unwrap_or_default();
    if mask.trim().is_empty() {
        return Err(ApiError::invalid("updateMask", format!("is required; supported: {SUPPORTED}")));
    }
    let paths = mask.split(',').map(|path| parse(path.trim())).collect::<Result<Vec<_>, _>>()?;
    let body = Fields::root(&context.body)?;
    body.known(groups::NAMES)?;
    // Apply the ad units first: mappings in the same call may belong to units that are targeted only now.
    for path in
        paths.iter().filter(|path| **path == Path::AdUnits).chain(paths.iter().filter(|path| **path != Path::AdUnits))
    {
        change(objects, &mut group, &body, path, &context.call.account)?;
    }
    group.mediation_group_lines.retain(|_, line| line.state != "REMOVED");
    lines::no_duplicates(group.mediation_group_lines.values(), "mediationGroupLines")?;
    Ok((json(&group)?, vec![Effect::Group(group)]))
}

fn change(
    objects: &Objects,
    group: &mut MediationGroup,
    body: &Fields<'_>,
    path: &Path,
    account: &str,
) -> Result<(), ApiError> {
    let (id, field) = match path {
        Path::AdUnits => {
            let fields = body.need_object("targeting")?;
            group.targeting.ad_unit_ids = fields.strings("adUnitIds")?;
            groups::units_fit(objects, &fields, &group.targeting, account)?;
            let kept = &group.targeting.ad_unit_ids;
            for line in group.mediation_group_lines.values_mut() {
                line.ad_unit_mappings.retain(|unit, _| kept.contains(unit));
            }
            return Ok(());
        }
        Path::Line(id) => (id, None),
        Path::Field(id, field) => (id, Some(field.as_str())),
        Path::Mapping(id, _) => (id, Some("adUnitMappings")),
    };
    let given = body.need_object("mediationGroupLines")?.need_object(id)?;
    if lines::is_placeholder(id) {
        if field.is_some() {
            return Err(ApiError::invalid("updateMask", format!("line {id} is new: name it as a whole")));
        }
        let taken = |id: &str| group.mediation_group_lines.contains_key(id);
        let fresh = lines::line_id(&group.mediation_group_id, taken, group.mediation_group_lines.len());
        let line = lines::read(objects, &given, &group.targeting, fresh.clone())?;
        group.mediation_group_lines.insert(fresh, line);
        return Ok(());
    }
    let targeting = &group.targeting;
    let line = group.mediation_group_lines.get_mut(id);
    let line = line
        .ok_or_else(|| ApiError::invalid("updateMask", format!("line {id} does not exist in this mediation group")))?;
    let missing = |name: &str| given.invalid(name, "is named by updateMask but missing in the body");
    match field {
        None if given.raw("state").and_then(serde_json::Value::as_str) == Some("REMOVED") => {
            "REMOVED".clone_into(&mut line.state);
        }
        None => *line = lines::read(objects, &given, targeting, id.clone())?,
        Some("cpmMicros") => line.cpm_micros = lines::price(&given)?.ok_or_else(|| missing("cpmMicros"))?.to_string(),
        Some("cpmMode") => line.cpm_mode = lines::mode(&given)?.ok_or_else(|| missing("cpmMode"))?,
        Some("state") => {
            line.state = given.choice("state", &["ENABLED", "DISABLED", "REMOVED"])?.ok_or_else(|| missing("state"))?;
        }
        Some("displayName") => {
            line.display_name = given.text("displayName", 255)?.ok_or_else(|| missing("displayName"))?;
        }
        Some(_) => {
            let Path::Mapping(_, unit) = path else { return Err(unsupported("adUnitMappings")) };
            let map = given.need_object("adUnitMappings")?;
            let name = map.text(unit, 200)?.ok_or_else(|| missing("adUnitMappings"))?;
            lines::mapping_fits(objects, &map, targeting, &line.ad_source_id, unit, &name)?;
            line.ad_unit_mappings.insert(unit.clone(), name);
        }
    }
    lines::fits_mode(&given, line)
}

fn unsupported(path: &str) -> ApiError {
    ApiError::invalid("updateMask", format!("\"{path}\" is not supported; supported: {SUPPORTED}"))
}

/// Reads one path, in either spelling.
fn parse(path: &str) -> Result<Path, ApiError> {
    let wrong = || unsupported(path);
    if matches!(path, "targeting.ad_unit_ids" | "targeting.adUnitIds") {
        return Ok(Path::AdUnits);
    }
    let (name, rest) = path.split_once('[').ok_or_else(wrong)?;
    if camel(name) != "mediationGroupLines" {
        return Err(wrong());
    }
    let (id, rest) = key(rest).ok_or_else(wrong)?;
    if id.parse::<i64>().is_err() {
        return Err(ApiError::invalid("updateMask", format!("\"{id}\" is no line id")));
    }
    let Some(rest) = rest.strip_prefix('.') else {
        return if rest.is_empty() { Ok(Path::Line(id.to_owned())) } else { Err(wrong()) };
    };
    if let Some((name, rest)) = rest.split_once('[') {
        return match key(rest) {
            Some((unit, "")) if camel(name) == "adUnitMappings" => Ok(Path::Mapping(id.to_owned(), unit.to_owned())),
            _ => Err(wrong()),
        };
    }
    let field = camel(rest);
    if ["cpmMicros", "cpmMode", "state", "displayName"].contains(&field.as_str()) {
        Ok(Path::Field(id.to_owned(), field))
    } else {
        Err(wrong())
    }
}

/// Returns the key up to `]`, without its quotes, and the text after it.
fn key(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.split_once(']')?;
    Some((key.trim_matches('"'), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_in_both_spellings() {
        let field = |name: &str| Path::Field("12".into(), name.into());
        assert_eq!(parse(r#"mediation_group_lines["12"].cpm_micros"#).unwrap(), field("cpmMicros"));
        assert_eq!(parse(r#"mediationGroupLines["12"].cpmMicros"#).unwrap(), field("cpmMicros"));
        assert_eq!(parse(r#"mediation_group_lines["-1"]"#).unwrap(), Path::Line("-1".into()));
        let unit = "ca-app-pub-1/2";
        assert_eq!(
            parse(&format!(r#"mediation_group_lines["12"].ad_unit_mappings["{unit}"]"#)).unwrap(),
            Path::Mapping("12".into(), unit.into())
        );
        for wrong in
            ["display_name", "state", "targeting.format", "mediation_group_lines", r#"mediation_group_lines["x"]"#]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
