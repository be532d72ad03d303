//! Charts: an SVG that stretches, with all text in HTML next to it, so that labels keep their size at every width.
//!
//! Charts work without JavaScript: the tooltip of a slot is CSS. After hydration, the keyboard moves through the slots.

use adagent_contract::{BarItem, Series, TimeseriesArtifact, Value};
use leptos::prelude::*;

use super::{format, scale};

struct Line {
    name: String,
    previous: bool,
    class: &'static str,
    /// Per slot: the value, the point's own date, and its position.
    points: Vec<Option<Spot>>,
}

#[derive(Clone)]
struct Spot {
    value: f64,
    shown: String,
    date: Option<String>,
    at: (f64, f64),
}

const CLASSES: [&str; 5] = ["s1", "s2", "s3", "s4", "s5"];

/// Returns all dates of the series, in order. Dates are ISO text, so text order is time order.
fn dates(series: &[Series]) -> Vec<String> {
    let mut all: Vec<String> = series.iter().flat_map(|s| s.points.iter().map(|p| p.at.clone())).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn lines(series: &[Series], dates: &[String], axis: &scale::Axis) -> Vec<Line> {
    let mut own = 0;
    series
        .iter()
        .map(|series| {
            let class =
                if series.previous { "prev" } else { CLASSES.get(own % CLASSES.len()).copied().unwrap_or("s1") };
            own += usize::from(!series.previous);
            let points = dates
                .iter()
                .enumerate()
                .map(|(slot, date)| {
                    let point = series.points.iter().find(|point| point.at == *date)?;
                    let value = point.value.as_f64()?;
                    Some(Spot {
                        value,
                        shown: format::value_short(&point.value),
                        date: point.date.clone(),
                        at: (scale::slot_x(slot, dates.len()), axis.y(value)),
                    })
                })
                .collect();
            Line { name: series.name.clone(), previous: series.previous, class, points }
        })
        .collect()
}

/// Returns the earlier line that a line is compared with: the one at the same position, if both periods have the same number of
/// lines.
fn former(lines: &[Line], of: usize) -> Option<&Line> {
    let (own, before): (Vec<usize>, Vec<usize>) =
        (0..lines.len()).partition(|at| lines.get(*at).is_some_and(|line| !line.previous));
    let place = own.iter().position(|at| *at == of).filter(|_| own.len() == before.len())?;
    lines.get(*before.get(place)?)
}

/// Returns the change against the earlier period, such as `+8.2%`.
fn change(lines: &[Line], of: usize, slot: usize) -> Option<String> {
    let value = |line: &Line| line.points.get(slot).and_then(Option::as_ref).map(|spot| spot.value);
    let (now, before) = (value(lines.get(of)?)?, value(former(lines, of)?)?);
    percent(now, before)
}

fn percent(now: f64, before: f64) -> Option<String> {
    if before <= 0.0 {
        return None;
    }
    let percent = (now / before - 1.0) * 100.0;
    let sign = if percent > 0.0 { "+" } else { "" };
    Some(format!("{sign}{}%", format::decimal(percent, 1)))
}

/// Returns the name of a tooltip's row. In a comparison, every row has its own day, and the line's name if there are several.
fn row_name(lines: &[Line], line: &Line, spot: &Spot, date: &str) -> String {
    if !lines.iter().any(|line| line.previous) {
        return line.name.clone();
    }
    let day = format::weekday_date(spot.date.as_deref().unwrap_or(date));
    if lines.len() <= 2 { day } else { format!("{}, {day}", line.name) }
}

/// Draws lines over time. The earlier period is dashed. Arrow keys move through the dates and announce the values.
#[component]
pub fn TimeChart(chart: TimeseriesArtifact, #[prop(into)] label: String) -> impl IntoView {
    let dates = dates(&chart.series);
    let values = || chart.series.iter().flat_map(|s| s.points.iter().map(|p| &p.value));
    let axis = scale::Axis::fitted(values().filter_map(Value::as_f64));
    let unit = values().find(|v| !matches!(v, Value::Missing)).map_or(format::Unit::Plain, format::Unit::of);
    let lines = lines(&chart.series, &dates, &axis);

    let hovered = RwSignal::new(None::<usize>);
    let hidden = RwSignal::new(Vec::<usize>::new());
    let count = dates.len();
    let walk = move |event: leptos::ev::KeyboardEvent| {
        let last = count.saturating_sub(1);
        let at = hovered.get_untracked();
        let to = match event.key().as_str() {
            "ArrowRight" => at.map_or(0, |at| (at + 1).min(last)),
            "ArrowLeft" => at.map_or(last, |at| at.saturating_sub(1)),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        hovered.set(Some(to));
    };
    let told: Vec<String> = dates.iter().enumerate().map(|(slot, date)| spoken(date, &lines, slot)).collect();
    let (paths, slots) = (paths(&lines, &axis, hidden), slots(&dates, &lines, hovered, hidden));
    view! {
        <div class="chart">
            {legend(&lines, hidden)}
            <div
                class="plot"
                tabindex="0"
                role="group"
                aria-label="Chart values; use the arrow keys to move through the dates"
                on:keydown=walk
                on:blur=move |_| hovered.set(None)
            >
                <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=label>
                    {paths}
                </svg>
                <div aria-hidden="true">{ticks(&axis, unit, &dates)}</div>
                <div aria-hidden="true">{slots}</div>
                <p class="unseen" role="status">
                    {move || hovered.get().and_then(|at| told.get(at).cloned())}
                </p>
            </div>
        </div>
    }
}

fn spoken(date: &str, lines: &[Line], slot: usize) -> String {
    let mut text = format::weekday_date(date);
    for (at, line) in lines.iter().enumerate() {
        if let Some(Some(spot)) = line.points.get(slot) {
            for part in [", ", &line.name, " ", &spot.shown] {
                text.push_str(part);
            }
            if let Some(change) = change(lines, at, slot) {
                text.push(' ');
                text.push_str(&change);
            }
        }
    }
    text
}

/// The lines that are hidden.
type Hidden = RwSignal<Vec<usize>>;

fn display(hidden: Hidden, at: usize) -> impl Fn() -> Option<&'static str> + Send + Sync + 'static {
    move || hidden.with(|hidden| hidden.contains(&at)).then_some("none")
}

/// Draws the names of the lines. With several lines, each name shows or hides its line.
fn legend(lines: &[Line], hidden: Hidden) -> impl IntoView + use<> {
    let alone = lines.len() < 2;
    let items = lines
        .iter()
        .enumerate()
        .map(|(at, line)| {
            let key = if line.previous { "key dashed".to_owned() } else { format!("key {}", line.class) };
            if alone {
                return view! { <li><span class=key></span>{line.name.clone()}</li> }.into_any();
            }
            let toggle = move |_| {
                hidden.update(|hidden| match hidden.iter().position(|off| *off == at) {
                    Some(place) => drop(hidden.remove(place)),
                    None => hidden.push(at),
                });
            };
            let pressed = move || if hidden.with(|hidden| hidden.contains(&at)) { "false" } else { "true" };
            view! {
                <li><button class="legend-item" type="button" aria-pressed=pressed on:click=toggle><span class=key></span>{line.name.clone()}</button></li>
            }
            .into_any()
        })
        .collect_view();
    view! { <ul class="legend">{items}</ul> }
}

fn paths(lines: &[Line], axis: &scale::Axis, hidden: Hidden) -> Vec<AnyView> {
    let mut out: Vec<AnyView> = Vec::new();
    for (i, tick) in axis.ticks().into_iter().enumerate() {
        let class = if i == 0 { "rule base" } else { "rule" };
        out.push(view! { <path class=class d=format!("M0 {0:.2}H100", axis.y(tick))></path> }.into_any());
    }
    let spots = |line: &Line| line.points.iter().map(|spot| spot.as_ref().map(|spot| spot.at)).collect::<Vec<_>>();
    let own = || lines.iter().enumerate().filter(|(_, line)| !line.previous);
    // Fill the area under a single line only. Under several lines, it would hide them; above a raised baseline, its size would be
    // wrong.
    if let (Some((at, only)), 1) = (own().next(), own().count())
        && axis.low <= 0.0
        && let Some(d) = scale::area(&spots(only), axis.y(axis.low.max(0.0)))
    {
        out.push(view! { <path class="area" d=d style:display=display(hidden, at)></path> }.into_any());
    }
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.previous).chain(own()) {
        out.push(
            view! { <path class=line.class d=scale::path(&spots(line)) style:display=display(hidden, at)></path> }
                .into_any(),
        );
    }
    out
}

fn ticks(axis: &scale::Axis, unit: format::Unit, dates: &[String]) -> Vec<AnyView> {
    let vertical = axis.ticks().into_iter().map(|tick| {
        view! { <span class="tick-y" style=format!("--y:{:.2}%", axis.y(tick))>{unit.tick(tick, axis.step)}</span> }
            .into_any()
    });
    let horizontal = scale::labels(dates.len()).into_iter().filter_map(|(at, minor)| {
        let date = dates.get(at)?;
        let class = if minor { "tick-x minor" } else { "tick-x" };
        let style = format!("--x:{:.2}%", scale::slot_x(at, dates.len()));
        Some(view! { <span class=class style=style>{format::short_date(date)}</span> }.into_any())
    });
    vertical.chain(horizontal).collect()
}

fn slots(dates: &[String], lines: &[Line], hovered: RwSignal<Option<usize>>, hidden: Hidden) -> Vec<AnyView> {
    let width = scale::slot_width(dates.len());
    dates
        .iter()
        .enumerate()
        .map(|(slot, date)| {
            let dots = lines
                .iter()
                .enumerate()
                .filter(|(_, line)| !line.previous)
                .filter_map(|(at, line)| {
                    let spot = line.points.get(slot)?.as_ref()?;
                    Some(view! { <i class=line.class style=format!("--y:{:.2}%", spot.at.1) style:display=display(hidden, at)></i> })
                })
                .collect_view();
            let rows = lines
                .iter()
                .enumerate()
                .filter_map(|(at, line)| {
                    let spot = line.points.get(slot)?.as_ref()?;
                    let key = if line.previous { "key dashed".to_owned() } else { format!("key {}", line.class) };
                    let name = row_name(lines, line, spot, date);
                    let value = match change(lines, at, slot) {
                        Some(change) => format!("{} ({change})", spot.shown),
                        None => spot.shown.clone(),
                    };
                    let off = move || display(hidden, at);
                    Some(view! {
                        <span class=key style:display=off()></span><span style:display=off()>{name}</span><span style:display=off()>{value}</span>
                    })
                })
                .collect_view();
            // In the right half, put the tooltip on the left, where there is room.
            let late = slot * 2 >= dates.len();
            view! {
                <div
                    class="slot"
                    class:is-hover=move || hovered.get() == Some(slot)
                    class:late=late
                    style=format!("--x:{:.2}%;--w:{width:.3}%", scale::slot_x(slot, dates.len()))
                >
                    {dots}
                    <div class="chart-tip"><b>{format::weekday_date(date)}</b>{rows}</div>
                </div>
            }
            .into_any()
        })
        .collect()
}

/// Returns the texts of a bar: its share, and the earlier value with the change.
fn bar_words(item: &BarItem) -> (String, Option<String>) {
    let former = item.previous.as_ref().filter(|value| value.as_f64().is_some()).map(|previous| {
        let change = item.value.as_f64().zip(previous.as_f64()).and_then(|(now, before)| percent(now, before));
        let change = change.map(|change| format!(", {change}")).unwrap_or_default();
        format!("was {}{change}", format::value_short(previous))
    });
    let share = item.share.map(|share| format!("{}%", format::decimal(share, 1)));
    let title = [Some(item.label.clone()), share, former.clone()];
    (title.into_iter().flatten().collect::<Vec<_>>().join(" · "), former)
}

/// Draws bars in the given order, longest first, with the number next to each. In a comparison, a mark on each bar shows the
/// earlier value.
#[component]
pub fn BarChart(items: Vec<BarItem>, #[prop(into)] label: String) -> impl IntoView {
    let values = items.iter().flat_map(|item| [Some(&item.value), item.previous.as_ref()]).flatten();
    let most = values.filter_map(Value::as_f64).fold(0.0_f64, f64::max);
    let share_of =
        move |value: &Value| value.as_f64().filter(|_| most > 0.0).map_or(0.0, |value| (value / most * 100.0).max(0.0));
    let compared = items.iter().any(|item| item.previous.as_ref().is_some_and(|value| value.as_f64().is_some()));
    let rows = items
        .into_iter()
        .map(|item| {
            let share = share_of(&item.value);
            let (title, former) = bar_words(&item);
            let mark = item.previous.as_ref().filter(|_| former.is_some()).map(share_of);
            view! {
                <li title=title>
                    <span class="bar-name">{item.label}</span>
                    <span class="bar-track">
                        <span class="bar" style=format!("--v:{share:.1}%")></span>
                        {mark.map(|mark| view! { <i class="bar-was" style=format!("--v:{mark:.1}%")></i> })}
                    </span>
                    <data value=item.value.raw()>
                        {format::value_short(&item.value)}
                        {former.map(|former| view! { <span class="unseen">{format!(", {former}")}</span> })}
                    </data>
                </li>
            }
        })
        .collect_view();
    view! {
        {compared.then(|| view! { <ul class="legend"><li><span class="key s1"></span>"Now"</li><li><span class="key was"></span>"Before"</li></ul> })}
        <ol class="bar-list" aria-label=label>{rows}</ol>
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::Point;

    use super::*;

    fn series(name: &str, previous: bool, points: &[(&str, i64)]) -> Series {
        Series {
            name: name.into(),
            previous,
            points: points
                .iter()
                .map(|(at, value)| Point { at: (*at).into(), value: Value::Count { value: *value }, date: None })
                .collect(),
        }
    }

    #[test]
    fn series_share_one_row_of_dates_and_gaps_stay_gaps() {
        let all = [
            series("A", false, &[("2026-11-02", 2), ("2026-11-01", 1)]),
            series("B", false, &[("2026-11-03", 3)]),
            series("before", true, &[("2026-11-01", 4)]),
        ];
        let dates = dates(&all);
        assert_eq!(dates, ["2026-11-01", "2026-11-02", "2026-11-03"]);
        let axis = scale::Axis::over([4.0].into_iter());
        let lines = lines(&all, &dates, &axis);
        assert_eq!(lines.iter().map(|l| l.class).collect::<Vec<_>>(), ["s1", "s2", "prev"]);
        assert!(lines[0].points[2].is_none() && lines[1].points[2].is_some());
        assert_eq!(spoken(&dates[0], &lines, 0), "Sun, Nov 1, A 1, before 4");
    }

    #[test]
    fn a_bar_says_what_it_was_before_and_how_much_it_changed() {
        let bar = |now: i64, before: Option<i64>, share| BarItem {
            label: "US".into(),
            value: Value::Count { value: now },
            previous: before.map(|value| Value::Count { value }),
            share,
        };
        assert_eq!(bar_words(&bar(5, Some(4), Some(40.0))).0, "US · 40.0% · was 4, +25.0%");
        assert_eq!(bar_words(&bar(5, Some(0), None)).0, "US · was 0", "nothing to compare with");
        assert_eq!(bar_words(&bar(5, None, None)), ("US".to_owned(), None));
    }

    #[test]
    fn a_comparison_names_its_days_and_says_the_change() {
        let mut before = series("Oct 25 to Oct 31", true, &[("2026-11-01", 4), ("2026-11-02", 0)]);
        before.points[0].date = Some("2026-10-25".into());
        let all = [series("Nov 1 to Nov 7", false, &[("2026-11-01", 5), ("2026-11-02", 3)]), before];
        let dates = dates(&all);
        let axis = scale::Axis::fitted([4.0, 5.0].into_iter());
        let lines = lines(&all, &dates, &axis);
        assert_eq!(change(&lines, 0, 0).as_deref(), Some("+25.0%"));
        assert_eq!(change(&lines, 0, 1), None, "nothing to compare with");
        assert_eq!(change(&lines, 1, 0), None, "said once");
        let name = |at: usize| lines[at].points[0].as_ref().map(|spot| row_name(&lines, &lines[at], spot, &dates[0]));
        assert_eq!((name(0).as_deref(), name(1).as_deref()), (Some("Sun, Nov 1"), Some("Sun, Oct 25")));
        assert!(spoken(&dates[0], &lines, 0).contains("Nov 1 to Nov 7 5 +25.0%"));
    }
}
