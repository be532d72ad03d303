//! One to-do: its checkbox, and its form, which is folded away under its text.

use adagent_contract::{PersonRef, TodoView};
use leptos::prelude::*;

use super::{groups::Group, page::Actions};
use crate::{
    features::form::ActionForm,
    ui::{Glyph, Icon, format},
};

/// Chooses the person a to-do is for. A workspace with one person offers no choice.
#[component]
pub(super) fn For(people: (Vec<PersonRef>, String), chosen: Option<String>, label: &'static str) -> impl IntoView {
    let (people, me) = people;
    if people.len() < 2 {
        return view! { <input type="hidden" name="assignee" value=chosen.unwrap_or_default()/> }.into_any();
    }
    let option = |person: PersonRef| {
        let id = person.id.to_string();
        let (selected, name) = (chosen.as_ref() == Some(&id), if id == me { "You".to_owned() } else { person.name });
        view! { <option value=id selected=selected>{name}</option> }
    };
    // The to-do may be for a person who is not in the list. It stays with them until somebody chooses another person.
    let unlisted = chosen.clone().filter(|chosen| people.iter().all(|person| person.id.to_string() != *chosen));
    let unlisted = unlisted.map(|id| view! { <option value=id selected=true>"Someone else"</option> });
    let others = people.into_iter().map(option).collect_view();
    view! {
        <select class="select" name="assignee" aria-label=label>
            <option value="" selected=chosen.is_none()>"Nobody"</option>
            {unlisted}
            {others}
        </select>
    }
    .into_any()
}

#[component]
pub(super) fn Row(
    todo: TodoView,
    group: Group,
    actions: Actions,
    people: Memo<(Vec<PersonRef>, String)>,
) -> impl IntoView {
    let TodoView { id, text, done, due, assignee, mine, by, run, version, .. } = todo;
    let (mark_id, change_id, delete_id) = (id.to_string(), id.to_string(), id.to_string());
    let (mark_label, glyph) = if done {
        (format!("Open again: {text}"), Glyph::CircleCheck)
    } else {
        (format!("Mark as done: {text}"), Glyph::Square)
    };
    // In a workspace with one person, every to-do is for them and by them, so say neither.
    let is_team = move || people.with(|(people, _)| people.len() > 1);
    let added = format!("Added by {by}");
    let delete_label = format!("Delete {text}");
    let whom = assignee.as_ref().map(|person| if mine { "For you".to_owned() } else { format!("For {}", person.name) });
    let due_words = due.as_deref().filter(|_| group != Group::Today).map(format::weekday_date);
    let chosen = assignee.map(|person| person.id.to_string());
    view! {
        <li class="todo" class:done=done>
            <ActionForm action=actions.mark>
                <input type="hidden" name="id" value=mark_id/>
                <input type="hidden" name="done" value=(!done).to_string()/>
                <button class="button ghost icon-only small" type="submit" aria-label=mark_label><Icon glyph=glyph/></button>
            </ActionForm>
            <details>
                <summary>
                    <span class="todo-text">{text.clone()}</span>
                    <span class="facts">
                        {due_words.map(|words| view! { <span class:bad=group == Group::Overdue>{words}</span> })}
                        {move || is_team().then(|| view! {
                            {whom.clone().map(|words| view! { <span>{words}</span> })}
                            <span>{added.clone()}</span>
                        })}
                    </span>
                </summary>
                <ActionForm action=actions.change attr:class="todo-form">
                    <input type="hidden" name="id" value=change_id/>
                    <input type="hidden" name="version" value=version.to_string()/>
                    <input type="hidden" name="done" value=done.to_string()/>
                    <input class="input" name="text" aria-label="To-do" required=true autocomplete="off" maxlength=adagent_contract::MOST_TODO.to_string() value=text/>
                    <input class="input" type="date" name="due" aria-label="Due date" value=due.unwrap_or_default()/>
                    {move || view! { <For people=people.get() chosen=chosen.clone() label="For"/> }}
                    <button class="button" type="submit">"Save"</button>
                </ActionForm>
                <div class="row">
                    {run.map(|run| view! { <a class="button ghost small" href=format!("/runs/{run}")><Icon glyph=Glyph::Activity small=true/>"Open its run"</a> })}
                    <ActionForm action=actions.delete>
                        <input type="hidden" name="id" value=delete_id/>
                        <button class="button ghost small" type="submit" aria-label=delete_label><Icon glyph=Glyph::Trash2 small=true/>"Delete"</button>
                    </ActionForm>
                </div>
            </details>
        </li>
    }
}
