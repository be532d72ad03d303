//! The settings pages: their frame and tabs, the list of pages, and the appearance. Other settings live in their own areas.

mod appearance;
mod overview;

use leptos::prelude::*;

pub use self::{appearance::AppearancePage, overview::SettingsOverviewPage};
use super::desk::Topbar;
use crate::ui::Glyph;

/// One settings page, in the tabs and in the list.
struct Page {
    href: &'static str,
    name: &'static str,
    about: &'static str,
    glyph: Glyph,
}

const PAGES: [Page; 7] = [
    Page {
        href: "/settings/networks",
        name: "Networks",
        about: "Connect ad networks, test and label connections",
        glyph: Glyph::Link,
    },
    Page {
        href: "/settings/tool-servers",
        name: "Tool servers",
        about: "Let agents use tools of other services (MCP)",
        glyph: Glyph::Wrench,
    },
    Page {
        href: "/settings/reporting",
        name: "Reporting",
        about: "Time zone for today, yesterday and this week",
        glyph: Glyph::Calendar,
    },
    Page {
        href: "/settings/team",
        name: "Team",
        about: "Members, roles, invitations, audit log, retention",
        glyph: Glyph::Users,
    },
    Page {
        href: "/settings/tokens",
        name: "Access tokens",
        about: "Let scripts and MCP clients act for you",
        glyph: Glyph::KeyRound,
    },
    Page {
        href: "/settings/appearance",
        name: "Appearance",
        about: "Light, dark, or the same as your device",
        glyph: Glyph::SunMoon,
    },
    Page {
        href: "/settings/account",
        name: "Account",
        about: "Name, email, password, two-factor authentication, your data",
        glyph: Glyph::ShieldCheck,
    },
];

/// Draws a settings page. `here` is the page's own address; `lead` says in a sentence or two what the page is about.
#[component]
pub fn SettingsPage(
    title: &'static str,
    here: &'static str,
    #[prop(into)] lead: ViewFn,
    children: Children,
) -> impl IntoView {
    view! {
        <Topbar title="Settings"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head"><div class="grow"><h2>{title}</h2><p>{lead.run()}</p></div></div>
                    <SettingsTabs here/>
                    {children()}
                </div>
            </main>
        </div>
    }
}

#[component]
fn SettingsTabs(here: &'static str) -> impl IntoView {
    let tabs = PAGES.iter().map(|page| {
        view! { <a class="tab" href=page.href aria-current=(page.href == here).then_some("page")>{page.name}</a> }
    });
    view! { <nav class="tabs" aria-label="Settings">{tabs.collect_view()}</nav> }
}
