//! Puts data into the database itself, on either engine, if no operation can create it.

use adagent_domain::{Ids as _, Role};
use adagent_server::SystemIds;
use adagent_testkit::RawDatabase;
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use uuid::Uuid;

use crate::harness::TestApp;

/// A parameter of a statement.
enum Given {
    Id(Uuid),
    Text(String),
}

/// Binds and runs a statement on either engine, because the statements are the same.
macro_rules! on_either {
    ($app:expr, $sql:expr, $given:expr, $query:ident, $run:ident, $told:expr) => {
        match &$app.database {
            RawDatabase::Sqlite(path) => {
                let url = format!("sqlite://{}", path.display());
                let mut database = SqliteConnection::connect(&url).await.unwrap();
                let query = $given.into_iter().fold(sqlx::$query($sql), |query, given| match given {
                    Given::Id(id) => query.bind(id),
                    Given::Text(text) => query.bind(text),
                });
                query.$run(&mut database).await.map($told).unwrap()
            }
            RawDatabase::Postgres(url) => {
                let mut database = PgConnection::connect(url).await.unwrap();
                let query = $given.into_iter().fold(sqlx::$query($sql), |query, given| match given {
                    Given::Id(id) => query.bind(id),
                    Given::Text(text) => query.bind(text),
                });
                query.$run(&mut database).await.map($told).unwrap()
            }
        }
    };
}

/// Returns how many rows changed.
async fn change(app: &TestApp, sql: &'static str, given: Vec<Given>) -> u64 {
    on_either!(app, sql, given, query, execute, |done| done.rows_affected())
}

fn email(name: &str) -> Given {
    Given::Text(format!("{name}@example.com"))
}

/// Creates an organization with these people; returns its ID.
pub async fn organization(app: &TestApp, name: &str, people: &[(&str, Role)]) -> String {
    let id = SystemIds.next_uuid();
    let given = vec![Given::Id(id), Given::Text(name.to_owned()), Given::Text(name.to_lowercase())];
    change(
        app,
        "insert into workspaces (id, kind, name, slug, created_at) values ($1, 'organization', $2, $3, 1)",
        given,
    )
    .await;
    join(app, &id.to_string(), people).await;
    id.to_string()
}

/// Adds these people to the organization with their roles.
pub async fn join(app: &TestApp, organization: &str, people: &[(&str, Role)]) {
    let id: Uuid = organization.parse().unwrap();
    for (person, role) in people {
        let made = change(
            app,
            "insert into memberships (workspace_id, user_id, role, created_at) select $1, id, $2, 1 from users where email_key = $3 \
             on conflict (workspace_id, user_id) do update set role = excluded.role",
            vec![Given::Id(id), Given::Text(role.as_str().to_owned()), email(person)],
        )
        .await;
        assert_eq!(made, 1, "{person}");
    }
}

/// Returns a person's ID.
pub async fn person(app: &TestApp, name: &str) -> String {
    let sql = "select id from users where email_key = $1";
    on_either!(app, sql, vec![email(name)], query_scalar, fetch_one, |id: Uuid| id.to_string())
}

/// Ends a browser session. The database holds only a hash of the cookie's value.
pub async fn end_session(app: &TestApp, cookie: &str) {
    let id = Given::Text(hex::encode(Sha256::digest(cookie)));
    assert_eq!(change(app, "update http_sessions set expires_at = 1 where id = $1", vec![id]).await, 1);
}

/// Ends an access token.
pub async fn end_token(app: &TestApp, id: &str) {
    let id = Given::Id(id.parse().unwrap());
    assert_eq!(change(app, "update access_tokens set expires_at = 1 where id = $1", vec![id]).await, 1);
}

/// Deletes a person's tokens, and everybody's links and invitations.
pub async fn forget_keys(app: &TestApp, person: &str) {
    let of = "delete from access_tokens where user_id = (select id from users where email_key = $1)";
    change(app, of, vec![email(person)]).await;
    change(app, "delete from invite_links", Vec::new()).await;
    change(app, "delete from invitations", Vec::new()).await;
}

/// Adds access that could not be revoked; returns its ID.
pub async fn revocation(app: &TestApp, workspace: &str) -> String {
    let id = SystemIds.next_uuid();
    change(
        app,
        "insert into revocations (id, workspace_id, connection_id, network, sandbox, sealed, state, attempts, next_at, created_at, settled_at, last_error) \
         values ($1, $2, $1, 'admob', false, '', 'failed', 18, 1, 1, 1, 'no answer')",
        vec![Given::Id(id), Given::Id(workspace.parse().unwrap())],
    )
    .await;
    id.to_string()
}

/// Adds a saved question; returns its ID.
pub async fn saved_question(app: &TestApp, workspace: &str, person: &str) -> String {
    let id = SystemIds.next_uuid();
    let made = change(
        app,
        "insert into saved_questions (id, workspace_id, user_id, title, question, pinned, created_at, updated_at) \
         select $1, $2, id, 'Revenue', 'Revenue yesterday?', false, 1, 1 from users where email_key = $3",
        vec![Given::Id(id), Given::Id(workspace.parse().unwrap()), email(person)],
    )
    .await;
    assert_eq!(made, 1, "{person}");
    id.to_string()
}

/// Adds a to-do; returns its ID.
pub async fn todo(app: &TestApp, workspace: &str, person: &str) -> String {
    let id = SystemIds.next_uuid();
    let made = change(
        app,
        "insert into todos (id, workspace_id, text, due, assignee_id, created_by, version, created_at, updated_at) \
         select $1, $2, 'Check floors', '2026-11-27', id, id, 1, 1, 1 from users where email_key = $3",
        vec![Given::Id(id), Given::Id(workspace.parse().unwrap()), email(person)],
    )
    .await;
    assert_eq!(made, 1, "{person}");
    id.to_string()
}

/// Adds a document; returns its ID.
pub async fn document(app: &TestApp, workspace: &str, person: &str) -> String {
    let id = SystemIds.next_uuid();
    let given = || vec![Given::Id(id), Given::Id(workspace.parse().unwrap()), email(person)];
    for (statement, given) in [
        (
            "insert into documents (id, workspace_id, title, folder, version, size, title_words, words, created_by, created_at) \
             select $1, $2, 'Floors', '/', 1, 4, 'floors', 'floors text', id, 1 from users where email_key = $3",
            given(),
        ),
        (
            "insert into document_versions (document_id, workspace_id, number, title, folder, text, size, written_by, at) \
             select $1, $2, 1, 'Floors', '/', 'Text', 4, id, 1 from users where email_key = $3",
            given(),
        ),
    ] {
        assert_eq!(change(app, statement, given).await, 1, "{person}");
    }
    id.to_string()
}

/// Adds a tool server that nobody can reach; returns its ID.
pub async fn tool_server(app: &TestApp, workspace: &str, person: &str) -> String {
    let id = SystemIds.next_uuid();
    change(
        app,
        "insert into tool_servers (id, workspace_id, handle, name, url, sign_in, enabled, tools, left_out, created_by, version, \
         checked_at, created_at, updated_at) \
         select $1, $2, $3, 'Docs', 'https://mcp.invalid/mcp', '{\"kind\":\"none\"}', true, '[]', 0, id, 1, 1, 1, 1 from users \
         where email_key = $4",
        vec![
            Given::Id(id),
            Given::Id(workspace.parse().unwrap()),
            Given::Text(format!("d{}", &id.simple().to_string()[24..])),
            email(person),
        ],
    )
    .await;
    id.to_string()
}

/// Adds a person's own agent; returns its ID.
pub async fn agent(app: &TestApp, workspace: &str, person: &str) -> String {
    let id = SystemIds.next_uuid();
    let body = format!(r#"{{"handle":"a{}","name":"Agent","grants":[]}}"#, &id.simple().to_string()[24..]);
    let made = change(
        app,
        "insert into agents (id, workspace_id, owner_id, handle, name, called, position, description, active, sharing, journal, body, version, \
         created_at, updated_at) \
         select $1, $2, id, $4, 'Kept', 'kept', '', '', true, 'private', 'own', $5, 1, 1, 1 from users where email_key = $3",
        vec![
            Given::Id(id),
            Given::Id(workspace.parse().unwrap()),
            email(person),
            Given::Text(format!("a{}", &id.simple().to_string()[24..])),
            Given::Text(body),
        ],
    )
    .await;
    assert_eq!(made, 1, "{person}");
    id.to_string()
}

/// Removes a person from the organization.
pub async fn leave(app: &TestApp, organization: &str, person: &str) {
    let left = change(
        app,
        "delete from memberships where workspace_id = $1 and user_id = (select id from users where email_key = $2)",
        vec![Given::Id(organization.parse().unwrap()), email(person)],
    )
    .await;
    assert_eq!(left, 1);
}

/// Counts the chats that the home page began.
pub async fn home_chats(app: &TestApp) -> i64 {
    let sql = "select count(*) from chat_sessions where home_question is not null";
    on_either!(app, sql, Vec::<Given>::new(), query_scalar, fetch_one, |count: i64| count)
}
