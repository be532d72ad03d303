//! Which tools a client wants to see, from the address in its configuration: `/mcp?networks=admob,unity&tools=read`.
//!
//! Some hosts cannot handle hundreds of tools. The address can only narrow what the person may see. A client also cannot call a tool that
//! its address leaves out.

use adagent_domain::{Network, Source};
use adagent_tools::ToolInfo;
use http::request::Parts;
use rmcp::{ErrorData, model::Extensions};

use crate::who;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Narrow {
    /// `None` means all of them.
    networks: Option<Vec<Network>>,
    kinds: Kinds,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Kinds {
    #[default]
    All,
    /// Only tools that change nothing.
    Read,
    /// Only this program's own tools, such as the one that takes a question in plain words.
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
        // An address that names networks narrows only the tools of networks; this program's own tools stay.
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
