//! Finds the connection for a call if a workspace has several of one network: the one it was approved for, the one it names, or the one
//! that has the named entities. This module must never guess: if none of these decides, we ask.

use adagent_contract::{Access, CONNECTION, ContextMode, EntityKind, NetworkState};
use adagent_domain::{Network, WorkspaceId};
use serde_json::Value as Json;

use super::Networks;
use crate::{Connected, ConnectionMark, Operation, Via, paths};
use adagent_tools::{CallScope, GroundingIssue, ToolError, ToolErrorClass};

/// The connection for a call, and the arguments without its name.
pub(crate) struct Routed {
    pub via: Via,
    pub mark: ConnectionMark,
    /// Whether calls could also use other connections of the network.
    pub several: bool,
    pub args: Json,
}

/// The connection for a call, or the question that must be answered first.
pub(crate) enum Route {
    To(Box<Routed>),
    Ask(Vec<GroundingIssue>),
}

impl Route {
    /// Turns a question into an error, for callers that cannot ask anyone.
    pub fn or_error(self, network: Network) -> Result<Box<Routed>, ToolError> {
        match self {
            Self::To(routed) => Ok(routed),
            Self::Ask(issues) => Err(crate::grounding::to_error(network, &issues)),
        }
    }
}

/// Splits off the argument that names the connection.
pub(crate) fn split(args: &Json) -> (Json, Option<String>) {
    let mut own = args.clone();
    let named = own.as_object_mut().and_then(|fields| fields.remove(CONNECTION));
    let named = named.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    (own, named)
}

/// Checks whether calls may use a connection. They may not if it is turned off or if its accounts must still be chosen.
pub(super) const fn plays(one: &Connected) -> bool {
    matches!(one.state, NetworkState::Connected | NetworkState::AuthFailed)
}

fn in_play(all: &[Connected]) -> Vec<&Connected> {
    all.iter().filter(|one| plays(one)).collect()
}

fn chosen<'c>(candidates: Vec<&'c Connected>, scope: &CallScope, network: Network) -> Vec<&'c Connected> {
    let selected = |one: &&Connected| scope.settings.has_connection(network, one.mark.id);
    let kept: Vec<&Connected> = candidates.iter().copied().filter(selected).collect();
    // In soft mode, a selection without a usable connection is ignored.
    if kept.is_empty() && scope.settings.mode == ContextMode::Soft { candidates } else { kept }
}

/// Keeps the connections that the agent of the call may use.
fn granted(mut all: Vec<Connected>, scope: &CallScope, network: Network) -> Result<Vec<Connected>, ToolError> {
    let before = all.len();
    all.retain(|one| scope.grants.has_connection(network, one.mark.id));
    if all.is_empty() && before > 0 {
        return Err(ToolError::not_granted(scope.grants.refusal("", network.into(), Access::Read)));
    }
    Ok(all)
}

/// Keeps the connections whose names the agent may read.
pub(super) fn readable(all: Vec<Connected>, scope: &CallScope, network: Network) -> Result<Vec<Connected>, ToolError> {
    if !scope.settings.is_on(network) {
        return Err(ToolError::disabled(network));
    }
    if !scope.grants.opens(network) {
        return Err(ToolError::not_granted(scope.grants.refusal("", network.into(), Access::List)));
    }
    granted(all, scope, network)
}

fn labels(all: &[&Connected]) -> Vec<(String, String)> {
    all.iter().map(|one| (one.mark.label.clone(), one.mark.label.clone())).collect()
}

pub(super) fn same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

fn asked(message: String, candidates: &[&Connected]) -> Route {
    let pointer = format!("/{CONNECTION}");
    Route::Ask(vec![GroundingIssue { pointer, message, candidates: labels(candidates) }])
}

fn listed(all: &[&Connected]) -> String {
    all.iter().map(|one| format!("“{}”", one.mark.label)).collect::<Vec<_>>().join(", ")
}

impl Networks {
    /// Returns the workspace's connections to a network, oldest first.
    pub(crate) async fn connected(
        &self,
        workspace: WorkspaceId,
        network: Network,
    ) -> Result<Vec<Connected>, ToolError> {
        let mut all = self.source.connections(workspace).await?;
        all.retain(|one| one.network == network);
        Ok(all)
    }

    /// Returns the connections of a network that calls may use, and whether there are several to choose from.
    pub(crate) fn ways(
        all: &[Connected],
        scope: &CallScope,
        network: Network,
    ) -> Result<(Vec<Connected>, bool), ToolError> {
        let mut playing = in_play(all);
        if playing.is_empty() {
            // All are turned off, or their accounts must still be chosen. The request for credentials reports that.
            playing = all.iter().take(1).collect();
        }
        let several = playing.len() > 1;
        let strict = scope.settings.mode == ContextMode::Strict;
        let kept = if strict { chosen(playing, scope, network) } else { playing };
        if kept.is_empty() && !all.is_empty() {
            return Err(outside(network));
        }
        Ok((kept.into_iter().cloned().collect(), several))
    }

    /// Tells the registry which connection the known entities belong to.
    pub(crate) fn attend(&self, workspace: WorkspaceId, one: &Connected) -> Via {
        let via = Via { workspace, connection: one.mark.id };
        self.registry.belongs_to(via, one.network, Some(one.mark.clone()), self.clock.now());
        via
    }

    /// Finds the connection for a call.
    pub(crate) async fn route(&self, scope: &CallScope, tool: &Operation, args: &Json) -> Result<Route, ToolError> {
        let network = tool.network;
        let all = self.connected(scope.workspace, network).await?;
        if all.is_empty() {
            return Err(ToolError::not_connected(network));
        }
        let all = granted(all, scope, network)?;
        let (own, named) = split(args);
        let playing = in_play(&all);
        let several = playing.len() > 1;
        let to = |one: &Connected| {
            let via = self.attend(scope.workspace, one);
            Route::To(Box::new(Routed { via, mark: one.mark.clone(), several, args: own.clone() }))
        };
        let strict = scope.settings.mode == ContextMode::Strict;
        let within = |one: &Connected| {
            if strict && !scope.settings.has_connection(network, one.mark.id) { Err(outside(network)) } else { Ok(()) }
        };
        // An approved call goes through the connection that it was approved for, or not at all.
        if let Some(pinned) = scope.connection {
            let one =
                all.iter().find(|one| one.mark.id == pinned).ok_or_else(|| ToolError::connection_changed(network))?;
            within(one)?;
            return Ok(to(one));
        }
        if let Some(name) = named {
            let Some(one) = all.iter().find(|one| same(&one.mark.label, &name)) else {
                let name = adagent_domain::text::visible(&name).chars().take(80).collect::<String>();
                let known: Vec<&Connected> = all.iter().collect();
                let message = format!(
                    "{} has no connected account called “{name}”. Connected: {}.",
                    network.display_name(),
                    listed(&known)
                );
                return Ok(asked(message, &known));
            };
            within(one)?;
            return Ok(to(one));
        }
        if playing.is_empty() {
            // All are turned off, or their accounts must still be chosen. The request for credentials reports that.
            return Ok(to(&all[0]));
        }
        let candidates = chosen(playing.clone(), scope, network);
        // A soft selection is a preference: an ID may belong to a connection outside it.
        let rest: Vec<&Connected> = match scope.settings.mode {
            ContextMode::Soft if names_something(tool, &own) => {
                playing.into_iter().filter(|one| !candidates.iter().any(|own| own.mark.id == one.mark.id)).collect()
            }
            _ => Vec::new(),
        };
        match candidates.as_slice() {
            [] => return Err(outside(network)),
            [one] if rest.is_empty() => return Ok(to(one)),
            _ => {}
        }
        self.owner(scope, tool, &own, (&candidates, &rest), several).await
    }

    /// Finds the one connection that has what the arguments name: first among `candidates`, then among the `rest`.
    async fn owner(
        &self,
        scope: &CallScope,
        tool: &Operation,
        own: &Json,
        (candidates, rest): (&[&Connected], &[&Connected]),
        several: bool,
    ) -> Result<Route, ToolError> {
        let name = tool.network.display_name();
        let to = |one: &Connected| {
            let via = Via { workspace: scope.workspace, connection: one.mark.id };
            Route::To(Box::new(Routed { via, mark: one.mark.clone(), several, args: own.clone() }))
        };
        if !names_something(tool, own) {
            let message =
                format!("{name} has several connected accounts: {}. Say which one you mean.", listed(candidates));
            return Ok(asked(message, candidates));
        }
        let mut looked = Looked::default();
        self.ask_each(scope, tool, own, candidates, &mut looked).await;
        // If an ID cannot be looked up, any connection could have it, and the selection decides.
        if looked.owners.is_empty() && looked.strangers.iter().all(|issues| !issues.is_empty()) {
            self.ask_each(scope, tool, own, rest, &mut looked).await;
        }
        let Looked { owners, strangers, blind, failed } = looked;
        match (owners.as_slice(), failed) {
            ([], Some(error)) => Err(error),
            // The lookup through this connection will report what is wrong.
            ([], None) if candidates.len() == 1 => Ok(to(candidates[0])),
            ([], None) => {
                let fewest = strangers.into_iter().filter(|issues| !issues.is_empty()).min_by_key(Vec::len);
                Ok(fewest.map_or_else(
                    || {
                        let message = format!("Say which {name} account you mean: {}.", listed(candidates));
                        asked(message, candidates)
                    },
                    Route::Ask,
                ))
            }
            // A connection that we cannot reach might also be meant. Only a person can say that a change is not for it.
            (known, Some(error)) if !tool.read_only => {
                let all: Vec<&Connected> = known.iter().chain(&blind).copied().collect();
                let message = format!(
                    "{} We couldn't check whether that account has this too. Which {name} account do you mean: {}?",
                    error.message,
                    listed(&all)
                );
                Ok(asked(message, &all))
            }
            // Reading the same account through either connection gives the same answer.
            ([one, ..], _) if owners.len() == 1 || tool.read_only && all_in_accounts(tool, own) => Ok(to(one)),
            (several, _) => {
                let message = format!(
                    "Several connected {name} accounts have this: {}. Say which one you mean.",
                    listed(several)
                );
                Ok(asked(message, several))
            }
        }
    }

    /// Looks up in each connection whether it has what the arguments name.
    async fn ask_each<'c>(
        &self,
        scope: &CallScope,
        tool: &Operation,
        own: &Json,
        among: &[&'c Connected],
        looked: &mut Looked<'c>,
    ) {
        for one in among {
            let via = self.attend(scope.workspace, one);
            match self.resolve(via, tool, own).await {
                Ok(grounded) if grounded.issues.is_empty() && names_known(&grounded.resolved, tool, own) => {
                    looked.owners.push(one);
                }
                Ok(grounded) => looked.strangers.push(grounded.issues),
                Err(error) => {
                    looked.blind.push(one);
                    looked.fail(&one.mark.label, error);
                }
            }
        }
    }
}

/// What we learned from the connections about the entities that a call names.
#[derive(Default)]
struct Looked<'c> {
    owners: Vec<&'c Connected>,
    /// The issues found in each connection that lacks the entities; empty if nothing could be looked up.
    strangers: Vec<Vec<GroundingIssue>>,
    /// The connections that we could not reach.
    blind: Vec<&'c Connected>,
    failed: Option<ToolError>,
}

impl Looked<'_> {
    /// Keeps the first failure, with the name of its connection. Another failure replaces a refused sign-in, because an error that a wait
    /// or a retry may resolve says more about this call.
    fn fail(&mut self, label: &str, error: ToolError) {
        let refused = |error: &ToolError| error.class == ToolErrorClass::AuthFailed;
        if self.failed.as_ref().is_none_or(|known| refused(known) && !refused(&error)) {
            self.failed = Some(ToolError { message: format!("“{label}”: {}", error.message), ..error });
        }
    }
}

/// Checks whether the arguments contain an ID.
fn names_something(tool: &Operation, own: &Json) -> bool {
    tool.entity_params.iter().any(|(path, _)| !paths::ids(own, path).is_empty())
}

/// Checks whether the lookup proves anything: it found at least one ID that the arguments name, and not only the connection's account.
fn names_known(resolved: &[adagent_contract::EntityItem], tool: &Operation, own: &Json) -> bool {
    let ids: Vec<String> =
        tool.entity_params.iter().flat_map(|(path, _)| paths::ids(own, path)).map(|(_, id)| id).collect();
    resolved.iter().any(|item| ids.iter().any(|id| crate::entities::names(item, id) || id.ends_with(&item.id)))
}

/// Checks whether the call names an account. If so, its answer is the same through every connection.
fn all_in_accounts(tool: &Operation, own: &Json) -> bool {
    let mut accounts = tool.entity_params.iter().filter(|(_, kind)| *kind == EntityKind::Account);
    accounts.any(|(path, _)| !paths::ids(own, path).is_empty())
}

fn outside(network: Network) -> ToolError {
    ToolError::out_of_context(format!(
        "This {} account isn't in your current selection (Selected only).",
        network.display_name()
    ))
    .guide("Select it, or set the scope to Flexible.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn a_refused_sign_in_never_stands_before_what_says_more() {
        let busy = || ToolError::new(ToolErrorClass::Retryable, "UPSTREAM", "Busy.");
        let refused = || ToolError::auth_failed(Network::AppLovin);
        for (order, told) in [
            (vec![("A", refused()), ("B", busy())], "“B”: Busy."),
            (vec![("A", busy()), ("B", refused())], "“A”: Busy."),
            (vec![("A", busy()), ("B", busy())], "“A”: Busy."),
        ] {
            let mut looked = Looked::default();
            for (label, error) in order {
                looked.fail(label, error);
            }
            assert_eq!(looked.failed.expect("failed").message, told);
        }
        let mut looked = Looked::default();
        looked.fail("A", refused());
        looked.fail("B", refused());
        let told = looked.failed.expect("failed");
        assert_eq!(told.class, ToolErrorClass::AuthFailed);
        assert!(told.message.starts_with("“A”: "), "{}", told.message);
    }

    #[test]
    fn no_operation_has_an_argument_of_this_name() {
        for tool in Catalogue::built_in().expect("loads").tools() {
            assert!(tool.input_schema["properties"].get(CONNECTION).is_none(), "{}", tool.name);
        }
    }

    #[test]
    fn the_name_of_the_connection_is_taken_out() {
        let (own, named) = split(&json!({"a": "b", "connection": "One"}));
        assert_eq!((own, named.as_deref()), (json!({"a": "b"}), Some("One")));
        assert_eq!(split(&json!({"a": 1})), (json!({"a": 1}), None));
    }
}
