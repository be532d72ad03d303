//! The audit log as a file for spreadsheets. It is written page by page, so that a long log needs little memory, and no spreadsheet runs
//! its content as a formula.

use std::{fmt::Write as _, sync::Arc};

use adagent_contract::{AuditQuery, AuditView};
use adagent_domain::{Granted, rights::ViewAuditLog};
use adagent_store::AuditFilter;
use futures::stream::{BoxStream, StreamExt as _, try_unfold};
use serde_json::json;

use super::list::{filter, view};
use crate::{Service, ServiceError, ServiceResult};

const STEP: u32 = 200;
const HEAD: &str = "number,at,action,person,person_id,target,detail,hash\r\n";

/// The text of the file in pieces.
pub type AuditCsv = BoxStream<'static, ServiceResult<String>>;

struct Behind {
    filter: AuditFilter,
    begun: bool,
}

impl Service {
    /// Returns the log, newest first. The export itself is noted before the first line leaves.
    pub async fn audit_csv(
        self: &Arc<Self>,
        actor: &Granted<ViewAuditLog>,
        query: &AuditQuery,
    ) -> ServiceResult<AuditCsv> {
        let filter = filter(query)?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        self.audit(&mut *work, actor, "audit_log.exported", actor.workspace, json!({"filter": query})).await?;
        work.commit().await?;
        let (service, workspace) = (Arc::clone(self), actor.workspace);
        let rows = try_unfold(Behind { filter, begun: false }, move |behind| {
            let service = Arc::clone(&service);
            async move {
                let records = service.store.list_audit_records(workspace, &behind.filter, STEP).await?;
                let mut text = if behind.begun { String::new() } else { HEAD.to_owned() };
                let Some(last) = records.last().map(|record| record.id) else {
                    return Ok::<_, ServiceError>(
                        (!text.is_empty()).then_some((text, Behind { begun: true, ..behind })),
                    );
                };
                for record in records {
                    line(&mut text, &view(record));
                }
                let filter = AuditFilter { before: Some(last), ..behind.filter };
                Ok(Some((text, Behind { filter, begun: true })))
            }
        });
        Ok(rows.boxed())
    }
}

fn line(text: &mut String, row: &AuditView) {
    let number = row.number.map(|number| number.to_string()).unwrap_or_default();
    let (name, id) = match &row.person {
        Some(person) => (person.name.clone(), person.id.to_string()),
        None => (String::new(), String::new()),
    };
    let cells = [
        number,
        row.at.to_string(),
        row.action.clone(),
        name,
        id,
        row.target.clone(),
        row.detail.to_string(),
        row.hash.clone().unwrap_or_default(),
    ];
    let written = cells.map(|cell| safe(&cell)).join(",");
    // Writing to a String cannot fail.
    let _ = write!(text, "{written}\r\n");
}

/// Quotes a cell after RFC 4180, and puts an apostrophe before text that a spreadsheet would read as a formula.
fn safe(cell: &str) -> String {
    // Some spreadsheets read the full-width forms of these characters in the same way.
    const BEGINS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let formula = cell.trim_start().starts_with(BEGINS) || cell.starts_with(['\t', '\r', '\n']);
    let cell = if formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains(['"', ',', '\r', '\n', '\'']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_none_breaks_out() {
        for (cell, written) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("  =1", "\"'  =1\""),
            ("\u{ff1d}1", "\"'\u{ff1d}1\""),
            ("\t=1", "\"'\t=1\""),
            ("line\r\n=1", "\"line\r\n=1\""),
            ("", ""),
        ] {
            assert_eq!(safe(cell), written, "{cell:?}");
        }
    }
}
