//! Tables of typed values: sortable, copied and exported as raw values, and drawn in part if they are long.

use adagent_contract::{Column, ColumnKind, TableArtifact, Tone, Value};
use leptos::prelude::*;

use super::{
    Delta, Glyph, Icon, format,
    roving::Roving,
    sorting::{self, SortBy},
    window,
};

/// The height of a row in pixels, until the browser reports the real one.
const ROW: f64 = 36.0;
/// The visible height of a long table, in pixels.
const SIGHT: f64 = 480.0;

/// Draws a table in its frame. The caller owns `sort`, so that its CSV button exports the visible order.
#[component]
pub fn DataTable(
    table: TableArtifact,
    /// Names the table for assistive technology.
    #[prop(into)]
    label: String,
    sort: RwSignal<Option<SortBy>>,
    /// Smaller type, for tables within steps.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let TableArtifact { columns, rows, total, .. } = table;
    let count = rows.len();
    let tall = count > window::WHOLE;
    let seen = RwSignal::new((0.0_f64, SIGHT, ROW));
    let rows = StoredValue::new(rows);
    // The headers are one stop of the Tab key; arrow keys move among them.
    let stops = Roving::begin();
    let columns_kept = StoredValue::new(columns.clone());
    let order = Memo::new(move |_| rows.with_value(|rows| sorting::order(rows, sort.get())));
    let drawn = Memo::new(move |_| {
        let (top, height, row) = seen.get();
        window::window(count, top, height, row)
    });
    let body = move || {
        let window = drawn.get();
        order.with(|order| {
            order
                .iter()
                .enumerate()
                .take(window.end)
                .skip(window.first)
                .filter_map(|(at, index)| {
                    let cells = rows.with_value(|rows| rows.get(*index).cloned())?;
                    let number = tall.then(|| (at + 2).to_string());
                    let cells = columns_kept.with_value(|columns| row_cells(columns, cells));
                    Some(view! { <tr aria-rowindex=number>{cells}</tr> })
                })
                .collect_view()
        })
    };
    let filler = move |rows: usize| {
        let height = seen.get().2 * f64::from(u32::try_from(rows).unwrap_or(u32::MAX));
        (rows > 0)
            .then(|| view! { <tr aria-hidden="true" class="filler"><td style=format!("height:{height}px")></td></tr> })
    };
    let foot = total.map(|total| {
        let cells = columns_kept.with_value(|columns| row_cells(columns, total));
        view! { <tfoot><tr>{cells}</tr></tfoot> }
    });
    let caption = label.clone();
    view! {
        <div
            class=if tall { "table-wrap tall" } else { "table-wrap" }
            tabindex="0"
            // A group instead of a region: a chat holds many tables, and landmarks must differ.
            role="group"
            aria-label=label
            on:scroll=move |event| {
                if let Some(now) = tall.then(|| crate::platform::scroll_state(&event)).flatten() {
                    seen.set(now);
                }
            }
        >
            <table
                class="table"
                style=small.then_some("font-size:var(--t-xs)")
                aria-rowcount=tall.then(|| (count + 1).to_string())
            >
                <caption class="unseen">{caption}</caption>
                <thead on:keydown=move |event| stops.key(&event, ".sort", true)><tr>{heads(columns, sort, stops)}</tr></thead>
                <tbody>
                    {move || filler(drawn.get().first)}
                    {body}
                    {move || filler(count - drawn.get().end)}
                </tbody>
                {foot}
            </table>
        </div>
    }
}

fn heads(columns: Vec<Column>, sort: RwSignal<Option<SortBy>>, stops: Roving) -> impl IntoView {
    columns
        .into_iter()
        .enumerate()
        .map(|(at, column)| {
            let numeric = format::is_numeric(column.kind);
            // The amounts already carry the currency symbol.
            let unit = column.unit.filter(|_| column.kind != ColumnKind::Money);
            let label = match unit {
                Some(unit) => format!("{}, {unit}", column.label),
                None => column.label,
            };
            view! {
                <th
                    scope="col"
                    class=numeric.then_some("n")
                    aria-sort=move || sort.get().filter(|by| by.column == at).map(|by| by.direction.aria())
                >
                    <button
                        class="sort"
                        type="button"
                        tabindex=stops.tabindex(at.to_string(), move || at == 0)
                        on:focus=move |_| stops.entered(&at.to_string())
                        on:click=move |_| sort.update(|by| *by = Some(sorting::pressed(*by, at, numeric)))
                    >
                        {label}
                        <Icon glyph=Glyph::ArrowDown/>
                    </button>
                </th>
            }
        })
        .collect_view()
}

fn row_cells(columns: &[Column], cells: Vec<Value>) -> Vec<AnyView> {
    cells
        .into_iter()
        .enumerate()
        .map(|(at, value)| {
            let column = columns.get(at);
            let numeric = column.is_some_and(|column| format::is_numeric(column.kind));
            let change = column.is_some_and(|column| column.key.ends_with("change"));
            let shown = cell(value, change);
            if at == 0 && !numeric {
                view! { <th scope="row">{shown}</th> }.into_any()
            } else {
                view! { <td class=numeric.then_some("n")>{shown}</td> }.into_any()
            }
        })
        .collect()
}

fn cell(value: Value, change: bool) -> AnyView {
    match value {
        Value::Percent { value } if change => {
            let tone = if value > 0.0 { Tone::Good } else { Tone::Bad };
            view! { <Delta change=value unit="%" tone/> }.into_any()
        }
        Value::Missing => view! { <span class="faint">{format::MISSING}</span> }.into_any(),
        Value::Entity { id, name } => view! { <span title=id>{name}</span> }.into_any(),
        other => format::value(&other).into_any(),
    }
}
