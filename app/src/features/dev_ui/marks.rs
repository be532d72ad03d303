//! Colors, icons, badges, marks, cards, overlays.

use adagent_domain::Network;
use leptos::prelude::*;

use super::{cell, spec};
use crate::ui::{
    Avatar, Badge, BadgeTone, Button, ButtonKind, ButtonSize, Card, Count, Dialog, Dot, Empty, Glyph, Icon, Menu,
    MenuItem, MenuLabel, Note, NoteTone, SandboxBadge, SourceMark, Stamp, Tab, Tabs, Toasts, Tooltip,
};

const RAMPS: [(&str, &[&str]); 4] = [
    (
        "neutral: warm paper to cool ink",
        &[
            "n-0", "n-50", "n-100", "n-150", "n-200", "n-300", "n-400", "n-500", "n-600", "n-700", "n-800", "n-850",
            "n-900", "n-950", "n-1000",
        ],
    ),
    (
        "petrol: accent",
        &["p-50", "p-100", "p-200", "p-300", "p-400", "p-500", "p-600", "p-700", "p-800", "p-900", "p-950"],
    ),
    (
        "marigold: a person is waited for; green and red: outcomes",
        &[
            "m-50", "m-100", "m-300", "m-400", "m-700", "m-900", "g-100", "g-500", "g-700", "r-100", "r-500", "r-600",
            "r-700",
        ],
    ),
    ("chart series", &["series-1", "series-2", "series-3", "series-4", "series-5", "series-prev"]),
];

pub fn colours() -> impl IntoView {
    let ramps = RAMPS
        .into_iter()
        .map(|(name, steps)| {
            let swatches = steps.iter().map(|step| view! { <span style=format!("--c:var(--{step})")></span> }).collect_view();
            view! { <div class="cell wide-cell" style="justify-items:stretch"><div class="swatches">{swatches}</div><small>{name}</small></div> }
        })
        .collect_view();
    spec("Colour", ramps)
}

pub fn icons() -> impl IntoView {
    spec("Icons", Glyph::ALL.into_iter().map(|glyph| view! { <Icon glyph/> }).collect_view())
}

pub fn all() -> impl IntoView {
    view! {
        {badges()}
        {networks()}
        {cards()}
        {dialogs()}
        {menus()}
        {tabs()}
        {toasts()}
        {empty()}
    }
}

fn badges() -> impl IntoView {
    spec(
        "Badge",
        view! {
            <Badge icon=Glyph::Pencil>"Write"</Badge>
            <Badge tone=BadgeTone::Bad icon=Glyph::Trash2>"Destructive"</Badge>
            <Badge tone=BadgeTone::Good icon=Glyph::Check>"Connected"</Badge>
            <Badge tone=BadgeTone::Wait icon=Glyph::Clock>"Waits for approval"</Badge>
            <Badge tone=BadgeTone::Accent>"Running"</Badge>
            <Badge tone=BadgeTone::Outline>"Soon"</Badge>
            <SandboxBadge/>
            <Count value=3_u64/>
            <Stamp tone=BadgeTone::Good icon=Glyph::Check>"Approved"</Stamp>
            <Stamp tone=BadgeTone::Plain icon=Glyph::Ban>"Denied"</Stamp>
            <Stamp tone=BadgeTone::Bad icon=Glyph::X>"Failed"</Stamp>
            <span class="row">
                <Dot tone=BadgeTone::Good/>"on"
                <Dot tone=BadgeTone::Wait/>"waits"
                <Dot tone=BadgeTone::Bad/>"failed"
                <Dot tone=BadgeTone::Outline/>"off"
            </span>
        },
    )
}

fn networks() -> impl IntoView {
    let marks = Network::ALL
        .into_iter()
        .map(|network| cell(network.display_name(), view! { <SourceMark source=network size="large"/> }))
        .collect_view();
    spec(
        "Network mark, avatar",
        view! {
            {marks}
            {cell("off", view! { <SourceMark source=Network::AdMob size="large" off=true/> })}
            {cell("sizes", view! {
                <span class="row">
                    <SourceMark source=Network::Unity size="small"/>
                    <SourceMark source=Network::Unity/>
                    <Avatar name="Mara Kessler"/>
                    <Avatar name="Jonas Weber" small=true/>
                    <Avatar name="Acme Agency" square=true/>
                </span>
            })}
        },
    )
}

fn cards() -> impl IntoView {
    spec(
        "Card and notes",
        view! {
            <div style="width:300px">
                <Card
                    id="dev-card"
                    title="Invite link"
                    aside=ViewFn::from(|| view! { <Badge>"Member"</Badge> })
                    foot=ViewFn::from(|| view! { <Button size=ButtonSize::Small>"Copy"</Button> })
                >
                    <p class="quiet-text">"3 of 10 used, ends on 1 December."</p>
                </Card>
            </div>
            <div class="stack" style="width:360px">
                <Note>"Cached figures, 4 minutes old."</Note>
                <Note tone=NoteTone::Wait icon=Glyph::Timer>"Paused for 0:42 after 5 failed calls."</Note>
                <Note tone=NoteTone::Bad>"AppLovin refused the key."</Note>
                <Note tone=NoteTone::Good>"AdMob is connected."</Note>
            </div>
        },
    )
}

fn dialogs() -> impl IntoView {
    let open = RwSignal::new(false);
    let foot = move || {
        view! {
            <Button on:click=move |_| open.set(false)>"Keep"</Button>
            <Button kind=ButtonKind::Danger on:click=move |_| open.set(false)>"Disconnect"</Button>
        }
    };
    spec(
        "Dialog",
        view! {
            <div class="dialog static" style="max-width:420px">
                <div class="dialog-head"><h4 class="grow" style="font-size:var(--t-lg)">"Disconnect Unity?"</h4></div>
                <div class="dialog-body">
                    <p class="quiet-text">"Agents and playbooks that read Unity stop. The key is deleted here."</p>
                </div>
                <div class="dialog-foot">
                    <Button>"Keep"</Button>
                    <Button kind=ButtonKind::Danger>"Disconnect"</Button>
                </div>
            </div>
            <Button on:click=move |_| open.set(true)>"Open a real one"</Button>
            <Dialog id="dev-dialog" title="Disconnect Unity?" open on_close=Callback::new(move |()| open.set(false)) foot>
                <p class="quiet-text">"Agents and playbooks that read Unity stop. The key is deleted here."</p>
            </Dialog>
        },
    )
}

fn menus() -> impl IntoView {
    spec(
        "Menu",
        view! {
            <div class="menu" role="menu" aria-label="Example">
                <button class="menu-item" type="button" role="menuitem"><Icon glyph=Glyph::Copy/>"Copy link"</button>
                <button class="menu-item is-hover" type="button" role="menuitem"><Icon glyph=Glyph::Pencil/>"Rename"<kbd>"F2"</kbd></button>
                <button class="menu-item" type="button" role="menuitem" disabled=true><Icon glyph=Glyph::GitBranch/>"Branch"</button>
                <hr/>
                <button class="menu-item bad" type="button" role="menuitem"><Icon glyph=Glyph::Trash2/>"Delete"</button>
            </div>
            <button class="button" type="button" popovertarget="dev-menu" aria-haspopup="menu">"Open a real one"</button>
            <Menu id="dev-menu" label="Real example">
                <MenuLabel>"Chat"</MenuLabel>
                <MenuItem menu="dev-menu" icon=Glyph::Pencil kbd="F2">"Rename"</MenuItem>
                <MenuItem menu="dev-menu" icon=Glyph::Trash2 bad=true>"Delete"</MenuItem>
            </Menu>
        },
    )
}

fn tabs() -> impl IntoView {
    let value = RwSignal::new("waiting");
    let tabs = vec![
        Tab { key: "waiting", label: "Waiting", count: Some(3) },
        Tab { key: "answered", label: "Answered", count: None },
        Tab { key: "expired", label: "Expired", count: None },
    ];
    spec(
        "Tabs",
        view! {
            <div class="wide-cell">
                <Tabs id="dev-tab" label="Example" tabs value on_change=Callback::new(move |key| value.set(key))/>
            </div>
        },
    )
}

fn toasts() -> impl IntoView {
    let toasts = Toasts::get();
    spec(
        "Toast, tooltip",
        view! {
            <Button on:click=move |_| toasts.say_with_undo("Chat deleted", Callback::new(move |()| toasts.say("Back again")))>
                "Say it with undo"
            </Button>
            <Button on:click=move |_| toasts.complain("Only admins can disconnect a network")>"Complain"</Button>
            <div class="toast" style="width:360px">
                <Icon glyph=Glyph::Check/>
                <p>"Chat deleted"</p>
                <Button size=ButtonSize::Small>"Undo"</Button>
            </div>
            <Tooltip text="Open trace">
                <button class="button icon-only" type="button" aria-label="Open trace"><Icon glyph=Glyph::Activity/></button>
            </Tooltip>
            <span style="margin-top:34px">
                "Revenue was "
                <a class="fig" href="#dev-tab-waiting">
                    "$48,210.64"
                    <span class="tooltip is-open" role="tooltip">
                        "admob_generate_report "<span class="faint">"09:42"</span>
                    </span>
                </a>
            </span>
        },
    )
}

fn empty() -> impl IntoView {
    spec(
        "Empty",
        view! {
            <div class="card wide-cell">
                <Empty
                    glyph=Glyph::Inbox
                    title="Nothing waits for you"
                    text="Changes that an agent prepares appear here before anything is sent."
                >
                    <a class="button" href="/chat">"Ask for a change"</a>
                </Empty>
            </div>
        },
    )
}
