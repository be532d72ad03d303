//! Every kind of caller, and the things that each of them has.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::database;
use crate::harness::TestApp;
use adagent_domain::Role;
use serde_json::{Value, json};

/// An ID that nobody ever created.
pub const UNKNOWN: &str = "019aa000-0000-7000-8000-0000000000aa";
/// Numbers the requests for changes. Each asks for its own group, because equal changes share one card.
static WISHES: AtomicUsize = AtomicUsize::new(0);

fn wish() -> String {
    let number = WISHES.fetch_add(1, Ordering::Relaxed);
    format!(
        "Create a mediation group called \"Group {number}\" for Puzzle Game on Android banner with AppLovin and Unity bidding"
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    SignedOut,
    /// The cookie of a session that ended.
    ExpiredSession,
    /// A cookie that the server never issued.
    ForgedSession,
    RevokedToken,
    ExpiredToken,
    /// A member's token for MCP.
    McpToken,
    /// A member's token for the HTTP API.
    ApiToken,
    /// A member's token for both.
    BothToken,
    /// Signed in, but not a member here.
    Stranger,
    Member,
    Admin,
    Owner,
    /// Has every permission, but in another organization.
    OtherOwner,
}

impl Caller {
    pub const ALL: [Self; 13] = [
        Self::SignedOut,
        Self::ExpiredSession,
        Self::ForgedSession,
        Self::RevokedToken,
        Self::ExpiredToken,
        Self::McpToken,
        Self::ApiToken,
        Self::BothToken,
        Self::Stranger,
        Self::Member,
        Self::Admin,
        Self::Owner,
        Self::OtherOwner,
    ];

    /// Returns whose things such a caller asks about: their own, or those of the member they pretend to be.
    const fn person(self) -> usize {
        match self {
            Self::Admin => 1,
            Self::Owner => 2,
            Self::OtherOwner => 3,
            _ => 0,
        }
    }
}

/// What an ID in a path or body names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    Run,
    Checkpoint,
    Session,
    Message,
    Approval,
    Token,
    Connection,
    Organization,
    /// Another member of the organization, without special permissions.
    Colleague,
    Invitation,
    Link,
    /// Access at a network that could not be revoked.
    Revocation,
    SavedQuestion,
    /// A private agent.
    Agent,
    Todo,
    Document,
    ToolServer,
    /// One of the person's own browser sessions.
    Browser,
    /// A network's name: the same for everybody.
    Network,
    /// An ID that names nothing.
    Unknown,
}

impl Thing {
    /// Checks whether a thing belongs to the workspace instead of one person.
    pub const fn is_shared(self) -> bool {
        !matches!(
            self,
            Self::Run
                | Self::Checkpoint
                | Self::Session
                | Self::Message
                | Self::Approval
                | Self::Token
                | Self::SavedQuestion
                | Self::Agent
                | Self::Browser
        )
    }
}

#[derive(Debug, Clone, Default)]
pub struct Things {
    pub run: String,
    pub checkpoint: String,
    pub session: String,
    pub message: String,
    pub approval: String,
    pub token: String,
    pub connection: String,
    /// The account of that connection.
    pub account: String,
    pub organization: String,
    pub colleague: String,
    pub invitation: String,
    pub link: String,
    pub revocation: String,
    pub saved_question: String,
    pub agent: String,
    pub todo: String,
    pub document: String,
    pub tool_server: String,
    pub browser: String,
    /// The person's own ID.
    pub me: String,
}

impl Things {
    pub fn get(&self, thing: Thing) -> &str {
        match thing {
            Thing::Run => &self.run,
            Thing::Checkpoint => &self.checkpoint,
            Thing::Session => &self.session,
            Thing::Message => &self.message,
            Thing::Approval => &self.approval,
            Thing::Token => &self.token,
            Thing::Connection => &self.connection,
            Thing::Organization => &self.organization,
            Thing::Colleague => &self.colleague,
            Thing::Invitation => &self.invitation,
            Thing::Link => &self.link,
            Thing::Revocation => &self.revocation,
            Thing::SavedQuestion => &self.saved_question,
            Thing::Agent => &self.agent,
            Thing::Todo => &self.todo,
            Thing::Document => &self.document,
            Thing::ToolServer => &self.tool_server,
            Thing::Browser => &self.browser,
            Thing::Unknown => UNKNOWN,
            Thing::Network => "pangle",
        }
    }

    /// Returns the same things with one of them replaced.
    pub fn with(&self, thing: Thing, id: &str) -> Self {
        let mut all = self.clone();
        let place = match thing {
            Thing::Run => &mut all.run,
            Thing::Checkpoint => &mut all.checkpoint,
            Thing::Session => &mut all.session,
            Thing::Message => &mut all.message,
            Thing::Approval => &mut all.approval,
            Thing::Token => &mut all.token,
            Thing::Connection => &mut all.connection,
            Thing::Organization => &mut all.organization,
            Thing::Colleague => &mut all.colleague,
            Thing::Invitation => &mut all.invitation,
            Thing::Link => &mut all.link,
            Thing::Revocation => &mut all.revocation,
            Thing::SavedQuestion => &mut all.saved_question,
            Thing::Agent => &mut all.agent,
            Thing::Todo => &mut all.todo,
            Thing::Document => &mut all.document,
            Thing::ToolServer => &mut all.tool_server,
            Thing::Browser => &mut all.browser,
            Thing::Network | Thing::Unknown => return all,
        };
        id.clone_into(place);
        all
    }
}

/// How a caller proves who they are.
pub enum Standing {
    Nobody,
    Cookie(String),
    Token(String),
}

struct Person {
    name: &'static str,
    workspace: String,
    things: Things,
}

/// A server, two organizations and their people.
pub struct World<'a> {
    app: &'a TestApp,
    pub http: reqwest::Client,
    pub base: String,
    pub organization: String,
    pub other: String,
    people: Vec<Person>,
    standings: Vec<Standing>,
}

const PEOPLE: [&str; 7] = ["member", "admin", "owner", "other", "stranger", "extra", "rivals-extra"];
/// The roles in the two organizations. The first person of each founded it; the last one is there to be removed.
const ACME: [(&str, Role); 4] =
    [("owner", Role::Owner), ("admin", Role::Admin), ("member", Role::Member), ("extra", Role::Member)];
const RIVAL: [(&str, Role); 2] = [("other", Role::Owner), ("rivals-extra", Role::Member)];

impl<'a> World<'a> {
    pub async fn begin(app: &'a TestApp) -> Self {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let mut world = Self {
            app,
            http,
            base: app.running.base_url(),
            organization: String::new(),
            other: String::new(),
            people: Vec::new(),
            standings: Vec::new(),
        };
        for name in PEOPLE {
            app.person(name).await;
        }
        world.organization = database::organization(
            app,
            "Acme",
            &[("owner", Role::Owner), ("admin", Role::Admin), ("member", Role::Member)],
        )
        .await;
        world.other = database::organization(app, "Rival", &[("other", Role::Owner)]).await;
        for (name, workspace) in [
            ("member", &world.organization),
            ("admin", &world.organization),
            ("owner", &world.organization),
            ("other", &world.other),
        ] {
            world.people.push(Person { name, workspace: workspace.clone(), things: Things::default() });
        }
        for caller in [Caller::Admin, Caller::OtherOwner, Caller::Member, Caller::Owner] {
            world.supply(caller.person()).await;
        }
        for caller in Caller::ALL {
            let standing = world.become_one(caller).await;
            world.standings.push(standing);
        }
        world
    }

    pub fn things(&self, caller: Caller) -> &Things {
        &self.people[caller.person()].things
    }

    pub fn standing(&self, caller: Caller) -> &Standing {
        let at = Caller::ALL.iter().position(|one| *one == caller).expect("one of them");
        &self.standings[at]
    }

    /// Restores what the caller's last request used up: their own things, the organization's shared things, and their membership.
    pub async fn renew(&mut self, caller: Caller) {
        database::join(self.app, &self.organization, &ACME).await;
        database::join(self.app, &self.other, &RIVAL).await;
        let person = caller.person();
        // The number of tokens, links and invitations is limited.
        database::forget_keys(self.app, self.people[person].name).await;
        self.supply(person).await;
        let Person { workspace, things, .. } = &self.people[person];
        let (workspace, things) = (workspace.clone(), things.clone());
        for colleague in self.people.iter_mut().filter(|one| one.workspace == workspace) {
            let theirs = &mut colleague.things;
            theirs.connection.clone_from(&things.connection);
            theirs.account.clone_from(&things.account);
            theirs.invitation.clone_from(&things.invitation);
            theirs.link.clone_from(&things.link);
        }
        for (at, one) in Caller::ALL.into_iter().enumerate() {
            // A person who leaves loses their tokens.
            if one.person() == person && !matches!(self.standings[at], Standing::Nobody) {
                self.standings[at] = self.become_one(one).await;
            }
        }
    }

    /// Returns the cookie of a new session.
    async fn sign_in(&self, name: &str) -> String {
        let body = json!({"email": format!("{name}@example.com"), "password": "correct horse"});
        let answer = self.http.post(format!("{}/api/auth/sign-in", self.base)).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{name}");
        answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
    }

    async fn tell(&self, cookie: &str, workspace: &str, method: &str, path: &str, body: Value) -> Value {
        let request = self.http.request(method.parse().unwrap(), format!("{}{path}", self.base));
        let request = request.header("cookie", cookie).header("x-organization-id", workspace);
        let request = if method == "GET" { request } else { request.json(&body) };
        let answer = request.send().await.unwrap();
        let status = answer.status();
        assert!(status.is_success(), "{method} {path}: {status} {}", answer.text().await.unwrap());
        answer.json().await.unwrap_or_default()
    }

    /// Creates one thing of every kind for a person of [`Self::people`].
    async fn supply(&mut self, person: usize) {
        let Person { name, workspace, .. } = &self.people[person];
        let (cookie, workspace) = (self.sign_in(name).await, workspace.clone());
        // A person with the permission creates the connections.
        let connector = if workspace == self.organization { self.sign_in("admin").await } else { cookie.clone() };
        let networks = json!({"networks": ["admob", "pangle"]});
        self.tell(&connector, &workspace, "POST", "/api/sandbox/explore", networks).await;
        let providers = self.tell(&cookie, &workspace, "GET", "/api/providers", Value::Null).await;
        let admob = providers["items"].as_array().unwrap().iter().find(|item| item["network"] == "admob").unwrap();
        let (run, session, message, approval) = self.wish(&cookie, &workspace).await;
        let saved = self.tell(&cookie, &workspace, "GET", &format!("/api/runs/{run}/checkpoints"), Value::Null).await;
        // The same person creates invitations and links.
        let (inside, email) = (format!("/api/organizations/{workspace}"), format!("{run}@example.net"));
        let invitation = json!({"email": email, "role": "member"});
        let invitation = self.tell(&connector, &workspace, "POST", &format!("{inside}/invitations"), invitation).await;
        let link = json!({"role": "member"});
        let link = self.tell(&connector, &workspace, "POST", &format!("{inside}/invite-links"), link).await;
        let me = self.tell(&cookie, &workspace, "GET", "/api/me", Value::Null).await;
        let extra = if workspace == self.organization { "extra" } else { "rivals-extra" };
        let elsewhere = self.sign_in(name).await;
        let browsers = self.tell(&elsewhere, &workspace, "GET", "/api/account/sessions", Value::Null).await;
        let browser = browsers["items"].as_array().unwrap().iter().find(|one| one["current"] == true).unwrap();
        let token = json!({"name": "thing", "scopes": ["api"], "password": "correct horse"});
        let token = self.tell(&cookie, &workspace, "POST", "/api/tokens", token).await;
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{name}: no id")).to_owned();
        let things = Things {
            run,
            session,
            message,
            checkpoint: text(&saved["items"][0]["id"]),
            approval,
            token: text(&token["id"]),
            connection: text(&admob["id"]),
            account: text(&admob["accounts"][0]["id"]),
            colleague: database::person(self.app, extra).await,
            invitation: text(&invitation["id"]),
            link: text(&link["id"]),
            revocation: database::revocation(self.app, &workspace).await,
            saved_question: database::saved_question(self.app, &workspace, name).await,
            agent: database::agent(self.app, &workspace, name).await,
            todo: database::todo(self.app, &workspace, name).await,
            document: database::document(self.app, &workspace, name).await,
            tool_server: database::tool_server(self.app, &workspace, name).await,
            browser: text(&browser["id"]),
            me: text(&me["user"]["id"]),
            organization: workspace,
        };
        self.people[person].things = things;
    }

    /// Asks for a change. Once it is pending, returns its run, chat, message and approval.
    async fn wish(&self, cookie: &str, workspace: &str) -> (String, String, String, String) {
        let request = self.http.post(format!("{}/chat/stream", self.base)).json(&json!({"message": wish()}));
        let request = request.header("cookie", cookie).header("x-organization-id", workspace);
        let mut response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        let mut told = String::new();
        while let Some(chunk) = response.chunk().await.unwrap() {
            told.push_str(&String::from_utf8_lossy(&chunk));
            if told.contains("event: tool_approval_required") && told.ends_with("\n\n") {
                break;
            }
        }
        let events = told.lines().filter_map(|line| line.strip_prefix("data:"));
        let events: Vec<Value> = events.map(|event| serde_json::from_str(event).unwrap()).collect();
        let text = |event: &Value, name: &str| event[name].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
        let (first, last) = (&events[0], &events[events.len() - 1]);
        (text(first, "run_id"), text(first, "session_id"), text(first, "message_id"), text(last, "approval_id"))
    }

    async fn token(&self, name: &str, scopes: Value) -> (String, String) {
        let cookie = self.sign_in(name).await;
        let body = json!({"name": "caller", "scopes": scopes, "password": "correct horse"});
        let made = self.tell(&cookie, &self.organization, "POST", "/api/tokens", body).await;
        (made["id"].as_str().unwrap().to_owned(), made["token"].as_str().unwrap().to_owned())
    }

    async fn become_one(&self, caller: Caller) -> Standing {
        match caller {
            Caller::SignedOut => Standing::Nobody,
            Caller::ForgedSession => {
                let real = self.sign_in("member").await;
                let (name, _) = real.split_once('=').unwrap();
                Standing::Cookie(format!("{name}=AAAAAAAAAAAAAAAAAAAAAA"))
            }
            Caller::ExpiredSession => {
                let cookie = self.sign_in("member").await;
                let id = cookie.split_once('=').unwrap().1.to_owned();
                database::end_session(self.app, &id).await;
                Standing::Cookie(cookie)
            }
            Caller::RevokedToken => {
                let (id, token) = self.token("member", json!(["api"])).await;
                let cookie = self.sign_in("member").await;
                self.tell(&cookie, &self.organization, "DELETE", &format!("/api/tokens/{id}"), Value::Null).await;
                Standing::Token(token)
            }
            Caller::ExpiredToken => {
                let (id, token) = self.token("member", json!(["api"])).await;
                database::end_token(self.app, &id).await;
                Standing::Token(token)
            }
            Caller::McpToken => Standing::Token(self.token("member", json!(["mcp"])).await.1),
            Caller::ApiToken => Standing::Token(self.token("member", json!(["api"])).await.1),
            Caller::BothToken => Standing::Token(self.token("member", json!(["api", "mcp"])).await.1),
            Caller::Stranger => Standing::Cookie(self.sign_in("stranger").await),
            Caller::Member => Standing::Cookie(self.sign_in("member").await),
            Caller::Admin => Standing::Cookie(self.sign_in("admin").await),
            Caller::Owner => Standing::Cookie(self.sign_in("owner").await),
            Caller::OtherOwner => Standing::Cookie(self.sign_in("other").await),
        }
    }
}
