//! Writes: sent only with the ticket for the approval of exactly these arguments.

use adagent_domain::Network;
use serde_json::Value as Json;

use super::Networks;
use crate::{Via, catalogue::Operation, entities, normalise, pipeline::dotted};
use adagent_tools::{CallScope, ProgressSink, ToolError, ToolErrorClass, ToolOutput, WriteTicket, digest};

impl Networks {
    /// Sends a write. `given` are the arguments as they were approved, which may name the connection; `args` are the ones to send.
    pub(super) async fn write(
        &self,
        scope: &CallScope,
        via: Via,
        operation: &Operation,
        (given, args): (&Json, &Json),
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        let tool = operation;
        let approved = ticket.is_some_and(|ticket| ticket.call == scope.call && ticket.digest == digest(tool, given));
        if !approved {
            return Err(ToolError::new(
                ToolErrorClass::OutOfContext,
                "APPROVAL_REQUIRED",
                "This change wasn't approved in exactly this form. Nothing was sent.",
            )
            .guide("Ask for approval of these arguments."));
        }
        self.transport.pace(tool.network, scope.workspace, false, progress).await?;
        let sent = self.send(via, operation, args, ticket.and_then(|ticket| ticket.place.as_deref()), progress).await;
        // Do this even after a failure, because the network may have made the change.
        self.registry.forget(via, tool.network, self.clock.now());
        let reply = sent?;
        let kind = operation.yields;
        let facts = &operation.facts;
        // The operation's result says where the new entity is.
        let made = operation.result.items_path.as_deref().and_then(|path| dotted::get(&reply.body, path));
        let found = entities::Found { account: args["account_id"].as_str(), parent: None };
        let item = kind.and_then(|kind| entities::item(facts, kind, made.unwrap_or(&reply.body), found));
        let summary = item.map_or_else(
            || match (kind, made.unwrap_or(&reply.body).as_array()) {
                (Some(_), Some(several)) if tool.network != Network::AdMob && !several.is_empty() => {
                    format!("{} {}", verb(&tool.name), normalise::counted(kind, several.len()))
                }
                _ => "Done".to_owned(),
            },
            |item| {
                let verb = verb(&tool.name);
                format!("{verb} {} {} ({})", item.kind.label(), item.name, item.id)
            },
        );
        let attempts = reply.attempts;
        Ok(ToolOutput {
            result: normalise::object(kind, &reply.body),
            summary,
            artifact: None,
            cached: false,
            attempts,
        })
    }
}

/// Returns a verb for what was done, from the operation's name.
fn verb(name: &str) -> &'static str {
    let says = |part: &str| name.split('_').any(|word| word == part);
    match () {
        () if says("create") => "Created",
        () if says("delete") || says("remove") => "Deleted",
        () if says("archive") => "Archived",
        () if says("stop") => "Stopped",
        () if says("pause") => "Paused",
        () => "Changed",
    }
}

#[cfg(test)]
mod tests {
    use super::verb;

    #[test]
    fn the_verb_is_what_was_done() {
        for (name, expected) in [
            ("admob_create_app", "Created"),
            ("admanager_batch_create_orders", "Created"),
            ("liftoff_delete_placement", "Deleted"),
            ("admanager_batch_archive_orders", "Archived"),
            ("admob_stop_mediation_ab_experiment", "Stopped"),
            ("admob_update_mediation_group", "Changed"),
        ] {
            assert_eq!(verb(name), expected, "{name}");
        }
    }
}
