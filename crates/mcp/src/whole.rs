//! The whole result of a read whose answer was cut: a resource that makes the same read again and returns it in pages, reports as CSV.
//!
//! The address contains the call itself, so any server can answer it and nothing is stored. It is a read like any other, with the same
//! visibility, checks and limits.

use adagent_contract::{ReportData, Value};
use adagent_domain::Actor;
use adagent_service::NoProgress;
use adagent_tools::ToolInfo;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use rmcp::{
    ErrorData,
    model::{Resource, ResourceContents, ResourceTemplate},
};
use serde_json::{Value as Json, json};

use crate::{Shared, who};

const READS: &str = "adagent://reads/";
/// The bytes of one page.
pub(crate) const PAGE: usize = 400_000;
/// The longest arguments that fit in an address.
const LONGEST: usize = 4_000;
const CSV: &str = "text/csv";
const JSON: &str = "application/json";

pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new("adagent://reads/{tool}/{arguments}/{page}", "read")
        .with_title("Full result of a read")
        .with_description(
            "The full result, page by page; reports as CSV. Answers that were cut off link to it. arguments are the call's arguments, as JSON in base64url",
        )
}

/// Returns the link to the whole result of a call.
pub(crate) fn link(tool: &ToolInfo, args: &Json) -> Option<Resource> {
    let text = args.to_string();
    let uri = format!("{READS}{}/{}/1", tool.name, B64.encode(&text));
    (text.len() <= LONGEST).then(|| {
        Resource::new(uri, format!("{}-whole", tool.name))
            .with_title(format!("{}, the whole answer", tool.title))
            .with_description(
                "Page 1. To read another page, change the number at the end of the address. Reports come as CSV.",
            )
    })
}

/// The call in an address.
#[derive(Debug, PartialEq)]
pub(crate) struct Named {
    tool: String,
    args: Json,
    page: usize,
}

/// Reads the call from an address. `None` if the address is something else or contains no call.
pub(crate) fn named(uri: &str) -> Option<Named> {
    let mut parts = uri.strip_prefix(READS)?.split('/');
    let (tool, args, page) = (parts.next()?, parts.next()?, parts.next().unwrap_or("1"));
    if parts.next().is_some() || args.len() > 2 * LONGEST {
        return None;
    }
    let args = B64.decode(args).ok().and_then(|bytes| serde_json::from_slice::<Json>(&bytes).ok());
    let args = args.filter(Json::is_object)?;
    Some(Named { tool: tool.to_owned(), args, page: page.parse().ok().filter(|page| *page > 0)? })
}

/// Makes the read. `None` if this person has no such read or it has no such page.
pub(crate) async fn read(
    shared: &Shared,
    actor: &Actor,
    named: &Named,
    uri: &str,
) -> Result<Option<ResourceContents>, ErrorData> {
    let granted = who::granted(actor)?;
    let tool = shared.service.usable_tool(&granted, &named.tool).await.map_err(|error| who::failed(&error))?;
    let Some(tool) = tool.filter(|tool| tool.read_only) else { return Ok(None) };
    let answered = shared.service.read_tool(&granted, &tool, &named.args, &mut NoProgress).await;
    let output = match answered.map_err(|error| who::failed(&error))? {
        Ok(output) => output,
        Err(refused) => {
            return Err(ErrorData::invalid_params(format!("{}: {refused}", refused.code), Some(refused.detail)));
        }
    };
    let page = match ReportData::from_result(&output.result) {
        Some(report) => csv(&report, named.page).map(|text| (text, CSV)),
        None => items(&output.result, named.page).map(|text| (text, JSON)),
    };
    Ok(page.map(|(text, kind)| ResourceContents::text(text, uri).with_mime_type(kind)))
}

/// Returns a page of lines after the heading. `None` after the last page.
fn csv(report: &ReportData, page: usize) -> Option<String> {
    let head = report.columns.iter().map(|column| match &column.unit {
        Some(unit) => text_cell(&format!("{} ({unit})", column.label)),
        None => text_cell(&column.label),
    });
    let head = head.collect::<Vec<_>>().join(",");
    let line = |row: &Vec<Value>| row.iter().map(cell).collect::<Vec<_>>().join(",");
    let (lines, _) = nth_page(report.rows.iter().map(line), PAGE, page)?;
    Some([head].into_iter().chain(lines).map(|line| line + "\r\n").collect())
}

/// Returns a page of a list. A result that is not a list is one page.
fn items(result: &Json, page: usize) -> Option<String> {
    let Some(items) = result["items"].as_array() else {
        return (page == 1).then(|| result.to_string());
    };
    let (lines, _) = nth_page(items.iter().map(Json::to_string), PAGE, page)?;
    let head =
        json!({"kind": result["kind"], "entity": result["entity"], "page": page, "total": items.len()}).to_string();
    Some(format!("{},\"items\":[{}]}}", head.trim_end_matches('}'), lines.join(",")))
}

/// Returns the lines of a page, as many as fit and at least one, and whether there is another page. An empty list has one page.
pub(crate) fn nth_page(lines: impl Iterator<Item = String>, most: usize, page: usize) -> Option<(Vec<String>, bool)> {
    let (mut at, mut bytes, mut found) = (1, 0, Vec::new());
    for line in lines {
        if bytes > 0 && bytes + line.len() > most {
            (at, bytes) = (at + 1, 0);
        }
        if at > page {
            break;
        }
        bytes += line.len() + 2;
        if at == page {
            found.push(line);
        }
    }
    (page == 1 || !found.is_empty()).then_some((found, at > page))
}

fn cell(value: &Value) -> String {
    let raw = value.raw();
    // Numbers may begin with a minus sign.
    if value.as_f64().is_some() { quoted(&raw) } else { text_cell(&raw) }
}

/// Puts an apostrophe before text that a spreadsheet would read as a formula.
fn text_cell(text: &str) -> String {
    let formula = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if formula || text.starts_with(['\t', '\r']) { quoted(&format!("'{text}")) } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use adagent_contract::{Column, ColumnKind};

    use super::*;

    fn report(rows: usize) -> ReportData {
        let column = |key: &str, kind| Column { key: key.into(), label: key.into(), kind, unit: None };
        ReportData {
            columns: vec![column("app", ColumnKind::Text), column("impressions", ColumnKind::Count)],
            rows: (0..rows)
                .map(|n| vec![Value::Text { value: format!("=app, {n}") }, Value::Count { value: -1 }])
                .collect(),
            row_count: rows as u64,
            truncated: false,
            currency: None,
            time_zone: None,
            date_from: "2026-11-19".into(),
            date_to: "2026-11-19".into(),
            account: None,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn pages_hold_every_row_once_under_their_head_and_end() {
        let report = report(60_000);
        let (mut seen, mut page) = (0, 1);
        while let Some(text) = csv(&report, page) {
            assert!(text.starts_with("app,impressions\r\n") && text.len() < PAGE + 1000);
            for (at, line) in text.lines().skip(1).enumerate() {
                assert_eq!(line, format!("\"'=app, {}\",-1", seen + at));
            }
            seen += text.lines().count() - 1;
            page += 1;
        }
        assert_eq!(seen, 60_000);
        assert!(page > 3);
        assert_eq!(csv(&super::tests::report(0), 1).as_deref(), Some("app,impressions\r\n"));
        let list = json!({"kind": "list", "items": [{"id": 1}, {"id": 2}]});
        let read: Json = serde_json::from_str(&items(&list, 1).unwrap()).unwrap();
        assert_eq!((&read["items"], &read["total"]), (&list["items"], &json!(2)));
        assert_eq!(items(&list, 2), None);
    }

    #[test]
    fn addresses_name_calls_and_nothing_else() {
        let args = json!({"date": "2026-11-19"});
        let good = format!("{READS}unity_report/{}", B64.encode(args.to_string()));
        let found = |page| Some(Named { tool: "unity_report".into(), args: args.clone(), page });
        assert_eq!(named(&good), found(1));
        assert_eq!(named(&format!("{good}/7")), found(7));
        for other in ["/0", "/-1", "/x", "/1/2", "/99999999999999999999999"] {
            assert_eq!(named(&format!("{good}{other}")), None, "{other}");
        }
        for other in [format!("{READS}x/%%"), format!("{READS}x/{}", B64.encode("[1]")), "adagent://runs/1".to_owned()]
        {
            assert_eq!(named(&other), None, "{other}");
        }
    }
}
