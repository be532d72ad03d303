//! What a client wants to see of the tools, said in the address it is configured with: `/mcp?networks=admob,unity&tools=read`.
//!
//! Hundreds of tools are more than some hosts take. It narrows what the person may see and never widens it: what is left out of the
//! list cannot be called through that address either.

use adagent_domain::{Network, Source};
use adagent_tools::ToolInfo;
use http::request::Parts;
use rmcp::{ErrorData, model::Extensions};

use crate::who;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Narrow {
    /// `None` is all of them.
    networks: Option<Vec<Network>>,
    kinds: Kinds,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Kinds {
    #[default]
    All,
    /// Nothing that changes anything.
    Read,
    /// The desk's own alone: ask in plain words.
    Own,
}

impl Narrow {
    pub fn of(extensions: &Extensions) -> Result<Self, ErrorData> {
        let query = extensions.get::<Parts>().and_then(|parts| parts.uri.query()).unwrap_or_default();
        Self::read(query)
    }

    fn read(query: &str) -> Result<Self, ErrorData> {
        let wrong = |told: String| ErrorData::invalid_params(told, None);
        let mut narrow = Self::default();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "networks" => {
                    let named = value.split(',').map(str::trim).filter(|one| !one.is_empty());
                    let networks: Result<Vec<Network>, _> = named
                        .map(|one| {
                            one.parse().map_err(|_| {
                                let known = Network::ALL.map(Network::id).join(", ");
                                wrong(format!("networks: {} isn't one of {known}.", who::quoted(one)))
                            })
                        })
                        .collect();
                    narrow.networks = Some(networks?);
                }
                "tools" => {
                    narrow.kinds = match &*value {
                        "all" => Kinds::All,
                        "read" => Kinds::Read,
                        "own" => Kinds::Own,
                        _ => return Err(wrong(format!("tools: {} isn't one of all, read, own.", who::quoted(&value)))),
                    };
                }
                _ => {}
            }
        }
        Ok(narrow)
    }

    pub fn shows(&self, tool: &ToolInfo) -> bool {
        // An address that names networks narrows theirs; what this program itself offers stays.
        let is_named = |networks: &Vec<Network>| tool.network().is_none_or(|network| networks.contains(&network));
        self.networks.as_ref().is_none_or(is_named)
            && match self.kinds {
                Kinds::All => true,
                Kinds::Read => tool.read_only,
                Kinds::Own => tool.source == Source::Native,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_which_tools_are_wanted_and_what_is_misspelled_is_said() {
        assert_eq!(Narrow::read("").unwrap(), Narrow::default());
        let both = Narrow::read("networks=admob,%20gam&tools=read&utm=x").unwrap();
        assert_eq!(both, Narrow { networks: Some(vec![Network::AdMob, Network::AdManager]), kinds: Kinds::Read });
        assert_eq!(Narrow::read("tools=own").unwrap().kinds, Kinds::Own);
        assert!(Narrow::read("networks=facebook").unwrap_err().message.contains("admob"));
        assert!(Narrow::read("tools=write").unwrap_err().message.contains("read"));
    }
}
