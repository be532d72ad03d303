//! The two lists of a mediation group: bidding and waterfall. Drag or arrow keys change the order; each waterfall line has a
//! floor.

use adagent_contract::{EntityOption, FieldHint, LINES};
use adagent_domain::Source;
use leptos::prelude::*;
use serde_json::Value as Json;

use super::{
    draft::Draft,
    fields::{money_text, take_money},
    lines::{self, Lane, Line},
    plain::{self, Act},
};
use crate::ui::{Button, ButtonKind, ButtonSize, EntitySelect, Glyph, Icon, IconButton, SourceMark};

/// Everything that a row and a list need. It is `Copy`, so that closures stay short.
#[derive(Clone, Copy)]
struct Lists {
    draft: Draft,
    pointer: StoredValue<String>,
    sources: StoredValue<Vec<EntityOption>>,
    all: Memo<Vec<Line>>,
    /// The lines that the group has now.
    known: StoredValue<Vec<EntityOption>>,
    /// Key of the line that the person drags.
    moving: RwSignal<Option<String>>,
}

impl Lists {
    fn object(self) -> Option<Json> {
        self.pointer.with_value(|p| self.draft.args.with_untracked(|args| args.pointer(p).cloned()))
    }

    fn put(self, lines: Json) {
        self.pointer.with_value(|p| self.draft.put(p, Some(lines)));
    }

    fn step(self, key: &str, forward: bool) {
        let to = self.all.with_untracked(|all| lines::neighbour(all, key, forward));
        if let (Some(to), Some(object)) = (to, self.object()) {
            self.put(lines::move_to(&object, key, &to));
            crate::platform::focus(&self.grip_id(key));
        }
    }

    /// Moves the dragged line to the place of the line under it, within its own list.
    fn drag_over(self, over: &str, lane: Lane) -> bool {
        let Some(key) = self.moving.get_untracked() else { return false };
        let same_lane = self.all.with_untracked(|all| all.iter().any(|line| line.key == key && line.lane == lane));
        if same_lane
            && key != over
            && let Some(object) = self.object()
        {
            self.put(lines::move_to(&object, &key, over));
        }
        same_lane
    }

    fn grip_id(self, key: &str) -> String {
        self.draft.id(&format!("{}/{key}/grip", self.pointer.get_value()))
    }

    fn mark_of(self, source: &str) -> Source {
        self.sources
            .with_value(|all| all.iter().find(|option| option.id == source).and_then(|option| option.network))
            .map_or(self.draft.source, Source::Network)
    }
}

#[component]
pub fn LineLists(draft: Draft, hint: FieldHint) -> impl IntoView {
    let sources = StoredValue::new(draft.options(&hint));
    let pointer = StoredValue::new(hint.pointer.clone());
    let name_of = move |id: &str| {
        sources.with_value(|all| all.iter().find(|option| option.id == id).map(|option| option.name.clone()))
    };
    let known = StoredValue::new(draft.options(&FieldHint { options: Some(LINES.into()), ..FieldHint::default() }));
    let all = Memo::new(move |_| {
        let lines = pointer.with_value(|p| draft.args.with(|args| lines::read(args.pointer(p), name_of)));
        known.with_value(|known| lines::with_known(lines, known))
    });
    let lists = Lists { draft, pointer, sources, all, known, moving: RwSignal::new(None) };
    let error = draft.error(&hint.pointer);
    view! {
        <div class="line-lists">
            {Lane::ALL.map(|lane| view! { <LaneList lists lane/> }).into_iter().collect_view()}
        </div>
        {move || error.get().map(|text| view! {
            <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert small=true/>{text}</p>
        })}
    }
}

#[component]
fn LaneList(lists: Lists, lane: Lane) -> impl IntoView {
    let (title, note, add) = match lane {
        Lane::Bidding => ("Bidding", "Real-time auction", "Add bidder"),
        Lane::Waterfall => ("Waterfall", "Called top to bottom", "Add line"),
    };
    let place = format!("{}/{}", lists.pointer.get_value(), lane.name());
    let id = lists.draft.id(&place);
    let own = move || lists.all.get().into_iter().filter(move |line| line.lane == lane).collect::<Vec<_>>();
    let adding = RwSignal::new(false);
    let offered = Signal::derive(move || {
        // A source may bid only once, but it may have several floors in the waterfall.
        let bids: Vec<String> = own().into_iter().map(|line| line.source).collect();
        lists.sources.with_value(|all| {
            all.iter()
                .filter(|option| lane == Lane::Waterfall || !bids.contains(&option.id))
                .cloned()
                .collect::<Vec<_>>()
        })
    });
    let take = Callback::new(move |source: String| {
        let name = lists
            .sources
            .with_value(|all| all.iter().find(|option| option.id == source).map(|option| option.name.clone()))
            .unwrap_or_else(|| source.clone());
        let (object, _key) = lines::add(lists.object().as_ref(), lane, &source, &name);
        lists.put(object);
        adding.set(false);
    });
    let select_id = format!("{id}-add");
    let focus_id = select_id.clone();
    let labelled_by = id.clone();
    view! {
        <div class="line-list" role="group" aria-labelledby=labelled_by>
            <header><h4 id=id>{title}</h4><p>{note}</p></header>
            <ol>
                <For each=own key=|line| line.key.clone() children=move |line| row(&lists, line)/>
            </ol>
            {move || own().is_empty().then(|| view! {
                <p class="hint" style="padding:10px 12px">
                    {lists.all.with(|all| lists.known.with_value(|known| lines::nothing_here(lane, all, known)))}
                </p>
            })}
            {move || if lists.draft.plain {
                view! { <PlainAdd lists place=place.clone() add offered take/> }.into_any()
            } else if adding.get() {
                view! {
                    <div style="padding:8px 12px">
                        <EntitySelect
                            id=select_id.clone()
                            label="Ad source"
                            options=offered
                            value=Signal::stored(None::<String>)
                            on_change=take
                            source=lists.draft.source
                        />
                    </div>
                }
                .into_any()
            } else {
                let focus_id = focus_id.clone();
                view! {
                    <Button
                        kind=ButtonKind::Ghost
                        size=ButtonSize::Small
                        icon=Glyph::Plus
                        disabled=lists.draft.locked
                        on:click=move |_| {
                            adding.set(true);
                            let focus_id = focus_id.clone();
                            request_animation_frame(move || crate::platform::focus(&focus_id));
                        }
                    >
                        {add}
                    </Button>
                }
                .into_any()
            }}
        </div>
    }
}

/// Chooses the source to add, with the browser's own select.
#[component]
fn PlainAdd(
    lists: Lists,
    place: String,
    add: &'static str,
    offered: Signal<Vec<EntityOption>>,
    take: Callback<String>,
) -> impl IntoView {
    let chosen = RwSignal::new(String::new());
    let rows = move || {
        let option = |option: EntityOption| view! { <option value=option.id>{option.name}</option> };
        offered.get().into_iter().map(option).collect_view()
    };
    view! {
        <div class="row" style="padding:8px 12px">
            <select
                class="select" name=plain::fresh(&place) aria-label=format!("{add}: ad source")
                on:change=move |event| chosen.set(event_target_value(&event))
            >
                <option value="">"Choose an ad source"</option>
                {rows}
            </select>
            <Button
                kind=ButtonKind::Ghost size=ButtonSize::Small icon=Glyph::Plus
                sends=lists.draft.sends(&Act::Add(place)) disabled=lists.draft.locked
                on:click=move |_| {
                    let source = chosen.get_untracked();
                    if !source.is_empty() {
                        take.run(source);
                    }
                }
            >
                {add}
            </Button>
        </div>
    }
}

fn row(lists: &Lists, line: Line) -> impl IntoView + use<> {
    let lists = *lists;
    let Line { key, name, source, lane, fate, .. } = line;
    let draft = lists.draft;
    let mark = lists.mark_of(&source);
    let (dragged, over, stepped, removed, shown) = (key.clone(), key.clone(), key.clone(), key.clone(), key.clone());
    let floor_at = lines::floor_pointer(&lists.pointer.get_value(), &key);
    let price = match lane {
        _ if let Some(fate) = fate => {
            view! { <span class="faint" style="font-size:var(--t-xs)">{fate}</span> }.into_any()
        }
        Lane::Bidding => view! { <span class="faint" style="font-size:var(--t-xs)">"Real-time bid"</span> }.into_any(),
        Lane::Waterfall => {
            let (text, error, typed) = (money_text(draft, &floor_at), draft.error(&floor_at), floor_at.clone());
            view! {
                <span class="input-group">
                    <span class="affix">"$"</span>
                    <input
                        class="input money"
                        id=draft.id(&floor_at)
                        name=plain::field(&floor_at)
                        inputmode="decimal"
                        value=text.get_untracked()
                        prop:value=move || text.get()
                        aria-label=format!("eCPM floor of {name}, US dollars")
                        aria-invalid=move || error.get().is_some().then_some("true")
                        title=move || error.get()
                        disabled=move || draft.locked.get()
                        on:input=move |event| take_money(draft, &typed, event_target_value(&event))
                    />
                </span>
            }
            .into_any()
        }
    };
    let place = format!("{}/{}", lists.pointer.get_value(), super::args::escape(&key));
    let line_error = draft.error(&place);
    let floor_error = draft.error(&floor_at);
    view! {
        <li
            class="line-item"
            class:is-moving=move || lists.moving.with(|moving| moving.as_deref() == Some(shown.as_str()))
            on:dragover=move |event| {
                if lists.drag_over(&over, lane) {
                    event.prevent_default();
                }
            }
            on:drop=move |event| {
                event.prevent_default();
                lists.moving.set(None);
            }
        >
            <button
                class="grip"
                type=if draft.plain { "submit" } else { "button" }
                name=draft.plain.then_some(plain::ACT)
                value=draft.plain.then(|| Act::Up(place.clone()).value())
                id=lists.grip_id(&key)
                draggable="true"
                disabled=move || draft.locked.get()
                aria-label=if draft.plain { format!("Move {name} up") } else { format!("Move {name}; arrow keys change the order") }
                on:dragstart=move |_| lists.moving.set(Some(dragged.clone()))
                on:dragend=move |_| lists.moving.set(None)
                on:keydown=move |event| {
                    let forward = match event.key().as_str() {
                        "ArrowDown" => true,
                        "ArrowUp" => false,
                        _ => return,
                    };
                    event.prevent_default();
                    lists.step(&stepped, forward);
                }
            >
                <Icon glyph=Glyph::GripVertical small=true/>
            </button>
            <SourceMark source=mark size="small"/>
            <span class="truncate">{name.clone()}</span>
            {price}
            <IconButton
                glyph=Glyph::X
                label=format!("Remove {name}")
                sends=draft.sends(&Act::Remove(place.clone()))
                disabled=draft.locked
                on:click=move |_| {
                    if let Some(object) = lists.object() {
                        lists.put(lines::remove(&object, &removed));
                    }
                }
            />
            {move || floor_error.get().or_else(|| line_error.get()).map(|text| view! {
                <p class="error-text" role="alert" style="grid-column:2/-1">
                    <Icon glyph=Glyph::CircleAlert small=true/>
                    {text}
                </p>
            })}
        </li>
    }
}
