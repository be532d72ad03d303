//! Context settings: what the assistant may read and do, per person and workspace. The server enforces them.

use std::collections::BTreeMap;

use adagent_domain::{ConnectionId, Network, Source};
use serde::{Deserialize, Serialize};

use crate::AppSelection;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextMode {
    /// Prefer the selection; go beyond it if the question names something else.
    #[default]
    Soft,
    /// Read and change nothing outside the selection.
    Strict,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStyle {
    #[default]
    Concise,
    Detailed,
}

/// In a selection, `None` means everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextSettings {
    pub mode: ContextMode,
    pub enabled_networks: Option<Vec<Network>>,
    /// The connections to use, for networks that have several. A network without an entry uses all of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub enabled_connections: BTreeMap<Network, Vec<ConnectionId>>,
    pub enabled_accounts: BTreeMap<Network, Vec<String>>,
    pub enabled_apps: Option<AppSelection>,
    /// Change nothing, not even after approval.
    pub safe_mode: bool,
    pub response_style: ResponseStyle,
    /// `None` means the server's default.
    pub model: Option<String>,
}

/// Settings of one run. They cannot turn on what the person turned off, and they can only shrink a strict selection. They may replace a
/// soft selection, the model and the response style.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextOverlay {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ContextMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_networks: Option<Vec<Network>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_connections: Option<BTreeMap<Network, Vec<ConnectionId>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_accounts: Option<BTreeMap<Network, Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_apps: Option<AppSelection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe_mode: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_style: Option<ResponseStyle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Use no tools at all, whatever the settings allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_only: Option<bool>,
}

impl ContextSettings {
    /// Returns the settings of a run: the agent's model, if it has one, replaces the person's; then `overlay` applies to this run alone.
    #[must_use]
    pub fn of_run(mut self, agents_model: Option<String>, overlay: Option<&ContextOverlay>) -> Self {
        self.model = agents_model.or(self.model);
        match overlay {
            Some(overlay) => overlay.over(self),
            None => self,
        }
    }

    /// Returns the selected apps of a network. `None` means all of them.
    pub fn apps_of(&self, network: Network) -> Option<&[String]> {
        self.enabled_apps.as_ref()?.of(network)
    }

    /// Checks whether a run may call tools of this source. Nobody can turn this program's own tools off.
    pub fn admits(&self, source: Source) -> bool {
        source.network().is_none_or(|network| self.is_on(network))
    }

    /// Checks whether a network is turned on. If it is off, a run neither reads nor changes it, in either mode.
    pub fn is_on(&self, network: Network) -> bool {
        self.enabled_networks.as_ref().is_none_or(|enabled| enabled.contains(&network))
    }

    /// Checks whether an account is selected.
    pub fn has_account(&self, network: Network, account: &str) -> bool {
        self.enabled_accounts.get(&network).is_none_or(|enabled| enabled.iter().any(|id| id == account))
    }

    /// Checks whether a connection is selected.
    pub fn has_connection(&self, network: Network, connection: ConnectionId) -> bool {
        self.enabled_connections.get(&network).is_none_or(|enabled| enabled.contains(&connection))
    }

    /// Removes deleted connections from the selection without widening it. If a strict selection named no other connection of a network,
    /// the network is turned off, because the person never chose its other connections. A soft selection of this kind is dropped, because
    /// it was only a preference.
    pub fn forget_connections(&mut self, is_gone: impl Fn(Network, ConnectionId) -> bool) {
        let mut off = Vec::new();
        self.enabled_connections.retain(|network, chosen| {
            let before = chosen.len();
            chosen.retain(|id| !is_gone(*network, *id));
            if chosen.is_empty() && before > 0 {
                off.push(*network);
                return false;
            }
            true
        });
        if self.mode == ContextMode::Strict && !off.is_empty() {
            let enabled = self.enabled_networks.take().unwrap_or_else(|| Network::ALL.to_vec());
            self.enabled_networks = Some(enabled.into_iter().filter(|network| !off.contains(network)).collect());
        }
    }

    /// Returns the settings of a run in words, for its record and for people who look at it later.
    pub fn in_words(&self) -> String {
        let mut said = vec![match self.mode {
            ContextMode::Soft => "flexible scope".to_owned(),
            ContextMode::Strict => "selected only".to_owned(),
        }];
        if self.safe_mode {
            said.push("safe mode".to_owned());
        }
        if let Some(networks) = &self.enabled_networks {
            let names: Vec<&str> = networks.iter().map(|network| network.display_name()).collect();
            said.push(if names.is_empty() { "no network".to_owned() } else { names.join(", ") });
        }
        let connections: usize = self.enabled_connections.values().map(Vec::len).sum();
        if !self.enabled_connections.is_empty() {
            said.push(counted(connections, "connection"));
        }
        let accounts: usize = self.enabled_accounts.values().map(Vec::len).sum();
        if !self.enabled_accounts.is_empty() {
            said.push(counted(accounts, "account"));
        }
        match &self.enabled_apps {
            None => {}
            Some(AppSelection::Listed(ids)) => said.push(counted(ids.len(), "app")),
            Some(AppSelection::Of(networks)) => {
                said.extend(
                    networks
                        .iter()
                        .map(|(network, ids)| format!("{} of {}", counted(ids.len(), "app"), network.display_name())),
                );
            }
        }
        said.push(match self.response_style {
            ResponseStyle::Concise => "concise answers".to_owned(),
            ResponseStyle::Detailed => "detailed answers".to_owned(),
        });
        said.join(" · ")
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{} selected", if count == 1 { "" } else { "s" })
}

impl ContextOverlay {
    /// Returns the settings of this run. What is turned off stays off. A strict selection can only shrink; a soft one is a preference,
    /// which this run may replace.
    pub fn over(&self, mut stored: ContextSettings) -> ContextSettings {
        let strict = stored.mode == ContextMode::Strict;
        if self.mode == Some(ContextMode::Strict) {
            stored.mode = ContextMode::Strict;
        }
        stored.enabled_networks = chosen(stored.enabled_networks.take(), self.enabled_networks.clone(), true);
        stored.enabled_apps = match (stored.enabled_apps.take(), self.enabled_apps.clone()) {
            (Some(stored), Some(wanted)) if strict => Some(wanted.within(&stored)),
            (stored, wanted) => wanted.or(stored),
        };
        for (network, wanted) in self.enabled_connections.iter().flatten() {
            let before = stored.enabled_connections.remove(network);
            if let Some(left) = chosen(before, Some(wanted.clone()), strict) {
                stored.enabled_connections.insert(*network, left);
            }
        }
        for (network, wanted) in self.enabled_accounts.iter().flatten() {
            let before = stored.enabled_accounts.remove(network);
            if let Some(left) = chosen(before, Some(wanted.clone()), strict) {
                stored.enabled_accounts.insert(*network, left);
            }
        }
        stored.safe_mode |= self.safe_mode.unwrap_or(false);
        stored.response_style = self.response_style.unwrap_or(stored.response_style);
        stored.model = self.model.clone().or(stored.model);
        stored
    }
}

/// Combines two selections; if one is missing, the other applies. With `within`, the result holds only what both have; otherwise `wanted`
/// replaces `stored`.
fn chosen<T: PartialEq>(stored: Option<Vec<T>>, wanted: Option<Vec<T>>, within: bool) -> Option<Vec<T>> {
    match (stored, wanted) {
        (Some(stored), Some(wanted)) if within => {
            Some(wanted.into_iter().filter(|item| stored.contains(item)).collect())
        }
        (stored, wanted) => wanted.or(stored),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(mode: ContextMode) -> ContextSettings {
        ContextSettings {
            mode,
            enabled_networks: Some(vec![Network::AdMob]),
            enabled_connections: BTreeMap::new(),
            enabled_accounts: [(Network::AdMob, vec!["a".to_owned(), "b".to_owned()])].into(),
            enabled_apps: Some(vec!["x".into(), "y".into()].into()),
            safe_mode: true,
            response_style: ResponseStyle::Detailed,
            model: Some("local".into()),
        }
    }

    #[test]
    fn what_is_not_given_stays_as_it_is_set() {
        for mode in [ContextMode::Soft, ContextMode::Strict] {
            assert_eq!(ContextOverlay::default().over(stored(mode)), stored(mode));
        }
        let style: ContextOverlay = serde_json::from_str(r#"{"response_style":"concise"}"#).unwrap();
        let narrowed = style.over(stored(ContextMode::Strict));
        assert_eq!(narrowed, ContextSettings { response_style: ResponseStyle::Concise, ..stored(ContextMode::Strict) });
    }

    #[test]
    fn a_connection_that_is_gone_widens_nothing() {
        let id = |n: u128| ConnectionId(uuid::Uuid::from_u128(n));
        let before = |mode| ContextSettings {
            mode,
            enabled_connections: [(Network::AppLovin, vec![id(1)]), (Network::Unity, vec![id(2), id(3)])].into(),
            ..ContextSettings::default()
        };
        let after = |mode| {
            let mut settings = before(mode);
            settings.forget_connections(|_, gone| gone == id(1) || gone == id(2));
            settings
        };
        let strict = after(ContextMode::Strict);
        assert!(!strict.is_on(Network::AppLovin) && strict.is_on(Network::Unity) && strict.is_on(Network::AdMob));
        assert_eq!(strict.enabled_connections, [(Network::Unity, vec![id(3)])].into());
        let soft = after(ContextMode::Soft);
        assert!(soft.is_on(Network::AppLovin) && soft.has_connection(Network::AppLovin, id(9)));
        let mut same = before(ContextMode::Strict);
        same.forget_connections(|_, _| false);
        assert_eq!(same, before(ContextMode::Strict));
    }

    #[test]
    fn what_held_is_said_in_words() {
        assert_eq!(ContextSettings::default().in_words(), "flexible scope · concise answers");
        assert_eq!(
            stored(ContextMode::Strict).in_words(),
            "selected only · safe mode · AdMob · 2 accounts selected · 2 apps selected · detailed answers"
        );
        let apps = serde_json::json!({"enabled_apps": {"unity": ["u"]}});
        let settings: ContextSettings = serde_json::from_value(apps).unwrap();
        assert_eq!(settings.in_words(), "flexible scope · 1 app selected of Unity · concise answers");
    }

    #[test]
    fn nothing_is_widened() {
        let wide = ContextOverlay {
            mode: Some(ContextMode::Soft),
            enabled_networks: Some(vec![Network::AdMob, Network::Unity]),
            enabled_accounts: Some([(Network::AdMob, vec!["b".to_owned(), "c".to_owned()])].into()),
            enabled_apps: Some(vec!["y".into(), "z".into()].into()),
            safe_mode: Some(false),
            ..ContextOverlay::default()
        };
        let strict = wide.over(stored(ContextMode::Strict));
        assert_eq!((strict.mode, strict.safe_mode), (ContextMode::Strict, true));
        assert_eq!(strict.enabled_networks, Some(vec![Network::AdMob]));
        assert_eq!(strict.enabled_accounts[&Network::AdMob], ["b"]);
        assert_eq!(strict.enabled_apps, Some(vec!["y".into()].into()));
        // A soft selection is a preference, so this run may have another one. What is turned off stays off.
        let soft = wide.over(stored(ContextMode::Soft));
        assert_eq!(soft.enabled_apps, Some(vec!["y".into(), "z".into()].into()));
        assert_eq!((soft.enabled_networks, soft.safe_mode), (Some(vec![Network::AdMob]), true));
        // If no selection is stored, the run's own selection applies.
        let from_all = wide.over(ContextSettings { mode: ContextMode::Strict, ..ContextSettings::default() });
        assert_eq!(from_all.enabled_accounts[&Network::AdMob], ["b", "c"]);
    }
}
