//! Ad Manager only runs saved reports. Finds one that covers the question, or asks for approval to save one. This must never save one that
//! nobody approved, and never save one twice.

use serde_json::{Value as Json, json};

use adagent_domain::Network;

use super::{
    Across, calls,
    calls::{Notes, Stuck},
};
use crate::planner::{
    Answer, Call, Step,
    desks::{Ask, report_definition, saved_covers},
    format::plain,
    read::Turn,
    report::{metric::Metric, spec::Shape},
    unsent, ways,
};

const CREATE: &str = "admanager_create_report";

/// For a question about Ad Manager alone: prefers a report that is already saved, with as many of the added metrics as it holds. We propose
/// a new one only if no saved report has the requested number itself.
pub(super) fn fitting(turn: &Turn<'_>, across: Across) -> Across {
    if !matches!(across.readings.as_slice(), [one] if one.desk.network == Network::AdManager) {
        return across;
    }
    let plan = &across.plan;
    let needed = plan.thresholds.iter().map(|threshold| threshold.metric).chain(plan.sort.map(|(metric, _)| metric));
    let needed: Vec<Metric> = plan.asked.iter().copied().chain(needed).collect();
    let companions =
        [&[Metric::MatchRate][..], &[Metric::MatchRate, Metric::Ecpm, Metric::Impressions, Metric::Revenue]];
    let splits = if plan.shape == Shape::Figure { &[false, true][..] } else { &[false] };
    for bare in splits {
        for dropped in std::iter::once(&[][..]).chain(companions) {
            let mut less = Across { saved_only: true, ..across.clone() };
            less.plan.gaps.bare = *bare;
            less.plan.shown.retain(|metric| needed.contains(metric) || !dropped.contains(metric));
            let found = calls::all(turn, &less);
            if found.is_ok_and(|all| all.first.is_empty() && all.silent.is_empty() && !all.calls.is_empty()) {
                return less;
            }
        }
    }
    across
}

/// Returns the call that runs a saved report that covers the question.
pub(super) fn run(turn: &Turn<'_>, ask: &Ask<'_>, alone: bool, what: &str, notes: &mut Notes) -> Result<Call, Stuck> {
    let run = |report: &Json| {
        let id = report["reportId"].as_str().map(str::to_owned);
        let id = id.or_else(|| report["name"].as_str()?.rsplit('/').next().map(str::to_owned))?;
        Some(Call { name: "admanager_run_report".into(), args: json!({"network_code": ask.account, "report_id": id}) })
    };
    let create = Call { name: CREATE.into(), args: report_definition(ask) };
    for done in turn.done.iter().rev().filter(|done| done.name == CREATE) {
        let answered = done.content.get("item").unwrap_or(done.content);
        let saved = if answered["reportDefinition"].is_object() { answered } else { &done.args["body"] };
        let holds = done.args["network_code"] == create.args["network_code"] && saved_covers(saved, ask, turn.today);
        // A report that we saved for other days or columns can't answer this.
        if !holds && ways::bare(done.args) != create.args {
            continue;
        }
        return match (done.ok, run(answered)) {
            (true, Some(call)) if holds => Ok(call),
            (true, Some(_)) => {
                Err(Stuck::Never("the saved report I created doesn't have the numbers you asked for".to_owned()))
            }
            (true, None) => Err(Stuck::Never("Ad Manager didn't return the saved report I created".to_owned())),
            (false, _) if done.denied() => Err(Stuck::Ask(Box::new(declined().into()))),
            (false, _) => Err(match unsent::waits_already(done) {
                Some(answer) => Stuck::Ask(Box::new(answer.into())),
                None => Stuck::Never(done.problem()),
            }),
        };
    }
    let list = Call { name: "admanager_list_reports".into(), args: json!({"network_code": ask.account}) };
    let Some(done) = turn.find(&list) else { return Err(Stuck::LookUp(list)) };
    if !done.ok {
        return Err(Stuck::Never(done.problem()));
    }
    let reports = done.content["items"].as_array().into_iter().flatten();
    let covering =
        reports.filter(|report| saved_covers(report, ask, turn.today)).find_map(|own| Some((own, run(own)?)));
    if let Some((report, call)) = covering {
        let metrics = report["reportDefinition"]["metrics"].as_array().into_iter().flatten();
        let metrics: Vec<&str> = metrics.filter_map(Json::as_str).collect();
        let whole = ask.metrics.iter().all(|metric| metrics.contains(metric));
        let note = format!(
            "Ad Manager numbers are from the saved report “{}”{}.",
            plain(report["displayName"].as_str().unwrap_or("Untitled")),
            if whole { "" } else { " (ad server only)" }
        );
        if !notes.method.contains(&note) {
            notes.method.push(note);
        }
        return Ok(call);
    }
    let writes = !turn.request.planner.settings.safe_mode;
    if alone && writes {
        let say = format!(
            "Ad Manager only runs saved reports, and none of yours covers {what}. I drafted a hidden report that does, for your approval."
        );
        return Err(Stuck::Ask(Box::new(Step::Calls { say, calls: vec![create] })));
    }
    if alone {
        return Err(Stuck::Never(
            "none of your saved reports has these numbers, and safe mode keeps me from drafting a new report"
                .to_owned(),
        ));
    }
    Err(Stuck::Never(
        "none of your saved reports has these numbers. Ask about Ad Manager only, and I'll draft a report for your approval".to_owned(),
    ))
}

fn declined() -> Answer {
    Answer::text("The report wasn't saved. Nothing changed in Ad Manager, and I have no numbers to show.").following([
        "List my Ad Manager reports",
        "Total revenue last 7 days by network",
        "List my Ad Manager orders",
    ])
}
