//! Documents of a workspace: reads a folder or one document, and saves, deletes and restores documents.

use adagent_contract::{DocumentVersionView, DocumentView, Problem};
use adagent_domain::DocumentId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ApiError, Told};

/// What the page of all documents shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShelfView {
    /// The folders in the shown folder, each with its number of documents.
    pub folders: Vec<(String, usize)>,
    pub documents: Vec<DocumentView>,
}

/// What the page of one document shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPage {
    pub document: DocumentView,
    /// The newest version comes first.
    pub versions: Vec<DocumentVersionView>,
    /// The version to compare with the newest one.
    pub compared: Option<DocumentVersionView>,
}

/// Returns a folder, the results of a search, or the trash.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "documents", client = super::DeskClient)]
pub async fn documents(
    #[server(default)] folder: String,
    #[server(default)] query: String,
    #[server(default)] trash: bool,
) -> Result<ShelfView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    if trash {
        let documents = service.trashed_documents(&actor).await.map_err(server::fail)?;
        return Ok(ShelfView { folders: Vec::new(), documents });
    }
    if !query.trim().is_empty() {
        let documents = service.find_documents(&actor, &query).await.map_err(server::fail)?;
        return Ok(ShelfView { folders: Vec::new(), documents });
    }
    let all = service.documents(&actor, Some(&folder)).await.map_err(server::fail)?;
    let folder = adagent_contract::folder_path(&folder).unwrap_or_default();
    let (folders, documents) = crate::features::library::shelf(all, &folder);
    Ok(ShelfView { folders, documents })
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "document", client = super::DeskClient)]
pub async fn document(id: DocumentId, #[server(default)] compare: Option<i64>) -> Result<DocumentPage, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let document = service.document(&actor, id).await.map_err(server::fail)?;
    let versions = service.document_versions(&actor, id).await.map_err(server::fail)?;
    let compared = match compare {
        Some(number) => Some(service.document_version(&actor, id, number).await.map_err(server::fail)?),
        None => None,
    };
    Ok(DocumentPage { document, versions, compared })
}

/// The form of a document, as a page posts it with and without JavaScript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentForm {
    /// `None` for a new document.
    #[serde(default)]
    pub id: Option<DocumentId>,
    /// The version that the form was filled from.
    #[serde(default)]
    pub version: i64,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub folder: String,
    #[serde(default)]
    pub text: String,
}

/// A form that was posted to a document's page and refused. The server passes it to the page that it renders as the answer, so
/// that a person without JavaScript loses nothing they typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentPosted {
    pub form: DocumentForm,
    pub problem: Problem,
}

impl DocumentForm {
    /// Creates a document, or writes its next version.
    #[cfg(feature = "ssr")]
    pub async fn save(
        self,
        service: &adagent_service::Service,
        actor: &adagent_domain::Granted<adagent_domain::rights::EditLibrary>,
    ) -> Result<DocumentView, adagent_service::ServiceError> {
        let Self { id, version, title, folder, text } = self;
        let document = adagent_contract::DocumentDraft { title, folder, text };
        match id {
            None => service.create_document(actor, &document).await,
            Some(id) => {
                let update = adagent_contract::DocumentUpdate { version, document };
                // The form has no part named `document`, so drop that prefix from the pointers of its errors.
                service.update_document(actor, id, &update).await.map_err(|error| match error {
                    adagent_service::ServiceError::Validation(errors) => {
                        let bare = errors.into_iter().map(|error| adagent_contract::FieldError {
                            pointer: error.pointer.trim_start_matches("/document").to_owned(),
                            ..error
                        });
                        adagent_service::ServiceError::Validation(bare.collect())
                    }
                    other => other,
                })
            }
        }
    }
}

/// Creates a document, or writes its next version. An error at a field is a normal answer.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "save-document", client = super::DeskClient)]
pub async fn save_document(
    #[server(default)] id: Option<DocumentId>,
    #[server(default)] version: i64,
    title: String,
    #[server(default)] folder: String,
    #[server(default)] text: String,
) -> Result<Told<DocumentView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let form = DocumentForm { id, version, title, folder, text };
    match form.save(&service, &server::granted(&actor)?).await {
        Ok(saved) => {
            server::redirect(&format!("/library/documents/{}", saved.id));
            Ok(Ok(saved))
        }
        Err(error) => server::told_at(error),
    }
}

/// Saves an earlier version again, as the newest one.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "restore-version", client = super::DeskClient)]
pub async fn restore_version(id: DocumentId, number: i64) -> Result<Told<DocumentView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    match service.restore_version(&server::granted(&actor)?, id, number).await {
        Ok(saved) => {
            server::redirect(&format!("/library/documents/{id}"));
            Ok(Ok(saved))
        }
        Err(error) => server::told_at(error),
    }
}

/// Moves a document to the trash.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-document", client = super::DeskClient)]
pub async fn delete_document(id: DocumentId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.delete_document(&server::granted(&actor)?, id).await.map_err(server::fail)?;
    server::redirect("/library/documents");
    Ok(())
}

/// Takes a document out of the trash.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "restore-document", client = super::DeskClient)]
pub async fn restore_document(id: DocumentId) -> Result<DocumentView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let restored = service.restore_document(&server::granted(&actor)?, id).await.map_err(server::fail)?;
    server::redirect(&format!("/library/documents/{id}"));
    Ok(restored)
}
