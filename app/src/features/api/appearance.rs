//! How the pages look in this browser: a cookie, so that it holds before the first paint and without script.

#![cfg_attr(feature = "ssr", expect(clippy::unused_async, reason = "shape of server functions"))]

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    Light,
    Dark,
    /// As the device has it.
    #[default]
    System,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// As the cookie, the browser's storage and forms say it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::System => "system",
        }
    }

    pub fn named(id: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.id() == id).unwrap_or_default()
    }
}

/// As [`chosen_theme`], for the page that is being rendered.
#[cfg(feature = "ssr")]
pub fn theme_of_page() -> Theme {
    super::who::server::theme()
}

/// What this browser chose.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "theme", client = super::DeskClient)]
pub async fn chosen_theme() -> Result<Theme, ApiError> {
    Ok(super::who::server::theme())
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "choose-theme", client = super::DeskClient)]
pub async fn choose_theme(theme: Theme) -> Result<Theme, ApiError> {
    super::who::server::remember_theme(theme);
    Ok(theme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theme_is_known_by_its_id_and_anything_else_is_as_the_device_has_it() {
        for theme in Theme::ALL {
            assert_eq!(Theme::named(theme.id()), theme);
            assert_eq!(serde_json::to_value(theme).unwrap(), theme.id());
        }
        for other in ["", "LIGHT", "dark; Path=/", "<script>"] {
            assert_eq!(Theme::named(other), Theme::System, "{other}");
        }
    }
}
