//! Documents of a workspace.

use adagent_contract::{DocumentDraft, DocumentUpdate, DocumentVersionView, DocumentView, Page};
use adagent_domain::DocumentId;
use axum::{Json, extract::State, http::StatusCode};
use serde_json::json;

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Deciding, Id, Ids2, Json as Body, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "library";
const ALL: &str = "/api/documents";
const ONE: &str = "/api/documents/{id}";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(ALL, "list_documents", TAG, "Documents without their texts, those written last first")
                .query("folder", "string", "Only those in this folder, such as `/floors`, and in folders below it")
                .query(
                    "query",
                    "string",
                    "Those with all of these words, of which the last may be the beginning of a word, with a snippet",
                )
                .query("trash", "boolean", "Those in the trash")
                .json(200, "DocumentList"),
            list,
        ),
        Route::new(
            Operation::post(ALL, "create_document", TAG, "Create a document")
                .body("DocumentDraft")
                .json(201, "Document"),
            create,
        ),
        Route::new(
            Operation::get(ONE, "get_document", TAG, "A document with its text, also from the trash")
                .id("id")
                .json(200, "Document"),
            read,
        ),
        Route::new(
            Operation::put(
                ONE,
                "put_document",
                TAG,
                "Save a new version; a save from an older version is refused with what changed",
            )
            .id("id")
            .body("DocumentUpdate")
            .json(200, "Document"),
            update,
        ),
        Route::new(
            Operation::delete(ONE, "delete_document", TAG, "Put a document into the trash").id("id").empty(204),
            delete,
        ),
        Route::new(
            Operation::post("/api/documents/{id}/restore", "restore_document", TAG, "Take a document out of the trash")
                .id("id")
                .json(200, "Document"),
            restore,
        ),
        Route::new(
            Operation::get(
                "/api/documents/{id}/versions",
                "list_document_versions",
                TAG,
                "The versions that are kept, newest first",
            )
            .id("id")
            .json(200, "DocumentVersionList"),
            versions,
        ),
        Route::new(
            Operation::get(
                "/api/documents/{id}/versions/{number}",
                "get_document_version",
                TAG,
                "A version with its text",
            )
            .id("id")
            .described(json!({
                "name": "number", "in": "path", "required": true, "description": "Which version, from 1",
                "schema": {"type": "integer", "minimum": 1}
            }))
            .json(200, "DocumentVersion"),
            version,
        ),
    ]
}

async fn list(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    query: Query,
) -> ApiResult<Json<Page<DocumentView>>> {
    let found = if let Some(words) = query.text("query") {
        state.service.find_documents(&actor, &words).await?
    } else if query.flag("trash")? {
        state.service.trashed_documents(&actor).await?
    } else {
        state.service.documents(&actor, query.text("folder").as_deref()).await?
    };
    Ok(Json(Page::last(found)))
}

async fn read(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<DocumentId>,
) -> ApiResult<Json<DocumentView>> {
    Ok(Json(state.service.document(&actor, id).await?))
}

async fn create(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Body(draft): Body<DocumentDraft>,
) -> ApiResult<(StatusCode, Json<DocumentView>)> {
    Ok((StatusCode::CREATED, Json(state.service.create_document(&actor.grant()?, &draft).await?)))
}

async fn update(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<DocumentId>,
    Body(update): Body<DocumentUpdate>,
) -> ApiResult<Json<DocumentView>> {
    Ok(Json(state.service.update_document(&actor.grant()?, id, &update).await?))
}

async fn delete(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<DocumentId>,
) -> ApiResult<StatusCode> {
    state.service.delete_document(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn restore(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<DocumentId>,
) -> ApiResult<Json<DocumentView>> {
    Ok(Json(state.service.restore_document(&actor.grant()?, id).await?))
}

async fn versions(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<DocumentId>,
) -> ApiResult<Json<Page<DocumentVersionView>>> {
    Ok(Json(Page::last(state.service.document_versions(&actor, id).await?)))
}

async fn version(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Ids2(id, number): Ids2<DocumentId, i64>,
) -> ApiResult<Json<DocumentVersionView>> {
    Ok(Json(state.service.document_version(&actor, id, number).await?))
}
