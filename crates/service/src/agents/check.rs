//! Checks the fields of an agent that people set.

use adagent_contract::{
    AgentBody, Grant, GrantTarget, MOST_INSTRUCTIONS, MOST_TOOL_SERVERS, handle_of, handle_problem,
};
use adagent_domain::{Actor, ConnectionId, Network, Source};

use crate::{
    Service, ServiceError, ServiceResult,
    validate::{self, Fields},
};

pub(super) const MOST_NAME: usize = 60;
const MOST_POSITION: usize = 60;
const MOST_DESCRIPTION: usize = 300;
/// How many grants an agent can have: enough for one per source and many for single tools.
const MOST_GRANTS: usize = 100;
/// How many colors an agent's mark can have.
const COLORS: u8 = 8;

/// Checks a text that may be empty.
fn optional(text: &str, check: impl FnOnce(&str) -> Result<String, String>) -> Result<String, String> {
    if text.trim().is_empty() { Ok(String::new()) } else { check(text) }
}

impl Service {
    pub(super) async fn checked_agent(&self, actor: &Actor, body: AgentBody, base: &str) -> ServiceResult<AgentBody> {
        let mut fields = Fields::default();
        let at = |field: &str| format!("{base}/{field}");
        let handle = handle_of(&body.handle);
        if let Some(problem) = handle_problem(&handle) {
            fields.wrong(at("handle"), problem);
        }
        let name = fields.take(&at("name"), validate::line(&body.name, "The name", MOST_NAME));
        let position = optional(&body.position, |text| validate::line(text, "The position", MOST_POSITION));
        let position = fields.take(&at("position"), position);
        let description = optional(&body.description, |text| validate::text(text, "The description", MOST_DESCRIPTION));
        let description = fields.take(&at("description"), description);
        let instructions =
            optional(&body.instructions, |text| validate::text(text, "The instructions", MOST_INSTRUCTIONS));
        let instructions = fields.take(&at("instructions"), instructions);
        if body.color >= COLORS {
            fields.wrong(at("color"), format!("Choose a color from 0 to {}.", COLORS - 1));
        }
        if let Some(model) = &body.model
            && !self.models.contains(model)
        {
            fields.wrong(at("model"), format!("Unknown model; this server has {}.", self.models.join(", ")));
        }
        let grants = self.checked_grants(actor, body.grants, &at("grants"), &mut fields).await?;
        fields.done()?;
        let (Some(name), Some(position), Some(description), Some(instructions)) =
            (name, position, description, instructions)
        else {
            return Err(ServiceError::Internal("validated fields are missing".into()));
        };
        Ok(AgentBody { handle, name, position, description, instructions, grants, ..body })
    }

    /// Checks that grants name things that exist: tools by name, and connections of the right network.
    async fn checked_grants(
        &self,
        actor: &Actor,
        grants: Vec<Grant>,
        base: &str,
        fields: &mut Fields,
    ) -> ServiceResult<Vec<Grant>> {
        if grants.len() > MOST_GRANTS {
            fields.wrong(base, format!("There are {} grants; the limit is {MOST_GRANTS}.", grants.len()));
            return Ok(Vec::new());
        }
        let names_some = grants.iter().any(|grant| !grant.connections.is_empty());
        let known: Vec<(ConnectionId, Network)> = if names_some {
            let all = self.store.list_connections(actor.workspace).await?;
            all.into_iter().map(|one| (one.id, one.network)).collect()
        } else {
            Vec::new()
        };
        let mut checked: Vec<Grant> = Vec::new();
        for (place, mut grant) in grants.into_iter().enumerate() {
            grant.may.sort_unstable();
            grant.may.dedup();
            let of = match &grant.on {
                GrantTarget::Everything => None,
                GrantTarget::Source(source) => Some(*source),
                GrantTarget::Server(handle) => {
                    let servers = self.store.list_tool_servers(actor.workspace, MOST_TOOL_SERVERS).await?;
                    if !servers.iter().any(|server| server.handle == *handle) {
                        fields.wrong(format!("{base}/{place}/on"), "There is no tool server with that handle.");
                        continue;
                    }
                    Some(Source::Mcp)
                }
                GrantTarget::Tool(name) => {
                    let found = self.runtime.tools.find(actor.workspace, name).await;
                    let found = found.map_err(|error| ServiceError::Internal(error.to_string()))?;
                    let Some(tool) = found else {
                        fields.wrong(format!("{base}/{place}/on"), "There is no tool of that name.");
                        continue;
                    };
                    Some(tool.source)
                }
            };
            let fits = |id: &ConnectionId| {
                known.iter().any(|(one, network)| one == id && of == Some(Source::Network(*network)))
            };
            if let Some(wrong) = grant.connections.iter().position(|id| !fits(id)) {
                let pointer = format!("{base}/{place}/connections/{wrong}");
                fields.wrong(pointer, "This workspace has no such connection of this network.");
            }
            if checked.iter().any(|one| one.on == grant.on) {
                fields.wrong(format!("{base}/{place}/on"), "There is another grant on this. Put both into one.");
            } else if !grant.may.is_empty() {
                checked.push(grant);
            }
        }
        Ok(checked)
    }
}
