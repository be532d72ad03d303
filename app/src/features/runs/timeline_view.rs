//! Draws the timeline: the axis, a row per step and call, and the checkpoints to choose from.

use adagent_contract::{CheckpointView, StepKind};
use adagent_domain::Timestamp;
use leptos::prelude::*;

use super::{
    axis::Axis,
    timeline::{self, Row, Span},
};
use crate::{
    features::chat::{model_name, node_name},
    ui::{Glyph, Icon, format},
};

#[component]
pub fn Timeline(
    start: Timestamp,
    checkpoints: Vec<CheckpointView>,
    rows: Vec<Row>,
    /// Which checkpoint is shown below, counted from one.
    #[prop(into)]
    chosen: Signal<Option<usize>>,
) -> impl IntoView {
    let axis = Axis::new(timeline::total(&rows), &timeline::waits(&rows));
    let places: Vec<f64> =
        checkpoints.iter().map(|saved| axis.at(saved.created_at.as_micros() - start.as_micros())).collect();
    let ticks = axis.ticks();
    view! {
        <section class="section" aria-labelledby="timeline">
            <div class="section-head"><h3 id="timeline">"Timeline"</h3><Legend/></div>
            <div class="table-wrap" tabindex="0" role="region" aria-label="Steps over time">
                <div class="gantt" style=format!("--grid:{:.3}%", axis.grid())>
                    <div class="gantt-axis">
                        <span style="position:static;translate:none;padding-inline-start:16px">"Node"</span>
                        <div>
                            {ticks.into_iter().map(|tick| {
                                let first = tick.at <= 0.0;
                                view! {
                                    <span style=format!("--x:{:.2}%{}", tick.at, if first { ";translate:4px -50%" } else { "" })>{tick.label}</span>
                                }
                            }).collect_view()}
                        </div>
                        <span style="position:static;translate:none;text-align:end;padding-inline-end:16px">"Took"</span>
                    </div>
                    {rows.into_iter().map(|row| draw(row, &axis)).collect_view()}
                    {(!places.is_empty()).then(|| view! { <Checkpoints places chosen/> })}
                </div>
            </div>
        </section>
    }
}

#[component]
fn Legend() -> impl IntoView {
    let swatch = "position:static;width:14px;height:8px";
    view! {
        <ul class="legend push wide-only">
            <li><span class="span" style=swatch></span>"Node"</li>
            <li><span class="span tool" style=swatch></span>"Tool call"</li>
            <li><span class="span model" style=swatch></span>"Model"</li>
            <li><span class="span human" style=swatch></span>"Pending approval"</li>
            <li><span style="width:8px;height:8px;rotate:45deg;border:1.5px solid var(--text-2);border-radius:1px"></span>"Checkpoint"</li>
        </ul>
    }
}

fn draw(row: Row, axis: &Axis) -> impl IntoView + use<> {
    let took = format::precise(row.took().unsigned_abs());
    let kind = row.kind;
    let bar = |span: &Span| {
        let x = axis.at(span.from);
        // A span that is too short to see becomes a thin line that stays inside the axis.
        let w = (axis.at(span.from + span.took) - x).max(0.4);
        let class = match (kind, span.ok) {
            (StepKind::Tool, false) => "span error",
            (StepKind::Tool, true) => "span tool",
            (StepKind::Model, _) => "span model",
            (StepKind::Person, _) => "span human",
            (StepKind::Queue, _) => "span queue",
            (StepKind::Node, _) => "span",
        };
        view! { <span class=class style=format!("--x:{:.2}%;--w:{w:.2}%", x.min(99.4)) title=format::precise(span.took.unsigned_abs())></span> }
    };
    let bars = row.spans.iter().map(bar).collect_view();
    let name = match kind {
        StepKind::Node => {
            let (name, glyph) = node_name(&row.label);
            view! { <span><Icon glyph small=true class="faint"/><span class="truncate">{name}</span></span> }.into_any()
        }
        StepKind::Person => {
            view! { <span><Icon glyph=Glyph::Inbox small=true class="faint"/><span class="truncate">"Approval"</span></span> }
                .into_any()
        }
        StepKind::Queue => {
            view! { <span><Icon glyph=Glyph::Clock small=true class="faint"/><span class="truncate">"Queued"</span></span> }
                .into_any()
        }
        StepKind::Tool | StepKind::Model => {
            let label = if kind == StepKind::Model { model_name(&row.label) } else { row.label };
            view! { <span><span class="truncate mono" title=label.clone()>{label.clone()}</span></span> }.into_any()
        }
    };
    let sub = matches!(kind, StepKind::Tool | StepKind::Model);
    view! { <div class=if sub { "gantt-row sub" } else { "gantt-row" }>{name}<div>{bars}</div><span>{took}</span></div> }
}

/// Links the checkpoints, so that each has an address that people can share and open without JavaScript.
#[component]
fn Checkpoints(places: Vec<f64>, chosen: Signal<Option<usize>>) -> impl IntoView {
    let count = places.len();
    // Checkpoints saved at the same instant would overlap, so spread them out.
    let spread = spread(&places);
    view! {
        <div class="gantt-row">
            <span><Icon glyph=Glyph::Save small=true class="faint"/>"Checkpoints"</span>
            <div>
                {spread.into_iter().enumerate().map(|(index, x)| {
                    let number = index + 1;
                    view! {
                        <a
                            class="checkpoint" href=format!("?checkpoint={number}#state") style=format!("--x:{x:.2}%")
                            aria-label=format!("Checkpoint {number}")
                            aria-current=move || (chosen.get() == Some(number)).then_some("true")
                        ></a>
                    }
                }).collect_view()}
            </div>
            <span>{count}</span>
        </div>
    }
}

/// The smallest distance between two marks, in percent of the axis, if there is room for it: 24 pixels, the size a finger needs,
/// on the narrowest axis (352 pixels).
const APART: f64 = 7.0;
const ENDS: (f64, f64) = (1.5, 98.5);

/// Moves marks apart. Keeps their order, and keeps them between the ends of the axis.
fn spread(places: &[f64]) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred marks")]
    let apart = APART.min((ENDS.1 - ENDS.0) / places.len().max(2).saturating_sub(1) as f64);
    let mut spread: Vec<f64> = Vec::with_capacity(places.len());
    for place in places {
        let least = spread.last().map_or(ENDS.0, |last| last + apart);
        spread.push(place.max(least));
    }
    let mut most = ENDS.1;
    for place in spread.iter_mut().rev() {
        *place = place.min(most);
        most = *place - apart;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn marks_keep_their_order_and_stay_on_the_axis() {
        let placed = spread(&[0.0, 0.0, 50.0, 100.0, 100.0]);
        assert!(placed.windows(2).all(|pair| pair[1] - pair[0] > 6.9), "{placed:?}");
        assert!(placed.iter().all(|place| (0.0..=100.0).contains(place)), "{placed:?}");
        assert!((placed[2] - 50.0).abs() < 0.01);

        let crowded = spread(&[99.0; 100]);
        assert!(crowded.windows(2).all(|pair| pair[1] > pair[0]), "{crowded:?}");
        assert!(crowded.iter().all(|place| (0.0..=100.0).contains(place)), "{crowded:?}");
    }
}
