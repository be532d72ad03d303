//! What no door is there for: put into the database itself.

use adagent_domain::{Ids as _, Role};
use adagent_server::SystemIds;
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, SqliteConnection};
use uuid::Uuid;

use crate::harness::TestApp;

async fn database(app: &TestApp) -> SqliteConnection {
    let file = app.folder().join("adagent.db");
    SqliteConnection::connect(&format!("sqlite://{}", file.display())).await.unwrap()
}

/// An organisation with these people; gives its id.
pub async fn organization(app: &TestApp, name: &str, people: &[(&str, Role)]) -> String {
    let mut database = database(app).await;
    let id = SystemIds.next_uuid();
    sqlx::query("insert into workspaces (id, kind, name, slug, created_at) values (?, 'organization', ?, ?, 1)")
        .bind(id)
        .bind(name)
        .bind(name.to_lowercase())
        .execute(&mut database)
        .await
        .unwrap();
    join(app, &id.to_string(), people).await;
    id.to_string()
}

/// These people are in the organisation as what they are.
pub async fn join(app: &TestApp, organization: &str, people: &[(&str, Role)]) {
    let mut database = database(app).await;
    let id: Uuid = organization.parse().unwrap();
    for (person, role) in people {
        let made = sqlx::query(
            "insert into memberships (workspace_id, user_id, role, created_at) select ?, id, ?, 1 from users where email_key = ? \
             on conflict (workspace_id, user_id) do update set role = excluded.role",
        )
        .bind(id)
        .bind(role.as_str())
        .bind(format!("{person}@example.com"))
        .execute(&mut database)
        .await
        .unwrap();
        assert_eq!(made.rows_affected(), 1, "{person}");
    }
}

/// Somebody's id.
pub async fn person(app: &TestApp, name: &str) -> String {
    let found = sqlx::query_scalar("select id from users where email_key = ?").bind(format!("{name}@example.com"));
    let id: Uuid = found.fetch_one(&mut database(app).await).await.unwrap();
    id.to_string()
}

/// The time of a browser session is over. Only a digest of what the cookie holds is stored.
pub async fn end_session(app: &TestApp, cookie: &str) {
    let id = hex::encode(Sha256::digest(cookie));
    let ended = sqlx::query("update http_sessions set expires_at = 1 where id = ?").bind(id);
    assert_eq!(ended.execute(&mut database(app).await).await.unwrap().rows_affected(), 1);
}

/// The time of an access token is over.
pub async fn end_token(app: &TestApp, id: &str) {
    let id: Uuid = id.parse().unwrap();
    let ended = sqlx::query("update access_tokens set expires_at = 1 where id = ?").bind(id);
    assert_eq!(ended.execute(&mut database(app).await).await.unwrap().rows_affected(), 1);
}

/// Somebody's tokens, and everybody's links and invitations, never were.
pub async fn forget_keys(app: &TestApp, person: &str) {
    let mut database = database(app).await;
    let gone = sqlx::query("delete from access_tokens where user_id = (select id from users where email_key = ?)");
    gone.bind(format!("{person}@example.com")).execute(&mut database).await.unwrap();
    sqlx::query("delete from invite_links").execute(&mut database).await.unwrap();
    sqlx::query("delete from invitations").execute(&mut database).await.unwrap();
}

/// A consent that could not be taken back; gives its id.
pub async fn revocation(app: &TestApp, workspace: &str) -> String {
    let (id, workspace): (Uuid, Uuid) = (SystemIds.next_uuid(), workspace.parse().unwrap());
    let made = sqlx::query(
        "insert into revocations (id, workspace_id, connection_id, network, sandbox, sealed, state, attempts, next_at, created_at, settled_at, last_error) \
         values (?, ?, ?, 'admob', true, '', 'failed', 18, 1, 1, 1, 'no answer')",
    );
    made.bind(id).bind(workspace).bind(id).execute(&mut database(app).await).await.unwrap();
    id.to_string()
}

/// Somebody is no longer one of the organisation.
pub async fn leave(app: &TestApp, person: &str) {
    let left = sqlx::query(
        "delete from memberships where user_id = (select id from users where email_key = ?) \
         and workspace_id in (select id from workspaces where kind = 'organization')",
    )
    .bind(format!("{person}@example.com"));
    assert_eq!(left.execute(&mut database(app).await).await.unwrap().rows_affected(), 1);
}
