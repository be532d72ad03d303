//! Results of calls for somebody who reads a run whole: its events tell only short ones, the rest stands with the calls.

use adagent_contract::{CallResult, EventBody, RunEvent, omitted};
use adagent_store::{RunReads, StoreResult};

/// How much of its results a reader takes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// Short ones, and of others the size; a step that is opened fetches its own.
    Brief,
    Whole,
}

/// Puts the results that events left with their calls back into them.
pub(crate) async fn restore(store: &(impl RunReads + ?Sized), events: &mut [RunEvent]) -> StoreResult<()> {
    for event in events {
        let EventBody::ToolResult { tool_call_id, result, artifact, .. } = &mut event.body else { continue };
        if omitted(result).is_none() {
            continue;
        }
        let found = store.find_call(event.run_id, *tool_call_id).await?.map(|call| call.outcome);
        if let Some(CallResult { result: Some(whole), artifact: drawn }) = found {
            *result = whole;
            *artifact = drawn;
        }
    }
    Ok(())
}
