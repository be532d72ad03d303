//! The form that makes a token, and its secret, shown once.

use adagent_contract::CreatedToken;
use leptos::{ev::SubmitEvent, form::FromFormData as _, prelude::*};
use serde_json::json;

use crate::{
    features::api::{ApiError, CreateToken},
    ui::{Code, CopyButton, Glyph, Icon},
};

const ENDS: [(&str, &str); 4] = [("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("", "never")];

/// What programs that speak the tools' protocol are given.
fn configuration(mcp_url: &str, token: &str) -> String {
    let server = json!({"type": "http", "url": mcp_url, "headers": {"Authorization": format!("Bearer {token}")}});
    serde_json::to_string_pretty(&json!({"mcpServers": {"adagent": server}})).unwrap_or_default()
}

#[component]
pub fn Secret(created: CreatedToken, mcp_url: String) -> impl IntoView {
    let is_mcp = created.view.scopes.contains(&adagent_contract::TokenScope::Mcp);
    let configuration = is_mcp.then(|| configuration(&mcp_url, &created.token));
    view! {
        <section class="section" aria-labelledby="made" id="new-token">
            <div class="note good" role="status">
                <Icon glyph=Glyph::KeyRound/>
                <p><strong id="made">{format!("{} is ready.", created.view.name)}</strong>" Copy it now: it is not shown again."</p>
            </div>
            <div class="row">
                <div class="grow"><Code text=created.token.clone() label="The new access token"/></div>
                <CopyButton text=created.token label="Copy the token" worded=true/>
            </div>
            {configuration.map(|text| view! {
                <div class="section-head"><h3>"For an MCP client"</h3><CopyButton text=text.clone() label="Copy the configuration" worded=true/></div>
                <Code text label="Configuration of an MCP client"/>
            })}
        </section>
    }
}

/// Works without script: then the page it is on answers.
#[component]
pub fn Form(make: ServerAction<CreateToken>, refused: Option<ApiError>) -> impl IntoView {
    let send = move |event: SubmitEvent| {
        // What cannot be read goes the way it goes without script.
        if let Ok(form) = CreateToken::from_event(&event) {
            event.prevent_default();
            make.dispatch(form);
        }
    };
    let wrong = refused.map(|error| {
        let told = if error.0.errors.is_empty() {
            error.0.detail.clone()
        } else {
            error.0.errors.iter().map(|field| field.message.clone()).collect::<Vec<_>>().join(" ")
        };
        view! { <p class="error-text" role="alert" id="token-wrong"><Icon glyph=Glyph::CircleAlert/>{told}</p> }
    });
    let described = wrong.is_some().then_some("token-wrong");
    view! {
        <section class="section" aria-labelledby="make">
            <div class="section-head"><h3 id="make">"New token"</h3></div>
            <form class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)" action=crate::features::form::here("/settings/tokens") method="post" on:submit=send>
                <div class="field">
                    <label for="token-name">"Name"</label>
                    <input class="input" id="token-name" name="name" maxlength="100" required=true autocomplete="off" aria-describedby=described/>
                    <p class="hint">"What uses it, for example: laptop, reporting script."</p>
                </div>
                <fieldset class="field">
                    <legend>"For"</legend>
                    <label class="row"><input type="checkbox" name="mcp" value="on" checked=true/>" MCP clients: tools at /mcp"</label>
                    <label class="row"><input type="checkbox" name="api" value="on"/>" The HTTP interface: everything you may do, approvals too"</label>
                </fieldset>
                <div class="field">
                    <label for="token-days">"Ends"</label>
                    <select class="select" id="token-days" name="days">
                        {ENDS.map(|(value, label)| view! { <option value=value selected=value == "90">{label}</option> }).into_iter().collect_view()}
                    </select>
                </div>
                {wrong}
                <div class="row">
                    <button class="button primary" type="submit" aria-busy=move || make.pending().get().then_some("true")>"Make a token"</button>
                </div>
            </form>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_json_that_names_address_and_token() {
        let text = configuration("https://desk.example.com/mcp", "adat_x\"y");
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let server = &read["mcpServers"]["adagent"];
        assert_eq!(server["url"], "https://desk.example.com/mcp");
        assert_eq!(server["headers"]["Authorization"], "Bearer adat_x\"y");
    }
}
