//! Tables, tiles, charts, JSON, progress.

use adagent_contract::PreviewKind;
use leptos::prelude::*;

use super::{samples, spec};
use crate::ui::{
    BarChart, Code, DataTable, Diff, Empty, Glyph, JsonTree, Kpis, Progress, Skeleton, Spinner, TimeChart, sorting,
};

pub fn all() -> impl IntoView {
    view! {
        {tables()}
        {progress()}
        {spec("KPI", view! { <div class="wide-cell"><Kpis tiles=samples::tiles()/></div> })}
        {charts()}
        {diffs()}
        {codes()}
    }
}

fn tables() -> impl IntoView {
    let table = samples::table();
    let sort = RwSignal::new(sorting::initial(&table));
    let long = samples::long_table(10_000);
    let long_sort = RwSignal::new(None);
    spec(
        "Table",
        view! {
            <div class="wide-cell"><DataTable table label="Example table" sort/></div>
            <div class="wide-cell"><DataTable table=long label="Ten thousand rows" sort=long_sort/></div>
        },
    )
}

fn progress() -> impl IntoView {
    spec(
        "Progress, skeleton",
        view! {
            <div class="stack" style="width:260px">
                <Progress label="Pages read" done=3_u64 total=5/>
                <Progress label="Working"/>
                <div class="live"><Spinner/>"Reading AppLovin, page 3 of 5"<span class="faint push">"6.4 s"</span></div>
            </div>
            <div class="stack" style="width:260px"><Skeleton/><Skeleton width="80%"/><Skeleton width="60%"/></div>
        },
    )
}

fn charts() -> impl IntoView {
    spec(
        "Chart",
        view! {
            <div class="card card-body wide-cell">
                <TimeChart chart=samples::chart(28, 1, true) label="Daily revenue against the 28 days before"/>
            </div>
            <div class="card card-body wide-cell">
                <TimeChart chart=samples::chart(28, 3, false) label="Daily revenue by network"/>
            </div>
            <div class="card card-body wide-cell"><BarChart items=samples::bars() label="Revenue by country"/></div>
            <div class="card wide-cell">
                <Empty glyph=Glyph::ChartLine title="No figures for these dates" text="Reports start on 3 November 2026."/>
            </div>
        },
    )
}

fn diffs() -> impl IntoView {
    spec(
        "Diff",
        view! {
            <div class="wide-cell"><Diff rows=samples::changes()/></div>
            <div class="wide-cell"><Diff rows=samples::deletion() kind=PreviewKind::Delete/></div>
        },
    )
}

fn codes() -> impl IntoView {
    spec(
        "Code, JSON",
        view! {
            <div class="wide-cell"><Code text="accounts/pub-4482019375518826/mediationGroups" label="Path"/></div>
            <div class="wide-cell"><JsonTree value=samples::group_args() label="Arguments"/></div>
        },
    )
}
