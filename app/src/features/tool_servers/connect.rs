//! The form that connects a tool server.

use leptos::{html, prelude::*};

use super::page::Actions;
use crate::{
    features::{api::settled, form::ActionForm},
    ui::{Glyph, Icon},
};

#[component]
pub(super) fn Connect(actions: Actions, callback: String) -> impl IntoView {
    let fields: [NodeRef<html::Input>; 5] = std::array::from_fn(|_| NodeRef::new());
    let [name, url, secret, header, client] = fields;
    let connect = actions.connect;
    let pending = connect.pending();
    // Keep the fields after a refusal. After a success, clear them, above all the key.
    Effect::new(move |_| {
        if connect.value().get().is_some_and(|answer| settled(answer).is_ok()) {
            for field in fields.iter().filter_map(|field| field.get_untracked()) {
                field.set_value("");
            }
        }
    });
    let wrong = move |field: &'static str| {
        let error = connect.value().get().and_then(|answer| settled(answer).err())?;
        let found = error.0.errors.iter().find(|wrong| wrong.pointer == field);
        found.map(|wrong| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{wrong.message.clone()}</p> })
    };
    view! {
        <section class="section" aria-labelledby="connect-server">
            <div class="section-head"><h3 id="connect-server">"Connect a tool server"</h3></div>
            <ActionForm action=connect attr:class="card tool-connect">
                <div class="field">
                    <label for="server-name">"Name"</label>
                    <input class="input" node_ref=name id="server-name" name="name" required=true maxlength="60" autocomplete="off" placeholder="Docs"/>
                    {move || wrong("/name")}
                    {move || wrong("/handle")}
                </div>
                <div class="field">
                    <label for="server-url">"Address"</label>
                    <input class="input" node_ref=url id="server-url" name="url" type="url" required=true maxlength="500" autocomplete="off" placeholder="https://mcp.example.com/mcp" aria-describedby="server-url-h"/>
                    {move || wrong("/url")}
                    <p class="hint" id="server-url-h">"Its streamable HTTP address."</p>
                </div>
                <div class="field">
                    <label for="server-kind">"Sign in with"</label>
                    <select class="select" id="server-kind" name="kind">
                        <option value="none">"Nothing"</option>
                        <option value="oauth">"My account there (OAuth)"</option>
                        <option value="bearer">"A bearer token"</option>
                        <option value="header">"An API key in a header"</option>
                    </select>
                </div>
                <div class="field">
                    <label for="server-secret">"Token, key or client secret"" "<span class="optional">"optional"</span></label>
                    <input class="input" node_ref=secret id="server-secret" name="secret" type="password" maxlength="4000" autocomplete="off" aria-describedby="server-secret-h"/>
                    {move || wrong("/secret")}
                    <p class="hint" id="server-secret-h">"We store it encrypted. A token or key goes only to this host, a client secret only to its sign-in."</p>
                </div>
                <div class="field">
                    <label for="server-client">"OAuth client ID"" "<span class="optional">"optional"</span></label>
                    <input class="input" node_ref=client id="server-client" name="client" maxlength="500" autocomplete="off" aria-describedby="server-client-h"/>
                    {move || wrong("/sign_in/client_id")}
                    <p class="hint" id="server-client-h">
                        "Only if the service doesn’t register us by itself. Create a client there with the redirect address "
                        <code>{callback}</code>" and the host of its address."
                    </p>
                </div>
                <div class="field">
                    <label for="server-header">"Header of the API key"" "<span class="optional">"optional"</span></label>
                    <input class="input" node_ref=header id="server-header" name="header" maxlength="60" autocomplete="off" placeholder="X-API-Key"/>
                    {move || wrong("/sign_in/name")}
                </div>
                <div class="row">
                    <button class="button primary" type="submit" aria-busy=move || pending.get().then_some("true")>"Connect"</button>
                </div>
            </ActionForm>
        </section>
    }
}
