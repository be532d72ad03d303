//! The theme of the pages in this browser. It lives in a cookie, so that it applies before the first paint and without
//! JavaScript.

#![cfg_attr(feature = "ssr", expect(clippy::unused_async, reason = "shape of server functions"))]

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    Light,
    Dark,
    /// Follows the device.
    #[default]
    System,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Returns the name that the cookie, the browser's storage and forms use.
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

/// Returns the same as [`chosen_theme`], for the page that the server renders now.
#[cfg(feature = "ssr")]
pub fn theme_of_page() -> Theme {
    super::who::server::theme()
}

/// Returns the theme that this browser chose.
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
