//! The second step of signing in: the code for two-factor authentication.

use leptos::prelude::*;
use leptos_meta::Title;

use super::{Alone, Wrong, back, with_return};
use crate::ui::ErrorLine;

#[component]
pub fn CodePage() -> impl IntoView {
    let back = back();
    let error = Wrong::of_page().anywhere();
    view! {
        <Title text="Enter a code"/>
        <Alone>
            <h1>"One more step"</h1>
            <p class="quiet-text">"Enter the code your authenticator app shows for ADAgentAI."</p>
            <form action="/api/auth/second-factor" method="post">
                <div class="field">
                    <label for="code">"Code"</label>
                    <input
                        class="input" id="code" name="code" type="text" inputmode="text" autocomplete="one-time-code" required=true
                        maxlength="40" spellcheck="false" style="height:var(--control-lg)"
                        aria-invalid=error.is_some().then_some("true") aria-describedby=error.map_or("code-h", |_| "code-error code-h")
                    />
                    {error.map(|text| view! { <ErrorLine text id="code-error"/> })}
                    <p class="hint" id="code-h">"Lost your phone? Enter a recovery code instead."</p>
                </div>
                <input type="hidden" name="return" value=back.clone()/>
                <button class="button primary large wide" type="submit">"Continue"</button>
            </form>
            <p class="quiet-text"><a class="link" href=with_return("/sign-in", &back)>"Use a different account"</a></p>
        </Alone>
    }
}
