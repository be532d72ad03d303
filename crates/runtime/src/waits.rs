//! What a run waits for, in words for people who have seen nothing for a while.

use std::time::Duration;

use adagent_contract::{ServerToolName, source_name};
use adagent_domain::{Network, ToolCallId};
use adagent_run_core::{CallWork, Ledger, duration};

use crate::deps::RuntimeDeps;

/// The most calls that one line names.
const MOST_NAMED: usize = 3;

/// Returns what this work waits for, in words that follow "Still".
pub(crate) fn waits_for(deps: &RuntimeDeps, ledger: &Ledger, work: &CallWork) -> String {
    let calls = |ids: &[ToolCallId]| calls(deps, ledger, ids);
    match work {
        CallWork::Check(ids) => format!("waiting for {}, to check the change before asking you", calls(ids)),
        CallWork::Begin(ids) => format!("asking other agents: {}", calls(ids)),
        CallWork::Read(ids) => format!("waiting for {}", calls(ids)),
        CallWork::Sketch(ids) => format!("waiting for {}, to show what would change", calls(ids)),
        CallWork::Send(id) => format!("waiting for {}. A change that is being sent can't be stopped", calls(&[*id])),
        CallWork::Probe(id) => format!("checking whether the change went through: {}", calls(&[*id])),
    }
}

/// Returns the line that people see after this time.
pub(crate) fn still(waits: &str, after: Duration) -> String {
    let millis = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    format!("Still {waits} ({} so far)", duration(millis))
}

pub(crate) fn networks(all: &[Network]) -> String {
    match all {
        [] => "the networks".into(),
        all => all.iter().map(|network| network.display_name()).collect::<Vec<_>>().join(", "),
    }
}

/// Names calls like `Unity: List ad units; AdMob: Network report`.
fn calls(deps: &RuntimeDeps, ledger: &Ledger, ids: &[ToolCallId]) -> String {
    let mut named: Vec<String> = Vec::new();
    for call in ids.iter().filter_map(|id| ledger.call(*id)) {
        let title = deps.tools.tool(&call.name).map_or_else(|| call.name.clone(), |tool| tool.title.clone());
        let title = ServerToolName::of(&call.name).map_or(title, |name| name.tool.to_owned());
        let name = format!("{}: {title}", source_name(call.source, &call.name));
        if !named.contains(&name) {
            named.push(name);
        }
    }
    let more = named.len().saturating_sub(MOST_NAMED);
    named.truncate(MOST_NAMED);
    let named = named.join("; ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_for_what_and_for_how_long() {
        assert_eq!(
            still("waiting for Unity: List ad units", Duration::from_mins(1)),
            "Still waiting for Unity: List ad units (60 seconds so far)"
        );
        assert_eq!(
            still("reading your question", Duration::from_mins(3)),
            "Still reading your question (3 minutes so far)"
        );
    }
}
