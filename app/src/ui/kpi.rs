//! Tiles: a name, a value, the change, and what the value is compared with.

use adagent_contract::{KpiTile, Tone, Value};
use leptos::prelude::*;

use super::{Glyph, Icon, format};

/// Draws a change: arrow, one decimal, unit. The tone sets the color; the direction sets the arrow.
#[component]
pub fn Delta(change: f64, #[prop(into)] unit: String, tone: Tone) -> impl IntoView {
    let Some(shown) = size(change) else {
        return view! { <span class="delta">"no change"</span> }.into_any();
    };
    let class = match tone {
        Tone::Good => "delta good",
        Tone::Bad => "delta bad",
        Tone::Neutral => "delta",
    };
    let (glyph, word) = if change > 0.0 { (Glyph::ArrowUp, "up ") } else { (Glyph::ArrowDown, "down ") };
    let space = if unit == "%" { "" } else { " " };
    view! {
        <span class=class>
            <Icon glyph/>
            <span class="unseen">{word}</span>
            {format!("{shown}{space}{unit}")}
        </span>
    }
    .into_any()
}

/// Formats the size of a change. A change too small for one decimal still counts as a change.
fn size(change: f64) -> Option<String> {
    const SMALLEST: f64 = 0.05;
    match change.abs() {
        size if size < 1e-9 => None,
        size if size < SMALLEST => Some("<0.1".to_owned()),
        size => Some(format::decimal(size, 1)),
    }
}

/// Draws a row of tiles.
#[component]
pub fn Kpis(tiles: Vec<KpiTile>) -> impl IntoView {
    view! { <dl class="kpis">{tiles.into_iter().map(tile).collect_view()}</dl> }
}

fn tile(tile: KpiTile) -> impl IntoView {
    let missing = matches!(tile.value, Value::Missing);
    let raw = tile.value.raw();
    let (figure, unit) = match &tile.value {
        Value::Percent { value } => (format::decimal(*value, 1), Some("%")),
        other => (format::value(other), None),
    };
    let from = tile
        .previous
        .filter(|value| !matches!(value, Value::Missing))
        .map(|value| format!("from {}", format::value(&value)));
    view! {
        <div class="kpi">
            <dt>{tile.label}</dt>
            <dd style="margin:0">
                <div class=if missing { "kpi-value faint" } else { "kpi-value" }>
                    <data value=raw>{figure}{unit.map(|unit| view! { <small>{unit}</small> })}</data>
                </div>
                <div class="kpi-note">
                    {tile.change.map(|change| view! { <Delta change unit=tile.change_unit tone=tile.tone/> })}
                    {from.map(|from| view! { <span>{from}</span> })}
                    {missing.then_some("no number for this period")}
                </div>
            </dd>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_too_small_for_a_digit_is_still_one() {
        assert_eq!(size(0.0), None);
        assert_eq!(size(-0.04).as_deref(), Some("<0.1"));
        assert_eq!(size(0.05).as_deref(), Some("0.1"));
        assert_eq!(size(-12.345).as_deref(), Some("12.3"));
    }
}
