//! Runs that a newer program stored. Each engine bypasses its constraints in a different way, so these are not cases of the suite.

use adagent_domain::RunId;
use uuid::Uuid;

use super::fixtures::{Must, World};
use crate::{StoreError, User};

/// Runs with something that this program does not know, and one after them that it knows.
pub struct NewerRuns {
    person: User,
    unknown: Vec<RunId>,
    known: RunId,
}

impl NewerRuns {
    pub async fn stored(world: &World) -> Self {
        let person = world.person("ann").await;
        let mut runs = Vec::new();
        for _ in 0..5 {
            let run = world.new_flow(person.personal_workspace, person.id);
            world.begin_run(&run).await;
            runs.push(run.id);
        }
        let known = runs.pop().expect("there are five");
        Self { person, unknown: runs, known }
    }

    /// Returns the statements that turn them into rows of a newer program; `literal` writes an ID as the engine reads it.
    pub fn statements(&self, literal: impl Fn(Uuid) -> String) -> Vec<String> {
        let changes =
            ["kind = 'watch'", "class = 'urgent'", "status = 'paused'", r#"subject = '{"watch":{"monitor":1}}'"#];
        let each = self.unknown.iter().zip(changes);
        each.map(|(id, change)| format!("update runs set {change} where id = {}", literal(id.0))).collect()
    }

    pub async fn are_passed_over(&self, world: &World) {
        let claimed = world.claim("worker").await.expect("what is behind them is claimed");
        assert_eq!(claimed.run.id, self.known);
        assert_eq!(world.claim("worker").await, None);
        let (workspace, user) = (self.person.personal_workspace, self.person.id);
        let listed = world.store.list_runs(workspace, user, None, 10).await.must();
        assert_eq!(listed.iter().map(|run| run.id).collect::<Vec<_>>(), [self.known]);
        let mut unit = world.begin().await;
        let open = unit.lock_open_runs_of(workspace, None).await.must();
        assert_eq!(open.iter().map(|run| run.id).collect::<Vec<_>>(), [self.known]);
        drop(unit);
        for id in &self.unknown {
            let error = world.store.find_run_unscoped(*id).await.expect_err("whoever asks for it hears why");
            assert!(matches!(error, StoreError::Inconsistent { table: "runs", .. }), "{error:?}");
        }
    }
}
