//! Results stay with their calls. The record of a run and its pages carry short results whole, and only the size of the others. A person
//! who opens a step fetches its result.

use serde_json::{Value as Json, json};

use crate::{Artifact, StepView, TurnView};

/// The longest result, in bytes, that the record of a run carries.
const MOST: usize = 1024;
/// How many rows of a step's table a page shows.
pub const STEP_ROWS: usize = 8;

/// The result of one call.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CallResult {
    /// The whole result, or its size (`omitted_bytes`) if it is too long for a page.
    pub result: Option<Json>,
    pub artifact: Option<Artifact>,
}

impl CallResult {
    pub const fn of(result: Json) -> Self {
        Self { result: Some(result), artifact: None }
    }

    /// Returns what the record of the run says about the result. If the result has a table, readers always fetch both together, even if the
    /// result is short, so the record gives only its size.
    pub fn brief(&self) -> Json {
        let most = if self.artifact.is_some() { 0 } else { MOST };
        self.result.as_ref().map_or(Json::Null, |whole| brief(whole, most))
    }

    /// Keeps the result if it has at most `most` bytes, and of the table the rows that a step shows.
    #[must_use]
    pub fn bounded(self, most: usize) -> Self {
        Self { result: self.result.map(|result| bounded(result, most)), artifact: self.artifact.map(shown) }
    }
}

impl TurnView {
    /// Replaces long results and the results of steps with a table by their size, and removes the tables.
    pub fn shorten(&mut self) {
        for step in &mut self.steps {
            if let StepView::Tool { result, artifact, .. } = step {
                // If a result has a table, readers always fetch both together, even if the result is short.
                let most = if artifact.take().is_some() { 0 } else { MOST };
                *result = result.take().map(|whole| bounded(whole, most));
            }
        }
    }
}

/// Returns the size of a result that was replaced by its size.
pub fn omitted(result: &Json) -> Option<u64> {
    let fields = result.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("omitted_bytes")?.as_u64()
}

fn bounded(result: Json, most: usize) -> Json {
    left(&result, most).unwrap_or(result)
}

fn brief(result: &Json, most: usize) -> Json {
    left(result, most).unwrap_or_else(|| result.clone())
}

/// Returns what replaces a result that is too long. `None` if the result stays.
fn left(result: &Json, most: usize) -> Option<Json> {
    if omitted(result).is_some() {
        return None;
    }
    let mut size = Size(0);
    serde_json::to_writer(&mut size, result).ok()?;
    (size.0 > most).then(|| json!({ "omitted_bytes": size.0 }))
}

/// A writer that counts the bytes written to it and stores none of them.
struct Size(usize);

impl std::io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn shown(mut artifact: Artifact) -> Artifact {
    if let Artifact::Table { table, .. } = &mut artifact {
        table.rows.truncate(STEP_ROWS);
    }
    artifact
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Network, RunId, Source, Timestamp, ToolCallId};

    use super::*;
    use crate::{StepState, TableArtifact};

    fn table(rows: usize) -> Artifact {
        let rows = (0..rows).map(|_| Vec::new()).collect::<Vec<_>>();
        let row_count = rows.len() as u64;
        let table = TableArtifact { columns: Vec::new(), rows, total: None, sorted_by: None, row_count };
        Artifact::Table { title: "Revenue".into(), subtitle: String::new(), table, sources: Vec::new() }
    }

    fn turn(result: Json, artifact: Option<Artifact>) -> TurnView {
        let mut turn = TurnView::new(RunId(uuid::Uuid::nil()));
        turn.steps.push(StepView::Tool {
            at: Timestamp::EPOCH,
            tool_call_id: ToolCallId(uuid::Uuid::nil()),
            name: "admob_list_apps".into(),
            source: Source::Network(Network::AdMob),
            params: json!({}),
            read_only: true,
            state: StepState::Ok,
            message: None,
            progress: None,
            summary: None,
            result: Some(result),
            artifact,
            duration_ms: None,
            cached: false,
            done_at: None,
            to: None,
        });
        turn.shorten();
        turn
    }

    fn kept(turn: &TurnView) -> (&Json, bool) {
        match &turn.steps[0] {
            StepView::Tool { result: Some(result), artifact, .. } => (result, artifact.is_some()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_page_takes_short_results_and_the_size_of_others() {
        let short = json!({"error": {"code": "NOT_FOUND"}});
        assert_eq!(kept(&turn(short.clone(), None)), (&short, false));
        let long = json!({"rows": "x".repeat(MOST)});
        let bytes = long.to_string().len() as u64;
        assert_eq!(omitted(kept(&turn(long, None)).0), Some(bytes));
        // A result that has a table is fetched with it.
        assert!(omitted(kept(&turn(short, Some(table(3)))).0).is_some());
    }

    #[test]
    fn what_was_left_out_before_keeps_its_size() {
        let mut turn = turn(json!({"omitted_bytes": 20_480}), None);
        turn.shorten();
        assert_eq!(omitted(kept(&turn).0), Some(20_480));
    }

    #[test]
    fn only_a_result_that_was_left_out_counts_as_left_out() {
        assert_eq!(omitted(&json!({ "omitted_bytes": 1, "rows": [] })), None);
        assert_eq!(omitted(&json!({ "rows": [] })), None);
    }

    #[test]
    fn an_opened_step_gets_its_rows_and_no_more_than_a_page_holds() {
        let found = CallResult { result: Some(json!({"rows": "x".repeat(100)})), artifact: Some(table(20)) };
        let shown = found.clone().bounded(50);
        assert!(shown.result.as_ref().and_then(omitted).is_some());
        let Some(Artifact::Table { table, .. }) = &shown.artifact else { panic!("{shown:?}") };
        assert_eq!((table.rows.len(), table.row_count), (STEP_ROWS, 20));
        assert_eq!(found.clone().bounded(5_000).result, found.result);
    }

    #[test]
    fn the_record_of_a_run_tells_short_results_and_the_size_of_others() {
        let short = json!({"done": true});
        assert_eq!(CallResult::of(short.clone()).brief(), short);
        let long = json!({"rows": "ä".repeat(MOST)});
        assert_eq!(omitted(&CallResult::of(long.clone()).brief()), Some(long.to_string().len() as u64));
        let drawn = CallResult { artifact: Some(table(1)), ..CallResult::of(short.clone()) };
        assert_eq!(omitted(&drawn.brief()), Some(short.to_string().len() as u64), "it is fetched with its table");
        assert_eq!(CallResult::default().brief(), Json::Null);
    }
}
