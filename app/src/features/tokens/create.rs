//! The form that creates a token, and the new token's secret, shown once.

use adagent_contract::CreatedToken;
use leptos::{ev::SubmitEvent, form::FromFormData as _, prelude::*};
use serde_json::json;

use crate::{
    features::api::{ApiError, CreateToken, TokenForm},
    ui::{Code, CopyButton, ErrorLine, Glyph, Icon},
};

const ENDS: [(&str, &str); 4] = [("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("", "never")];

/// Returns the configuration for MCP clients.
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
                <p><strong id="made">{format!("{} is ready.", created.view.name)}</strong>" Copy it now. We won't show it again."</p>
            </div>
            <div class="row">
                <div class="grow"><Code text=created.token.clone() label="New access token"/></div>
                <CopyButton text=created.token label="Copy token" worded=true/>
            </div>
            {configuration.map(|text| view! {
                <div class="section-head"><h3>"For an MCP client"</h3><CopyButton text=text.clone() label="Copy configuration" worded=true/></div>
                <Code text label="MCP client configuration"/>
            })}
        </section>
    }
}

/// Returns the error at a field of the form; with `None`, the error that belongs to no field.
fn wrong_at(error: &ApiError, pointer: Option<&str>) -> Option<String> {
    let problem = &error.0;
    match pointer {
        Some(pointer) => {
            problem.errors.iter().find(|wrong| wrong.pointer == pointer).map(|wrong| wrong.message.clone())
        }
        None => problem.errors.is_empty().then(|| problem.detail.clone()),
    }
}

/// Draws the form. Without JavaScript, the server answers with this page and what the person `filled` in.
#[component]
pub fn Form(
    make: ServerAction<CreateToken>,
    refused: Signal<Option<ApiError>>,
    has_password: bool,
    filled: TokenForm,
) -> impl IntoView {
    let send = move |event: SubmitEvent| {
        // If the form cannot be read, the browser posts it, as it does without JavaScript.
        if let Ok(form) = CreateToken::from_event(&event) {
            event.prevent_default();
            make.dispatch(form);
        }
    };
    // Clear the form after it created a token, because the next token is a different one.
    let form = NodeRef::<leptos::html::Form>::new();
    Effect::new(move |_| {
        if make.value().with(|made| matches!(made, Some(Ok(_))))
            && let Some(form) = form.get_untracked()
        {
            form.reset();
        }
    });
    let wrong = move |pointer: Option<&'static str>, id: &'static str| {
        refused.with(|refused| refused.as_ref().and_then(|error| wrong_at(error, pointer))).map(|text| {
            view! { <ErrorLine text id/> }
        })
    };
    let described = move |pointer: &'static str, id: &'static str| {
        refused.with(|refused| refused.as_ref().and_then(|error| wrong_at(error, Some(pointer))).map(|_| id))
    };
    // An untouched form starts with what most programs need.
    let TokenForm { name, mcp, api, days, .. } = if filled == TokenForm::default() {
        TokenForm { mcp: Some("on".into()), days: "90".into(), ..filled }
    } else {
        filled
    };
    view! {
        <section class="section" aria-labelledby="make">
            <div class="section-head"><h3 id="make">"New token"</h3></div>
            <form node_ref=form class="card" style="padding:var(--s-4);display:grid;gap:var(--s-3)" action=crate::features::form::here("/settings/tokens") method="post" novalidate=true on:submit=send>
                <div class="field">
                    <label for="token-name">"Name"</label>
                    <input
                        class="input" id="token-name" name="name" value=name maxlength="100" required=true autocomplete="off"
                        aria-invalid=move || described("/name", "name-wrong").map(|_| "true")
                        aria-describedby=move || described("/name", "name-wrong")
                    />
                    {move || wrong(Some("/name"), "name-wrong")}
                    <p class="hint">"What will use it, for example: laptop, reporting script."</p>
                </div>
                <fieldset class="field" aria-describedby=move || described("/scopes", "scopes-wrong")>
                    <legend>"Scopes"</legend>
                    <label class="check"><input type="checkbox" name="mcp" value="on" checked=mcp.is_some()/>" MCP clients: tools at /mcp"</label>
                    <label class="check"><input type="checkbox" name="api" value="on" checked=api.is_some()/>" HTTP API: everything you can do, including approving changes"</label>
                    {move || wrong(Some("/scopes"), "scopes-wrong")}
                </fieldset>
                <div class="field">
                    <label for="token-days">"Expires"</label>
                    <select class="select" id="token-days" name="days" aria-describedby=move || described("/days", "days-wrong")>
                        {ENDS.map(|(value, label)| view! { <option value=value selected=value == days>{label}</option> }).into_iter().collect_view()}
                    </select>
                    {move || wrong(Some("/days"), "days-wrong")}
                </div>
                {if has_password {
                    view! {
                        <div class="field">
                            <label for="token-password">"Your password"</label>
                            <input
                                class="input" id="token-password" name="password" type="password" maxlength="300" required=true autocomplete="current-password"
                                aria-invalid=move || described("/password", "password-wrong").map(|_| "true")
                                aria-describedby=move || described("/password", "password-wrong")
                            />
                            {move || wrong(Some("/password"), "password-wrong")}
                        </div>
                    }.into_any()
                } else {
                    view! { <p class="hint">"You have no password, so you can do this only within 10 minutes of signing in."</p> }.into_any()
                }}
                {move || wrong(None, "token-wrong")}
                <div class="row">
                    <button class="button primary" type="submit" aria-busy=move || make.pending().get().then_some("true")>"Create token"</button>
                </div>
            </form>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_stands_at_its_field_or_below_all_of_them() {
        use adagent_contract::{FieldError, Problem, codes};
        let about = |errors| {
            let problem = Problem::new(422, codes::VALIDATION, "Not valid", "Look at it.");
            ApiError(Box::new(Problem { errors, ..problem }))
        };
        let password = about(vec![FieldError::new("/password", "Incorrect password.")]);
        assert_eq!(wrong_at(&password, Some("/password")).as_deref(), Some("Incorrect password."));
        assert_eq!((wrong_at(&password, Some("/name")), wrong_at(&password, None)), (None, None));
        assert_eq!(wrong_at(&about(Vec::new()), None).as_deref(), Some("Look at it."));
    }

    #[test]
    fn the_configuration_is_json_that_names_address_and_token() {
        let text = configuration("https://desk.example.com/mcp", "adat_x\"y");
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let server = &read["mcpServers"]["adagent"];
        assert_eq!(server["url"], "https://desk.example.com/mcp");
        assert_eq!(server["headers"]["Authorization"], "Bearer adat_x\"y");
    }
}
