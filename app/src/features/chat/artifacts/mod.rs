//! Draws typed results: tiles, charts with their table, bars, tables with copy and CSV, JSON.

mod as_table;

use adagent_contract::{Artifact, BarItem, Covers, TableArtifact, TimeseriesArtifact};
use leptos::prelude::*;

use crate::ui::{
    BarChart, Button, ButtonKind, ButtonSize, CopyButton, DataTable, Empty, Glyph, IconButton, JsonTree, Kpis,
    TimeChart, csv, format, sorting,
};

/// Draws one artifact; `id` prefixes the IDs inside it.
#[component]
pub fn ArtifactView(
    #[prop(into)] id: String,
    artifact: Artifact,
    /// The days that its numbers cover.
    #[prop(optional_no_strip)]
    covers: Option<Covers>,
) -> impl IntoView {
    match artifact {
        Artifact::Kpi { title, subtitle, tiles, .. } => view! {
            <div role="group" aria-label=title>
                <Kpis tiles/>
                <p class="faint" style="font-size:var(--t-xs);margin-top:6px">{subtitle}</p>
            </div>
        }
        .into_any(),
        Artifact::Timeseries { title, subtitle, chart, .. } => {
            view! { <Series id title subtitle chart covers/> }.into_any()
        }
        Artifact::Bars { title, subtitle, unit, items, .. } => {
            view! { <Bars id title subtitle unit items covers/> }.into_any()
        }
        Artifact::Table { title, subtitle, table, .. } => view! { <Table id title subtitle table covers/> }.into_any(),
        Artifact::Json { title, value, .. } => view! {
            <div class="artifact" role="group" aria-labelledby=format!("{id}-t")>
                <div class="artifact-head"><div><h3 id=format!("{id}-t")>{title.clone()}</h3></div></div>
                <JsonTree value label=title/>
            </div>
        }
        .into_any(),
    }
}

/// Switches between a chart and its table: numbers that cannot be read off a line must still be readable.
#[component]
fn TableToggle(
    as_table: RwSignal<bool>,
    copy: Signal<String>,
    title: String,
    table: StoredValue<TableArtifact>,
    covers: Option<Covers>,
) -> impl IntoView {
    let save = move |_| {
        let all: Vec<usize> = table.with_value(|table| (0..table.rows.len()).collect());
        let text = table.with_value(|table| csv::csv(table, &all, covers.as_ref()));
        crate::platform::download(&csv::file_name(&title, covers.as_ref()), "text/csv;charset=utf-8", &text);
    };
    view! {
        <div class="actions">
            <Show when=move || as_table.get()>
                <CopyButton text=copy label="Copy the table"/>
            </Show>
            <IconButton glyph=Glyph::Download label="Save as CSV" on:click=save/>
            <IconButton
                glyph=Glyph::Table2
                label="Show as table"
                pressed=Signal::derive(move || Some(as_table.get()))
                on:click=move |_| as_table.update(|on| *on = !*on)
            />
        </div>
    }
}

fn copy_of(table: StoredValue<TableArtifact>, covers: Option<Covers>) -> Signal<String> {
    Signal::derive(move || {
        table.with_value(|table| {
            let all: Vec<usize> = (0..table.rows.len()).collect();
            csv::tsv(table, &all, covers.as_ref())
        })
    })
}

#[component]
fn Series(
    id: String,
    title: String,
    subtitle: String,
    chart: TimeseriesArtifact,
    covers: Option<Covers>,
) -> impl IntoView {
    let as_table = RwSignal::new(false);
    let table = StoredValue::new(as_table::of_series(&chart));
    let empty = chart.series.iter().all(|series| series.points.is_empty());
    let chart = StoredValue::new(chart);
    let label = format!("{title}, {subtitle}");
    let title_id = format!("{id}-t");
    let labelled_by = title_id.clone();
    let body = move || {
        if empty {
            return view! { <Empty glyph=Glyph::ChartLine title="No data for these dates" text="The network returned no rows."/> }
                .into_any();
        }
        if as_table.get() {
            let sort = RwSignal::new(None);
            view! { <DataTable table=table.get_value() label=label.clone() sort/> }.into_any()
        } else {
            view! { <TimeChart chart=chart.get_value() label=label.clone()/> }.into_any()
        }
    };
    view! {
        <figure class="artifact" style="margin:0" aria-labelledby=labelled_by>
            <figcaption class="artifact-head">
                <div><h3 id=title_id>{title.clone()}</h3><p>{subtitle}</p></div>
                <TableToggle as_table copy=copy_of(table, covers.clone()) title table covers/>
            </figcaption>
            {body}
        </figure>
    }
}

#[component]
fn Bars(
    id: String,
    title: String,
    subtitle: String,
    unit: String,
    items: Vec<BarItem>,
    covers: Option<Covers>,
) -> impl IntoView {
    let as_table = RwSignal::new(false);
    let table = StoredValue::new(as_table::of_bars(&title, &unit, &items));
    let items = StoredValue::new(items);
    let label = format!("{title}, {subtitle}");
    let title_id = format!("{id}-t");
    let labelled_by = title_id.clone();
    let body = move || {
        if as_table.get() {
            let sort = RwSignal::new(None);
            view! { <DataTable table=table.get_value() label=label.clone() sort/> }.into_any()
        } else {
            view! { <div class="chart" style="padding-bottom:16px"><BarChart items=items.get_value() label=label.clone()/></div> }
                .into_any()
        }
    };
    view! {
        <figure class="artifact" style="margin:0" aria-labelledby=labelled_by>
            <figcaption class="artifact-head">
                <div><h3 id=title_id>{title.clone()}</h3><p>{subtitle}</p></div>
                <TableToggle as_table copy=copy_of(table, covers.clone()) title table covers/>
            </figcaption>
            {body}
        </figure>
    }
}

#[component]
fn Table(id: String, title: String, subtitle: String, table: TableArtifact, covers: Option<Covers>) -> impl IntoView {
    let sort = RwSignal::new(sorting::initial(&table));
    let kept = StoredValue::new(table.clone());
    let order = move || kept.with_value(|table| sorting::order(&table.rows, sort.get()));
    let covers = StoredValue::new(covers);
    let copy = Signal::derive(move || {
        kept.with_value(|table| covers.with_value(|covers| csv::tsv(table, &order(), covers.as_ref())))
    });
    let file = covers.with_value(|covers| csv::file_name(&title, covers.as_ref()));
    let save = move |_| {
        let text =
            kept.with_value(|table| covers.with_value(|covers| csv::csv(table, &untrack(order), covers.as_ref())));
        crate::platform::download(&file, "text/csv;charset=utf-8", &text);
    };
    let said = said(&subtitle, &table);
    let title_id = format!("{id}-t");
    let labelled_by = title_id.clone();
    let label = title.clone();
    let none = table.rows.is_empty();
    view! {
        <div class="artifact" role="group" aria-labelledby=labelled_by>
            <div class="artifact-head">
                <div><h3 id=title_id>{title}</h3><p>{said}</p></div>
                <div class="actions">
                    <CopyButton text=copy label="Copy" worded=true/>
                    <Button kind=ButtonKind::Ghost size=ButtonSize::Small icon=Glyph::Download on:click=save>"CSV"</Button>
                </div>
            </div>
            {if none {
                view! { <Empty glyph=Glyph::Table2 title="No rows" text="The network returned an empty list."/> }.into_any()
            } else {
                view! { <DataTable table label sort/> }.into_any()
            }}
        </div>
    }
}

/// Returns the line under a table's title: what the server said, and how much of the table is here.
fn said(subtitle: &str, table: &TableArtifact) -> String {
    let shown = table.rows.len();
    let rows = format::plural(shown, "row", "rows");
    let cut = usize::try_from(table.row_count).unwrap_or(usize::MAX) > shown;
    let counted = if cut {
        format!("{rows} of {}", format::count(i64::try_from(table.row_count).unwrap_or(i64::MAX)))
    } else {
        rows
    };
    if subtitle.is_empty() { counted } else { format!("{subtitle} · {counted}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_table_says_how_much_is_missing() {
        let mut table = TableArtifact {
            columns: Vec::new(),
            rows: vec![Vec::new(); 3],
            total: None,
            sorted_by: None,
            row_count: 3,
        };
        assert_eq!(said("Nov 2026", &table), "Nov 2026 · 3 rows");
        table.row_count = 12_000;
        assert_eq!(said("", &table), "3 rows of 12,000");
    }
}
