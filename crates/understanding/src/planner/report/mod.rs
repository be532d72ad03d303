//! Reporting questions: decides on the calls, merges their results exactly, and writes the answer. This must never show a number that is
//! neither a value in a result nor exact arithmetic on such values.

mod absent;
pub(super) mod across;
pub(super) mod answer;
pub(super) mod artifacts;
mod calls;
pub(super) mod days;
mod filter;
pub(super) mod merge;
pub(super) mod metric;
pub(super) mod narrate;
mod size;
pub(super) mod spec;

use adagent_contract::ReportData;

use super::{
    Answer, Call, Step,
    format::and,
    read::{Fetched, Turn},
    talk,
};

pub(super) use calls::report_call;

/// Returns the next step of a reporting question.
pub(super) fn next(turn: &Turn<'_>) -> Step {
    if turn.accounts().is_empty() {
        return no_accounts(turn);
    }
    let plan = match spec::Plan::from(turn) {
        Ok(plan) => plan,
        Err(answer) => return (*answer).into(),
    };
    if let Some(answer) = size::too_much(turn, &plan) {
        return answer.into();
    }
    let wanted = calls::all(&plan);
    let flat: Vec<Call> = wanted.iter().map(|(_, call)| call.clone()).collect();
    if let Some(step) = turn.missing(&flat, &format!("Reading {}.", plan.describe())) {
        return step;
    }
    let mut parts = answer::Parts::default();
    for (part, call) in &wanted {
        match fetch(turn, call) {
            Ok(fetched) => parts.add(*part, fetched),
            Err(problem) => parts.problems.push(problem),
        }
    }
    if parts.is_empty() {
        return could_not_read(&parts.problems).into();
    }
    let mut answer = answer::build(turn, &plan, &parts);
    answer.text = ahead(&plan, &answer.text);
    answer.into()
}

/// Puts what a reader must know first above the text with the number.
pub(super) fn ahead(plan: &spec::Plan, text: &str) -> String {
    plan.ahead.iter().map(String::as_str).chain([text]).collect::<Vec<_>>().join("\n\n")
}

/// Looks up the accounts first if we know none.
pub(super) fn no_accounts(turn: &Turn<'_>) -> Step {
    let call = Call { name: "admob_list_accounts".into(), args: serde_json::json!({}) };
    turn.missing(std::slice::from_ref(&call), "Looking up your publisher accounts.").unwrap_or_else(|| {
        match turn.find(&call) {
            Some(done) if !done.ok => could_not_read(&[done.problem()]).into(),
            _ => Answer::text(
                "AdMob is connected, but this Google account has no AdMob publisher account, so there's nothing to read.",
            )
            .following(talk::EXAMPLES)
            .into(),
        }
    })
}

/// Returns the report that a call returned, or says why there is none.
pub(super) fn fetch(turn: &Turn<'_>, call: &Call) -> Result<Fetched, String> {
    let done = turn.find(call).ok_or_else(|| "a request got no answer".to_owned())?;
    if !done.ok {
        return Err(done.problem());
    }
    ReportData::from_result(done.content)
        .map(|report| Fetched { source: done.id, report })
        .ok_or_else(|| format!("{} didn't return a report", done.name))
}

pub(super) fn could_not_read(problems: &[String]) -> Answer {
    let mut distinct: Vec<String> = problems.to_vec();
    distinct.dedup();
    if distinct.is_empty() {
        return Answer::text("I couldn't read this from AdMob, so I have no numbers to show.")
            .following(talk::EXAMPLES);
    }
    Answer::text(format!("I couldn't read this from AdMob: {}. {}", and(&distinct), advice(&distinct)))
        .following(talk::EXAMPLES)
}

/// Says what to do if nothing could be read. If a network says when to ask again, its connection works, so we don't send the person to the
/// settings.
pub(super) fn advice(reasons: &[String]) -> &'static str {
    if reasons.iter().any(|reason| reason.contains("Ask again in ")) {
        "I have no numbers to show yet."
    } else {
        "I have no numbers to show. Check the connection in Settings › Networks."
    }
}
