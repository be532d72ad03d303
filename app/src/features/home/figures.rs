//! The numbers on the home page. Each section links to the chat that holds them with their sources.

use adagent_contract::{Artifact, HomeAnswer, HomeFigures, RunStatus, Tone, Value};
use leptos::prelude::*;

use super::movers::{Mover, movers};
use crate::{
    features::{chat::ArtifactView, desk::encode},
    markdown::Markdown,
    ui::{Delta, Glyph, Icon, Kpis, Loading, TimeChart, format},
};

/// How many apps are named; the linked chat has all.
const MOST_MOVERS: usize = 5;

/// Draws a section around an answer: a placeholder while there is none, and the error if it failed.
#[component]
fn Section(id: String, #[prop(into)] title: String, figures: HomeFigures, children: ChildrenFn) -> impl IntoView {
    let labelled_by = id.clone();
    let body = match &figures.answer {
        None if figures.working => view! { <Loading/> }.into_any(),
        None => view! { <p class="quiet-text">"No numbers yet."</p> }.into_any(),
        Some(HomeAnswer { status, text, .. }) if *status != RunStatus::Completed && text.is_empty() => view! {
            <div class="note bad" role="note">
                <Icon glyph=Glyph::CircleAlert/>
                <p>"We couldn't load these numbers. Open the chat to see why."</p>
            </div>
        }
        .into_any(),
        Some(_) => children().into_any(),
    };
    let session = figures.answer.as_ref().map(|answer| answer.session);
    view! {
        <section class="section" aria-labelledby=labelled_by>
            <div class="section-head">
                <h3 id=id>{title.clone()}</h3>
                {session.map(|session| view! {
                    <a class="link push" href=format!("/chat/{session}") aria-label=format!("Open the chat: {title}")>"Open"</a>
                })}
            </div>
            {body}
        </section>
    }
}

fn subtitle(artifacts: &[Artifact]) -> Option<String> {
    artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Kpi { subtitle, .. } => Some(subtitle.clone()),
        _ => None,
    })
}

fn tiles(artifacts: &[Artifact]) -> impl IntoView + use<> {
    let tiles = artifacts.iter().find_map(|artifact| match artifact {
        Artifact::Kpi { tiles, .. } => Some(tiles.clone()),
        _ => None,
    });
    tiles.map(|tiles| view! { <Kpis tiles/> })
}

/// Returns the paragraphs that say whose numbers an answer lacks.
fn lacks(text: &str) -> String {
    let lacks = |paragraph: &&str| paragraph.contains("isn't included**: ") || paragraph.ends_with("left out.");
    text.split("\n\n").filter(lacks).collect::<Vec<_>>().join("\n\n")
}

/// Says whose numbers the answer lacks, for sections that show none of the answer's text.
fn missing(answer: &HomeAnswer) -> impl IntoView + use<> {
    let lacks = lacks(&answer.text);
    (!lacks.is_empty()).then(|| view! { <div class="prose home-said"><Markdown text=lacks/></div> })
}

/// Shows the text of an answer.
fn said(answer: &HomeAnswer) -> impl IntoView + use<> {
    let text = answer.text.clone();
    let under = subtitle(&answer.artifacts);
    view! {
        <div class="prose home-said"><Markdown text=text/></div>
        {under.map(|under| view! { <p class="faint" style="font-size:var(--t-xs)">{under}</p> })}
    }
}

#[component]
pub fn Yesterday(figures: HomeFigures) -> impl IntoView {
    let answer = StoredValue::new(figures.answer.clone());
    view! {
        <Section id="home-yesterday".to_owned() title=figures.title.clone() figures>
            {answer.get_value().map(|answer| view! {
                {tiles(&answer.artifacts)}
                {said(&answer)}
            })}
        </Section>
    }
}

#[component]
pub fn Week(figures: HomeFigures) -> impl IntoView {
    let answer = StoredValue::new(figures.answer.clone());
    view! {
        <Section id="home-week".to_owned() title=figures.title.clone() figures>
            {answer.get_value().map(|answer| {
                let chart = answer.artifacts.iter().find_map(|artifact| match artifact {
                    Artifact::Timeseries { title, subtitle, chart, .. } => Some((format!("{title}, {subtitle}"), chart.clone())),
                    _ => None,
                });
                view! {
                    {tiles(&answer.artifacts)}
                    {chart.map(|(label, chart)| view! { <div class="card home-chart"><TimeChart chart label/></div> })}
                    {said(&answer)}
                }
            })}
        </Section>
    }
}

/// Lists the apps whose revenue changed most, and whether they showed more ads or earned more per ad.
#[component]
pub fn TopMovers(apps: HomeFigures, impressions: Option<HomeFigures>) -> impl IntoView {
    let of = |figures: &HomeFigures| figures.answer.as_ref().map(|answer| answer.artifacts.clone()).unwrap_or_default();
    let counted = impressions.as_ref().map(of).unwrap_or_default();
    let found = StoredValue::new(movers(&of(&apps), &counted, MOST_MOVERS));
    let under = StoredValue::new(subtitle(&of(&apps)));
    let answer = StoredValue::new(apps.answer.clone());
    view! {
        <Section id="home-movers".to_owned() title="Top movers" figures=apps>
            {move || if found.with_value(Vec::is_empty) {
                view! { <p class="quiet-text">"No app's revenue changed from the week before."</p> }.into_any()
            } else {
                view! {
                    <ul class="card movers">{found.get_value().into_iter().map(mover).collect_view()}</ul>
                    {under.get_value().map(|under| view! { <p class="faint" style="font-size:var(--t-xs)">{under}</p> })}
                }.into_any()
            }}
            {answer.get_value().as_ref().map(missing)}
        </Section>
    }
}

fn mover(mover: Mover) -> impl IntoView {
    let change = mover.change();
    let up = change.micros > 0;
    let size = adagent_domain::Money { micros: change.micros.abs(), ..change };
    let shown = format!("{}{}", if up { "+" } else { "−" }, format::value(&Value::Money { money: size }));
    let tone = if up { Tone::Good } else { Tone::Bad };
    let why = why(&mover);
    let question = format!("Why did revenue for {} change in the last 7 days?", mover.name);
    let from = format!(
        "{}, from {}",
        format::value(&Value::Money { money: mover.now }),
        format::value(&Value::Money { money: mover.before })
    );
    view! {
        <li class="mover">
            <b class="truncate">{mover.name.clone()}</b>
            <span class="mover-change"><data value=change.micros.to_string()>{shown}</data>{mover.percent().map(|change| view! { <Delta change unit="%" tone/> })}</span>
            <span class="quiet-text mover-why">{from}{why.map(|why| format!(" · {why}"))}</span>
            <a class="link" href=format!("/chat?ask={}", encode(&question)) aria-label=format!("Why? {}", mover.name)>"Why?"</a>
        </li>
    }
}

/// Explains a change, such as `impressions up 3.7%, eCPM down 0.5%`.
fn why(mover: &Mover) -> Option<String> {
    let part = |what: &str, change: Option<f64>| {
        let change = change?;
        let shown = format::decimal(change.abs(), 1);
        Some(match change {
            _ if shown == "0.0" => format!("{what} unchanged"),
            change if change > 0.0 => format!("{what} up {shown}%"),
            _ => format!("{what} down {shown}%"),
        })
    };
    let parts: Vec<String> =
        [part("impressions", mover.impressions), part("eCPM", mover.ecpm)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Shows the answer to a question that the person pinned.
#[component]
pub fn Pinned(figures: HomeFigures) -> impl IntoView {
    let answer = StoredValue::new(figures.answer.clone());
    let id = format!("home-{}", figures.key);
    let inner = StoredValue::new(id.clone());
    view! {
        <Section id title=figures.title.clone() figures>
            {answer.get_value().map(|answer| {
                // Show the tiles and one more artifact; the chat has the rest.
                let drawn = answer.artifacts.iter().find(|artifact| !matches!(artifact, Artifact::Kpi { .. })).cloned();
                view! {
                    {tiles(&answer.artifacts)}
                    {drawn.map(|artifact| view! { <ArtifactView id=inner.get_value() artifact covers=None/> })}
                    {said(&answer)}
                }
            })}
        </Section>
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{Currency, Money};

    use super::*;

    #[test]
    fn what_an_answer_lacks_is_found_in_it() {
        let note = "**Google Ad Manager isn't included**: none of your saved reports has these numbers.";
        let text = format!("Your 8 networks earned **$1.00**.\n\nBiggest gains: **A**.\n\n{note}");
        assert_eq!(lacks(&text), note);
        assert_eq!(lacks("All of it."), "");
    }

    #[test]
    fn a_reason_names_what_changed() {
        let usd = |micros| Money { micros, currency: Currency::USD };
        let mover = |impressions, ecpm| Mover { name: "A".into(), now: usd(2), before: usd(1), impressions, ecpm };
        assert_eq!(why(&mover(Some(3.71), Some(-0.52))).as_deref(), Some("impressions up 3.7%, eCPM down 0.5%"));
        assert_eq!(why(&mover(Some(0.01), None)).as_deref(), Some("impressions unchanged"));
        assert_eq!(why(&mover(None, None)), None);
    }
}
