//! Buttons, fields, selects, checkboxes, switches, in every state.

use adagent_domain::Network;
use leptos::prelude::*;

use super::{cell, samples, spec};
use crate::ui::{
    Button, ButtonKind, ButtonSize, Checkbox, Choice, EntitySelect, Glyph, IconButton, MoneyField, Parent, Segmented,
    SelectField, Switch, TextAreaField, TextField, Tri,
};

pub fn all() -> impl IntoView {
    view! {
        {buttons("Button, primary", ButtonKind::Primary)}
        {buttons("Button", ButtonKind::Plain)}
        {buttons("Button, ghost", ButtonKind::Ghost)}
        {buttons("Button, danger", ButtonKind::Danger)}
        {inputs()}
        {selects()}
        {entities()}
        {checks()}
        {switches()}
    }
}

fn buttons(title: &'static str, kind: ButtonKind) -> impl IntoView {
    spec(
        title,
        view! {
            {cell("rest", view! { <Button kind>"Approve"</Button> })}
            {cell("hover", view! { <Button kind class="is-hover">"Approve"</Button> })}
            {cell("focus-visible", view! { <Button kind class="is-focus">"Approve"</Button> })}
            {cell("busy", view! { <Button kind busy=true>"Sending"</Button> })}
            {cell("disabled", view! { <Button kind disabled=true>"Approve"</Button> })}
            {cell("small", view! { <Button kind size=ButtonSize::Small icon=Glyph::Check>"Approve"</Button> })}
            {cell("large", view! { <Button kind size=ButtonSize::Large>"Approve"</Button> })}
            {cell("pressed", view! { <Button kind pressed=Some(true)>"Edit"</Button> })}
            {cell("icon", view! { <IconButton glyph=Glyph::Plus label="Add" kind size=ButtonSize::Regular/> })}
        },
    )
}

fn inputs() -> impl IntoView {
    let value = RwSignal::new(String::from("Puzzle Game"));
    let money = RwSignal::new(String::from("14.50"));
    let take = Callback::new(move |text| value.set(text));
    let sized = |inner: AnyView| view! { <div style="width:196px">{inner}</div> };
    let wrong = Signal::stored(Some("At least $0.01.".to_owned()));
    spec(
        "Input",
        view! {
            {sized(view! { <TextField id="u1" label="Rest" value="" placeholder="Name"/> }.into_any())}
            {sized(view! { <TextField id="u2" label="Filled, with hint" value on_input=take hint=Some("Shown in lists.".to_owned())/> }.into_any())}
            {sized(view! { <div class="field"><label for="u3">"Focus-visible"</label><input class="input is-focus" id="u3" value="Puzzle Game"/></div> }.into_any())}
            {sized(view! { <TextField id="u4" label="Error" value="0.001" error=wrong/> }.into_any())}
            {sized(view! { <TextField id="u5" label="Disabled" value="Acme Games" disabled=true/> }.into_any())}
            {sized(view! {
                <MoneyField id="u6" label="Money" value=money symbol="$" code="USD" hint=Some("eCPM floor".to_owned())
                    on_input=Callback::new(move |text| money.set(text))/>
            }.into_any())}
            {sized(view! { <TextField id="u7" label="Date" kind="date" value="2026-11-20"/> }.into_any())}
            {sized(view! { <TextAreaField id="u8" label="Reason" optional=true value="House ads stay until Friday"/> }.into_any())}
        },
    )
}

fn selects() -> impl IntoView {
    let formats = || {
        vec![
            Choice::new("INTERSTITIAL", "Interstitial"),
            Choice::new("REWARDED", "Rewarded"),
            Choice::new("BANNER", "Banner"),
        ]
    };
    let value = RwSignal::new(String::from("REWARDED"));
    let wrong = Signal::stored(Some("Needed.".to_owned()));
    let sized = |inner: AnyView| view! { <div style="width:196px">{inner}</div> };
    spec(
        "Select",
        view! {
            {sized(view! {
                <SelectField id="v1" label="Rest" choices=formats() value on_change=Callback::new(move |text| value.set(text))/>
            }.into_any())}
            {sized(view! { <SelectField id="v3" label="Error" choices=formats() value="" placeholder="Choose a format" error=wrong/> }.into_any())}
            {sized(view! { <SelectField id="v4" label="Disabled" choices=formats() value="BANNER" disabled=true/> }.into_any())}
        },
    )
}

fn entities() -> impl IntoView {
    let account = RwSignal::new(None::<String>);
    let app = RwSignal::new(Some("ca-app-pub-4482019375518826~1830496627".to_owned()));
    let nothing = Callback::new(|_: String| ());
    let gone = Signal::stored(Some("AdMob does not know this app.".to_owned()));
    let parent = Signal::derive(move || account.get().map_or(Parent::Open, Parent::Chosen));
    let sized = |inner: AnyView| view! { <div style="width:264px">{inner}</div> };
    spec(
        "Entity select",
        view! {
            {sized(view! {
                <EntitySelect id="w1" label="App" options=samples::apps() value=app source=Network::AdMob
                    on_change=Callback::new(move |id| app.set(Some(id)))/>
            }.into_any())}
            {sized(view! {
                <EntitySelect id="w4" label="Account" options=samples::accounts() value=account source=Network::AdMob
                    on_change=Callback::new(move |id| account.set(Some(id)))/>
            }.into_any())}
            {sized(view! {
                <EntitySelect id="w2" label="App of that account" options=samples::apps() parent parent_label="an account"
                    value=Signal::stored(None::<String>) source=Network::AdMob on_change=nothing/>
            }.into_any())}
            {sized(view! {
                <EntitySelect id="w3" label="Error" options=samples::apps() value=Signal::stored(Some("~404".to_owned()))
                    source=Network::AdMob error=gone on_change=nothing/>
            }.into_any())}
        },
    )
}

fn checks() -> impl IntoView {
    let state = RwSignal::new(Tri::Mixed);
    let press = Callback::new(move |on: bool| state.set(if on { Tri::On } else { Tri::Off }));
    spec(
        "Checkbox",
        view! {
            {cell("off", view! { <Checkbox state=Tri::Off label="AdMob"/> })}
            {cell("on", view! { <Checkbox state=Tri::On label="AdMob"/> })}
            {cell("mixed, live", view! { <Checkbox state label="AdMob" detail="5 of 9" on_change=press/> })}
            {cell("hover", view! { <label class="check"><input type="checkbox" class="is-hover"/>"AdMob"</label> })}
            {cell("focus-visible", view! { <label class="check"><input type="checkbox" class="is-focus" checked=true/>"AdMob"</label> })}
            {cell("disabled", view! { <Checkbox state=Tri::Off label="AdMob" disabled=true/> })}
            {cell("disabled on", view! { <Checkbox state=Tri::On label="AdMob" disabled=true/> })}
        },
    )
}

fn switches() -> impl IntoView {
    let on = RwSignal::new(false);
    let mode = RwSignal::new(String::from("soft"));
    spec(
        "Switch",
        view! {
            {cell("live", view! { <Switch on label="Safe mode" on_change=Callback::new(move |now| on.set(now))/> })}
            {cell("on", view! { <Switch on=true label="Safe mode"/> })}
            {cell("busy", view! { <Switch on=true label="Safe mode" busy=true/> })}
            {cell("disabled", view! { <Switch on=false label="Safe mode" disabled=true/> })}
            {cell("segmented", view! {
                <Segmented name="dev-mode" legend="Mode" choices=vec![("soft", "Soft"), ("strict", "Strict")] value=mode
                    on_change=Callback::new(move |text| mode.set(text))/>
            })}
        },
    )
}
