//! A number in an answer names its source when a person points at it. A click opens a panel with the reports that add up to the
//! number. Without JavaScript, the number links to the call.

use adagent_contract::{EntityKind, TurnView};
use leptos::{prelude::*, task::spawn_local};

use super::{
    figures::{Figure, Source},
    sums::{self, Part},
};
use crate::{
    clock::PageClock,
    features::{api, desk::Desk},
    ui::{SourceMark, format},
};

/// The turn whose answer is drawn; the turn provides it. A panel reads its reports when a person opens a number.
#[derive(Clone, Copy)]
pub struct SourceTurn(pub Signal<TurnView>);

/// Draws plain text, or a number with its source.
pub fn piece((text, figure): (String, Option<Figure>), of: &str, next: StoredValue<usize>) -> AnyView {
    let Some(figure) = figure else { return text.into_any() };
    let Some(first) = figure.sources.first().cloned() else { return text.into_any() };
    let clock = PageClock::get();
    let number = next.try_update_value(|next| std::mem::replace(next, *next + 1)).unwrap_or_default();
    let id = format!("fig-{of}-{number}");
    let (link, opens, label) = (format!("{id}-link"), id.clone(), format!("Source of {text}"));
    let open = RwSignal::new(false);
    let tip = match figure.sources.len() {
        1 => first.tool.clone(),
        count => format!("From {count} reports"),
    };
    let anchor = format!("anchor-name:--{id}");
    let shown = StoredValue::new((text.clone(), figure));
    view! {
        <a
            class="fig" id=link.clone() href=format!("#call-{}", first.call) style=anchor aria-haspopup="dialog"
            on:click=move |event| {
                event.prevent_default();
                // Otherwise, the router would open the link.
                event.stop_propagation();
                open.set(true);
                let opens = opens.clone();
                crate::platform::on_next_frame(move || crate::platform::show_popover(&opens));
            }
        >
            {text}
            <span class="tooltip" role="tooltip">
                {tip}
                " "
                <span class="faint">{move || clock.reader().time_of_day(first.at)}</span>
            </span>
        </a>
        {move || open.get().then(|| {
            let (text, figure) = shown.get_value();
            panel(&id, &link, &label, &text, &figure)
        })}
    }
    .into_any()
}

fn panel(id: &str, link: &str, label: &str, text: &str, figure: &Figure) -> impl IntoView + use<> {
    let parts = RwSignal::new(None::<Vec<Part>>);
    add_up(figure, parts);
    let count = figure.sources.len();
    let rows = figure.sources.iter().map(|source| row(source, parts, id)).collect_view();
    let (id, link, text) = (id.to_owned(), link.to_owned(), text.to_owned());
    let closes = id.clone();
    view! {
        <span
            class="menu fig-source" id=id.clone() popover="auto" role="dialog" aria-label=label.to_owned() tabindex="-1"
            style=format!("position-anchor:--{id}")
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    event.prevent_default();
                    event.stop_propagation();
                    crate::platform::close_popover(&closes);
                    crate::platform::focus(&link);
                }
            }
        >
            <b class="menu-label">{move || heading(count, parts.with(Option::is_some))}</b>
            {rows}
            {move || (count > 1 && parts.with(Option::is_some)).then(|| view! {
                <span class="fig-row sum"><span>"Total"</span><data>{text.clone()}</data></span>
            })}
        </span>
    }
}

/// Fills in what each report adds to the number. The page of a chat opens without the reports of its turns, so this loads them.
fn add_up(figure: &Figure, parts: RwSignal<Option<Vec<Part>>>) {
    let (Some(SourceTurn(turn)), Some(value)) = (use_context::<SourceTurn>(), figure.value.clone()) else { return };
    let calls: Vec<_> = figure.sources.iter().map(|source| source.call).collect();
    let day = figure.day.clone();
    let found = turn.with_untracked(|turn| sums::parts(turn, &calls, &value, day.as_deref()));
    let run = turn.with_untracked(|turn| turn.run_id);
    if found.is_some() {
        return parts.set(found);
    }
    spawn_local(async move {
        if let Ok(whole) = api::read_turn(run).await {
            parts.try_set(sums::parts(&whole, &calls, &value, day.as_deref()));
        }
    });
}

/// Returns the heading of the list.
fn heading(count: usize, adds_up: bool) -> String {
    match (count, adds_up) {
        (1, _) => "From this report".to_owned(),
        (count, true) => format!("Sum of {count} reports"),
        (count, false) => format!("Calculated from {count} reports"),
    }
}

fn row(source: &Source, parts: RwSignal<Option<Vec<Part>>>, id: &str) -> impl IntoView + use<> {
    let call = source.call;
    let value = move || {
        let of = |part: &&Part| part.call == call;
        parts.with(|parts| parts.iter().flatten().find(of).map(|part| format::value(&part.value)))
    };
    let (target, closes) = (format!("call-{}", source.call), id.to_owned());
    let opens = target.clone();
    let name = name_of(source);
    view! {
        <span class="fig-row">
            <SourceMark source=source.of size="small"/>
            <a
                class="link" href=format!("#{target}") title="Show this report"
                on:click=move |_| {
                    crate::platform::close_popover(&closes);
                    crate::platform::open_details(&opens);
                }
            >{name}</a>
            {move || value().map(|value| view! { <data>{value}</data> })}
        </span>
    }
}

/// Returns the name of the account if the app knows it, else the network.
fn name_of(source: &Source) -> String {
    let Some(account) = &source.account else { return source.of.display_name().to_owned() };
    let known = use_context::<Desk>().and_then(|desk| desk.entities.get_untracked()).and_then(Result::ok);
    let known = known.into_iter().flatten().find(|item| item.kind == EntityKind::Account && item.id == *account);
    format::entity_name(known.map_or(account.clone(), |item| item.name).as_str(), account)
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn only_what_adds_up_is_called_a_sum() {
        assert_eq!(heading(3, true), "Sum of 3 reports");
        assert_eq!(heading(3, false), "Calculated from 3 reports");
        assert_eq!(heading(1, true), "From this report");
    }
}
