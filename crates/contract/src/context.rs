//! Context settings: what the agent may look at and do, per person and workspace. Enforced by the server.

use std::collections::BTreeMap;

use adagent_domain::Network;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextMode {
    /// Prefer what is selected; reach further when the question names it.
    #[default]
    Soft,
    /// Nothing outside the selection is read or written.
    Strict,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStyle {
    #[default]
    Concise,
    Detailed,
}

/// `None` in a selection means: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextSettings {
    pub mode: ContextMode,
    pub enabled_networks: Option<Vec<Network>>,
    pub enabled_accounts: BTreeMap<Network, Vec<String>>,
    pub enabled_apps: Option<Vec<String>>,
    /// Nothing is written, not even after approval.
    pub safe_mode: bool,
    pub response_style: ResponseStyle,
    /// `None` is the server's default.
    pub model: Option<String>,
}

/// Settings of one run: what is given narrows what the person has set, and never widens it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextOverlay {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ContextMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_networks: Option<Vec<Network>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_accounts: Option<BTreeMap<Network, Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_apps: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe_mode: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_style: Option<ResponseStyle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// No tools at all, whatever the settings allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_only: Option<bool>,
}

impl ContextOverlay {
    /// The stored settings as this run has them. What is switched off stays off; a strict selection can only shrink, a soft
    /// one, which is a preference, can be another for this run.
    pub fn over(&self, mut stored: ContextSettings) -> ContextSettings {
        let strict = stored.mode == ContextMode::Strict;
        if self.mode == Some(ContextMode::Strict) {
            stored.mode = ContextMode::Strict;
        }
        stored.enabled_networks = chosen(stored.enabled_networks.take(), self.enabled_networks.clone(), true);
        stored.enabled_apps = chosen(stored.enabled_apps.take(), self.enabled_apps.clone(), strict);
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

/// Without a selection everything is possible; of two, with `within`, only what both have.
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
            enabled_accounts: [(Network::AdMob, vec!["a".to_owned(), "b".to_owned()])].into(),
            enabled_apps: Some(vec!["x".into(), "y".into()]),
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
    fn nothing_is_widened() {
        let wide = ContextOverlay {
            mode: Some(ContextMode::Soft),
            enabled_networks: Some(vec![Network::AdMob, Network::Unity]),
            enabled_accounts: Some([(Network::AdMob, vec!["b".to_owned(), "c".to_owned()])].into()),
            enabled_apps: Some(vec!["y".into(), "z".into()]),
            safe_mode: Some(false),
            ..ContextOverlay::default()
        };
        let strict = wide.over(stored(ContextMode::Strict));
        assert_eq!((strict.mode, strict.safe_mode), (ContextMode::Strict, true));
        assert_eq!(strict.enabled_networks, Some(vec![Network::AdMob]));
        assert_eq!(strict.enabled_accounts[&Network::AdMob], ["b"]);
        assert_eq!(strict.enabled_apps, Some(vec!["y".into()]));
        // A soft selection is a preference: this run may have another; what is switched off stays off all the same.
        let soft = wide.over(stored(ContextMode::Soft));
        assert_eq!(soft.enabled_apps, Some(vec!["y".into(), "z".into()]));
        assert_eq!((soft.enabled_networks, soft.safe_mode), (Some(vec![Network::AdMob]), true));
        // Without a stored selection the given one narrows everything.
        let from_all = wide.over(ContextSettings { mode: ContextMode::Strict, ..ContextSettings::default() });
        assert_eq!(from_all.enabled_accounts[&Network::AdMob], ["b", "c"]);
    }
}
