//! A/B experiments of mediation groups: each group runs at most one; stopping it keeps one variant for good.

use jiff::Timestamp;

use super::patch_group::find;
use super::{Done, Objects, json, lines};
use crate::journal::Effect;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::networks::admob::groups::variant;
use crate::networks::admob::wire::{Experiment, ExperimentLine, Line};

pub fn create(objects: &Objects, context: &Context, now: Timestamp) -> Done {
    let mut group = find(objects, context)?.clone();
    let body = Fields::root(&context.body)?;
    body.known(&[
        "name",
        "experimentId",
        "mediationGroupId",
        "displayName",
        "state",
        "startTime",
        "endTime",
        "treatmentTrafficPercentage",
        "treatmentMediationLines",
        "controlMediationLines",
        "variantLeader",
    ])?;
    let display_name = body.need_text("displayName", 255)?;
    let share = body.int64("treatmentTrafficPercentage")?;
    let share = share.ok_or_else(|| body.invalid("treatmentTrafficPercentage", "is required"))?;
    if !(1..=99).contains(&share) {
        return Err(body.invalid("treatmentTrafficPercentage", format!("must be from 1 to 99, was {share}")));
    }
    if group.mediation_ab_experiment_state == "RUNNING" {
        return Err(ApiError::precondition(format!(
            "Mediation group {} already has a running A/B experiment; stop it first.",
            group.mediation_group_id
        )));
    }
    let given = body.items("treatmentMediationLines")?;
    if given.is_empty() {
        return Err(body.invalid("treatmentMediationLines", "at least one line is required"));
    }
    let mut treatment: Vec<Line> = Vec::new();
    for item in &given {
        item.known(&["mediationGroupLine"])?;
        let line = item.need_object("mediationGroupLine")?;
        let taken =
            |id: &str| group.mediation_group_lines.contains_key(id) || treatment.iter().any(|line| line.id == id);
        let id = lines::line_id(&group.mediation_group_id, taken, 100_000 + treatment.len());
        treatment.push(lines::read(objects, &line, &group.targeting, id)?);
    }
    lines::no_duplicates(treatment.iter(), "treatmentMediationLines")?;
    "RUNNING".clone_into(&mut group.mediation_ab_experiment_state);
    let id = objects.fresh_id(4, |id| objects.experiments.iter().any(|it| it.experiment_id == id));
    let experiment = Experiment {
        name: format!("{}/mediationAbExperiment/{id}", group.name),
        experiment_id: id,
        mediation_group_id: group.mediation_group_id.clone(),
        display_name,
        state: "RUNNING".to_owned(),
        start_time: now.to_string(),
        end_time: None,
        treatment_traffic_percentage: share.to_string(),
        treatment_mediation_lines: treatment.into_iter().map(|line| variant(line, "VARIANT_B")).collect(),
        control_mediation_lines: group
            .mediation_group_lines
            .values()
            .cloned()
            .map(|line| variant(line, "VARIANT_A"))
            .collect(),
        variant_leader: "TOO_EARLY_TO_CALL".to_owned(),
    };
    Ok((json(&experiment)?, vec![Effect::Experiment(experiment), Effect::Group(group)]))
}

pub fn stop(objects: &Objects, context: &Context, now: Timestamp) -> Done {
    let mut group = find(objects, context)?.clone();
    let body = Fields::root(&context.body)?;
    body.known(&["variantChoice"])?;
    let choice = body.need_choice("variantChoice", &["VARIANT_CHOICE_A", "VARIANT_CHOICE_B"])?;
    let running = |it: &&Experiment| it.state == "RUNNING" && it.name.starts_with(&format!("{}/", group.name));
    let experiment = objects.experiments.iter().find(running).cloned();
    let mut experiment = experiment.ok_or_else(|| {
        ApiError::precondition(format!("Mediation group {} has no running A/B experiment.", group.mediation_group_id))
    })?;
    "ENDED".clone_into(&mut experiment.state);
    experiment.end_time = Some(now.to_string());
    "NOT_RUNNING".clone_into(&mut group.mediation_ab_experiment_state);
    if choice == "VARIANT_CHOICE_B" {
        let plain = |item: &ExperimentLine| Line { experiment_variant: None, ..item.mediation_group_line.clone() };
        let lines = experiment.treatment_mediation_lines.iter().map(plain);
        group.mediation_group_lines = lines.map(|line| (line.id.clone(), line)).collect();
    }
    Ok((json(&experiment)?, vec![Effect::Experiment(experiment), Effect::Group(group)]))
}
