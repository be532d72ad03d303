//! The side panel: what the last run of the chat does, has used, has read and waits for.
//!
//! It draws the same `TurnView` as the thread and knows nothing more. On wide screens it is a column, on smaller ones a sheet
//! over the thread.

use adagent_contract::{ApprovalStatus, RunLimits, RunStatus, TurnApproval, TurnView, came_too_late};
use leptos::prelude::*;

use super::{
    model_name,
    thread::Thread,
    trail::{self, Mark, Tone},
};
use crate::{
    clock::PageClock,
    features::{desk::Desk, runs::StatusBadge},
    ui::{Glyph, Icon, SourceMark, Spinner, format},
};

/// The key under which the browser remembers the panel: a person who opens it has it in every chat.
const REMEMBERED: &str = "run-panel";
const CLOSE: &str = "run-panel-close";

/// Whether the panel is open.
#[derive(Clone, Copy)]
pub struct SidePanel {
    open: RwSignal<bool>,
}

impl SidePanel {
    /// Returns the remembered state. The panel stays closed until a person opens it, because a panel that opens by itself would
    /// move what they read.
    pub fn remembered() -> Self {
        let panel = Self { open: RwSignal::new(false) };
        Effect::new(move |_| {
            let wanted = crate::platform::remembered(REMEMBERED).is_some_and(|state| state == "open");
            if wanted && crate::platform::is_wide() {
                panel.open.set(true);
            }
        });
        panel
    }

    pub fn is_open(self) -> bool {
        self.open.get()
    }

    /// Opens or closes the panel and remembers the choice.
    pub fn toggle(self) {
        let open = !self.open.get_untracked();
        self.open.set(open);
        if open && !crate::platform::is_wide() {
            // The panel covers the page, so it takes the focus.
            request_animation_frame(|| crate::platform::focus(CLOSE));
        }
        crate::platform::remember(REMEMBERED, open.then_some("open"));
    }
}

/// Shows the button in the top bar that opens and closes the panel.
#[component]
pub fn SideButton(panel: SidePanel) -> impl IntoView {
    view! {
        <button
            class="button ghost icon-only small" type="button" id="run-panel-button" aria-label="Run details"
            aria-expanded=move || if panel.is_open() { "true" } else { "false" }
            on:click=move |_| panel.toggle()
        >
            <Icon glyph=Glyph::PanelRight/>
        </button>
    }
}

/// Shows the panel of a chat: its last turn, while the panel is open.
#[component]
pub fn Side(thread: Thread, panel: SidePanel) -> impl IntoView {
    let desk = Desk::get();
    let limits = Signal::derive(move || desk.viewer.get().and_then(Result::ok).flatten().map(|viewer| viewer.limits));
    let last = Memo::new(move |_| thread.entries.with(|all| all.last().copied()));
    view! {
        <Show when=move || panel.is_open()>
            <div class="side-scrim" aria-hidden="true" on:click=move |_| panel.toggle()></div>
            {move || last.get().map(|entry| {
                let close = Callback::new(move |()| {
                    panel.toggle();
                    crate::platform::focus("run-panel-button");
                });
                crate::parts::run_panel(entry.turn.into(), limits, close)
            })}
        </Show>
    }
}

/// Shows the panel of one turn.
#[component]
pub fn RunPanel(
    #[prop(into)] turn: Signal<TurnView>,
    #[prop(into)] limits: Signal<Option<RunLimits>>,
    #[prop(optional)] on_close: Option<Callback<()>>,
) -> impl IntoView {
    let clock = PageClock::get();
    let status = Memo::new(move |_| turn.with(|turn| turn.status));
    let model = Memo::new(move |_| turn.with(|turn| model_name(&turn.model)));
    let usage = Memo::new(move |_| turn.with(|turn| turn.usage.clone().unwrap_or_default()));
    let used = move || {
        let count = |tokens: u64| format::count(i64::try_from(tokens).unwrap_or(i64::MAX));
        usage.with(|usage| {
            let about = if usage.estimated { "about " } else { "" };
            format!("{about}{} in, {} out", count(usage.input_tokens), count(usage.output_tokens))
        })
    };
    let cost = move || {
        let micros = usage.with(|usage| usage.cost_micros);
        let money = adagent_domain::Money::new(adagent_domain::Currency::USD, micros);
        money.display(if micros == 0 { 2 } else { 4 })
    };
    let used_up = move || limits.get().map(|limits| turn.with(|turn| trail::limits(turn, limits, clock.now())));
    let entities = Memo::new(move |_| turn.with(trail::entities));
    let sources = Memo::new(move |_| turn.with(trail::sources));
    let approvals = Memo::new(move |_| turn.with(|turn| turn.approvals.clone()));
    let marks = Memo::new(move |_| turn.with(trail::marks));
    let viewer = move || turn.with(|turn| format!("/runs/{}", turn.run_id));
    let close = on_close.map(|on_close| {
        view! {
            <button class="button ghost icon-only small" type="button" id=CLOSE aria-label="Close details" on:click=move |_| on_close.run(())>
                <Icon glyph=Glyph::X small=true/>
            </button>
        }
    });
    view! {
        <aside
            class="side" aria-label="Run details"
            on:keydown=move |event| {
                if let (Some(on_close), "Escape") = (on_close, event.key().as_str()) {
                    event.stop_propagation();
                    on_close.run(());
                }
            }
        >
            <div class="side-head">
                <b class="grow">"Run"</b>
                {move || match status.get() {
                    RunStatus::Running => view! {
                        <span class="badge accent"><Spinner style="width:9px;height:9px;border-width:1.5px"/>"Running"</span>
                    }.into_any(),
                    status => view! { <StatusBadge status/> }.into_any(),
                }}
                {close}
            </div>
            <div class="side-body">
                <section>
                    <h3>"Usage"</h3>
                    <dl class="params num">
                        <dt>"Model"</dt><dd>{move || model.get()}</dd>
                        <dt>"Tokens"</dt><dd>{used}</dd>
                        <dt>"Cost"</dt><dd>{cost}</dd>
                        {move || used_up().map(|text| view! { <dt>"Limits"</dt><dd>{text}</dd> })}
                    </dl>
                </section>
                <Show when=move || !approvals.with(Vec::is_empty)>
                    <section>
                        <h3>"Approvals"</h3>
                        <ul class="side-list">
                            {move || approvals.get().into_iter().map(approval_line).collect_view()}
                        </ul>
                    </section>
                </Show>
                <Show when=move || entities.with(Option::is_some) || !sources.with(Vec::is_empty)>
                    <section>
                        <h3>"Sources"</h3>
                        {move || entities.get().map(|text| view! { <p class="quiet-text">{text}</p> })}
                        <ul class="side-list">
                            {move || sources.get().into_iter().map(|source| view! {
                                <li>
                                    <SourceMark source=source.source size="small"/>
                                    <a
                                        class="grow mono" href=format!("#call-{}", source.call)
                                        on:click=move |_| {
                                            // On a narrow page, the panel would cover the target of the link.
                                            if let Some(on_close) = on_close.filter(|_| !crate::platform::is_wide()) {
                                                on_close.run(());
                                            }
                                            crate::platform::open_details(&format!("call-{}", source.call));
                                        }
                                    >{source.name.clone()}</a>
                                    <span class="faint nowrap">{source.holds()}</span>
                                </li>
                            }).collect_view()}
                        </ul>
                    </section>
                </Show>
                <section>
                    <h3>"Events"</h3>
                    <ol>{move || marks.get().into_iter().map(line).collect_view()}</ol>
                </section>
                <a class="button wide" href=viewer><Icon glyph=Glyph::ExternalLink small=true/>"Open in run viewer"</a>
            </div>
        </aside>
    }
}

fn line(mark: Mark) -> impl IntoView {
    let icon = match mark.tone {
        Tone::Live => view! { <Spinner style="width:12px;height:12px;color:var(--accent)"/> }.into_any(),
        Tone::Wait => view! { <Icon glyph=mark.glyph small=true class="wait"/> }.into_any(),
        Tone::Bad => view! { <Icon glyph=mark.glyph small=true class="bad"/> }.into_any(),
        Tone::Plain => view! { <Icon glyph=mark.glyph small=true/> }.into_any(),
    };
    let text = if mark.mono {
        view! { <span><span class="mono">{mark.text}</span></span> }.into_any()
    } else {
        view! { <span>{mark.text}</span> }.into_any()
    };
    view! { <li class="event"><time>{format::duration(mark.after)}</time>{icon}{text}</li> }
}

fn approval_line(approval: TurnApproval) -> impl IntoView {
    let badge = match approval.status {
        ApprovalStatus::Pending => {
            view! { <span class="badge wait"><Icon glyph=Glyph::Clock/>"Pending"</span> }.into_any()
        }
        ApprovalStatus::Approved if approval.asked_again => {
            view! { <span class="badge"><Icon glyph=Glyph::RefreshCw/>{crate::features::approval::ASKED_AGAIN}</span> }
                .into_any()
        }
        ApprovalStatus::Approved => {
            view! { <span class="badge good"><Icon glyph=Glyph::Check/>"Approved"</span> }.into_any()
        }
        ApprovalStatus::Denied => view! { <span class="badge"><Icon glyph=Glyph::Ban/>"Denied"</span> }.into_any(),
        ApprovalStatus::Expired => view! { <span class="badge"><Icon glyph=Glyph::Clock/>"Expired"</span> }.into_any(),
        late if came_too_late(late, approval.reason.as_deref()) => {
            view! { <span class="badge"><Icon glyph=Glyph::X/>"Nothing sent"</span> }.into_any()
        }
        ApprovalStatus::Cancelled => view! { <span class="badge"><Icon glyph=Glyph::X/>"Canceled"</span> }.into_any(),
    };
    view! { <li><SourceMark source=approval.source size="small"/><span class="grow">{approval.title}</span>{badge}</li> }
}
