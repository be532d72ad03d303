//! Documents of the workspace: list, search, read, create, change, move and delete them. Everyone in the workspace sees them.

mod create;
mod delete;
mod list;
mod read;
mod relocate;
mod rows;
mod search;
mod update;

use adagent_contract::{EntityOption, FieldHint, MOST_DOCUMENT, MOST_DOCUMENT_TITLE, MOST_FOLDER, Widget, folder_path};
use adagent_domain::DocumentId;
use adagent_store::{Document, NewVersion};
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    desk::{Desk, unreadable},
    tool::{issue, minute_of, object},
};

pub(crate) use self::{
    create::CreateDocument, delete::DeleteDocument, list::ListDocuments, read::ReadDocument, relocate::MoveDocument,
    search::SearchDocuments, update::UpdateDocument,
};

const DELETE: &str = "delete_document";
/// The most candidates that the answer to a wrong ID offers.
const MOST_CANDIDATES: u32 = 50;
/// The key of the options that name documents in a form.
const NAMED: &str = "document";

#[derive(Deserialize)]
struct Which {
    id: DocumentId,
}

/// Returns a document that is not in the trash.
async fn find(desk: &Desk, scope: &CallScope, id: DocumentId) -> Result<Document, ToolError> {
    let found = desk.store.find_document(scope.workspace, id).await.map_err(unreadable)?;
    found.filter(|document| document.trashed_at.is_none()).ok_or_else(gone)
}

/// Returns the text of a version.
async fn text_of(desk: &Desk, scope: &CallScope, id: DocumentId, version: i64) -> Result<String, ToolError> {
    let found = desk.store.find_document_version(scope.workspace, id, version).await.map_err(unreadable)?;
    found.map(|(_, text)| text).ok_or_else(gone)
}

/// Returns the version that a call writes in the person's name.
fn version(desk: &Desk, scope: &CallScope, (title, folder, text): (&str, String, String)) -> NewVersion {
    NewVersion {
        title: title.trim().to_owned(),
        folder,
        text,
        by: scope.user,
        agent: scope.grants.handle().filter(|handle| !handle.is_empty()).map(str::to_owned),
        call: Some(scope.call),
        at: desk.clock.now(),
    }
}

/// Returns a document as results show it.
fn shown(document: &Document, zone: &TimeZone) -> Json {
    let mut item = json!({
        "id": document.id,
        "title": document.title,
        "folder": document.folder,
        "version": document.version,
        "written_by": document.written.by_name,
        "changed": minute_of(document.written.at, zone),
        "path": format!("/library/documents/{}", document.id),
    });
    if let Some(agent) = &document.written.agent {
        item["agent"] = json!(agent);
    }
    item
}

fn wrong(issue: GroundingIssue) -> ToolError {
    ToolError::invalid(issue.message, Vec::new())
}

fn folder_of(folder: &str) -> Result<String, GroundingIssue> {
    folder_path(folder).ok_or_else(|| issue("/folder", "Name a folder such as /floors/2026."))
}

fn checked_text(pointer: &str, text: &str) -> Option<GroundingIssue> {
    let length = text.len();
    (length > MOST_DOCUMENT)
        .then(|| issue(pointer, format!("The text has {length} bytes; a document has {MOST_DOCUMENT} at most.")))
}

/// Returns the schema of a property that several calls take.
fn property(name: &str) -> Json {
    match name {
        "title" => {
            json!({"type": "string", "minLength": 1, "maxLength": MOST_DOCUMENT_TITLE, "pattern": r"\S", "description": "What it is called."})
        }
        "folder" => {
            json!({"type": "string", "maxLength": MOST_FOLDER, "description": "The folder as a path, such as /floors/2026; / for none."})
        }
        _ => {
            json!({"type": "string", "format": "uuid", "description": "The document; list_documents and search_documents give its ID."})
        }
    }
}

fn field(pointer: &str, label: &str, most: usize) -> FieldHint {
    FieldHint {
        pointer: pointer.into(),
        label: label.into(),
        widget: Widget::Text,
        max_length: Some(most as u64),
        ..FieldHint::default()
    }
}

/// Returns the read-only field that shows which document a form is about.
fn fixed(document: &Document) -> (FieldHint, Vec<(String, Vec<EntityOption>)>) {
    let named = EntityOption {
        id: document.id.to_string(),
        name: document.title.clone(),
        parent: None,
        detail: None,
        network: None,
    };
    let hint = FieldHint {
        pointer: "/id".into(),
        label: "Document".into(),
        widget: Widget::ReadOnly,
        options: Some(NAMED.into()),
        ..FieldHint::default()
    };
    (hint, vec![(NAMED.into(), vec![named])])
}

/// Returns what is wrong with an ID, with the documents written last as candidates.
async fn known(desk: &Desk, scope: &CallScope, id: DocumentId) -> Result<Vec<GroundingIssue>, ToolError> {
    if find(desk, scope, id).await.is_ok() {
        return Ok(Vec::new());
    }
    let all = desk.store.list_documents(scope.workspace, false, MOST_CANDIDATES).await.map_err(unreadable)?;
    Ok(vec![GroundingIssue {
        pointer: "/id".into(),
        message: "This workspace has no document with this ID.".into(),
        candidates: all.into_iter().map(|document| (document.id.to_string(), document.title)).collect(),
    }])
}

fn gone() -> ToolError {
    ToolError::new(ToolErrorClass::Deterministic, "NOT_FOUND", "This workspace has no document with this ID.")
        .guide("list_documents and search_documents give the IDs.")
}

/// Checks whether this call wrote a version. A call writes one version at most.
async fn wrote(desk: &Desk, scope: &CallScope, verb: &str) -> Result<ProbeOutcome, ToolError> {
    let of_call = desk.store.find_version_of_call(scope.workspace, scope.call).await.map_err(unreadable)?;
    let Some((id, _)) = of_call else {
        return Ok(ProbeOutcome::DidNotHappen { looked_at: "the versions of the document".into() });
    };
    let document = desk.store.find_document(scope.workspace, id).await.map_err(unreadable)?.ok_or_else(gone)?;
    let (zone, _) = desk.zone(scope.workspace).await?;
    Ok(ProbeOutcome::Happened {
        result: object(&shown(&document, &zone)),
        summary: format!("{verb} “{}”", document.title),
    })
}
