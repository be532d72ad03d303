//! Searches a person's runs by their question and their outcome.

use adagent_contract::{Page, RunFacts, RunFilter, RunRow};
use adagent_domain::{Actor, RunId};

use crate::{Service, ServiceResult, cursor};

/// How many runs one read returns.
const BATCH: u32 = 50;
/// How many runs we check for one page; older ones come on the next page.
const LOOKED_AT: u32 = 500;

/// Which runs to find.
#[derive(Debug, Clone, Default)]
pub struct RunSearch {
    pub filter: RunFilter,
    /// A text in the question, whatever its case; empty means all.
    pub text: String,
}

impl Service {
    /// Finds runs, newest first. A page may hold fewer than `limit` runs and still have a next page.
    pub async fn find_runs(
        &self,
        actor: &Actor,
        search: &RunSearch,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<RunRow>> {
        let limit = cursor::limit(limit)?;
        let mut before = cursor::to_id::<RunId>(cursor.as_deref())?;
        let text = search.text.trim().to_lowercase();
        let (mut items, mut looked_at, mut more) = (Vec::new(), 0_u32, true);
        while more && looked_at < LOOKED_AT && items.len() < limit as usize {
            let rows = self.store.list_runs(actor.workspace, actor.user, before, BATCH + 1).await?;
            let (rows, older) = cursor::cut(rows, BATCH);
            more = older;
            let ids: Vec<RunId> = rows.iter().map(|run| run.id).collect();
            let events = self.store.list_events_of(&ids).await?;
            let Some(last) = ids.last().copied() else { break };
            for run in rows {
                let (id, status) = (run.id, run.status);
                let own: Vec<_> = events.iter().filter(|event| event.run_id == id).cloned().collect();
                let inherited = self.store.find_origin(id).await?.map_or(0, |origin| origin.inherited_seq);
                let facts = RunFacts::of(status, &own, inherited);
                before = Some(id);
                looked_at += 1;
                if run.turn().is_none() || !search.filter.takes(facts) {
                    continue;
                }
                let run = self.run_view(actor, run).await?;
                if text.is_empty() || run.question.to_lowercase().contains(&text) {
                    items.push(RunRow { run, facts });
                    if items.len() == limit as usize {
                        break;
                    }
                }
            }
            // If the page was full before the batch ended, the next page continues after its last row.
            more |= before != Some(last);
        }
        let next_cursor = before.filter(|_| more).map(cursor::of_id);
        Ok(Page { items, next_cursor })
    }
}
