//! Finds the operation that undoes another one, among all operations of its network.

use serde_json::Value as Json;

use super::Networks;
use crate::{Operation, sketch::unmake::unmade};

impl Networks {
    /// Returns the operation, with its arguments, that undoes what `tool` makes. `result` is the result of the call.
    pub(crate) fn take_back(&self, tool: &Operation, args: &Json, result: Option<&Json>) -> Option<(String, Json)> {
        let made = self.catalogue.get(&tool.name)?;
        let others = self.catalogue.of_network(tool.network).filter_map(|info| self.catalogue.get(&info.name));
        let reply = match result {
            Some(result) => Some(result.get("item")?),
            None => None,
        };
        unmade(made, others.map(|one| &**one), args, reply)
    }
}
