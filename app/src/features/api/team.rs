//! The team of an organisation.

use leptos::prelude::*;

use super::ApiError;

/// Makes an organisation and leads into it. Answers its page.
#[server(prefix = "/desk", endpoint = "create-organization", client = super::DeskClient)]
pub async fn create_organization(name: String) -> Result<String, ApiError> {
    let _ = name;
    Err(super::who::server::refuse("/name", "Not yet."))
}
