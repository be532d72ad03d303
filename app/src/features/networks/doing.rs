//! Actions on connections that are on their way. This state lives as long as the page, because a row may be drawn again or move
//! to another group before its answer comes, and the answer must not be lost.

use adagent_contract::ProviderView;
use adagent_domain::ConnectionId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::{
    features::{
        api::{Disconnect, EnableNetwork, RenameConnection, TestNetwork},
        desk::Desk,
    },
    ui::Toasts,
};

/// An action with the connection that it was last started for.
pub struct Of<S: ServerFn + 'static>
where
    S::Output: Send + Sync,
    S::Error: Send + Sync,
{
    pub action: ServerAction<S>,
    pub last: Memo<Option<ConnectionId>>,
}

impl<S: ServerFn + 'static> Clone for Of<S>
where
    S::Output: Send + Sync,
    S::Error: Send + Sync,
{
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ServerFn + 'static> Copy for Of<S>
where
    S::Output: Send + Sync,
    S::Error: Send + Sync,
{
}

impl<S> Of<S>
where
    S: ServerFn + Clone + Send + Sync + 'static,
    S::Output: Send + Sync,
    S::Error: Send + Sync,
{
    fn new(id: impl Fn(&S) -> ConnectionId + Send + Sync + 'static) -> Self {
        let action = ServerAction::<S>::new();
        let input = action.input();
        // The input disappears when the answer comes, but the page still needs to know which connection it was for.
        let last = Memo::new(move |before: Option<&Option<ConnectionId>>| {
            let now = input.with(|input| input.as_ref().map(&id));
            now.or_else(|| before.copied().flatten())
        });
        Self { action, last }
    }

    /// Checks whether this action is still on its way for this connection.
    pub fn works_on(self, id: ConnectionId) -> bool {
        self.action.pending().get() && self.last.get() == Some(id)
    }
}

#[derive(Clone, Copy)]
pub struct Doing {
    pub enable: ServerAction<EnableNetwork>,
    pub disconnect: ServerAction<Disconnect>,
    pub test: Of<TestNetwork>,
    pub rename: Of<RenameConnection>,
}

impl Doing {
    pub fn get() -> Self {
        expect_context()
    }

    /// Creates the state, once for the page.
    pub fn provide() {
        let desk = Desk::get();
        let toasts = Toasts::get();
        let doing = Self {
            enable: ServerAction::new(),
            disconnect: ServerAction::new(),
            test: Of::new(|asked: &TestNetwork| asked.id),
            rename: Of::new(|asked: &RenameConnection| asked.id),
        };
        let Self { enable, disconnect, test, rename } = doing;
        Effect::new(move |_| {
            let answers = enable.version().get() + disconnect.version().get();
            if answers + test.action.version().get() + rename.action.version().get() > 0 {
                desk.refresh_networks();
            }
        });
        for answer in [enable.value(), disconnect.value()] {
            Effect::new(move |_| {
                if let Some(Err(error)) = answer.get() {
                    toasts.complain(error.0.detail);
                }
            });
        }
        Effect::new(move |_| match test.action.value().get() {
            Some(Ok(None)) => {
                let tested = test.last.get_untracked().and_then(|id| name(&desk, id));
                let tested = tested.unwrap_or_else(|| "The network".to_owned());
                toasts.say(format!("{tested}: the connection works."));
            }
            Some(Ok(Some(problem))) => toasts.complain(problem.detail),
            Some(Err(error)) => toasts.complain(error.0.detail),
            None => {}
        });
        provide_context(doing);
    }
}

/// Returns the name of a connection on the page.
fn name(desk: &Desk, id: ConnectionId) -> Option<String> {
    let known = desk.networks.get_untracked().and_then(Result::ok)?;
    let item = known.items.iter().find(|item| item.connections.iter().any(|one| one.id == Some(id)))?;
    let one: &ProviderView = item.connections.iter().find(|one| one.id == Some(id))?;
    Some(match one.label.as_ref().filter(|_| item.has_several()) {
        Some(label) => format!("{} · {label}", item.display_name),
        None => item.display_name.clone(),
    })
}
