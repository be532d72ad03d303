//! Reports that take time: we ask until they are done and then fetch them. One stage serves all networks that work this way.
//!
//! This stage never sends a write. It ends by itself after a bounded time, and at once if the caller goes away.

use std::{sync::Arc, time::Duration};

use adagent_contract::Progress;
use serde_json::{Map, Value as Json, json};
use url::Url;

use super::{Reply, SendError, Transport, Work, files, pages, paging, place, refusal::shown, retry::Attempt};
use crate::{
    catalogue::{HttpBinding, Operation},
    normalise::csv,
};
use adagent_tools::{ProgressSink, ToolError, ToolErrorClass};

/// What must be done after the first reply.
#[derive(Default)]
pub struct Follow {
    /// The operation that returns the progress.
    pub poll: Option<Arc<Operation>>,
    /// The operation that returns the rows of the finished report.
    pub fetch: Option<Arc<Operation>>,
    /// The operation that returns the columns of the rows.
    pub definition: Option<Arc<Operation>>,
    /// Dotted paths to the links to report files in the reply.
    pub files: Vec<String>,
}

impl Follow {
    pub const fn is_nothing(&self) -> bool {
        self.poll.is_none() && self.files.is_empty()
    }
}

impl Transport {
    /// Follows the first reply of a long report until its rows are here.
    pub(super) async fn follow(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        first: Json,
        follow: &Follow,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, SendError> {
        if let Some(poll) = &follow.poll {
            let finished = self.finished(work, operation, poll, args, first, progress).await?;
            return self.rows(work, operation, args, &finished, follow, progress).await;
        }
        let mut rows = Vec::new();
        let mut truncated = false;
        let links = links(&first, &follow.files);
        if links.is_empty() {
            return Err(unexpected(work, "has no report file"));
        }
        let known = pages::columns(operation, args);
        let mut pause = Pause::new(self);
        let all = links.len();
        for (done, link) in links.into_iter().enumerate() {
            let room = self.tuning.max_report_rows.saturating_sub(rows.len());
            if room == 0 || done == MOST_FILES {
                truncated = true;
                break;
            }
            let text = self.file(work, &link, &mut pause, progress).await?;
            let read = csv::table(&text, room, &known);
            let (read, more) =
                read.map_err(|why| unexpected(work, &format!("holds a file that could not be read: {why}")))?;
            rows.extend(read);
            truncated |= more;
            if all > 1 {
                let files = Progress { done: done as u64 + 1, total: all.min(MOST_FILES) as u64 };
                progress.progress("Reading the report's files", Some(files)).await;
            }
        }
        Ok(Reply { body: Json::Array(rows), attempts: work.attempts, truncated, next_page_token: None })
    }

    /// Asks until the report is done; returns the last reply.
    async fn finished(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        poll: &Operation,
        args: &Json,
        first: Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Json, SendError> {
        let spec = &poll.result;
        let done_field = spec.done_field.as_deref().unwrap_or("done");
        let name = operation.result.poll_id.as_deref().unwrap_or("name");
        let name = paging::get(&first, name).and_then(Json::as_str).unwrap_or_default();
        let asked =
            matched(&poll.http, name).ok_or_else(|| unexpected(work, "doesn't contain the ID of the report"))?;
        let asked = merged(args, &asked);
        let (mut answer, mut pause) = (first, Pause::new(self));
        loop {
            let field = |path: Option<&str>| path.and_then(|path| paging::get(&answer, path));
            if field(Some(done_field)).is_some_and(|done| *done == json!(true)) {
                let error = field(spec.error_field.as_deref().or(Some("error"))).filter(|error| error.is_object());
                return match error {
                    Some(error) => Err(failed(work, error)),
                    None => Ok(answer),
                };
            }
            let percent = field(spec.progress_field.as_deref()).and_then(Json::as_u64).map(|percent| percent.min(100));
            let message =
                percent.map_or_else(|| "Building report".to_owned(), |percent| format!("Building report, {percent}%"));
            progress.progress(&message, percent.map(|done| Progress { done, total: 100 })).await;
            pause.next(work).await?;
            answer = self.json(work, poll, &asked, progress).await?;
        }
    }

    async fn rows(
        &self,
        work: &mut Work<'_>,
        operation: &Operation,
        args: &Json,
        finished: &Json,
        follow: &Follow,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, SendError> {
        let (Some(fetch), Some(field)) = (&follow.fetch, &operation.result.result_field) else {
            return Ok(work.reply(finished.clone()));
        };
        let name = paging::get(finished, field).and_then(Json::as_str).unwrap_or_default();
        let asked = matched(&fetch.http, name).ok_or_else(|| unexpected(work, "does not name its result"))?;
        let mut reply = self.pages(work, fetch, &asked, progress).await?;
        if let Some(definition) = &follow.definition {
            let definition = self.json(work, definition, args, progress).await?;
            let Json::Object(body) = &mut reply.body else { return Err(unexpected(work, "has no named rows")) };
            body.insert("definition".into(), definition);
        }
        reply.attempts = work.attempts;
        Ok(reply)
    }

    /// Returns the text behind a link; waits until the file exists.
    pub(super) async fn file(
        &self,
        work: &mut Work<'_>,
        link: &str,
        pause: &mut Pause,
        progress: &mut dyn ProgressSink,
    ) -> Result<String, SendError> {
        let url = Url::parse(link).ok().filter(|url| place::may_fetch(work.profile, work.credentials, url));
        let Some(url) = url else {
            // Do not repeat the link, because it may contain a key.
            return Err(unexpected(work, "links to a report file outside the network's own servers"));
        };
        loop {
            let mut attempt = 0;
            let file = loop {
                attempt += 1;
                work.attempts += 1;
                self.unhurried(work.profile.network).await;
                match files::fetch(&self.client, &url, self.bounds(work)).await {
                    Ok((file, bytes)) => {
                        work.took(bytes);
                        break file;
                    }
                    Err(failure) => self.again(work, attempt, &failure, progress).await?,
                }
            };
            match file {
                files::File::Text(text) => return Ok(text),
                files::File::NotReady => {
                    progress.progress("Building report file", None).await;
                    pause.next(work).await?;
                }
            }
        }
    }
}

/// The most files that we read of one report. If there are more, the result says that rows are missing.
const MOST_FILES: usize = 100;

/// Waits that grow, with a bound on their sum.
pub(super) struct Pause {
    next: Duration,
    most: Duration,
    left: Duration,
}

impl Pause {
    pub(super) const fn new(transport: &Transport) -> Self {
        let tuning = &transport.tuning;
        Self { next: tuning.poll_first, most: tuning.poll_most, left: tuning.poll_total }
    }

    async fn next(&mut self, work: &Work<'_>) -> Result<(), SendError> {
        if self.left.is_zero() {
            let name = work.profile.network.display_name();
            let message = format!("{name} didn't finish the report in time.");
            let error = ToolError::new(ToolErrorClass::Retryable, "REPORT_NOT_READY", message);
            return Err(SendError::Failed(error.guide("Try again later, or ask for a shorter period.")));
        }
        let wait = self.next.min(self.left);
        self.left -= wait;
        self.next = (self.next * 3 / 2).min(self.most);
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

fn failed(work: &Work<'_>, error: &Json) -> SendError {
    let words = error["message"].as_str().unwrap_or("it gives no reason");
    let words = shown(&work.secrets(None), words);
    let message = format!("{} couldn't build the report: {words}.", work.profile.network.display_name());
    SendError::Failed(
        ToolError::new(ToolErrorClass::Deterministic, "REPORT_FAILED", message)
            .guide("Check what the report asks for."),
    )
}

fn unexpected(work: &Work<'_>, what: &str) -> SendError {
    let message = format!("{}'s reply {what}.", work.profile.network.display_name());
    SendError::Failed(ToolError::new(ToolErrorClass::Retryable, "BROKEN_REPLY", message).guide("Try again later."))
}

/// Reads from a resource name the arguments that the operation's path needs; `None` if the name does not have the form of the path.
fn matched(binding: &HttpBinding, name: &str) -> Option<Json> {
    let template: Vec<&str> = binding.path.split('/').filter(|part| !part.is_empty()).collect();
    let name: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    // The path begins with a version, which names lack.
    let template = template.get(template.len().checked_sub(name.len())?..)?;
    let mut args = Map::new();
    for (part, given) in template.iter().zip(name) {
        match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
            Some((field, _)) => {
                args.insert(field.to_owned(), given.into());
            }
            None if part.split(':').next() == Some(given) => {}
            None => return None,
        }
    }
    (!args.is_empty()).then_some(Json::Object(args))
}

/// Returns `args` with the values of `found` laid over them, without nested objects.
fn merged(args: &Json, found: &Json) -> Json {
    let mut all = Map::new();
    for (name, value) in [args, found].into_iter().filter_map(Json::as_object).flatten() {
        if !value.is_object() {
            all.insert(name.clone(), value.clone());
        }
    }
    Json::Object(all)
}

/// Returns the links at these places, each once.
fn links(reply: &Json, places: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for place in places {
        let texts: Vec<&str> = match paging::get(reply, place) {
            Some(Json::String(link)) => vec![link],
            Some(Json::Array(links)) => links.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        };
        for link in texts.into_iter().filter(|link| !link.is_empty()) {
            if !found.iter().any(|known| known == link) {
                found.push(link.to_owned());
            }
        }
    }
    found
}

impl Transport {
    /// Waits before another attempt to fetch a file, or returns why there is none.
    async fn again(
        &self,
        work: &Work<'_>,
        attempt: u32,
        failure: &Attempt,
        progress: &mut dyn ProgressSink,
    ) -> Result<(), SendError> {
        self.retry(&work.reading(), true, attempt, failure, progress).await.map_err(SendError::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(path: &str) -> HttpBinding {
        serde_json::from_value(json!({"method": "GET", "path": path})).expect("a binding")
    }

    #[test]
    fn a_resource_name_fills_the_path_of_the_next_operation() {
        let poll = binding("/v1/networks/{network_code}/operations/reports/runs/{run_id}");
        assert_eq!(
            matched(&poll, "networks/12/operations/reports/runs/34"),
            Some(json!({"network_code": "12", "run_id": "34"}))
        );
        let fetch = binding("/v1/networks/{network_code}/reports/{report_id}/results/{result_id}:fetchRows");
        assert_eq!(
            matched(&fetch, "networks/12/reports/5/results/6"),
            Some(json!({"network_code": "12", "report_id": "5", "result_id": "6"}))
        );
        for other in ["", "networks/12/orders/5", "a/b/c/d/e/f/g/h/i/networks/1/reports/2/results/3"] {
            assert_eq!(matched(&fetch, other), None, "{other}");
        }
    }

    #[test]
    fn links_are_found_in_texts_and_lists_and_named_once() {
        let reply = json!({"url": "https://a/1", "more": {"urls": ["https://a/1", "https://a/2", 7, ""]}});
        let places = ["url".to_owned(), "more.urls".to_owned(), "none".to_owned()];
        assert_eq!(links(&reply, &places), ["https://a/1", "https://a/2"]);
    }
}
