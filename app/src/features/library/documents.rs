//! `/library/documents`: a folder, the results of a search, or the trash. It consists of links and forms, so that it works
//! without JavaScript.

use adagent_contract::{DocumentView, ROOT_FOLDER, TRASH_DAYS, WrittenView, folder_path};
use leptos::{ev::SubmitEvent, html, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_query_map},
};

use super::{
    sections::{Part, Sections},
    shelf::{address, name_of, way},
};
use crate::{
    clock::PageClock,
    features::{
        answers::Answers,
        api::{self, RestoreDocument, ShelfView},
        desk::{Topbar, encode},
        form::ActionForm,
    },
    ui::{Empty, Glyph, Icon, Loading, Unread, format},
};

/// What the address asks for: a folder, a search, or the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    folder: String,
    query: String,
    trash: bool,
}

#[component]
pub fn DocumentsPage() -> impl IntoView {
    let query = use_query_map();
    let asked = Memo::new(move |_| {
        let query = query.read();
        Asked {
            folder: folder_path(&query.get("folder").unwrap_or_default()).unwrap_or_else(|| ROOT_FOLDER.to_owned()),
            query: query.get("q").unwrap_or_default().trim().to_owned(),
            trash: query.get("show").as_deref() == Some("trash"),
        }
    });
    let answers = Answers::of_page();
    let Answers { changed, refused, .. } = answers;
    let restore = ServerAction::<RestoreDocument>::new();
    answers.hear(
        move || restore.value().get().map(|answer| answer.map(Ok)),
        |document: &DocumentView| format!("“{}” restored", document.title),
    );
    let list = Resource::new(
        move || (asked.get(), changed.get()),
        |(Asked { folder, query, trash }, _)| api::documents(folder, query, trash),
    );
    view! {
        <Topbar title="Library"/>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <div class="page-in">
                    <div class="page-head"><div class="grow">
                        <h2>"Library"</h2>
                        <p>"Documents that everyone in this workspace reads and changes. In a chat, say “Save this as a document.”"</p>
                    </div></div>
                    <section class="section" aria-labelledby="documents">
                        <Sections part=Part::Documents/>
                        <h3 class="unseen" id="documents">"Documents"</h3>
                        {move || view! { <Bar asked=asked.get()/> }}
                        {move || refused.get().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
                        <Transition fallback=|| view! { <Loading/> }>
                            {move || list.get().map(|read| match read {
                                Err(error) => view! { <Unread error again=Callback::new(move |()| list.refetch())/> }.into_any(),
                                Ok(read) => view! { <Shelf read asked=asked.get_untracked() restore/> }.into_any(),
                            })}
                        </Transition>
                    </section>
                </div>
            </main>
        </div>
    }
}

/// Shows the current folder, the search, and the button for a new document.
#[component]
fn Bar(asked: Asked) -> impl IntoView {
    let navigate = use_navigate();
    let field = NodeRef::<html::Input>::new();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(field) = field.get_untracked() else { return };
        let text = field.value();
        let there = match text.trim() {
            "" => "/library/documents".to_owned(),
            text => format!("/library/documents?q={}", encode(text)),
        };
        navigate(&there, NavigateOptions::default());
    };
    let fresh = if asked.folder == ROOT_FOLDER {
        "/library/documents/new".to_owned()
    } else {
        format!("/library/documents/new?folder={}", encode(&asked.folder))
    };
    let trash = if asked.trash {
        view! { <a class="button ghost" href="/library/documents"><Icon glyph=Glyph::ArrowLeft small=true/>"All documents"</a> }
    } else {
        view! { <a class="button ghost" href="/library/documents?show=trash"><Icon glyph=Glyph::Trash2 small=true/>"Trash"</a> }
    };
    let searching = !asked.query.is_empty();
    view! {
        <div class="row wrap doc-bar">
            <form class="row grow" method="get" action="/library/documents" role="search" aria-label="Documents" on:submit=submit>
                {crate::features::form::field()}
                <input
                    class="input" node_ref=field type="search" name="q" value=asked.query maxlength="200" autocomplete="off"
                    placeholder="Search documents" aria-label="Search documents"
                />
                <button class="button" type="submit"><Icon glyph=Glyph::Search small=true/>"Search"</button>
                {searching.then(|| view! { <a class="button ghost" href="/library/documents">"Clear"</a> })}
            </form>
            {trash}
            <a class="button primary" href=fresh><Icon glyph=Glyph::Plus/>"New document"</a>
        </div>
        {(asked.folder != ROOT_FOLDER && !asked.trash && !searching).then(|| view! { <Crumbs folder=asked.folder.clone()/> })}
        {asked.trash.then(|| view! {
            <p class="quiet-text">{format!("Deleted documents stay here for {TRASH_DAYS} days.")}</p>
        })}
    }
}

/// Shows the current folder, with links to the folders above it.
#[component]
fn Crumbs(folder: String) -> impl IntoView {
    let mut steps = way(&folder);
    let here = steps.pop().map(|(_, name)| name);
    view! {
        <nav class="doc-crumbs" aria-label="Folder">
            <a href="/library/documents">"Documents"</a>
            {steps.into_iter().map(|(path, name)| view! { <Icon glyph=Glyph::ChevronRight small=true/><a href=address(&path)>{name}</a> }).collect_view()}
            <Icon glyph=Glyph::ChevronRight small=true/><b aria-current="page">{here}</b>
        </nav>
    }
}

#[component]
fn Shelf(read: ShelfView, asked: Asked, restore: ServerAction<RestoreDocument>) -> impl IntoView {
    let ShelfView { folders, documents } = read;
    if folders.is_empty() && documents.is_empty() {
        return nothing(&asked).into_any();
    }
    let searching = !asked.query.is_empty();
    let found = (searching).then(|| {
        let count = format::plural(documents.len(), "document", "documents");
        view! { <p class="quiet-text" role="status">{count}</p> }
    });
    let shown = (searching || asked.trash).then_some(());
    let rows = documents.into_iter().map(|document| {
        if asked.trash {
            view! { <Trashed document restore/> }.into_any()
        } else {
            view! { <Row document with_folder=shown.is_some()/> }.into_any()
        }
    });
    view! {
        {found}
        <ul class="card docs">
            {folders.into_iter().map(|(folder, count)| view! { <Folder folder count/> }).collect_view()}
            {rows.collect_view()}
        </ul>
    }
    .into_any()
}

fn nothing(asked: &Asked) -> impl IntoView {
    let (glyph, title, text) = if asked.trash {
        (Glyph::Trash2, "The trash is empty", "Documents that you delete appear here.")
    } else if !asked.query.is_empty() {
        (Glyph::Search, "No documents found", "Try fewer or other words. The last word may be the beginning of one.")
    } else if asked.folder == ROOT_FOLDER {
        (Glyph::FileText, "No documents yet", "Write one, or save an answer in a chat: “Save this as a document.”")
    } else {
        (Glyph::Folder, "This folder is empty", "A folder exists while a document is in it.")
    };
    view! { <Empty glyph title text/> }
}

#[component]
fn Folder(folder: String, count: usize) -> impl IntoView {
    view! {
        <li class="doc-row">
            <Icon glyph=Glyph::Folder/>
            <div class="grow"><a href=address(&folder)>{name_of(&folder).to_owned()}</a></div>
            <span class="facts"><span>{format::plural(count, "document", "documents")}</span></span>
        </li>
    }
}

/// Shows who wrote the newest version, and when.
#[component]
pub fn Written(written: WrittenView) -> impl IntoView {
    let clock = PageClock::get();
    let WrittenView { by, agent, at, .. } = written;
    view! {
        {agent.map(|agent| view! { <span>{format!("@{agent}")}</span> })}
        <span>{by}</span>
        <span><time datetime=at.to_string()>{move || clock.ago(at)}</time></span>
    }
}

#[component]
fn Row(document: DocumentView, with_folder: bool) -> impl IntoView {
    let DocumentView { id, title, folder, written, snippet, .. } = document;
    let folder = (with_folder && folder != ROOT_FOLDER).then_some(folder);
    view! {
        <li class="doc-row">
            <Icon glyph=Glyph::FileText/>
            <div class="grow">
                <a href=format!("/library/documents/{id}")>{title}</a>
                {snippet.filter(|text| !text.is_empty()).map(|text| view! { <p class="doc-snippet">{text}</p> })}
            </div>
            <span class="facts">{folder.map(|folder| view! { <span>{folder}</span> })}<Written written/></span>
        </li>
    }
}

#[component]
fn Trashed(document: DocumentView, restore: ServerAction<RestoreDocument>) -> impl IntoView {
    let clock = PageClock::get();
    let DocumentView { id, title, trashed_at, .. } = document;
    let label = format!("Restore {title}");
    let until = trashed_at.map(|at| at.plus_seconds(TRASH_DAYS * 24 * 60 * 60));
    view! {
        <li class="doc-row">
            <Icon glyph=Glyph::FileText/>
            <div class="grow"><a href=format!("/library/documents/{id}")>{title}</a></div>
            <span class="facts">
                {trashed_at.map(|at| view! { <span>{move || format!("Deleted {}", clock.ago(at))}</span> })}
                {until.map(|at| view! { <span>{move || format!("gone on {}", clock.date(at))}</span> })}
            </span>
            <ActionForm action=restore>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button small" type="submit" aria-label=label><Icon glyph=Glyph::Undo2 small=true/>"Restore"</button>
            </ActionForm>
        </li>
    }
}
