//! Every settings page, with a line about each.

use adagent_contract::UsageToday;
use adagent_domain::{Currency, Money};
use leptos::prelude::*;
use leptos_meta::Title;

use super::PAGES;
use crate::{
    features::{api, desk::Topbar},
    ui::{Icon, format},
};

/// Says what hosted models cost today, and the limit.
fn words(usage: &UsageToday) -> String {
    let dollars = |micros: i64| {
        // Show amounts below a cent too.
        let decimals = if micros % 10_000 == 0 { 2 } else { 4 };
        Money::new(Currency::USD, micros).display(decimals)
    };
    let tokens = format::count(i64::try_from(usage.input_tokens + usage.output_tokens).unwrap_or(i64::MAX));
    let calls = format::plural(usize::try_from(usage.calls).unwrap_or(usize::MAX), "call", "calls");
    format!(
        "Hosted models today: {} of {} in {calls} ({tokens} tokens). A single run stops at {} or {} tokens.",
        dollars(usage.cost_micros),
        dollars(usage.ceilings.workspace_daily_cost_micros),
        dollars(usage.ceilings.run_cost_micros),
        format::count(i64::try_from(usage.ceilings.run_tokens).unwrap_or(i64::MAX)),
    )
}

#[component]
pub fn SettingsOverviewPage() -> impl IntoView {
    let usage = Resource::new(|| (), |()| api::read_usage());
    let pages = PAGES.iter().map(|page| {
        view! {
            <a class="pick-item" href=page.href style="align-items:center">
                <Icon glyph=page.glyph/>
                <span class="grow">{page.name}<small>{page.about}</small></span>
                <Icon glyph=crate::ui::Glyph::ArrowRight/>
            </a>
        }
    });
    view! {
        <Title text="Settings"/>
        <Topbar title="Settings"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head"><div class="grow"><h2>"Settings"</h2></div></div>
                    <nav class="pick two" aria-label="Settings">{pages.collect_view()}</nav>
                    <Transition fallback=|| ()>
                        {move || usage.get().and_then(Result::ok).flatten().map(|usage| view! {
                            <p class="quiet-text" id="usage">{words(&usage)}</p>
                        })}
                    </Transition>
                </div>
            </main>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::UsageCeilings;
    use adagent_domain::Timestamp;

    use super::*;

    #[test]
    fn the_line_says_what_was_used_and_how_far_it_may_go() {
        let ceilings =
            UsageCeilings { workspace_daily_cost_micros: 20_000_000, run_cost_micros: 500_000, run_tokens: 400_000 };
        let usage = UsageToday {
            day: "2026-11-22".into(),
            resets_at: Timestamp::EPOCH,
            input_tokens: 12_000,
            output_tokens: 345,
            cost_micros: 41_200,
            held_micros: 0,
            calls: 1,
            ceilings,
        };
        assert_eq!(
            words(&usage),
            "Hosted models today: $0.0412 of $20.00 in 1 call (12,345 tokens). A single run stops at $0.50 or 400,000 tokens."
        );
    }
}
