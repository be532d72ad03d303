//! Fetches the whole result of an operation: one reply or all its pages, as JSON or CSV.
//!
//! This module must never make up a result: if the result is not where the operation keeps it, that is an error, and if rows are left out,
//! the reply says so.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{
    Delivery, Reply, SendError, Transport, Work,
    long::Pause,
    paging::{self, Pager, Step},
    reply::{Content, Expected},
    request,
    retry::Subject,
    without_field,
};
use crate::{
    adapters,
    catalogue::{Operation, ResultKind},
    normalise::{csv, shapes},
    sign::{Material, Session},
};
use adagent_tools::{ProgressSink, ToolError, ToolErrorClass};

/// Returns a function that checks whether a name in the header of a table is a column of this report: one that was asked for, or one that
/// we know.
pub(super) fn columns(operation: &Operation, args: &Json) -> impl Fn(&str) -> bool {
    let shape = shapes::of(&operation.info.name);
    let asked: Vec<String> = shape.into_iter().flat_map(|shape| shape.asked(args)).collect();
    move |name| {
        asked.iter().any(|asked| asked == name)
            || shape.is_some_and(|shape| {
                shape.columns.contains_key(name) || shape.always.iter().any(|always| always == name)
            })
    }
}

impl Transport {
    /// Fetches all pages of an operation.
    pub(super) async fn pages(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, SendError> {
        let (spec, path) = (&operation.result, operation.result.items_path.as_deref());
        let whole = match spec.kind {
            ResultKind::List => false,
            ResultKind::Report => spec.pagination.is_none(),
            ResultKind::Object | ResultKind::Operation => true,
        };
        if whole || !operation.info.read_only {
            return self.whole(work, operation, args, progress).await;
        }
        let rows = match spec.kind {
            ResultKind::Report => self.tuning.max_report_rows,
            _ => self.tuning.max_items,
        };
        let bounds = paging::Bounds { pages: self.tuning.max_pages, rows };
        let mut pager = Pager::new(operation, args, work.profile.conduct.empty_lists_left_out, bounds);
        let mut first: Option<Json> = None;
        // The header of the first page, if pages are CSV. The other pages must have the same one.
        let mut head: Option<Vec<String>> = None;
        loop {
            let mut cut = false;
            let mut page = match self.content(work, operation, pager.args(), progress).await? {
                Content::Json(page) => page,
                // CSV can come in pages too. Put its rows where those of a JSON page would be.
                other => {
                    let (rows, names) = self.table(work, operation, args, other, progress).await?;
                    if first.is_some() && head.as_ref() != Some(&names) {
                        return Err(unreadable(work, "its pages have different columns"));
                    }
                    head.get_or_insert(names);
                    cut = rows.truncated;
                    pager.page_of(rows.body)
                }
            };
            let step = pager.take(&mut page).map_err(|_| unexpected(operation, "list"))?;
            first.get_or_insert(page);
            let (truncated, next_page_token) = match step {
                // Rows were cut from this page, so another page would leave a gap in the middle.
                _ if cut => (true, None),
                Step::Done { truncated, next } => (truncated, next),
                Step::More => {
                    progress.progress(&format!("{} so far, fetching more", pager.count()), None).await;
                    continue;
                }
            };
            let rows = pager.into_rows();
            let body = if spec.kind == ResultKind::Report {
                let mut body = first.unwrap_or_default();
                match path.filter(|path| !path.is_empty()) {
                    Some(path) => paging::set(&mut body, &paging::fill(path, args), Json::Array(rows)),
                    None => body = Json::Array(rows),
                }
                body
            } else {
                Json::Array(rows)
            };
            return Ok(Reply { body, attempts: work.attempts, truncated, next_page_token });
        }
    }

    /// Sends an operation that has one reply.
    async fn whole(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, SendError> {
        let mut reply = match self.content(work, operation, args, progress).await? {
            Content::Json(json) => work.reply(json),
            other => self.table(work, operation, args, other, progress).await?.0,
        };
        if operation.result.kind == ResultKind::Object && !answers_plainly(operation) {
            let path = operation.result.items_path.as_deref().unwrap_or_default();
            let object = paging::get(&reply.body, path).filter(|object| says_something(object));
            match object {
                None if operation.info.read_only => return Err(unexpected(operation, "object")),
                None if makes_something(operation) => return Err(unnamed(operation)),
                Some(object) if operation.info.read_only && !path.is_empty() => reply.body = object.clone(),
                // Leave the reply to a write as it is, because the code that shows it knows the network. The reply to an update or a
                // deletion may be a plain "yes".
                Some(_) | None => {}
            }
        }
        Ok(reply)
    }

    /// Returns the rows of a reply that is not JSON, and the names of their columns.
    async fn table(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        content: Content,
        progress: &mut dyn ProgressSink,
    ) -> Result<(Reply, Vec<String>), SendError> {
        let text = match content {
            Content::Json(_) => return Err(unreadable(work, "it isn't a table")),
            Content::Text(text) => text,
            Content::Moved(link) => self.file(work, link.as_str(), &mut Pause::new(self), progress).await?,
        };
        let known = columns(operation, args);
        let read = csv::table(&text, self.tuning.max_report_rows, &known);
        let (rows, truncated) = read.map_err(|why| unreadable(work, &why))?;
        let names = csv::head(&text).ok().flatten().unwrap_or_default();
        Ok((Reply { truncated, ..work.reply(Json::Array(rows)) }, names))
    }

    /// Fetches one reply that must be JSON.
    pub(super) async fn json(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Json, SendError> {
        match self.content(work, operation, args, progress).await? {
            Content::Json(json) => Ok(json),
            Content::Text(_) | Content::Moved(_) => Err(unreadable(work, "it is no JSON")),
        }
    }

    /// Fetches one reply, with the session that it needs. If the network refuses the session, gets a new one once.
    async fn content(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Content, SendError> {
        let tool = operation;
        let (profile, credentials) = (work.profile, work.credentials);
        let unusable = |message: &str| SendError::Failed(ToolError::invalid(message, Vec::new()));
        let (name, scheme) = profile
            .scheme(&operation.http)
            .ok_or_else(|| unusable("The operation names an unknown way of signing."))?;
        if request::build(profile, &operation.http, credentials, args).is_none() {
            return Err(unusable("A value needed for the request's address is missing."));
        }
        let expected = Expected { read_only: tool.read_only, csv: comes_between_commas(operation, args) };
        let may_repeat = adapters::may_repeat(tool, args);
        let mut refused: Option<Arc<Session>> = None;
        loop {
            let session = self.session(work, name, scheme, refused.as_ref(), progress).await?;
            let make = |moment| {
                let material = Material {
                    fields: &credentials.fields,
                    session: session.as_deref(),
                    binding: &operation.http,
                    moment,
                };
                let mut out = request::build(profile, &operation.http, credentials, args).ok_or_else(|| {
                    ToolError::invalid("A value needed for the request's address is missing.", Vec::new())
                })?;
                let before = out.texts();
                scheme.sign(&mut out, &material).map_err(|missing| without_field(tool.network, missing))?;
                out.note_added(&before);
                Ok(out)
            };
            let delivery = Delivery { subject: Subject::from(tool), may_repeat, scheme: name, expected, make: &make };
            match self.deliver(work, &delivery, progress).await {
                Err(SendError::Unauthorized) if session.is_some() && refused.is_none() => refused = session,
                other => return other,
            }
        }
    }
}

/// Checks whether the reply may be CSV: only for reports that the catalog marks as CSV, or whose arguments ask for it.
fn comes_between_commas(operation: &Operation, args: &Json) -> bool {
    operation.result.kind == ResultKind::Report
        && (operation.result.format.as_deref() == Some("csv") || args["format"] == "csv")
}

/// Checks whether the network answers without a wrapper. AdMob returns the result as the reply itself and leaves out empty fields.
fn answers_plainly(operation: &Operation) -> bool {
    operation.network == adagent_domain::Network::AdMob
}

/// Checks whether the value contains anything.
fn says_something(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Object(fields) => !fields.is_empty(),
        Json::Array(values) => !values.is_empty(),
        Json::String(text) => !text.is_empty(),
        Json::Bool(_) | Json::Number(_) => true,
    }
}

/// Checks whether the reply must name the new entity.
fn makes_something(operation: &Operation) -> bool {
    operation.info.name.contains("_create_")
}

fn unexpected(operation: &Operation, what: &str) -> SendError {
    let name = operation.network.display_name();
    let message = format!("{name}'s reply doesn't contain the expected {what}.");
    let error = ToolError::new(ToolErrorClass::Retryable, "UNEXPECTED_REPLY", message);
    SendError::Failed(error.guide("Try again later; the network may have changed its replies."))
}

/// Returns the error for a network that accepted a create but did not say what it created.
fn unnamed(operation: &Operation) -> SendError {
    let name = operation.network.display_name();
    let message = format!(
        "{name} accepted the change, but its reply doesn't say what was created. We don't know whether the change was made."
    );
    let error = ToolError::new(ToolErrorClass::UnknownOutcome, "UNEXPECTED_REPLY", message);
    SendError::Failed(error.guide("Check at the network before you send it again."))
}

fn unreadable(work: &Work<'_>, why: &str) -> SendError {
    let message = format!("We couldn't read {}'s rows: {why}.", work.profile.network.display_name());
    let error = ToolError::new(ToolErrorClass::Retryable, "BROKEN_REPLY", message);
    SendError::Failed(error.guide("Try again later."))
}
