//! Who may do what: each operation of the API, each server function and each MCP tool, against every kind of caller.
//!
//! The lists come from the program (OpenAPI document, registry of server functions, `tools/list`). The expected results come from
//! the tables in [`rows`] and [`tools`], one row each. An operation without a row fails here, so the author of a new operation
//! must say who may use it.

mod ask;
pub mod database;
pub mod people;
pub mod rows;
mod tools;

use std::collections::BTreeSet;

use adagent_domain::Role;
use serde_json::Value;

use self::{
    ask::{Ask, Told},
    people::{Caller, Thing, World},
    rows::{Door, Programs, Row},
};
use crate::harness::TestApp;

/// Returns every operation of the OpenAPI document.
fn operations() -> BTreeSet<String> {
    let document = adagent_http::document();
    let paths = document["paths"].as_object().unwrap();
    let methods = |path: &String, item: &Value| -> Vec<String> {
        item.as_object().unwrap().keys().map(|method| format!("{} {path}", method.to_ascii_uppercase())).collect()
    };
    paths.iter().flat_map(|(path, item)| methods(path, item)).collect()
}

/// Returns every server function, as pages call it.
fn functions() -> BTreeSet<String> {
    leptos::server_fn::axum::server_fn_paths().map(|(path, method)| format!("{method} {path}")).collect()
}

#[test]
fn every_operation_and_every_server_function_has_a_row_and_no_row_is_left_over() {
    let there: BTreeSet<String> = operations().into_iter().chain(functions()).collect();
    let rows = rows::all();
    let named: BTreeSet<String> = rows.iter().map(|row| row.operation.to_owned()).collect();
    assert_eq!(named.len(), rows.len(), "a row stands twice");
    let without: Vec<_> = there.difference(&named).collect();
    let stale: Vec<_> = named.difference(&there).collect();
    assert!(without.is_empty() && stale.is_empty(), "without a row: {without:#?}; rows of nothing: {stale:#?}");
}

/// The expected answer to a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Past every check of the caller: the request is done, or refused for its own content.
    Through,
    Refused(u16),
}

fn expected(row: &Row, caller: Caller) -> Expected {
    use Expected::{Refused, Through};
    let nobody = if row.door == Door::Open { Through } else { Refused(401) };
    let with_role = |role: Role| match row.door {
        Door::Role(roles) if !roles.contains(&role) => Refused(403),
        Door::Open | Door::Signed | Door::Role(_) => Through,
        Door::Invited => Refused(404),
    };
    let tokens_count = row.is_for_programs();
    match caller {
        // An invalid token is refused even if the operation needs none.
        Caller::RevokedToken | Caller::ExpiredToken if tokens_count => Refused(401),
        Caller::McpToken if tokens_count => Refused(403),
        Caller::ApiToken | Caller::BothToken if !tokens_count => nobody,
        Caller::SignedOut
        | Caller::ExpiredSession
        | Caller::ForgedSession
        | Caller::RevokedToken
        | Caller::ExpiredToken
        | Caller::McpToken => nobody,
        Caller::ApiToken if row.programs == Programs::No => Refused(403),
        Caller::BothToken if row.programs != Programs::May => Refused(403),
        Caller::ApiToken | Caller::BothToken | Caller::Member => with_role(Role::Member),
        Caller::Admin => with_role(Role::Admin),
        Caller::Owner => with_role(Role::Owner),
        // For people who are not members, the workspace does not exist.
        Caller::Stranger | Caller::OtherOwner => match row.door {
            Door::Open | Door::Signed => Through,
            Door::Role(_) | Door::Invited => Refused(404),
        },
    }
}

fn fits(row: &Row, expected: Expected, told: &Told) -> bool {
    match expected {
        Expected::Refused(status) => told.status == status && (!row.is_described() || told.is_problem()),
        // The request succeeds, unless the row says that it cannot, and why.
        Expected::Through => matches!(told.status, 200..=399) || row.may_say.contains(&told.status),
    }
}

/// Runs all checks below on one server with its people, because creating the people takes longer than asking.
async fn matrix(app: TestApp) {
    let mut world = World::begin(&app).await;
    somebody_elses_id_is_answered_exactly_as_one_that_never_was(&world).await;
    tools::every_tool_and_every_method_is_behind_a_token_of_its_scope(&app, &world).await;
    everybody_gets_through_the_doors_that_are_theirs_and_no_other(&mut world).await;
    world.renew(Caller::Member).await;
    tools::a_token_sees_the_tools_of_its_workspace_and_calls_no_other(&app, &world).await;
    assert!(app.writes().await.is_empty(), "nobody approved anything");
    app.stop().await;
}

#[tokio::test]
async fn who_may_what_on_sqlite() {
    matrix(TestApp::sqlite().await).await;
}

/// Runs on PostgreSQL as a user to whom the row policies apply: what a use case may do, it must also be able to do behind that
/// second barrier.
#[tokio::test]
async fn who_may_what_on_postgres() {
    matrix(TestApp::fenced().await).await;
}

async fn everybody_gets_through_the_doors_that_are_theirs_and_no_other(world: &mut World<'_>) {
    let mut wrong = Vec::new();
    for row in rows::all() {
        // Callers who are refused go first: a successful caller could remove the things that the others ask about.
        let (through, refused): (Vec<_>, Vec<_>) =
            Caller::ALL.into_iter().partition(|caller| expected(&row, *caller) == Expected::Through);
        for caller in refused.into_iter().chain(through) {
            let expected = expected(&row, caller);
            // Every caller means the same organization, even one with an organization of their own.
            let things = world.things(caller).with(Thing::Organization, &world.organization);
            let told = Ask::of(&row, &things).by(world, caller).await;
            if !fits(&row, expected, &told) {
                wrong.push(format!("{} by {caller:?}: expected {expected:?}, got {told:?}", row.operation));
            }
            if expected == Expected::Through && row.uses_up {
                world.renew(caller).await;
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

async fn somebody_elses_id_is_answered_exactly_as_one_that_never_was(world: &World<'_>) {
    let mut wrong = Vec::new();
    for row in rows::all() {
        for (at, thing) in row.ids.iter().enumerate() {
            if matches!(thing, Thing::Network | Thing::Unknown) || row.door == Door::Invited {
                continue;
            }
            for caller in [Caller::Member, Caller::Admin, Caller::Owner, Caller::ApiToken] {
                if expected(&row, caller) != Expected::Through {
                    continue;
                }
                let mine = world.things(caller);
                let ask = async |id: &str| {
                    let told = Ask::of(&row, &mine.with(row.ids[at], id)).by(world, caller).await;
                    (told.status, told.without(id))
                };
                let unknown = ask(people::UNKNOWN).await;
                if unknown.0 != 404 {
                    wrong.push(format!("{} by {caller:?} with an unknown id: {unknown:?}", row.operation));
                }
                // Ask about another organization's thing and, if this kind of thing belongs to one person, about a colleague's.
                let colleague = if caller == Caller::Admin { Caller::Owner } else { Caller::Admin };
                let others = [Some(Caller::OtherOwner), (!thing.is_shared()).then_some(colleague)];
                for other in others.into_iter().flatten() {
                    let foreign = ask(world.things(other).get(*thing)).await;
                    let answers_for_others = matches!(caller, Caller::Admin | Caller::Owner);
                    let may = row.for_others && other == colleague && answers_for_others;
                    if may && foreign.0 == 404 {
                        wrong.push(format!("{} by {caller:?} with {other:?}'s {thing:?}: not let in", row.operation));
                    }
                    if !may && foreign != unknown {
                        let operation = row.operation;
                        wrong.push(format!(
                            "{operation} by {caller:?} with {other:?}'s {thing:?}: {foreign:?}, not {unknown:?}"
                        ));
                    }
                }
            }
            // Ask as the owner of the other organization, in that organization, where they have every permission.
            let told =
                Ask::of(&row, &world.things(Caller::OtherOwner).with(*thing, world.things(Caller::Owner).get(*thing)))
                    .at_home(world, Caller::OtherOwner)
                    .await;
            if matches!(row.door, Door::Role(_)) && told.status != 404 {
                wrong.push(format!("{} by the owner of another organisation: {told:?}", row.operation));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
