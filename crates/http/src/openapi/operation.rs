//! One operation: its address, its input and its output.

use axum::http::Method;
use serde_json::{Map, Value, json};

enum Body {
    None,
    Json {
        schema: &'static str,
        required: bool,
    },
    /// JSON, or a form with the same fields.
    JsonOrForm(&'static str),
}

enum Answer {
    Empty,
    Json(&'static str),
    /// JSON, or a file for spreadsheets.
    JsonOrCsv(&'static str),
    Events,
    Text,
    Redirect,
}

enum Access {
    Public,
    /// Signed in, without a workspace.
    Person,
    /// Signed in, in a workspace.
    Workspace,
}

/// The description of a route.
pub struct Operation {
    pub method: Method,
    pub path: &'static str,
    id: &'static str,
    tag: &'static str,
    summary: &'static str,
    parameters: Vec<Value>,
    body: Body,
    answers: Vec<(u16, Answer)>,
    access: Access,
}

impl Operation {
    fn new(method: Method, path: &'static str, id: &'static str, tag: &'static str, summary: &'static str) -> Self {
        Self {
            method,
            path,
            id,
            tag,
            summary,
            parameters: Vec::new(),
            body: Body::None,
            answers: Vec::new(),
            access: Access::Workspace,
        }
    }

    pub fn get(path: &'static str, id: &'static str, tag: &'static str, summary: &'static str) -> Self {
        Self::new(Method::GET, path, id, tag, summary)
    }

    pub fn post(path: &'static str, id: &'static str, tag: &'static str, summary: &'static str) -> Self {
        Self::new(Method::POST, path, id, tag, summary)
    }

    pub fn put(path: &'static str, id: &'static str, tag: &'static str, summary: &'static str) -> Self {
        Self::new(Method::PUT, path, id, tag, summary)
    }

    pub fn patch(path: &'static str, id: &'static str, tag: &'static str, summary: &'static str) -> Self {
        Self::new(Method::PATCH, path, id, tag, summary)
    }

    pub fn delete(path: &'static str, id: &'static str, tag: &'static str, summary: &'static str) -> Self {
        Self::new(Method::DELETE, path, id, tag, summary)
    }

    /// Adds an ID in the path.
    pub fn id(mut self, name: &'static str) -> Self {
        self.parameters.push(
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}),
        );
        self
    }

    /// Adds a secret in the path.
    pub fn token(mut self, name: &'static str) -> Self {
        self.parameters.push(json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
        self
    }

    /// Adds a network's ID in the path.
    pub fn network(mut self) -> Self {
        self.parameters.push(json!({
            "name": "network", "in": "path", "required": true, "schema": {"$ref": "#/components/schemas/Network"}
        }));
        self
    }

    /// Adds a parameter with its own schema.
    pub fn described(mut self, parameter: Value) -> Self {
        self.parameters.push(parameter);
        self
    }

    pub fn query(mut self, name: &'static str, kind: &'static str, summary: &'static str) -> Self {
        self.parameters.push(json!({"name": name, "in": "query", "description": summary, "schema": {"type": kind}}));
        self
    }

    /// Adds `?limit=&cursor=`.
    pub fn paged(mut self) -> Self {
        self.parameters.push(json!({"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}}));
        self.described(json!({
            "name": "cursor", "in": "query", "description": "next_cursor from the previous page",
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,500}$"}
        }))
    }

    pub fn idempotent(mut self) -> Self {
        self.parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "description": "The same key with the same body returns the first answer",
            "schema": {"type": "string", "minLength": 1, "maxLength": 200}
        }));
        self
    }

    pub fn body(mut self, schema: &'static str) -> Self {
        self.body = Body::Json { schema, required: true };
        self
    }

    pub fn optional_body(mut self, schema: &'static str) -> Self {
        self.body = Body::Json { schema, required: false };
        self
    }

    pub fn form(mut self, schema: &'static str) -> Self {
        self.body = Body::JsonOrForm(schema);
        self
    }

    pub fn json(mut self, status: u16, schema: &'static str) -> Self {
        self.answers.push((status, Answer::Json(schema)));
        self
    }

    pub fn json_or_csv(mut self, status: u16, schema: &'static str) -> Self {
        self.answers.push((status, Answer::JsonOrCsv(schema)));
        self
    }

    pub fn empty(mut self, status: u16) -> Self {
        self.answers.push((status, Answer::Empty));
        self
    }

    /// Answers with a stream of the run's events.
    pub fn events(mut self) -> Self {
        self.answers.push((200, Answer::Events));
        self
    }

    /// Answers with plain text.
    pub fn text(mut self) -> Self {
        self.answers.push((200, Answer::Text));
        self
    }

    pub fn redirect(mut self) -> Self {
        self.answers.push((303, Answer::Redirect));
        self
    }

    /// Makes the operation public: nobody has to sign in.
    pub fn public(mut self) -> Self {
        self.access = Access::Public;
        self
    }

    /// Makes the operation personal: it belongs to the person, whatever the workspace.
    pub fn personal(mut self) -> Self {
        self.access = Access::Person;
        self
    }

    /// Returns the schema of the request body.
    pub(super) const fn sent(&self) -> Option<&'static str> {
        match self.body {
            Body::None => None,
            Body::Json { schema, .. } | Body::JsonOrForm(schema) => Some(schema),
        }
    }

    pub(super) fn describe(&self) -> Value {
        let mut responses = Map::new();
        for (status, answer) in &self.answers {
            responses.insert(status.to_string(), describe_answer(answer));
        }
        for wrong in ["4XX", "default"] {
            responses.insert(wrong.into(), json!({"$ref": "#/components/responses/Problem"}));
        }
        let mut parameters = self.parameters.clone();
        if matches!(self.access, Access::Workspace) {
            parameters.push(json!({
                "name": "x-organization-id", "in": "header", "description": "The workspace; leave out for the personal one",
                "schema": {"type": "string", "format": "uuid"}
            }));
        }
        let mut described = json!({
            "operationId": self.id, "tags": [self.tag], "summary": self.summary, "parameters": parameters, "responses": responses
        });
        if matches!(self.access, Access::Public) {
            described["security"] = json!([]);
        }
        let reference = |schema: &str| json!({"schema": {"$ref": format!("#/components/schemas/{schema}")}});
        match self.body {
            Body::None => {}
            Body::Json { schema, required } => {
                described["requestBody"] =
                    json!({"required": required, "content": {"application/json": reference(schema)}});
            }
            // The form is for pages without JavaScript and leads to the next page. Programs that saw both types would send both.
            Body::JsonOrForm(schema) => {
                described["requestBody"] =
                    json!({"required": true, "content": {"application/json": reference(schema)}});
            }
        }
        described
    }
}

fn describe_answer(answer: &Answer) -> Value {
    match answer {
        Answer::Empty => json!({"description": "Done"}),
        Answer::Redirect => {
            json!({"description": "The browser continues", "headers": {"location": {"schema": {"type": "string"}}}})
        }
        Answer::Json(schema) => json!({
            "description": "The result",
            "content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}}
        }),
        Answer::JsonOrCsv(schema) => json!({
            "description": "The result",
            "content": {
                "application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}},
                "text/csv": {"schema": {"type": "string"}}
            }
        }),
        Answer::Text => {
            json!({"description": "The result", "content": {"text/plain": {"schema": {"type": "string"}}}})
        }
        Answer::Events => json!({
            "description": "The run's events as server-sent events: `id` is the sequence number, `event` the type, `data` one RunEvent as JSON. A comment every 15 s keeps the connection alive.",
            "headers": {"x-run-id": {"schema": {"type": "string", "format": "uuid"}}, "x-session-id": {"schema": {"type": "string", "format": "uuid"}}},
            "content": {"text/event-stream": {
                "schema": {"type": "string"}, "x-event-schema": {"$ref": "#/components/schemas/RunEvent"}
            }}
        }),
    }
}
