//! `/library`: the to-dos of the workspace, grouped by due date. It consists of forms, so that it works without JavaScript.

use adagent_contract::TodoView;
use leptos::{html, prelude::*};
use leptos_router::hooks::use_query_map;

use super::{
    groups::{Group, Shown},
    row::Row,
    sections::{Part, Sections},
};
use crate::{
    features::{
        answers::Answers,
        api::{self, AddTodo, ApiError, ChangeTodo, DeleteTodo, LibraryView, MarkTodo, settled},
        desk::Topbar,
        form::ActionForm,
    },
    ui::{Empty, Glyph, Icon, Loading, Unread},
};

/// The actions of the page on to-dos.
#[derive(Clone, Copy)]
pub(super) struct Actions {
    pub add: ServerAction<AddTodo>,
    pub mark: ServerAction<MarkTodo>,
    pub change: ServerAction<ChangeTodo>,
    pub delete: ServerAction<DeleteTodo>,
}

#[component]
pub fn LibraryPage() -> impl IntoView {
    let actions = Actions {
        add: ServerAction::new(),
        mark: ServerAction::new(),
        change: ServerAction::new(),
        delete: ServerAction::new(),
    };
    let answers = Answers::of_page();
    let Answers { changed, refused, .. } = answers;
    let list = Resource::new(move || changed.get(), |_| api::library());
    answers.hear(move || actions.add.value().get(), |_| "To-do added".to_owned());
    let marked = |todo: &TodoView| if todo.done { "Marked as done" } else { "Opened again" }.to_owned();
    answers.hear(move || actions.mark.value().get(), marked);
    answers.hear(move || actions.change.value().get(), |_| "Saved".to_owned());
    answers.hear_done(move || actions.delete.value().get(), "To-do deleted");
    view! {
        <Topbar title="Library"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head"><div class="grow">
                        <h2>"Library"</h2>
                        <p>"To-dos that everyone in this workspace sees. You can also add one in a chat: “Remind me to check floors on Friday.”"</p>
                    </div></div>
                    <Transition fallback=|| view! { <Loading/> }>
                        {move || list.get().and_then(Result::err).map(|error| view! {
                            <Unread error again=Callback::new(move |()| list.refetch())/>
                        })}
                        <Whole list actions refused/>
                    </Transition>
                </div>
            </main>
        </div>
    }
}

/// Draws the lists. It is inside the `Transition`, because the server does not wait for resources that are read outside of one.
#[component]
fn Whole(
    list: Resource<Result<LibraryView, ApiError>>,
    actions: Actions,
    refused: RwSignal<Option<String>>,
) -> impl IntoView {
    let query = use_query_map();
    let shown = Memo::new(move |_| Shown::of(query.read().get("show").as_deref()));
    let read = Memo::new(move |_| list.get().and_then(Result::ok));
    let count = move |kind| {
        read.with(|read| {
            read.as_ref().map_or(0, |read| match kind {
                Shown::Open => read.open.len(),
                Shown::Mine => read.open.iter().filter(|todo| todo.mine).count(),
                Shown::Done => 0,
            })
        })
    };
    let listed = move |group: Group| {
        read.with(|read| {
            let Some(read) = read else { return Vec::new() };
            let all = if shown.get() == Shown::Done { &read.done } else { &read.open };
            let fits =
                |todo: &&TodoView| (shown.get() != Shown::Mine || todo.mine) && Group::of(todo, &read.today) == group;
            all.iter().filter(fits).cloned().collect::<Vec<_>>()
        })
    };
    let people = Memo::new(move |_| {
        read.with(|read| read.as_ref().map(|read| (read.people.clone(), read.me.clone()))).unwrap_or_default()
    });
    let empty = move || Group::ALL.into_iter().all(|group| listed(group).is_empty());
    view! {
        <Show when=move || read.with(Option::is_some)>
            <section class="section" aria-labelledby="todos">
                <Sections part=Part::Todos/>
                <h3 class="unseen" id="todos">"To-dos"</h3>
                <Add actions people/>
                {move || refused.get().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
                <nav class="segmented links" aria-label="Filter">
                    {Shown::ALL.into_iter().map(|(kind, href, label)| view! {
                        <a href=href aria-current=move || (shown.get() == kind).then_some("page")>
                            {label}
                            {move || (count(kind) > 0).then(|| view! { " "<span class="count">{count(kind)}</span> })}
                        </a>
                    }).collect_view()}
                </nav>
                {move || empty().then(|| nothing(shown.get()))}
                {Group::ALL.into_iter().map(|group| view! {
                    <Show when=move || !listed(group).is_empty()>
                        <section class="todo-group" aria-labelledby=group.id()>
                            <h4 id=group.id() class:bad=group == Group::Overdue>{group.title()}" "<span>{move || listed(group).len()}</span></h4>
                            <ul class="card">
                                <For each=move || listed(group) key=|todo| (todo.id, todo.version) let:todo>
                                    <Row todo group actions people/>
                                </For>
                            </ul>
                        </section>
                    </Show>
                }).collect_view()}
            </section>
        </Show>
    }
}

fn nothing(shown: Shown) -> impl IntoView {
    let (title, text) = match shown {
        Shown::Open => ("No open to-dos", "Add one above, or ask for it in a chat."),
        Shown::Mine => ("Nothing for you to do", "Open to-dos that are for you appear here."),
        Shown::Done => ("Nothing done yet", "To-dos that you mark as done appear here."),
    };
    view! { <Empty glyph=Glyph::LibraryBig title text/> }
}

/// Draws the form that adds a to-do. After Enter, the field stays and is empty again, ready for the next one.
#[component]
fn Add(actions: Actions, people: Memo<(Vec<adagent_contract::PersonRef>, String)>) -> impl IntoView {
    let (text, due) = (NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new());
    Effect::new(move |_| {
        if actions.add.value().get().is_some_and(|answer| settled(answer).is_ok()) {
            for field in [text, due] {
                if let Some(field) = field.get_untracked() {
                    field.set_value("");
                }
            }
        }
    });
    let pending = actions.add.pending();
    view! {
        <ActionForm action=actions.add attr:class="card todo-add">
            <input
                class="input" node_ref=text name="text" aria-label="New to-do" placeholder="New to-do" required=true autocomplete="off"
                maxlength=adagent_contract::MOST_TODO.to_string()
            />
            <input class="input" node_ref=due type="date" name="due" aria-label="Due date"/>
            {move || view! { <super::row::For people=people.get() chosen=Some(people.get().1) label="For"/> }}
            <button class="button primary" type="submit" aria-busy=move || pending.get().then_some("true")><Icon glyph=Glyph::Plus/>"Add"</button>
        </ActionForm>
    }
}
