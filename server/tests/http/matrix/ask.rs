//! One request of a caller, and its answer.

use super::{
    people::{Caller, Standing, Things, World},
    rows::{Given, Row},
};

pub struct Ask {
    method: reqwest::Method,
    path: String,
    given: Given,
}

#[derive(Debug)]
pub struct Told {
    pub status: u16,
    kind: String,
    text: String,
}

impl Ask {
    /// Returns the row's request about these things.
    pub fn of(row: &Row, things: &Things) -> Self {
        let (method, template) = row.operation.split_once(' ').expect("method and path");
        let mut ids = row.ids.iter();
        let path = template.split('/').map(|part| {
            let id = part.starts_with('{').then(|| ids.next().expect("an id for every part of the path"));
            id.map_or(part, |thing| things.get(*thing))
        });
        let path = path.collect::<Vec<_>>().join("/");
        Self { method: method.parse().expect("a method"), path, given: (row.given)(things) }
    }

    /// Sends it in the organization.
    pub async fn by(&self, world: &World<'_>, caller: Caller) -> Told {
        self.send(world, world.standing(caller), Some(&world.organization)).await
    }

    /// Sends it in the caller's own organization.
    pub async fn at_home(&self, world: &World<'_>, caller: Caller) -> Told {
        self.send(world, world.standing(caller), Some(&world.other)).await
    }

    async fn send(&self, world: &World<'_>, standing: &Standing, workspace: Option<&str>) -> Told {
        let mut request = world.http.request(self.method.clone(), format!("{}{}", world.base, self.path));
        request = match standing {
            Standing::Nobody => request,
            Standing::Cookie(cookie) => request.header("cookie", cookie),
            Standing::Token(token) => request.bearer_auth(token),
        };
        if let Some(workspace) = workspace {
            request = request.header("x-organization-id", workspace);
        }
        request = match &self.given {
            Given::Nothing => request,
            Given::Json(value) => request.json(value),
            Given::Fields(fields) if self.method == reqwest::Method::GET => request.query(fields),
            Given::Fields(fields) => request.form(fields),
        };
        let response = request.header("accept", "application/json").send().await.expect("an answer");
        let status = response.status().as_u16();
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_owned();
        // An event stream ends with its run. Do not read it: getting a stream means that the caller was let in.
        let text = if kind.starts_with("text/event-stream") { String::new() } else { response.text().await.unwrap() };
        Told { status, kind, text }
    }
}

impl Told {
    pub fn is_problem(&self) -> bool {
        self.kind.starts_with("application/problem+json")
    }

    /// Returns the text without the ID and without what differs between requests.
    pub fn without(&self, id: &str) -> String {
        let mut body: serde_json::Value = serde_json::from_str(&self.text).unwrap_or_default();
        if let Some(fields) = body.as_object_mut() {
            fields.remove("request_id");
        }
        let text = if body.is_null() { self.text.clone() } else { body.to_string() };
        text.replace(id, "ID")
    }
}
