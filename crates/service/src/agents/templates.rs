//! Agents for a start: those that an ad-ops team needs first.

use adagent_contract::{Access, AgentBody, AgentTemplate, Grant, GrantTarget, JournalSharing, Sharing};

use crate::Service;

const WATCH: &str = "\
You report what changed in revenue and why. Begin with the total of the period and its change against the same period before.
Then name the networks, apps and countries that moved most, in money first and in percent second.
When a day is not over, say so and compare full days only. Never propose changes; say who should look at what instead.";

const KEEPER: &str = "\
You look after eCPM floors. Compare each floor with the eCPM its source earned over the last seven full days, by country where the
network has countries. Propose one change at a time, with the reason in money. Never move a floor by more than 20 % in one step, and never
touch a line that was changed in the last three days.";

impl Service {
    /// Lists agents that people can start with.
    pub fn agent_templates(&self) -> Vec<AgentTemplate> {
        let template = |handle: &str, name: &str, position: &str, description: &str, instructions: &str, color, may| {
            let agent = AgentBody {
                handle: handle.to_owned(),
                name: name.to_owned(),
                position: position.to_owned(),
                description: description.to_owned(),
                instructions: instructions.to_owned(),
                color,
                model: None,
                grants: vec![Grant { on: GrantTarget::Everything, may, connections: Vec::new() }],
                sharing: Sharing::Private,
                journal: JournalSharing::Own,
                active: true,
            };
            AgentTemplate { slug: handle.to_owned(), agent }
        };
        vec![
            template(
                "revenue-watch",
                "Revenue watch",
                "Reporting",
                "Tells what revenue did and why. Reads every network, changes nothing.",
                WATCH,
                4,
                vec![Access::Read, Access::List],
            ),
            template(
                "floor-keeper",
                "Floor keeper",
                "Yield",
                "Compares floors with what sources earn, and proposes changes for your approval.",
                KEEPER,
                2,
                vec![Access::Read, Access::List, Access::Update],
            ),
        ]
    }
}
