//! Answers requests that came as JSON or as a form of a page without JavaScript. JSON gets the answer. A form is redirected to the next
//! page, or back to its own page with the error and its field.

use adagent_contract::{codes, links};
use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use serde::Serialize;

use crate::{
    error::{ApiError, ApiResult},
    flash::Kept,
};

/// Where a form leads.
pub struct Places<'a> {
    /// The next page after success, unless the form asks to return elsewhere.
    pub done: &'a str,
    /// The form's own page, after an error.
    pub page: &'a str,
    /// Fields that the page gets back, but never in its address, which histories and logs keep.
    pub keep: &'a [&'a str],
}

pub type Form = Option<Vec<(String, String)>>;

/// An answer that only says that it is done.
pub const DONE: Option<()> = None;

pub fn answer<T: Serialize>(
    places: &Places<'_>,
    form: Form,
    outcome: Result<(StatusCode, Option<T>), ApiError>,
) -> ApiResult<Response> {
    let Some(form) = form else {
        return outcome.map(|(status, body)| match body {
            Some(body) => (status, Json(body)).into_response(),
            None => status.into_response(),
        });
    };
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let wanted = field("return").or_else(|| field("redirect")).and_then(links::return_path);
    let error = match outcome {
        Ok(_) => return Ok(Redirect::to(wanted.as_deref().unwrap_or(places.done)).into_response()),
        // The page cannot explain an internal error; the problem can.
        Err(error) if error.problem.status == 500 => return Err(error),
        Err(error) => error,
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    let page = if error.problem.code == codes::SECOND_FACTOR_REQUIRED {
        "/sign-in/code"
    } else {
        query.append_pair("error", &error.problem.code);
        places.page
    };
    for wrong in &error.problem.errors {
        query.append_pair("field", wrong.pointer.trim_start_matches('/'));
    }
    if let Some(wanted) = &wanted {
        query.append_pair("return", wanted);
    }
    let query = query.finish();
    let mark = if page.contains('?') { "&" } else { "?" };
    let mark = if query.is_empty() { "" } else { mark };
    let kept = |name: &&str| {
        let value = field(name).filter(|value| !value.is_empty() && value.len() <= 300)?;
        Some(((*name).to_owned(), value.to_owned()))
    };
    let fields: Vec<(String, String)> = places.keep.iter().filter_map(kept).collect();
    let mut response = Redirect::to(&format!("{page}{mark}{query}")).into_response();
    if !fields.is_empty() {
        let path = page.split_once('?').map_or(page, |(path, _)| path);
        response.extensions_mut().insert(Kept { path: path.to_owned(), fields });
    }
    Ok(response)
}
