//! The form that sets which publisher accounts a connection is used for.

use adagent_contract::ProviderView;
use leptos::prelude::*;

use crate::features::form::ActionForm;
use crate::{
    features::{api::ChooseAccounts as Choose, desk::Desk},
    ui::{Glyph, Icon, SourceMark},
};

#[component]
pub fn ChooseAccounts(item: ProviderView, several: bool, back: String) -> impl IntoView {
    let choose = ServerAction::<Choose>::new();
    let desk = Desk::get();
    Effect::new(move |_| {
        if matches!(choose.value().get(), Some(Ok(()))) {
            desk.refresh_networks();
        }
    });
    let Some(id) = item.id else { return ().into_any() };
    let close = if back.is_empty() { "/settings/networks".to_owned() } else { back.clone() };
    let none_chosen_yet = item.accounts.iter().all(|account| !account.selected);
    let failed = move || choose.value().get().and_then(Result::err).map(|error| error.0.detail);
    view! {
        <div class="scrim"></div>
        <dialog class="dialog" id="choose" aria-labelledby="choose-title" open=true>
            <div class="dialog-head">
                <SourceMark source=item.network size="large"/>
                <div class="grow">
                    <h2 id="choose-title">{format!("Choose {} accounts", super::row::called(&item, several))}</h2>
                    <p class="quiet-text">"Used when your question doesn't name an account."</p>
                </div>
                <a class="button ghost icon-only small" href=close aria-label="Close"><Icon glyph=Glyph::X/></a>
            </div>
            <ActionForm action=choose>
                <div class="dialog-body stack">
                    <input type="hidden" name="id" value=id.to_string()/>
                    <input type="hidden" name="return_to" value=back/>
                    <fieldset class="stack">
                        <legend class="unseen">"Publisher accounts"</legend>
                        {item.accounts.into_iter().enumerate().map(|(index, account)| {
                            let name = crate::ui::format::entity_name(account.called(), &account.id);
                            let facts = [account.currency, account.time_zone.map(|zone| crate::ui::format::zone(&zone))].into_iter().flatten().collect::<Vec<_>>().join(", ");
                            let facts = if facts.is_empty() { facts } else { format!(" · {facts}") };
                            let id = account.id.clone();
                            view! {
                                <label class="check">
                                    <input type="checkbox" name=format!("accounts[{index}]") value=account.id.clone() checked=account.selected || none_chosen_yet/>
                                    <span class="grow">
                                        {name.clone()}
                                        <span class="faint" style="display:block;font-size:var(--t-xs)">
                                            <span class="mono">{account.id}</span>
                                            {facts}
                                        </span>
                                    </span>
                                </label>
                                <input
                                    class="input account-name" style="margin-inline-start:24px;width:auto" name=format!("names[{id}]") maxlength="60" autocomplete="off"
                                    aria-label=format!("Your name for {name}") placeholder="Your name for it (optional)"
                                    value=account.label.unwrap_or_default()
                                />
                            }
                        }).collect_view()}
                    </fieldset>
                    {move || failed().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
                </div>
                <div class="dialog-foot">
                    <button class="button primary" type="submit" aria-busy=move || choose.pending().get().then_some("true")>"Use these accounts"</button>
                </div>
            </ActionForm>
        </dialog>
    }
    .into_any()
}
