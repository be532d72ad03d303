//! Pages of every style that the networks have: tokens, page numbers, offsets. This module is pure: it says what to request next, and when
//! to stop.
//!
//! Paging must never run forever: pages and rows are bounded, and a network that repeats a page is noticed.

use serde_json::{Map, Value as Json};

use crate::catalogue::{Operation, Pagination, PaginationKind, ResultKind};

/// Bounds of one call.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub pages: u32,
    pub rows: usize,
}

/// What comes after a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    More,
    Done { truncated: bool, next: Option<String> },
}

/// The page lacks the list that it should contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoList;

pub struct Pager<'a> {
    rule: Option<&'a Pagination>,
    path: String,
    empty_left_out: bool,
    bounds: Bounds,
    /// The arguments name a page or its size, so the caller wants that one page.
    one_page: bool,
    report: bool,
    size: Option<usize>,
    /// How many rows the first page had. If the network caps pages below the size that we ask for, this is the cap.
    cap: usize,
    args: Json,
    pages: u32,
    token: Option<String>,
    /// The index of the first row of the page before.
    last: usize,
    rows: Vec<Json>,
}

/// How many rows we ask for per page of a report and of a list, if the network sets no maximum.
const REPORT_PAGE: u64 = 5000;
const LIST_PAGE: u64 = 100;
const LARGEST_PAGE: u64 = 10_000;
const SMALLEST_CAP: usize = 10;

impl<'a> Pager<'a> {
    pub fn new(operation: &'a Operation, args: &Json, empty_left_out: bool, bounds: Bounds) -> Self {
        let rule = operation.result.pagination.as_ref();
        let named = |param: &str| get(args, param).is_some_and(|value| !value.is_null());
        let one_page =
            rule.is_none_or(|rule| named(&rule.request_param) || rule.page_size_param.as_deref().is_some_and(named));
        let mut pager = Self {
            rule,
            path: fill(operation.result.items_path.as_deref().unwrap_or_default(), args),
            empty_left_out,
            bounds,
            one_page,
            report: operation.result.kind == ResultKind::Report,
            size: None,
            cap: 0,
            args: args.clone(),
            pages: 0,
            token: None,
            last: 0,
            rows: Vec::new(),
        };
        if let Some(rule) = rule.filter(|rule| !one_page && rule.kind.counts()) {
            pager.begin(rule, operation);
        }
        pager
    }

    /// Sets the page size and the first page. If pages are counted, we must know the size to see that a short page is the last one.
    fn begin(&mut self, rule: &Pagination, operation: &Operation) {
        if let Some(param) = &rule.page_size_param {
            let usual = if operation.result.kind == ResultKind::Report { REPORT_PAGE } else { LIST_PAGE };
            let at = format!("/properties/{}/maximum", param.replace('.', "/properties/"));
            let most = operation.info.input_schema.pointer(&at).and_then(Json::as_u64);
            let size = most.unwrap_or(usual).min(LARGEST_PAGE);
            set(&mut self.args, param, size.into());
            self.size = usize::try_from(size).ok();
        }
        let first = u64::from(rule.kind != PaginationKind::Offset);
        set(&mut self.args, &rule.request_param, first.into());
    }

    /// Returns the arguments for the page to request.
    pub const fn args(&self) -> &Json {
        &self.args
    }

    pub fn count(&self) -> usize {
        self.rows.len()
    }

    pub fn into_rows(self) -> Vec<Json> {
        self.rows
    }

    /// Wraps rows in a page that holds them.
    pub fn page_of(&self, rows: Json) -> Json {
        if self.path.is_empty() {
            return rows;
        }
        let mut page = Json::Null;
        set(&mut page, &self.path, rows);
        page
    }

    /// Takes the rows out of a page.
    pub fn take(&mut self, page: &mut Json) -> Result<Step, NoList> {
        self.pages += 1;
        let total = self.rule.and_then(|rule| number(get(page, rule.total_field.as_deref()?)?));
        let found = match slot(page, &self.path).map(Json::take) {
            Some(Json::Array(found)) => found,
            Some(Json::Null) => Vec::new(),
            None if self.empty_left_out && page.is_object() => Vec::new(),
            _ => return Err(NoList),
        };
        let here = found.len();
        let repeated = self.pages > 1 && here > 0 && found == self.rows[self.last..];
        if !repeated {
            self.last = self.rows.len();
            self.rows.extend(found);
        }
        let Some(rule) = self.rule else { return Ok(Step::Done { truncated: false, next: None }) };
        if rule.kind.counts() { Ok(self.by_count(rule, here, total, repeated)) } else { Ok(self.by_token(rule, page)) }
    }

    fn by_token(&mut self, rule: &Pagination, page: &Json) -> Step {
        let token = rule.response_field.as_deref().and_then(|field| get(page, field)?.as_str());
        let Some(token) = token.filter(|token| !token.is_empty()).map(str::to_owned) else {
            return Step::Done { truncated: false, next: None };
        };
        if self.token.as_ref() == Some(&token) {
            // The network would repeat this page forever. Keep the rows so far and mark them as cut off.
            return Step::Done { truncated: true, next: None };
        }
        if self.one_page || self.full() {
            return Step::Done { truncated: true, next: Some(token) };
        }
        set(&mut self.args, &rule.request_param, token.as_str().into());
        self.token = Some(token);
        Step::More
    }

    fn by_count(&mut self, rule: &Pagination, here: usize, total: Option<u64>, repeated: bool) -> Step {
        let counts_pages = rule.total_field.as_deref().is_some_and(|field| field.to_ascii_lowercase().contains("page"));
        let done = |truncated| Step::Done { truncated, next: None };
        let collected = self.rows.len() as u64;
        let (full_page, short) = self.size.map_or((false, false), |size| (here >= size, here < size));
        let said = match total {
            Some(total) if counts_pages => Some(u64::from(self.pages) >= total),
            // Some networks count only the rows of this page. Then a full page proves nothing.
            Some(total) if total == here as u64 && full_page => None,
            Some(total) => Some(collected >= total),
            None => None,
        };
        if self.one_page {
            // If a report fills the page that was asked for, more rows may follow.
            let fills = self.rule_size().is_some_and(|size| here >= size);
            return done(here > 0 && said.map_or(self.report && fills, |ended| !ended));
        }
        if repeated {
            return done(full_page || said == Some(false));
        }
        // A short first page may be everything, or the cap of the network. One more request tells. No network caps pages below ten rows.
        let last = if self.pages == 1 { short && here < SMALLEST_CAP } else { here < self.cap };
        if self.pages == 1 {
            self.cap = here;
        }
        let ended = here == 0 || said.unwrap_or(last);
        if ended {
            return done(here == 0 && said == Some(false));
        }
        let next = if rule.kind == PaginationKind::Offset { collected } else { u64::from(self.pages) + 1 };
        if self.full() {
            return Step::Done { truncated: true, next: Some(next.to_string()) };
        }
        set(&mut self.args, &rule.request_param, next.into());
        Step::More
    }

    /// Returns the size of the one page that the caller wants.
    fn rule_size(&self) -> Option<usize> {
        let param = self.rule?.page_size_param.as_deref()?;
        get(&self.args, param)?.as_u64().and_then(|size| usize::try_from(size).ok())
    }

    fn full(&self) -> bool {
        self.pages >= self.bounds.pages || self.rows.len() >= self.bounds.rows
    }
}

/// Replaces `{date}` in a path with the argument of that name.
pub fn fill(path: &str, args: &Json) -> String {
    match path
        .split_once('{')
        .and_then(|(before, rest)| rest.split_once('}').map(|(name, after)| (before, name, after)))
    {
        Some((before, name, after)) => format!("{before}{}{after}", args[name].as_str().unwrap_or_default()),
        None => path.to_owned(),
    }
}

/// Returns what a dotted path leads to; the empty path is the value itself.
pub fn get<'v>(value: &'v Json, path: &str) -> Option<&'v Json> {
    path.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| value.get(part))
}

fn slot<'v>(value: &'v mut Json, path: &str) -> Option<&'v mut Json> {
    path.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| value.get_mut(part))
}

/// Sets what a dotted path leads to, and makes objects on the way.
pub fn set(value: &mut Json, path: &str, to: Json) {
    let mut at = value;
    for part in path.split('.') {
        if !at.is_object() {
            *at = Json::Object(Map::new());
        }
        at = &mut at[part];
    }
    *at = to;
}

fn number(value: &Json) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests;
