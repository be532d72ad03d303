//! Mediation A/B experiments: start one on a group, or end it with a variant.

use adagent_contract::{EntityItem, EntityKind};
use serde_json::{Value as Json, json};

use super::{Prepared, Write, account_of, ask, group_create, group_update, mapping, wish};
use crate::planner::{
    Call, clarify,
    format::plain,
    lists, names,
    read::{Turn, contains_word},
};

pub(super) fn stop(turn: &Turn<'_>) -> Prepared {
    let group = group_update::the_group(turn)?;
    let account = account_of(turn, &group)?;
    let lower = group_update::without(&turn.text, &group).to_lowercase();
    let says = |words: &[&str]| words.iter().any(|w| contains_word(&lower, w));
    let a = says(&["variant a", "control", "keep a", "a wins", "original", "version a"]) || names_variant(turn, "A");
    let b =
        says(&["variant b", "treatment", "keep b", "b wins", "challenger", "version b"]) || names_variant(turn, "B");
    let choice = match (a, b) {
        (true, false) => "VARIANT_CHOICE_A",
        (false, true) => "VARIANT_CHOICE_B",
        _ => {
            return Err(ask(clarify::missing(
                &format!("Which variant should {} keep: A (control) or B (treatment)?", plain(&group.name)),
                &["Keep variant A", "Keep variant B", "Revenue by mediation group, last 7 days"],
            )));
        }
    };
    Ok(Call {
        name: Write::StopExperiment.tool().into(),
        args: json!({"account_id": account, "mediation_group_id": group.id, "body": {"variantChoice": choice}}),
    })
}

/// Checks whether a variant is named by its letter: "keep B", "la variante B", "mit B".
fn names_variant(turn: &Turn<'_>, letter: &str) -> bool {
    const LEADS: [&str; 12] =
        ["variant", "variante", "version", "keep", "keeping", "with", "la", "mit", "con", "avec", "group", "arm"];
    let tokens = crate::text::tokens(turn.question());
    (1..tokens.len())
        .any(|at| tokens[at].norm.eq_ignore_ascii_case(letter) && LEADS.contains(&tokens[at - 1].norm.as_str()))
}

pub(super) fn start(turn: &Turn<'_>) -> Prepared {
    let group = group_update::the_group(turn)?;
    lists::known(turn, EntityKind::AdSource)?;
    let account = account_of(turn, &group)?;
    let rest = group_update::without(&turn.text, &group);
    let lower = rest.to_lowercase();
    let Some(share) = wish::share(&lower) else {
        return Err(ask(clarify::missing(
            "What percentage of traffic should go to variant B?",
            &["20% of traffic", "Half of the traffic"],
        )));
    };
    if !(1..=99).contains(&share) {
        return Err(ask(clarify::missing("The share of variant B must be between 1% and 99%.", &["20% of traffic"])));
    }
    let wanted = wish::sources(turn, &rest);
    if wanted.is_empty() {
        return Err(ask(clarify::missing(
            "What should be different in variant B: which ad source is added or left out?",
            &["Add Pangle bidding in variant B", "Leave InMobi out of variant B"],
        )));
    }
    let family = |line: &Json| {
        let id = line.get("adSourceId").and_then(Json::as_str).unwrap_or("");
        wanted.iter().any(|w| {
            w.sources.iter().any(|s| {
                s.id == id
                    || turn.entity(EntityKind::AdSource, id).is_some_and(|other| names::stem(other) == names::stem(s))
            })
        })
    };
    let leaving_out =
        ["without", "remove", "leave out", "leaving out", "tirando", "drop", "minus", "exclude", "excluding"]
            .iter()
            .any(|w| contains_word(&lower, w));
    // Variant B starts with the lines of the group that are on, except those that the message changes.
    let mut treatment: Vec<Json> = lists::lines_of(&group)
        .into_iter()
        .filter(|(_, line)| line.get("state").and_then(Json::as_str) != Some("DISABLED"))
        .filter(|(_, line)| !family(line))
        .map(|(_, line)| json!({"mediationGroupLine": copy(line)}))
        .collect();
    let mut words = Vec::new();
    if leaving_out {
        words.extend(wanted.iter().map(|w| format!("without {}", w.word)));
    } else {
        let ids: Vec<&str> = group
            .raw
            .pointer("/targeting/adUnitIds")
            .and_then(Json::as_array)
            .map(|a| a.iter().filter_map(Json::as_str).collect())
            .unwrap_or_default();
        let units: Vec<&EntityItem> = ids.iter().filter_map(|id| turn.entity(EntityKind::AdUnit, id)).collect();
        let mut chosen = Vec::new();
        for (at, want) in wanted.iter().enumerate() {
            chosen.push(group_create::line(turn, want, &format!("-{}", at + 1))?);
        }
        let sources: Vec<&EntityItem> = chosen.iter().map(|(s, _)| *s).collect();
        let known = mapping::of_lines(turn, &account, &units, &sources)?;
        for (source, mut line) in chosen {
            mapping::attach(&mut line, &known, &source.id, &units);
            words.push(format!("with {}", source.name));
            treatment.push(json!({"mediationGroupLine": line}));
        }
    }
    if treatment.is_empty() {
        return Err(ask(clarify::missing(
            "That would leave variant B without lines. Keep at least one.",
            &["List my mediation groups"],
        )));
    }
    let default = format!("{} {}", group.name, words.join(", "));
    let quoted = names::quoted(&turn.text).into_iter().find(|q| names::simple(q) != names::simple(&group.name));
    let name = match quoted {
        Some(name) => wish::fitting(name, group_create::MAX_NAME)?,
        None => default.chars().take(group_create::MAX_NAME).collect(),
    };
    Ok(Call {
        name: Write::StartExperiment.tool().into(),
        args: json!({
            "account_id": account,
            "mediation_group_id": group.id,
            "body": {
                "displayName": name,
                "treatmentTrafficPercentage": share.to_string(),
                "treatmentMediationLines": treatment,
            },
        }),
    })
}

/// Copies the fields of a line that a write may set. The network sets IDs and variants.
fn copy(line: &Json) -> Json {
    let mut out = json!({});
    for key in ["displayName", "adSourceId", "cpmMode", "cpmMicros", "state", "adUnitMappings"] {
        if let Some(value) = line.get(key) {
            out[key] = value.clone();
        }
    }
    out
}
