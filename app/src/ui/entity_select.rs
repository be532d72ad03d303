//! Chooses an entity of a network by name: type to search, then arrow keys, Enter or Escape. A parent narrows the choice.
//!
//! The list is a native popover: the browser places it, closes it on a click outside, and returns the focus.

use adagent_contract::EntityOption;
use adagent_domain::Source;
use leptos::prelude::*;

use super::{
    Field, Glyph, Icon, SourceMark, described_by, format,
    listbox::{self, Key, Move},
};

/// How many options are drawn at once; the person types to find the others.
const MOST: usize = 100;

/// The state of the field that this one depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Parent {
    /// There is no such field.
    #[default]
    None,
    /// The field exists, but nothing is chosen in it yet.
    Open,
    Chosen(String),
}

#[component]
#[expect(clippy::too_many_lines, reason = "one widget: its keys, its list and its markup belong side by side")]
pub fn EntitySelect(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// All options of this kind. Options of another parent are not offered.
    #[prop(into)]
    options: Signal<Vec<EntityOption>>,
    #[prop(optional, into)] parent: Signal<Parent>,
    /// The name of the parent, for "Choose an account first".
    #[prop(default = "parent".into(), into)]
    parent_label: String,
    #[prop(into)] value: Signal<Option<String>>,
    /// The text while nothing is chosen; by default, made from the label.
    #[prop(optional, into)]
    placeholder: Option<String>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(into)] source: Source,
    #[prop(optional)] full: bool,
    #[prop(optional)] optional: bool,
    #[prop(optional_no_strip, into)] hint: Option<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let active = RwSignal::new(0_usize);
    let open = RwSignal::new(false);
    let waits_for_parent = Memo::new(move |_| parent.get() == Parent::Open);
    let off = Signal::derive(move || disabled.get() || waits_for_parent.get());

    // Everything below is derived from the options, the parent and the typed text.
    let fitting = Memo::new(move |_| {
        let parent = parent.get();
        let chosen = if let Parent::Chosen(id) = &parent { Some(id.as_str()) } else { None };
        let all = options.get();
        listbox::of_parent(&all, chosen).into_iter().cloned().collect::<Vec<_>>()
    });
    let shown = Memo::new(move |_| {
        let fitting = fitting.get();
        let refs: Vec<&EntityOption> = fitting.iter().collect();
        listbox::found(&refs, &typed.get()).into_iter().cloned().collect::<Vec<_>>()
    });
    let chosen = Memo::new(move |_| {
        let value = value.get()?;
        options.get().into_iter().find(|option| option.id == value).or(Some(EntityOption {
            name: value.clone(),
            id: value,
            parent: None,
            detail: None,
            network: None,
        }))
    });

    let (list_id, pop_id, find_id, value_id) =
        (format!("{id}-list"), format!("{id}-pop"), format!("{id}-find"), format!("{id}-v"));
    let choose = {
        let (pop_id, id) = (pop_id.clone(), id.clone());
        move |index: usize| {
            if let Some(option) = shown.with_untracked(|shown| shown.get(index).map(|option| option.id.clone())) {
                on_change.run(option);
            }
            crate::platform::close_popover(&pop_id);
            crate::platform::focus(&id);
        }
    };
    let on_toggle = {
        let (pop_id, find_id) = (pop_id.clone(), find_id.clone());
        move |_| {
            let now_open = crate::platform::popover_open(&pop_id);
            open.set(now_open);
            if now_open {
                typed.set(String::new());
                let at = value
                    .get_untracked()
                    .and_then(|value| shown.with_untracked(|shown| shown.iter().position(|option| option.id == value)));
                active.set(at.unwrap_or(0));
                crate::platform::focus(&find_id);
            }
        }
    };
    let on_find_key = {
        let (choose, pop_id, id) = (choose.clone(), pop_id.clone(), id.clone());
        move |event: leptos::ev::KeyboardEvent| {
            let Some(key) = Key::parse(&event.key()) else { return };
            let count = shown.with_untracked(Vec::len).min(MOST);
            match listbox::step(key, active.get_untracked(), count) {
                Move::To(at) => {
                    event.prevent_default();
                    active.set(at);
                    crate::platform::scroll_into_view(&format!("{id}-o{at}"));
                }
                Move::Choose(at) => {
                    event.prevent_default();
                    choose(at);
                }
                Move::Close(back) => {
                    crate::platform::close_popover(&pop_id);
                    if back {
                        event.prevent_default();
                        crate::platform::focus(&id);
                    }
                }
                // Enter in an empty list must not submit the form around it.
                Move::Nothing => event.prevent_default(),
            }
        }
    };
    let on_button_key = {
        let id = id.clone();
        move |event: leptos::ev::KeyboardEvent| {
            let key = event.key();
            if key == "ArrowDown" || key == "ArrowUp" {
                event.prevent_default();
                // Press the button rather than open the list by a call: only then does the browser place the list at its button.
                crate::platform::press(&id);
                return;
            }
            let letter = key.chars().next().filter(|_| key.chars().count() == 1).filter(|c| c.is_alphanumeric());
            if let (Some(letter), false) = (letter, event.ctrl_key() || event.meta_key() || event.alt_key()) {
                let next = fitting.with_untracked(|fitting| {
                    let refs: Vec<&EntityOption> = fitting.iter().collect();
                    let at =
                        value.get_untracked().and_then(|value| fitting.iter().position(|option| option.id == value));
                    listbox::ahead(&refs, at, &letter.to_string())
                        .and_then(|at| fitting.get(at).map(|option| option.id.clone()))
                });
                if let Some(next) = next {
                    on_change.run(next);
                }
            }
        }
    };

    let rows = {
        let id = id.clone();
        move || {
            let value = value.get();
            shown
                .get()
                .into_iter()
                .take(MOST)
                .enumerate()
                .map(|(at, option)| {
                    row(&id, at, option, value.as_deref(), source, active, Callback::new(choose.clone()))
                })
                .collect_view()
        }
    };
    let placeholder = placeholder.unwrap_or_else(|| {
        let label = label.to_lowercase();
        let article = if label.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("Choose {article} {label}")
    });
    let parent_first = format!("Choose {} first", parent_label.to_lowercase());
    let find_label = format!("Find in {}", label.to_lowercase());
    let own = id.clone();
    let active_id = {
        let id = id.clone();
        move || (open.get() && shown.with(|shown| !shown.is_empty())).then(|| format!("{id}-o{}", active.get()))
    };
    let has_hint = hint.is_some();
    let (button_id, labelled_by) = (id.clone(), format!("{id}-l {value_id}"));
    let (target, list, list_label) = (pop_id.clone(), list_id.clone(), label.clone());
    view! {
        <Field id label full optional hint error>
            <button
                class="entity"
                type="button"
                id=button_id
                role="combobox"
                aria-haspopup="listbox"
                aria-expanded=move || if open.get() { "true" } else { "false" }
                aria-controls=list.clone()
                aria-labelledby=labelled_by
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || described_by(&own, has_hint, error.get().is_some())
                popovertarget=target
                disabled=move || off.get()
                on:keydown=on_button_key
            >
                {move || {
                    let own = chosen.get().and_then(|option| option.network).map_or(source, Source::Network);
                    view! { <SourceMark source=own off=off.get()/> }
                }}
                <span class="grow" id=value_id>
                    <span class="entity-name truncate">
                        {move || match chosen.get() {
                            Some(option) => format::entity_name(&option.name, &option.id),
                            None if waits_for_parent.get() => parent_first.clone(),
                            None => placeholder.clone(),
                        }}
                    </span>
                    <span class="entity-id truncate">
                        {move || chosen.get().map(|option| listbox::short_id(&option.id).to_owned())}
                    </span>
                </span>
                <Icon glyph=Glyph::ChevronsUpDown small=true/>
            </button>
            <div class="menu entity-menu" id=pop_id popover="auto" on:toggle=on_toggle>
                <div class="input-group" style="margin-bottom:4px">
                    <span class="affix"><Icon glyph=Glyph::Search small=true/></span>
                    <input
                        class="input"
                        id=find_id
                        autocomplete="off"
                        aria-label=find_label
                        aria-controls=list
                        aria-autocomplete="list"
                        aria-activedescendant=active_id
                        prop:value=move || typed.get()
                        on:input=move |event| {
                            typed.set(event_target_value(&event));
                            active.set(0);
                        }
                        on:keydown=on_find_key
                    />
                </div>
                <ul id=list_id role="listbox" aria-label=list_label>{rows}</ul>
                {move || shown.with(Vec::is_empty).then(|| view! {
                    <div class="empty" style="padding:20px 12px"><p>{format!("Nothing called “{}”.", typed.get())}</p></div>
                })}
                {move || {
                    let more = shown.with(Vec::len).saturating_sub(MOST);
                    (more > 0).then(|| view! { <p class="menu-label">{format!("{more} more, type to find them")}</p> })
                }}
            </div>
        </Field>
    }
}

fn row(
    id: &str,
    at: usize,
    option: EntityOption,
    value: Option<&str>,
    source: Source,
    active: RwSignal<usize>,
    choose: Callback<usize>,
) -> impl IntoView + use<> {
    let selected = value == Some(option.id.as_str());
    let detail = match &option.detail {
        Some(detail) => format!("{} · {detail}", listbox::short_id(&option.id)),
        None => listbox::short_id(&option.id).to_owned(),
    };
    view! {
        <li
            class="option"
            role="option"
            id=format!("{id}-o{at}")
            aria-selected=if selected { "true" } else { "false" }
            data-active=move || (active.get() == at).then_some("")
            on:click=move |_| choose.run(at)
        >
            <SourceMark source=option.network.map_or(source, Source::Network)/>
            <span class="grow">
                <span class="entity-name">{format::entity_name(&option.name, &option.id)}</span>
                <span class="entity-id">{detail}</span>
            </span>
            {selected.then(|| view! { <Icon glyph=Glyph::Check class="check-mark"/> })}
        </li>
    }
}
