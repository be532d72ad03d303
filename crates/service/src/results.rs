//! Puts results back for readers of a whole run: its events contain only short results, and the calls hold the others.

use adagent_contract::{CallResult, EventBody, RunEvent, omitted};
use adagent_store::{RunReads, StoreResult};

/// Which results a reader gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// Short results, and only the size of the others; a person who opens a step fetches its result.
    Brief,
    Whole,
}

/// Puts the results that the calls hold back into the events.
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
