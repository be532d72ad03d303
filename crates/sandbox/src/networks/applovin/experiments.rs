//! A/B experiments on the default waterfall or on the waterfall of a segment: start, change, promote, deprecate.

use serde_json::{Value, json};

use super::manage::{PARTS, ad_unit, put, segment, settings};
use super::{ID, bad, refusal, shown};
use crate::journal::Effect;
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, Request, names};
use crate::state::Store;

const ALLOCATIONS: [i64; 4] = [50, 25, 10, 5];

fn key(ids: &[String]) -> String {
    ids.join("/")
}

/// Returns the shelf and the object whose waterfall is tested.
fn tested<'a>(store: &'a Store, ids: &[String]) -> Result<(&'static str, &'a Value), Answer> {
    let unit = ad_unit(store, &ids[0])?;
    match ids.get(1) {
        None => Ok(("ad_unit", unit)),
        Some(segment) => {
            let found = store.objects.shelves.get(ID, "waterfall", &key(ids));
            let found = found.ok_or_else(|| refusal(404, &format!("Ad unit {} has no segment {segment}.", ids[0])))?;
            Ok(("waterfall", found))
        }
    }
}

pub fn read(store: &Store, ids: &[String], request: &Request) -> Result<Answer, Answer> {
    tested(store, ids)?;
    let found = store.objects.shelves.get(ID, "experiment", &key(ids));
    let found = found.ok_or_else(|| refusal(404, &format!("{} has no active experiment.", key(ids))))?;
    shown(found, request).map(Answer::ok)
}

pub fn write(store: &Store, ids: &[String], body: &Value) -> Done {
    let (shelf, target) = tested(store, ids)?;
    let body = Fields::of(body, "").map_err(bad)?;
    let running = store.objects.shelves.get(ID, "experiment", &key(ids));
    let check = || -> Result<(bool, bool), String> {
        body.text("experiment_name")?;
        if let Some(share) = body.integer("test_group_allocation", 0, 100)?
            && !ALLOCATIONS.contains(&share)
        {
            return Err(format!("test_group_allocation: {share} is not one of 50, 25, 10, 5"));
        }
        settings(&body)?;
        segment(&body)?;
        Ok((body.flag("promote")?.unwrap_or(false), body.flag("deprecate")?.unwrap_or(false)))
    };
    let (promote, deprecate) = check().map_err(bad)?;
    let named = body.text("id").map_err(bad)?;
    match (named, running) {
        (None, Some(_)) => Err(bad("There already is an active experiment; send its id to change or end it.")),
        (None, None) if promote || deprecate => Err(bad("There is no active experiment to end.")),
        (None, None) => start(store, ids, shelf, target, &body),
        (Some(id), Some(experiment)) if experiment["id"] == id => {
            if promote && deprecate {
                return Err(bad("promote and deprecate exclude each other."));
            }
            if promote || deprecate {
                return Ok(end(ids, shelf, target, experiment, promote));
            }
            let mut new = experiment.clone();
            merge(&mut new, &body, &["experiment_name", "test_group_allocation", "segment"]);
            merge(&mut new, &body, &PARTS);
            Ok((Answer::ok(new.clone()), vec![put("experiment", &key(ids), &new)]))
        }
        (Some(id), _) => Err(refusal(404, &format!("Experiment {id} was not found."))),
    }
}

fn start(store: &Store, ids: &[String], shelf: &'static str, target: &Value, body: &Fields) -> Done {
    let name = body.need_text("experiment_name").map_err(bad)?;
    let share = body.need_integer("test_group_allocation", 5, 50).map_err(bad)?;
    let id = names::number_id(&[1108, store.next_seq()], 6).to_string();
    let mut experiment = target.clone();
    experiment["ad_unit_id"] = json!(ids[0]);
    experiment["id"] = json!(id);
    experiment["experiment_name"] = json!(name);
    experiment["test_group_allocation"] = json!(share);
    merge(&mut experiment, body, &["segment"]);
    merge(&mut experiment, body, &PARTS);
    let mut tested = target.clone();
    tested["has_active_experiment"] = json!(true);
    let effects = vec![put("experiment", &key(ids), &experiment), put(shelf, &key(ids), &tested)];
    Ok((Answer::ok(experiment), effects))
}

fn end(
    ids: &[String],
    shelf: &'static str,
    target: &Value,
    experiment: &Value,
    promote: bool,
) -> (Answer, Vec<Effect>) {
    let mut tested = target.clone();
    tested["has_active_experiment"] = json!(false);
    if promote {
        for part in PARTS.iter().filter(|part| !experiment[**part].is_null()) {
            tested[*part] = experiment[*part].clone();
        }
    }
    let gone = Effect::Drop { network: ID.to_owned(), shelf: "experiment".to_owned(), id: key(ids) };
    (Answer::ok(tested.clone()), vec![gone, put(shelf, &key(ids), &tested)])
}
