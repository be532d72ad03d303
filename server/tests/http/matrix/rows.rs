//! The table: one row per operation, with the callers who may use it. The permissions are those of the permission matrix; read
//! this table as documentation.

use adagent_domain::Role;
use serde_json::{Value, json};

use super::people::{
    Thing::{
        self, Agent, Approval, Browser, Checkpoint, Colleague, Connection, Document, Invitation, Link, Message,
        Network, Organization, Revocation, Run, SavedQuestion, Session, Todo, Token, ToolServer, Unknown,
    },
    Things,
};

/// Who may use an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Everybody.
    Open,
    /// Anyone who is signed in, in any workspace.
    Signed,
    /// Members of the workspace with one of these roles.
    Role(&'static [Role]),
    /// The invited person, in any workspace. None of the callers here is invited.
    Invited,
}

/// Whether an access token with scope `api` is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    May,
    /// Only a token without the MCP scope, because a program that asks for changes must not decide about them.
    Deciders,
    /// Only a browser session.
    No,
}

/// The content of a request.
#[derive(Debug, Clone)]
pub enum Given {
    Nothing,
    Json(Value),
    /// A form or, for GET, the query.
    Fields(Vec<(&'static str, String)>),
}

pub struct Row {
    /// Method and path template, as the program lists it.
    pub operation: &'static str,
    pub door: Door,
    pub programs: Programs,
    /// The things that the path names, in order, then those in the content.
    pub ids: &'static [Thing],
    pub given: fn(&Things) -> Given,
    /// The statuses that refuse the request's own content, if the operation cannot succeed here. The caller still counts as let
    /// in.
    pub may_say: &'static [u16],
    /// Whether the request removes the thing it is about, or what the caller signed in with.
    pub uses_up: bool,
    /// Whether admins and the owner may also do it with a colleague's thing.
    pub for_others: bool,
}

impl Row {
    pub fn reads(&self) -> bool {
        self.operation.starts_with("GET ")
    }

    pub fn path(&self) -> &'static str {
        self.operation.split_once(' ').map_or("", |(_, path)| path)
    }

    /// Checks whether this is an operation of the API, which answers errors with problem documents.
    pub fn is_described(&self) -> bool {
        !self.path().starts_with("/desk/")
    }

    /// Checks whether access tokens count for this path.
    pub fn is_for_programs(&self) -> bool {
        let path = self.path();
        path.starts_with("/api/") || path.starts_with("/chat/")
    }

    fn of(mut self, ids: &'static [Thing]) -> Self {
        self.ids = ids;
        self
    }

    fn given(mut self, given: fn(&Things) -> Given) -> Self {
        self.given = given;
        self
    }

    fn programs(mut self, programs: Programs) -> Self {
        self.programs = programs;
        self
    }

    fn may_say(mut self, statuses: &'static [u16]) -> Self {
        self.may_say = statuses;
        self
    }

    fn for_others(mut self) -> Self {
        self.for_others = true;
        self
    }

    fn uses_up(mut self) -> Self {
        self.uses_up = true;
        self
    }
}

const OPEN: Door = Door::Open;
const SIGNED: Door = Door::Signed;
const MEMBER: Door = Door::Role(&[Role::Member, Role::Admin, Role::Owner]);
const ADMIN: Door = Door::Role(&[Role::Admin, Role::Owner]);
const OWNER: Door = Door::Role(&[Role::Owner]);
const NOT_OWNER: Door = Door::Role(&[Role::Member, Role::Admin]);
const INVITED: Door = Door::Invited;

fn row(operation: &'static str, door: Door) -> Row {
    let given = |_: &Things| Given::Nothing;
    Row { operation, door, programs: Programs::May, ids: &[], given, may_say: &[], uses_up: false, for_others: false }
}

/// Makes a row for a decision: a token with the MCP scope is refused, whatever other scopes it has.
fn deciding(operation: &'static str, door: Door) -> Row {
    row(operation, door).programs(Programs::Deciders)
}

/// Returns keys that the sandbox accepts.
fn keys(network: &str) -> Value {
    let set =
        adagent_sandbox::credentials::of(network, adagent_sandbox::credentials::Standing::Valid).expect("published");
    set.fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>().into()
}

fn body(value: Value) -> Given {
    Given::Json(value)
}

fn fields<const N: usize>(fields: [(&'static str, &str); N]) -> Given {
    Given::Fields(fields.into_iter().map(|(name, value)| (name, value.to_owned())).collect())
}

/// Returns every row.
pub fn all() -> Vec<Row> {
    [
        system(),
        accounts(),
        account(),
        organizations(),
        invitations(),
        connections(),
        settings(),
        chat(),
        agents(),
        library(),
        tool_servers(),
        runs(),
        approvals(),
        desk_reads(),
        desk_writes(),
        desk_team(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn system() -> Vec<Row> {
    vec![
        row("GET /healthz", OPEN),
        row("GET /readyz", OPEN),
        row("GET /metrics", OPEN),
        row("GET /api/openapi.json", OPEN),
        row("GET /api/sandbox", OPEN),
    ]
}

fn accounts() -> Vec<Row> {
    // With empty input, these operations tell every caller the same about what is missing, and sign nobody out.
    vec![
        row("POST /api/auth/sign-up", OPEN).given(|_| body(json!({}))).may_say(&[422]),
        row("POST /api/auth/sign-in", OPEN).given(|_| body(json!({}))).may_say(&[422]),
        row("POST /api/auth/sign-out", OPEN).uses_up(),
        row("GET /api/me", SIGNED),
        row("GET /api/tokens", MEMBER).programs(Programs::No),
        row("POST /api/tokens", MEMBER)
            .programs(Programs::No)
            .given(|_| body(json!({"name": "another", "scopes": ["api"], "password": "correct horse"}))),
        row("DELETE /api/tokens/{id}", MEMBER).programs(Programs::No).of(&[Token]).uses_up(),
    ]
}

fn account() -> Vec<Row> {
    let in_person = |operation| row(operation, MEMBER).programs(Programs::No);
    vec![
        // No sign-in waits for a code.
        row("POST /api/auth/second-factor", OPEN).given(|_| body(json!({}))).may_say(&[401, 422]),
        row("POST /api/auth/verify-email", OPEN).given(|_| body(json!({}))).may_say(&[422]),
        row("POST /api/auth/forgot-password", OPEN).given(|_| body(json!({}))).may_say(&[422]),
        row("POST /api/auth/reset-password", OPEN).given(|_| body(json!({}))).may_say(&[422]),
        // No provider is configured.
        row("GET /api/auth/google", OPEN).may_say(&[404]),
        row("GET /api/auth/google/callback", OPEN).may_say(&[404]),
        in_person("GET /api/account"),
        in_person("POST /api/account/verify-email").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("POST /api/account/email").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("POST /api/account/password").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("POST /api/account/second-factor").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("POST /api/account/second-factor/confirm").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("POST /api/account/second-factor/recovery-codes")
            .given(|_| body(json!({"code": ""})))
            .may_say(&[404, 409, 422]),
        in_person("POST /api/account/second-factor/off").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("POST /api/account/google").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("POST /api/account/google/unlink").given(|_| body(json!({}))).may_say(&[404, 409, 422]),
        in_person("GET /api/account/export"),
        in_person("PATCH /api/account/profile").given(|_| body(json!({"name": "Somebody"}))),
        // The address was not typed.
        in_person("POST /api/account/delete").given(|_| body(json!({}))).may_say(&[422]),
        in_person("GET /api/account/sessions"),
        in_person("POST /api/account/sessions/{id}/end").of(&[Browser]).given(|_| body(json!({}))).uses_up(),
        in_person("POST /api/account/sessions/end-others").given(|_| body(json!({}))).uses_up(),
    ]
}

fn organizations() -> Vec<Row> {
    let in_person = |operation, door| row(operation, door).programs(Programs::No);
    vec![
        row("GET /api/organizations", SIGNED),
        in_person("POST /api/organizations", SIGNED).given(|_| body(json!({"name": "Another"}))),
        row("GET /api/organizations/{id}", MEMBER).of(&[Organization]),
        in_person("PATCH /api/organizations/{id}", ADMIN).of(&[Organization]).given(|_| body(json!({"name": "Acme"}))),
        // Nothing is deleted if the typed name is wrong.
        in_person("DELETE /api/organizations/{id}", OWNER)
            .of(&[Organization])
            .given(|_| body(json!({"name": "not its name"})))
            .may_say(&[422]),
        row("GET /api/organizations/{id}/members", MEMBER).of(&[Organization]),
        in_person("PATCH /api/organizations/{id}/members/{user_id}", ADMIN)
            .of(&[Organization, Colleague])
            .given(|_| body(json!({"role": "member"}))),
        in_person("DELETE /api/organizations/{id}/members/{user_id}", ADMIN).of(&[Organization, Colleague]).uses_up(),
        in_person("POST /api/organizations/{id}/leave", NOT_OWNER).of(&[Organization]).uses_up(),
        in_person("POST /api/organizations/{id}/transfer-ownership", OWNER)
            .of(&[Organization])
            .given(|things| body(json!({"user_id": things.me})))
            .may_say(&[409, 422]),
        row("GET /api/organizations/{id}/audit-log", ADMIN).of(&[Organization]),
        row("GET /api/organizations/{id}/audit-log/verification", ADMIN).of(&[Organization]),
    ]
}

fn invitations() -> Vec<Row> {
    let inviting = |operation| row(operation, ADMIN).programs(Programs::No);
    vec![
        // Only people who may invite can see who is invited.
        row("GET /api/organizations/{id}/invitations", ADMIN).of(&[Organization]),
        inviting("POST /api/organizations/{id}/invitations")
            .of(&[Organization])
            .given(|things| body(json!({"email": format!("{}@example.org", things.run), "role": "member"}))),
        inviting("POST /api/organizations/{id}/invitations/{invitation_id}/resend")
            .of(&[Organization, Invitation])
            // One email per minute.
            .may_say(&[429]),
        inviting("DELETE /api/organizations/{id}/invitations/{invitation_id}")
            .of(&[Organization, Invitation])
            .uses_up(),
        inviting("GET /api/organizations/{id}/invite-links").of(&[Organization]),
        inviting("POST /api/organizations/{id}/invite-links")
            .of(&[Organization])
            .given(|_| body(json!({"role": "member"}))),
        inviting("DELETE /api/organizations/{id}/invite-links/{link_id}").of(&[Organization, Link]).uses_up(),
        row("POST /api/invitations/{id}/accept", INVITED).programs(Programs::No).of(&[Invitation]),
        row("POST /api/invitations/{id}/reject", INVITED).programs(Programs::No).of(&[Invitation]),
        row("GET /api/invite/{token}", OPEN).of(&[Unknown]),
        row("POST /api/invite/{token}/accept", INVITED).programs(Programs::No).of(&[Unknown]),
    ]
}

fn connections() -> Vec<Row> {
    vec![
        row("GET /api/providers", MEMBER),
        row("POST /api/providers/connect", ADMIN).programs(Programs::No).given(|_| body(json!({"provider": "admob"}))),
        // A person who returns from a network signed out is sent to sign in.
        row("GET /api/providers/oauth/callback", OPEN),
        deciding("PATCH /api/providers/{id}/enable", ADMIN).of(&[Connection]).given(|_| body(json!({"enabled": true}))),
        deciding("PATCH /api/providers/{id}", ADMIN).of(&[Connection]).given(|_| body(json!({"label": "Games EU"}))),
        deciding("POST /api/providers/{id}/test", ADMIN).of(&[Connection]),
        deciding("DELETE /api/providers/{id}", ADMIN).of(&[Connection]).uses_up(),
        deciding("PUT /api/providers/{id}/accounts", ADMIN)
            .of(&[Connection])
            .given(|things| body(json!({"account_ids": [things.account]}))),
        row("GET /api/providers/{id}/accounts", MEMBER).of(&[Connection]),
        row("GET /api/providers/{id}/apps", MEMBER).of(&[Connection]),
        row("GET /api/providers/{id}/ad-units", MEMBER).of(&[Connection]),
        row("GET /api/providers/{id}/ad-sources", MEMBER).of(&[Connection]),
        row("GET /api/providers/{id}/mediation-groups", MEMBER).of(&[Connection]),
        row("GET /api/revocations", MEMBER),
        deciding("DELETE /api/revocations/{id}", ADMIN).of(&[Revocation]).uses_up(),
        row("GET /api/networks", MEMBER),
        deciding("POST /api/networks/{network}", ADMIN).of(&[Network]).given(|_| Given::Json(keys("pangle"))),
        deciding("POST /api/networks/{network}/test", ADMIN).of(&[Network]),
        deciding("DELETE /api/networks/{network}", ADMIN).of(&[Network]).uses_up(),
        deciding("POST /api/sandbox/explore", ADMIN).given(|_| body(json!({"networks": ["admob"]}))),
    ]
}

fn settings() -> Vec<Row> {
    vec![
        row("GET /api/settings/context", MEMBER),
        row("PUT /api/settings/context", MEMBER).programs(Programs::Deciders).given(|_| body(json!({}))),
        row("GET /api/usage", MEMBER),
        row("GET /api/settings/reporting", MEMBER),
        row("PUT /api/settings/reporting", ADMIN)
            .programs(Programs::No)
            .given(|_| body(json!({"time_zone": "America/New_York"}))),
        row("GET /api/settings/retention", MEMBER),
        row("PUT /api/settings/retention", OWNER).programs(Programs::No).given(|_| body(json!({}))),
    ]
}

fn chat() -> Vec<Row> {
    vec![
        row("GET /api/chat/sessions", MEMBER),
        row("POST /api/chat/sessions", MEMBER).given(|_| body(json!({}))),
        row("GET /api/chat/sessions/{id}", MEMBER).of(&[Session]),
        deciding("PATCH /api/chat/sessions/{id}", MEMBER).of(&[Session]).given(|_| body(json!({"title": "x"}))),
        deciding("DELETE /api/chat/sessions/{id}", MEMBER).of(&[Session]).uses_up(),
        row("GET /api/chat/sessions/{id}/messages", MEMBER).of(&[Session]),
        // The chat of this test has no plan, so a stranger learns no more than its owner.
        row("GET /api/chat/sessions/{id}/plan", MEMBER).of(&[Session]).may_say(&[404]),
        deciding("POST /api/chat/sessions/{id}/plan/approve", MEMBER)
            .of(&[Session])
            .given(|_| body(json!({"approval_ids": []})))
            .may_say(&[404]),
        row("POST /api/chat/sessions/{id}/plan/execute", MEMBER).of(&[Session]).may_say(&[404]),
        deciding("POST /api/chat/sessions/{id}/plan/steps/{step}/skip", MEMBER).of(&[Session, Unknown]).may_say(&[404]),
        row("POST /api/messages/{id}/feedback", MEMBER).of(&[Message]).given(|_| body(json!({"rating": "up"}))),
        row("POST /chat/stream", MEMBER)
            .of(&[Session])
            .given(|things| body(json!({"message": "Hello", "session_id": things.session})))
            .uses_up(),
    ]
}

fn runs() -> Vec<Row> {
    vec![
        row("GET /api/runs", MEMBER),
        row("GET /api/runs/{run_id}", MEMBER).of(&[Run]),
        row("GET /api/runs/{run_id}/events", MEMBER).of(&[Run]),
        row("POST /api/runs/{run_id}/cancel", MEMBER).of(&[Run]).uses_up(),
        // The corrected call still waits for a person.
        row("POST /api/runs/{run_id}/override", MEMBER)
            .of(&[Run])
            .given(|_| body(json!({"args": {}})))
            // No call failed.
            .may_say(&[409]),
        row("GET /api/runs/{run_id}/checkpoints", MEMBER).of(&[Run]),
        row("GET /api/runs/{run_id}/checkpoints/{checkpoint_id}", MEMBER).of(&[Run, Checkpoint]),
        row("GET /api/runs/{run_id}/checkpoints/{checkpoint_id}/compare", MEMBER).of(&[Run, Checkpoint]),
        row("POST /api/runs/{run_id}/checkpoints/{checkpoint_id}/fork", MEMBER)
            .of(&[Run, Checkpoint])
            .given(|_| body(json!({}))),
    ]
}

fn approvals() -> Vec<Row> {
    vec![
        row("GET /api/activity", MEMBER),
        row("GET /api/approvals", MEMBER),
        row("GET /api/approvals/{id}", MEMBER).of(&[Approval]).for_others(),
        // No change was made yet.
        row("POST /api/approvals/{id}/undo", MEMBER).of(&[Approval]).may_say(&[409]),
        row("POST /chat/approve-tool", MEMBER)
            .programs(Programs::Deciders)
            .of(&[Approval])
            .for_others()
            .given(|things| body(json!({"approval_id": things.approval, "approved": false})))
            .uses_up(),
    ]
}

fn desk_reads() -> Vec<Row> {
    vec![
        row("GET /desk/viewer", OPEN),
        row("GET /desk/sign-in-options", OPEN),
        row("GET /desk/theme", OPEN),
        row("GET /desk/account", MEMBER).given(|_| fields([("enrol", "false")])),
        row("GET /desk/sessions", MEMBER),
        row("GET /desk/home", MEMBER),
        row("GET /desk/thread", MEMBER).of(&[Session]).given(|things| fields([("id", &things.session)])),
        row("GET /desk/approvals", MEMBER),
        row("GET /desk/usage", MEMBER),
        row("GET /desk/change-state", MEMBER).of(&[Approval]).given(|things| fields([("id", &things.approval)])),
        row("GET /desk/approval", MEMBER)
            .of(&[Approval])
            .for_others()
            .given(|things| fields([("id", &things.approval)])),
        row("GET /desk/pending-approvals", MEMBER),
        row("GET /desk/pending-elsewhere", MEMBER),
        row("GET /desk/runs", MEMBER).given(|_| fields([("show", ""), ("text", "")])),
        // The run of this test made no such call, so a stranger learns no more than its owner.
        row("GET /desk/step-result", MEMBER)
            .of(&[Run])
            .given(|things| fields([("run", &things.run), ("call", "0190a000-0000-7000-8000-000000000001")]))
            .may_say(&[404]),
        row("GET /desk/turn", MEMBER).of(&[Run]).given(|things| fields([("id", &things.run)])),
        row("GET /desk/run-page", MEMBER).of(&[Run]).given(|things| fields([("id", &things.run)])),
        row("GET /desk/checkpoint", MEMBER)
            .of(&[Run, Checkpoint])
            .given(|things| fields([("run", &things.run), ("id", &things.checkpoint)])),
        row("GET /desk/context", MEMBER),
        row("GET /desk/context-entities", MEMBER),
        row("GET /desk/tokens", MEMBER),
        row("GET /desk/networks", MEMBER),
        row("GET /desk/revocations", MEMBER),
        row("GET /desk/key-networks", MEMBER),
        row("GET /desk/team", MEMBER),
        row("GET /desk/feedback", ADMIN),
        row("GET /desk/audit-log", ADMIN).given(|_| fields([("action", ""), ("from", ""), ("to", "")])),
        row("GET /desk/retention", MEMBER),
        row("GET /desk/reporting", MEMBER),
        row("GET /desk/whereabouts", MEMBER).given(|things| fields([("chat", &things.session)])),
        // Anyone with a link may see what it leads to; this link leads nowhere.
        row("GET /desk/read-invite", OPEN).of(&[Unknown]).given(|_| fields([("token", super::people::UNKNOWN)])),
    ]
}

fn agents() -> Vec<Row> {
    let in_person = |operation| row(operation, MEMBER).programs(Programs::No);
    vec![
        row("GET /api/agents", MEMBER),
        row("GET /api/agents/templates", MEMBER),
        row("GET /api/agents/{id}", MEMBER).of(&[Agent]),
        row("GET /api/agents/{id}/versions", MEMBER).of(&[Agent]),
        // A person who already has an agent with that handle gets an error.
        in_person("POST /api/agents").given(|_| body(watcher())).may_say(&[422]),
        in_person("PUT /api/agents/{id}")
            .of(&[Agent])
            .given(|_| body(json!({"version": 1, "agent": {"handle": "kept", "name": "Kept"}})))
            .may_say(&[409]),
        in_person("POST /api/agents/{id}/duplicate").of(&[Agent]),
        in_person("DELETE /api/agents/{id}").of(&[Agent]).uses_up(),
        row("GET /api/journal", MEMBER),
        row("GET /api/agents/{id}/journal", MEMBER).of(&[Agent]),
        row("GET /api/agents/{id}/journal/summary", MEMBER).of(&[Agent]),
        row("GET /desk/journal", MEMBER),
        row("GET /desk/agents", MEMBER),
        row("GET /desk/agent-names", MEMBER),
        row("GET /desk/agent", MEMBER).of(&[Agent]).given(|things| fields([("id", &things.agent)])),
        row("POST /desk/save-agent", MEMBER)
            .given(|_| fields([("form[handle]", "poster"), ("form[name]", "Poster")]))
            .may_say(&[422]),
        row("POST /desk/duplicate-agent", MEMBER).of(&[Agent]).given(|things| fields([("id", &things.agent)])),
        row("POST /desk/delete-agent", MEMBER).of(&[Agent]).given(|things| fields([("id", &things.agent)])).uses_up(),
    ]
}

fn library() -> Vec<Row> {
    vec![
        row("GET /api/todos", MEMBER),
        deciding("POST /api/todos", MEMBER).given(|_| body(json!({"text": "Check floors", "due": "2026-11-27"}))),
        row("GET /api/todos/{id}", MEMBER).of(&[Todo]),
        // The page and the API change the same to-do in turn.
        deciding("PUT /api/todos/{id}", MEMBER)
            .of(&[Todo])
            .given(|_| body(json!({"version": 1, "todo": {"text": "Check all floors"}})))
            .may_say(&[409]),
        deciding("DELETE /api/todos/{id}", MEMBER).of(&[Todo]).uses_up(),
        row("GET /api/documents", MEMBER),
        deciding("POST /api/documents", MEMBER)
            .given(|_| body(json!({"title": "Floors", "folder": "/floors", "text": "US is $9."}))),
        row("GET /api/documents/{id}", MEMBER).of(&[Document]),
        deciding("PUT /api/documents/{id}", MEMBER)
            .of(&[Document])
            .given(|_| body(json!({"version": 1, "document": {"title": "Floors", "text": "US is $14."}})))
            .may_say(&[409]),
        deciding("DELETE /api/documents/{id}", MEMBER).of(&[Document]).uses_up(),
        deciding("POST /api/documents/{id}/restore", MEMBER).of(&[Document]),
        row("GET /api/documents/{id}/versions", MEMBER).of(&[Document]),
        row("GET /api/documents/{id}/versions/{number}", MEMBER).of(&[Document, Unknown]).may_say(&[404]),
        row("GET /desk/library", MEMBER),
        row("POST /desk/add-todo", MEMBER).given(|_| fields([("text", "Check floors"), ("due", "2026-11-27")])),
        row("POST /desk/mark-todo", MEMBER)
            .of(&[Todo])
            .given(|things| fields([("id", &things.todo), ("done", "true")])),
        row("POST /desk/change-todo", MEMBER)
            .of(&[Todo])
            .given(|things| fields([("id", &things.todo), ("version", "1"), ("text", "Check them")]))
            .may_say(&[409]),
        row("GET /desk/documents", MEMBER).given(|_| fields([("folder", "/floors")])),
        row("GET /desk/document", MEMBER).of(&[Document]).given(|things| fields([("id", &things.document)])),
        row("POST /desk/save-document", MEMBER)
            .given(|_| fields([("title", "Floors"), ("folder", "/floors"), ("text", "US is $9.")])),
        row("POST /desk/restore-version", MEMBER)
            .of(&[Document])
            .given(|things| fields([("id", &things.document), ("number", "1")]))
            .may_say(&[409]),
        row("POST /desk/delete-document", MEMBER)
            .of(&[Document])
            .given(|things| fields([("id", &things.document)]))
            .uses_up(),
        row("POST /desk/restore-document", MEMBER).of(&[Document]).given(|things| fields([("id", &things.document)])),
        row("POST /desk/delete-todo", MEMBER).of(&[Todo]).given(|things| fields([("id", &things.todo)])).uses_up(),
    ]
}

/// The server of this test cannot be reached. The page and the API change it in turn.
fn tool_servers() -> Vec<Row> {
    let managing = |operation| row(operation, ADMIN).programs(Programs::No);
    vec![
        row("GET /api/mcp-servers", MEMBER),
        row("GET /api/mcp-servers/{id}", MEMBER).of(&[ToolServer]),
        managing("POST /api/mcp-servers")
            .given(|_| body(json!({"name": "Docs", "url": "http://mcp.invalid/mcp"})))
            .may_say(&[422]),
        managing("PATCH /api/mcp-servers/{id}")
            .of(&[ToolServer])
            .given(|_| body(json!({"version": 1, "name": "Other docs"})))
            .may_say(&[409]),
        managing("POST /api/mcp-servers/{id}/test").of(&[ToolServer]).may_say(&[409]),
        managing("POST /api/mcp-servers/{id}/accept-changes")
            .of(&[ToolServer])
            .given(|_| body(json!({"version": 1})))
            .may_say(&[409]),
        // This server has no sign-in.
        managing("POST /api/mcp-servers/{id}/sign-in").of(&[ToolServer]).may_say(&[409]),
        // A person who returns from a sign-in signed out is sent to sign in here.
        row("GET /api/mcp-servers/callback/{host}", OPEN).of(&[Unknown]),
        row("GET /api/mcp-servers/client/{host}", OPEN).of(&[Unknown]),
        managing("DELETE /api/mcp-servers/{id}").of(&[ToolServer]).uses_up(),
        row("GET /desk/tool-servers", MEMBER),
        row("GET /desk/tool-server-names", MEMBER),
        row("POST /desk/connect-tool-server", ADMIN)
            .given(|_| fields([("name", "Docs"), ("url", "http://mcp.invalid/mcp")]))
            .may_say(&[422]),
        row("POST /desk/save-tool-server", ADMIN)
            .of(&[ToolServer])
            .given(|things| fields([("form[id]", &*things.tool_server), ("form[version]", "1")]))
            .may_say(&[409]),
        row("POST /desk/test-tool-server", ADMIN)
            .of(&[ToolServer])
            .given(|things| fields([("id", &things.tool_server)]))
            .may_say(&[409]),
        row("POST /desk/accept-tool-changes", ADMIN)
            .of(&[ToolServer])
            .given(|things| fields([("id", &*things.tool_server), ("version", "1")]))
            .may_say(&[409]),
        row("POST /desk/delete-tool-server", ADMIN)
            .of(&[ToolServer])
            .given(|things| fields([("id", &things.tool_server)]))
            .uses_up(),
    ]
}

fn watcher() -> Value {
    json!({"handle": "watcher", "name": "Watcher", "grants": [{"on": "admob", "may": ["read"]}]})
}

fn desk_writes() -> Vec<Row> {
    vec![
        row("POST /desk/approval-choices", MEMBER)
            .of(&[Approval])
            .for_others()
            .given(|things| body(json!({"id": things.approval, "args": {}}))),
        row("POST /desk/undo", MEMBER)
            .of(&[Approval])
            .given(|things| fields([("id", &things.approval)]))
            .may_say(&[409]),
        row("POST /desk/refresh-home", MEMBER).given(|_| fields([])),
        row("POST /desk/save-question", MEMBER).given(|_| fields([("question", "Revenue yesterday?")])),
        row("POST /desk/pin-question", MEMBER)
            .of(&[SavedQuestion])
            .given(|things| fields([("id", &things.saved_question), ("pinned", "false")])),
        row("POST /desk/delete-question", MEMBER)
            .of(&[SavedQuestion])
            .given(|things| fields([("id", &things.saved_question)]))
            .uses_up(),
        row("POST /desk/rename-session", MEMBER)
            .of(&[Session])
            .given(|things| fields([("id", &things.session), ("title", "x")])),
        row("POST /desk/delete-session", MEMBER)
            .of(&[Session])
            .given(|things| fields([("id", &things.session)]))
            .uses_up(),
        row("POST /desk/rate", MEMBER)
            .of(&[Message])
            .given(|things| fields([("id", &things.message), ("rating", "up")])),
        row("POST /desk/keep", MEMBER)
            .of(&[Session])
            .given(|things| fields([("id", &things.session), ("kept", "true")])),
        row("POST /desk/chat-only", MEMBER)
            .of(&[Session])
            .given(|things| fields([("id", &things.session), ("chat_only", "false")])),
        row("POST /desk/share", MEMBER)
            .of(&[Session])
            .given(|things| fields([("id", &things.session), ("shared", "false")])),
        row("POST /desk/fork", MEMBER)
            .of(&[Run, Checkpoint])
            .given(|things| fields([("run", &things.run), ("checkpoint", &things.checkpoint)])),
        row("POST /desk/choose-theme", OPEN).given(|_| fields([("theme", "dark")])),
        row("POST /desk/put-context", MEMBER).given(|_| body(json!({"settings": {}}))),
        row("POST /desk/create-token", MEMBER)
            .given(|_| fields([("name", "another"), ("api", "on"), ("days", "30"), ("password", "correct horse")])),
        row("POST /desk/revoke-token", MEMBER).of(&[Token]).given(|things| fields([("id", &things.token)])).uses_up(),
        row("POST /desk/connect", ADMIN).given(|_| fields([("provider", "admob")])),
        row("POST /desk/connect-keys", ADMIN).given(|_| fields([("network", "pangle")])),
        row("POST /desk/try-keys", ADMIN).given(|_| fields([("network", "pangle")])),
        row("POST /desk/test-network", ADMIN).of(&[Connection]).given(|things| fields([("id", &things.connection)])),
        row("POST /desk/explore", ADMIN).given(|_| fields([("network", "admob")])),
        row("POST /desk/choose-accounts", ADMIN)
            .of(&[Connection])
            .given(|things| fields([("id", &things.connection), ("accounts[0]", &things.account)])),
        row("POST /desk/turn-on-network", MEMBER).given(|_| fields([("network", "admob")])),
        row("POST /desk/enable-network", ADMIN)
            .of(&[Connection])
            .given(|things| fields([("id", &things.connection), ("enabled", "true")])),
        row("POST /desk/rename-connection", ADMIN)
            .of(&[Connection])
            .given(|things| fields([("id", &things.connection), ("label", "Games EU")])),
        row("POST /desk/forget-revocation", ADMIN)
            .of(&[Revocation])
            .given(|things| fields([("id", &things.revocation)]))
            .uses_up(),
        row("POST /desk/disconnect", ADMIN)
            .of(&[Connection])
            .given(|things| fields([("id", &things.connection)]))
            .uses_up(),
    ]
}

/// A missing permission is a refusal; an error in the request itself is an answer to the form.
fn desk_team() -> Vec<Row> {
    vec![
        row("POST /desk/switch-workspace", SIGNED).given(|_| fields([("to", "personal")])),
        row("POST /desk/confirm-later", SIGNED).given(|_| fields([])),
        row("POST /desk/create-organization", SIGNED).given(|_| fields([("name", "Another")])),
        row("POST /desk/rename-organization", ADMIN).given(|_| fields([("name", "Acme")])),
        row("POST /desk/delete-organization", OWNER).given(|_| fields([("name", "not its name")])),
        row("POST /desk/leave-organization", NOT_OWNER).uses_up(),
        row("POST /desk/transfer-ownership", OWNER).given(|things| fields([("user", &things.me)])),
        row("POST /desk/change-role", ADMIN)
            .of(&[Colleague])
            .given(|things| fields([("user", &things.colleague), ("role", "member")])),
        row("POST /desk/remove-member", ADMIN)
            .of(&[Colleague])
            .given(|things| fields([("user", &things.colleague)]))
            .uses_up(),
        row("POST /desk/invite", ADMIN)
            .given(|things| fields([("email", &format!("desk-{}@example.org", things.run)), ("role", "member")])),
        row("POST /desk/resend-invitation", ADMIN)
            .of(&[Invitation])
            .given(|things| fields([("id", &things.invitation)])),
        row("POST /desk/revoke-invitation", ADMIN)
            .of(&[Invitation])
            .given(|things| fields([("id", &things.invitation)]))
            .uses_up(),
        row("POST /desk/create-invite-link", ADMIN)
            .given(|_| fields([("role", "member"), ("days", "7"), ("uses", "")])),
        row("POST /desk/deactivate-invite-link", ADMIN)
            .of(&[Link])
            .given(|things| fields([("id", &things.link)]))
            .uses_up(),
        row("POST /desk/answer-invitation", INVITED)
            .of(&[Invitation])
            .given(|things| fields([("id", &things.invitation), ("accept", "true")])),
        row("POST /desk/accept-invite-link", INVITED)
            .of(&[Unknown])
            .given(|_| fields([("token", super::people::UNKNOWN)])),
        row("POST /desk/set-reporting", ADMIN).given(|_| fields([("zone", "America/New_York")])),
        row("POST /desk/set-retention", OWNER).given(|_| fields([("runs", ""), ("checkpoints", ""), ("audit", "")])),
    ]
}
