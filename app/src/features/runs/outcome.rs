//! A run's status or outcome, in a few words and a color.

use adagent_contract::{RunFacts, RunFilter, RunOutcome, RunStatus};
use leptos::prelude::*;

use crate::ui::{Glyph, Icon};

type Look = (&'static str, Glyph, &'static str);

const fn of_status(status: RunStatus) -> Look {
    match status {
        RunStatus::Queued => ("badge", Glyph::Clock, "Queued"),
        RunStatus::Running => ("badge accent", Glyph::Play, "Running"),
        RunStatus::AwaitingApproval => ("badge wait", Glyph::Clock, "Pending approval"),
        RunStatus::Completed => ("badge good", Glyph::Check, "Completed"),
        RunStatus::Failed => ("badge bad", Glyph::CircleX, "Failed"),
        RunStatus::Stopped => ("badge bad", Glyph::Ban, "Stopped"),
        RunStatus::Cancelled => ("badge", Glyph::Ban, "Canceled"),
    }
}

/// Returns how an outcome looks. Green only if the person got what they asked for.
const fn of_outcome(outcome: RunOutcome) -> Option<Look> {
    Some(match outcome {
        RunOutcome::Open | RunOutcome::Failed | RunOutcome::Stopped | RunOutcome::Cancelled => return None,
        RunOutcome::Changed => ("badge good", Glyph::Check, "Change sent"),
        RunOutcome::NotSent => ("badge", Glyph::Ban, "Change not sent"),
        RunOutcome::Answered => ("badge good", Glyph::Check, "Answered"),
        RunOutcome::Partly => ("badge wait", Glyph::CircleAlert, "Partly answered"),
        RunOutcome::Asked => ("badge", Glyph::MessageSquare, "Asked for details"),
        RunOutcome::NothingRead => ("badge", Glyph::MessageSquare, "No report read"),
    })
}

/// Returns the label of a filter.
pub const fn filter_label(filter: RunFilter) -> &'static str {
    match filter {
        RunFilter::All => "All runs",
        RunFilter::WithChange => "With a change",
        RunFilter::Only(RunOutcome::Open) => "In progress or pending approval",
        RunFilter::Only(RunOutcome::Failed) => "Failed",
        RunFilter::Only(RunOutcome::Stopped | RunOutcome::Cancelled) => "Stopped or canceled",
        RunFilter::Only(outcome) => match of_outcome(outcome) {
            Some((_, _, text)) => text,
            None => "",
        },
    }
}

#[component]
pub fn StatusBadge(status: RunStatus) -> impl IntoView {
    let (class, glyph, text) = of_status(status);
    view! { <span class=class><Icon glyph/>{text}</span> }
}

/// Shows the outcome of a run, or its status if the status says enough. Color is never the only sign.
#[component]
pub fn OutcomeBadge(status: RunStatus, facts: RunFacts) -> impl IntoView {
    let (class, glyph, text) = of_outcome(facts.outcome).unwrap_or_else(|| of_status(status));
    let failed_after = facts.outcome == RunOutcome::Changed && status != RunStatus::Completed;
    view! {
        <span class=class><Icon glyph/>{text}</span>
        {failed_after.then(|| view! { " "<StatusBadge status/> })}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_has_words_and_green_means_done() {
        let mut labels: Vec<&str> = RunFilter::ALL.iter().map(|(_, filter)| filter_label(*filter)).collect();
        assert!(labels.iter().all(|label| !label.is_empty()), "{labels:?}");
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), RunFilter::ALL.len());
        for outcome in [RunOutcome::NotSent, RunOutcome::Partly, RunOutcome::Asked, RunOutcome::NothingRead] {
            assert!(of_outcome(outcome).is_some_and(|(class, ..)| !class.contains("good")), "{outcome:?}");
        }
    }
}
