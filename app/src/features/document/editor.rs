//! The form of a document. It works without JavaScript: the server then answers with the page, which holds what the person wrote.

use adagent_contract::{MOST_DOCUMENT, MOST_DOCUMENT_TITLE, MOST_FOLDER};
use adagent_domain::DocumentId;
use leptos::{ev::SubmitEvent, form::FromFormData as _, prelude::*};

use crate::{
    features::{
        api::{ApiError, SaveDocument},
        form,
    },
    markdown::Markdown,
    ui::{ErrorLine, Glyph, Icon, described_by, raw_text},
};

/// The largest text, in bytes, that we draw as a preview while the person types. A longer one would make typing slow.
const MOST_PREVIEW: usize = 40_000;

/// The values that the form begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    /// `None` for a new document.
    pub id: Option<DocumentId>,
    pub title: String,
    pub folder: String,
    pub text: String,
}

fn wrong_at(refused: Signal<Option<ApiError>>, pointer: &'static str) -> Signal<Option<String>> {
    Signal::derive(move || {
        let error = refused.get()?;
        error.0.errors.iter().find(|field| field.pointer == pointer).map(|field| field.message.clone())
    })
}

#[component]
pub fn Editor(
    begin: Begin,
    save: ServerAction<SaveDocument>,
    /// The version that a save replaces: the newest one that the person could see.
    version: Signal<i64>,
    refused: Signal<Option<ApiError>>,
) -> impl IntoView {
    let Begin { id, title, folder, text } = begin;
    let path = id.map_or_else(|| "/library/documents/new".to_owned(), |id| format!("/library/documents/{id}"));
    let back = id.map_or_else(|| "/library/documents".to_owned(), |id| format!("/library/documents/{id}"));
    let send = move |event: SubmitEvent| {
        // If the form cannot be read, the browser posts it, as it does without JavaScript.
        if let Ok(form) = SaveDocument::from_event(&event) {
            event.prevent_default();
            save.dispatch(form);
        }
    };
    let (title_wrong, folder_wrong, text_wrong) =
        (wrong_at(refused, "/title"), wrong_at(refused, "/folder"), wrong_at(refused, "/text"));
    // If somebody else saved in the meantime, the person can look at that version before they replace it.
    let besides = move || {
        let error = refused.get()?;
        let newer = error.0.code == adagent_contract::codes::CONFLICT;
        let look = id.filter(|_| newer).map(|id| {
            view! { <a class="button small" href=format!("/library/documents/{id}") target="_blank" rel="noopener">"See the newest version"</a> }
        });
        error.0.errors.is_empty().then(|| {
            view! { <div class="note wait" role="alert"><Icon glyph=Glyph::TriangleAlert/><p class="grow">{error.0.detail}</p>{look}</div> }
        })
    };
    let pending = save.pending();
    let typed = RwSignal::new(text.clone());
    // Without JavaScript, the preview would never change, so show it only after hydration.
    let alive = RwSignal::new(false);
    Effect::new(move |_| alive.set(true));
    let preview = move || {
        alive.get().then(|| {
            let too_long = Memo::new(move |_| typed.with(|text| text.len() > MOST_PREVIEW));
            view! {
                <section class="doc-preview" aria-label="Preview" tabindex="0">
                    <p class="label">"Preview"</p>
                    {move || if too_long.get() {
                        view! { <p class="quiet-text">"This text is too long for a preview."</p> }.into_any()
                    } else {
                        view! { <div class="prose"><Markdown text=typed/></div> }.into_any()
                    }}
                </section>
            }
        })
    };
    view! {
        <form class="doc-editor" action=form::here(&path) method="post" novalidate=true on:submit=send>
            {besides}
            {id.map(|id| view! { <input type="hidden" name="id" value=id.to_string()/> })}
            <input type="hidden" name="version" value=move || version.get().to_string() prop:value=move || version.get().to_string()/>
            <div class="doc-fields">
                <div class="field">
                    <label for="doc-title">"Title"</label>
                    <input
                        class="input" id="doc-title" name="title" value=title maxlength=MOST_DOCUMENT_TITLE.to_string() autocomplete="off" required=true
                        aria-invalid=move || title_wrong.with(Option::is_some).then_some("true")
                        aria-describedby=move || described_by("doc-title", false, title_wrong.with(Option::is_some))
                    />
                    {move || title_wrong.get().map(|text| view! { <ErrorLine text id="doc-title-e"/> })}
                </div>
                <div class="field">
                    <label for="doc-folder">"Folder "<span class="optional">"optional"</span></label>
                    <input
                        class="input" id="doc-folder" name="folder" value=folder maxlength=MOST_FOLDER.to_string() autocomplete="off" placeholder="/floors/2026"
                        aria-invalid=move || folder_wrong.with(Option::is_some).then_some("true")
                        aria-describedby=move || described_by("doc-folder", false, folder_wrong.with(Option::is_some))
                    />
                    {move || folder_wrong.get().map(|text| view! { <ErrorLine text id="doc-folder-e"/> })}
                </div>
            </div>
            <div class="doc-sides">
            <div class="field">
                <label for="doc-text">"Text"</label>
                <textarea
                    on:input=move |event| typed.set(event_target_value(&event))
                    class="textarea" id="doc-text" name="text" rows="22" maxlength=MOST_DOCUMENT.to_string()
                    aria-invalid=move || text_wrong.with(Option::is_some).then_some("true")
                    aria-describedby=move || described_by("doc-text", true, text_wrong.with(Option::is_some))
                >{raw_text(text)}</textarea>
                {move || text_wrong.get().map(|text| view! { <ErrorLine text id="doc-text-e"/> })}
                <p class="hint" id="doc-text-h">"Markdown: # for headings, - for lists, **bold**, [text](https://…) for links."</p>
            </div>
            {preview}
            </div>
            <div class="row">
                <button class="button primary" type="submit" aria-busy=move || pending.get().then_some("true")>
                    {move || if id.is_some() { format!("Save as version {}", version.get() + 1) } else { "Create document".to_owned() }}
                </button>
                <a class="button ghost" href=back>"Cancel"</a>
            </div>
        </form>
    }
}
