//! `/library/documents/new` and `/library/documents/{id}`: one document to read, to edit (`?edit`), or compared with an earlier
//! version (`?compare=3`).

use adagent_contract::{DocumentView, ROOT_FOLDER, TRASH_DAYS};
use adagent_domain::DocumentId;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    compare::Compare,
    editor::{Begin, Editor},
    versions::Versions,
};
use crate::{
    clock::PageClock,
    features::{
        api::{
            self, ApiError, DeleteDocument, DocumentPage as Opened, DocumentPosted, RestoreDocument, RestoreVersion,
            SaveDocument, settled,
        },
        desk::Topbar,
        form::ActionForm,
        library::{Written, address, way},
    },
    markdown::Markdown,
    shell::NotFoundPage,
    ui::{Confirm, Glyph, Icon, Loading, Toasts, Unread},
};

const NEW: &str = "new";

/// The document that the address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    New,
    One(DocumentId),
    Nothing,
}

/// How the page shows the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Read,
    Edit,
    Compare(i64),
}

/// Returns the refused form that was posted to this page. Only the server that answers the post knows it.
fn given() -> Option<DocumentPosted> {
    #[cfg(feature = "ssr")]
    return use_context::<DocumentPosted>();
    #[cfg(not(feature = "ssr"))]
    None
}

async fn open(named: Named, mode: Mode) -> Result<Option<Opened>, ApiError> {
    let compared = if let Mode::Compare(number) = mode { Some(number) } else { None };
    match named {
        Named::One(id) => api::document(id, compared).await.map(Some),
        Named::New | Named::Nothing => Ok(None),
    }
}

/// The actions of the page on its document.
#[derive(Clone, Copy)]
struct Actions {
    save: ServerAction<SaveDocument>,
    version: ServerAction<RestoreVersion>,
    delete: ServerAction<DeleteDocument>,
    restore: ServerAction<RestoreDocument>,
}

#[component]
pub fn DocumentPage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let named = Memo::new(move |_| match params.read().get("id").unwrap_or_default().as_str() {
        NEW => Named::New,
        id => id.parse().map_or(Named::Nothing, Named::One),
    });
    let mode = Memo::new(move |_| {
        let query = query.read();
        match query.get("compare").and_then(|number| number.parse().ok()) {
            Some(number) => Mode::Compare(number),
            None if query.get("edit").is_some() => Mode::Edit,
            None => Mode::Read,
        }
    });
    let folder = Memo::new(move |_| query.read().get("folder").unwrap_or_default());
    let actions = Actions {
        save: ServerAction::new(),
        version: ServerAction::new(),
        delete: ServerAction::new(),
        restore: ServerAction::new(),
    };
    let changed = RwSignal::new(0_u32);
    let page = Resource::new(move || (named.get(), mode.get(), changed.get()), |(named, mode, _)| open(named, mode));
    let posted = Resource::new_blocking(|| (), |()| std::future::ready(given()));
    heard(actions, changed);
    let shown = move || {
        let read = page.get()?;
        Some(match (named.get(), read) {
            (Named::Nothing, _) => view! { <NotFoundPage/> }.into_any(),
            (_, Err(error)) if error.is_not_found() => view! { <NotFoundPage/> }.into_any(),
            (_, Err(error)) => {
                view! { <div class="page-in"><Unread error again=Callback::new(move |()| page.refetch())/></div> }
                    .into_any()
            }
            (_, Ok(_)) => ().into_any(),
        })
    };
    view! {
        <Transition fallback=|| view! { <Topbar title="Document"/> }><Bar page/></Transition>
        <div class="split">
            <main id="main" class="page" tabindex="-1">
                <Transition fallback=|| view! { <Loading/> }>
                    {shown}
                    <Whole named mode folder page posted actions/>
                </Transition>
            </main>
        </div>
    }
}

/// Draws the bar. It is drawn again only when the title changes.
#[component]
fn Bar(page: Resource<Result<Option<Opened>, ApiError>>) -> impl IntoView {
    let title = Memo::new(move |_| {
        Some(match page.get()? {
            Ok(Some(read)) => read.document.title,
            Ok(None) => "New document".to_owned(),
            Err(_) => "Document".to_owned(),
        })
    });
    move || title.get().map(|title| view! { <Topbar title/> })
}

/// Shows the results of the actions, and loads the document again.
fn heard(actions: Actions, changed: RwSignal<u32>) {
    let toasts = Toasts::get();
    let again = move || changed.update(|count| *count += 1);
    Effect::new(move |_| match actions.save.value().get().map(settled) {
        Some(Ok(view)) => {
            let said = if view.version == 1 {
                "Document created".to_owned()
            } else {
                format!("Saved as version {}", view.version)
            };
            toasts.say(said);
            again();
        }
        // Somebody else may have saved a version first. Load it, and the form then continues from that version.
        Some(Err(_)) => again(),
        None => {}
    });
    Effect::new(move |_| match actions.version.value().get().map(settled) {
        Some(Ok(view)) => {
            toasts.say(format!("Restored as version {}", view.version));
            again();
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    Effect::new(move |_| match actions.restore.value().get() {
        Some(Ok(_)) => {
            toasts.say("Document restored");
            again();
        }
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
    Effect::new(move |_| match actions.delete.value().get() {
        Some(Ok(())) => toasts.say("Moved to the trash"),
        Some(Err(error)) => toasts.complain(error.0.detail),
        None => {}
    });
}

/// Draws the content. It is inside the `Transition`, because the server does not wait for resources that are read outside of one.
#[component]
fn Whole(
    named: Memo<Named>,
    mode: Memo<Mode>,
    folder: Memo<String>,
    page: Resource<Result<Option<Opened>, ApiError>>,
    posted: Resource<Option<DocumentPosted>>,
    actions: Actions,
) -> impl IntoView {
    let read = Memo::new(move |_| page.get().and_then(Result::ok).flatten());
    let is_posted = move || posted.get().flatten().is_some();
    // While the person edits, keep the form as it was drawn, even if the document is loaded again.
    let begin = Memo::new(move |before: Option<&Option<Begin>>| {
        let posted = posted.get()?;
        let wanted = match named.get() {
            Named::New => None,
            Named::One(id) if mode.get() == Mode::Edit || posted.is_some() => Some(id),
            Named::One(_) | Named::Nothing => return None,
        };
        if let Some(Some(before)) = before
            && before.id == wanted
        {
            return Some(before.clone());
        }
        if let Some(DocumentPosted { form, .. }) = posted {
            return Some(Begin { id: wanted, title: form.title, folder: form.folder, text: form.text });
        }
        match wanted {
            None => Some(Begin { id: None, title: String::new(), folder: folder.get(), text: String::new() }),
            Some(id) => {
                let DocumentView { title, folder, text, .. } =
                    read.get().filter(|read| read.document.id == id)?.document;
                let folder = if folder == ROOT_FOLDER { String::new() } else { folder };
                Some(Begin { id: Some(id), title, folder, text: text.unwrap_or_default() })
            }
        }
    });
    let version = Signal::derive(move || read.with(|read| read.as_ref().map_or(0, |read| read.document.version)));
    let refused = Signal::derive(move || match actions.save.value().get() {
        Some(answer) => settled(answer).err(),
        None => posted.get().flatten().map(|posted| ApiError(Box::new(posted.problem))),
    });
    let editor = move || {
        begin.get().map(|begin| {
            let head = if begin.id.is_some() { "Edit document" } else { "New document" };
            view! {
                <div class="page-in wide">
                    <div class="page-head"><div class="grow"><h2>{head}</h2></div></div>
                    <Editor begin save=actions.save version refused/>
                </div>
            }
        })
    };
    let reader = move || {
        (mode.get() != Mode::Edit && !is_posted())
            .then(|| read.get())
            .flatten()
            .map(|read| view! { <Reader read actions comparing=matches!(mode.get(), Mode::Compare(_))/> })
    };
    view! {
        {editor}
        {reader}
    }
}

#[component]
fn Reader(read: Opened, actions: Actions, comparing: bool) -> impl IntoView {
    let Opened { document, versions, compared } = read;
    let text = document.text.clone().unwrap_or_default();
    let is_trashed = document.trashed_at.is_some();
    let id = document.id;
    let body = match compared {
        Some(compared) if comparing => view! { <Compare document=document.clone() compared/> }.into_any(),
        _ if text.trim().is_empty() => view! { <p class="quiet-text">"This document is empty."</p> }.into_any(),
        _ => view! { <article class="prose doc-text" aria-labelledby="doc-name"><Markdown text=text/></article> }
            .into_any(),
    };
    view! {
        <div class="page-in doc-page">
            <Head document=document.clone() actions/>
            {is_trashed.then(|| view! { <InTrash document=document.clone() actions/> })}
            {comparing.then(|| view! { <p><a class="button small" href=format!("/library/documents/{id}")><Icon glyph=Glyph::ArrowLeft small=true/>"Back to the document"</a></p> })}
            {body}
            <Versions document versions restore=actions.version open=comparing/>
        </div>
    }
}

#[component]
fn Head(document: DocumentView, actions: Actions) -> impl IntoView {
    let DocumentView { id, title, folder, version, written, trashed_at, .. } = document;
    let run = written.run;
    let steps = way(&folder);
    let can_change = trashed_at.is_none();
    let delete = actions.delete;
    let (name, to_delete) = (title.clone(), id.to_string());
    view! {
        <div class="page-head doc-head">
            <div class="grow">
                <nav class="doc-crumbs" aria-label="Folder">
                    <a href="/library/documents">"Documents"</a>
                    {steps.into_iter().map(|(path, name)| view! { <Icon glyph=Glyph::ChevronRight small=true/><a href=address(&path)>{name}</a> }).collect_view()}
                </nav>
                <h2 id="doc-name">{title}</h2>
                <p class="facts">
                    <span>{format!("Version {version}")}</span>
                    <Written written/>
                    {run.map(|run| view! { <span><a class="link" href=format!("/runs/{run}")>"Open its run"</a></span> })}
                </p>
            </div>
            {can_change.then(|| view! {
                <div class="row">
                    <a class="button" href=format!("/library/documents/{id}?edit=1")><Icon glyph=Glyph::Pencil/>"Edit"</a>
                    <button class="button ghost icon-only" type="button" popovertarget="document-options" aria-label="Document options"><Icon glyph=Glyph::Ellipsis/></button>
                    <div class="menu end" id="document-options" popover="auto">
                        <button class="menu-item bad" type="button" popovertarget="delete-document"><Icon glyph=Glyph::Trash2/>"Delete…"</button>
                    </div>
                    <Confirm
                        id="delete-document" menu="document-options" title=format!("Delete “{name}”?")
                        text=format!("It stays in the trash for {TRASH_DAYS} days, where you can restore it.")
                    >
                        <ActionForm action=delete>
                            <input type="hidden" name="id" value=to_delete.clone()/>
                            <button class="button danger" type="submit" aria-busy=move || delete.pending().get().then_some("true")>"Delete"</button>
                        </ActionForm>
                    </Confirm>
                </div>
            })}
        </div>
    }
}

#[component]
fn InTrash(document: DocumentView, actions: Actions) -> impl IntoView {
    let clock = PageClock::get();
    let until = document.trashed_at.map(|at| at.plus_seconds(TRASH_DAYS * 24 * 60 * 60));
    let restore = actions.restore;
    view! {
        <div class="note">
            <Icon glyph=Glyph::Trash2/>
            <p class="grow">{move || until.map(|at| format!("In the trash. We delete it for good on {}.", clock.date(at)))}</p>
            <ActionForm action=restore>
                <input type="hidden" name="id" value=document.id.to_string()/>
                <button class="button small" type="submit"><Icon glyph=Glyph::Undo2 small=true/>"Restore"</button>
            </ActionForm>
        </div>
    }
}
