//! Documents of a workspace. Everybody in the workspace reads them and may change them. Each save makes a version.

use adagent_contract::{
    DOCUMENT_VERSIONS, DocumentDraft, DocumentUpdate, DocumentVersionView, DocumentView, MOST_DOCUMENT,
    MOST_DOCUMENT_TITLE, MOST_DOCUMENTS, MOST_FOLDER, TRASH_DAYS, WrittenView, codes, folder_path, hunks, is_inside,
};
use adagent_domain::{Actor, Cut as _, DocumentId, Granted, rights::EditLibrary, text::without_hidden};
use adagent_store::{Document, DocumentVersion, NewVersion, Written, asked_words, snippet};
use serde_json::json;

use crate::{
    Service, ServiceError, ServiceResult,
    validate::{self, Fields},
};

const DOCUMENT: &str = "document";
/// How many documents a search returns at most.
const MOST_FOUND: u32 = 50;
/// How many characters of the text we show around the words of a search.
const SNIPPET: usize = 200;
/// How many bytes of a changed line the message of a conflict quotes.
const LINE: usize = 120;

const SOMEONE: &str = "someone who left";

fn written(written: Written, actor: &Actor) -> WrittenView {
    WrittenView {
        by: written.by_name.unwrap_or_else(|| SOMEONE.into()),
        agent: written.agent,
        run: written.run.filter(|(_, user)| *user == actor.user).map(|(run, _)| run),
        at: written.at,
    }
}

fn view(document: Document, actor: &Actor) -> DocumentView {
    DocumentView {
        id: document.id,
        title: document.title,
        folder: document.folder,
        version: document.version,
        size: document.size,
        by: document.by_name.unwrap_or_else(|| SOMEONE.into()),
        written: written(document.written, actor),
        created_at: document.created_at,
        trashed_at: document.trashed_at,
        text: None,
        snippet: None,
    }
}

fn version_view(version: DocumentVersion, actor: &Actor) -> DocumentVersionView {
    DocumentVersionView {
        number: version.number,
        title: version.title,
        folder: version.folder,
        size: version.size,
        written: written(version.written, actor),
        text: None,
    }
}

/// The checked content of a save.
struct Checked {
    title: String,
    folder: String,
    text: String,
}

fn checked(draft: &DocumentDraft, base: &str) -> ServiceResult<Checked> {
    let mut fields = Fields::default();
    let title = fields.take(&format!("{base}/title"), validate::line(&draft.title, "The title", MOST_DOCUMENT_TITLE));
    let folder = folder_path(&draft.folder)
        .ok_or_else(|| format!("Enter a folder such as /floors/2026, with at most {MOST_FOLDER} characters."));
    let folder = fields.take(&format!("{base}/folder"), folder);
    let text = without_hidden(&draft.text).replace("\r\n", "\n").replace('\r', "\n");
    if text.len() > MOST_DOCUMENT {
        let length = text.len();
        fields.wrong(format!("{base}/text"), format!("The text has {length} bytes; the limit is {MOST_DOCUMENT}."));
    } else if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        let code = u32::from(c);
        fields.wrong(
            format!("{base}/text"),
            format!("The text contains the control character U+{code:04X}, which is not allowed."),
        );
    }
    fields.done()?;
    let missing = || ServiceError::Internal("a validated field is missing".into());
    Ok(Checked { title: title.ok_or_else(missing)?, folder: folder.ok_or_else(missing)?, text })
}

impl Service {
    /// Lists the documents in a folder and below it, last written first. `None` lists all of them.
    pub async fn documents(&self, actor: &Actor, folder: Option<&str>) -> ServiceResult<Vec<DocumentView>> {
        let folder = folder.map(|folder| {
            folder_path(folder).ok_or_else(|| ServiceError::field("/folder", "Enter a folder such as /floors/2026."))
        });
        let folder = folder.transpose()?;
        let all = self.store.list_documents(actor.workspace, false, MOST_DOCUMENTS).await?;
        let inside = |one: &Document| folder.as_ref().is_none_or(|folder| is_inside(&one.folder, folder));
        Ok(all.into_iter().filter(inside).map(|document| view(document, actor)).collect())
    }

    /// Finds the documents with all of these words. Returns each with the part of its text around them.
    pub async fn find_documents(&self, actor: &Actor, query: &str) -> ServiceResult<Vec<DocumentView>> {
        let words = asked_words(query);
        let found = self.store.search_documents(actor.workspace, &words, MOST_FOUND).await?;
        let mut views = Vec::with_capacity(found.len());
        for document in found {
            let (id, version) = (document.id, document.version);
            let text = self.store.find_document_version(actor.workspace, id, version).await?;
            let text = text.map(|(_, text)| text).unwrap_or_default();
            views.push(DocumentView { snippet: Some(snippet(&text, &words, SNIPPET)), ..view(document, actor) });
        }
        Ok(views)
    }

    /// Lists the documents in the trash, last deleted first.
    pub async fn trashed_documents(&self, actor: &Actor) -> ServiceResult<Vec<DocumentView>> {
        let all = self.store.list_documents(actor.workspace, true, MOST_DOCUMENTS).await?;
        Ok(all.into_iter().map(|document| view(document, actor)).collect())
    }

    /// Returns a document with its text, even from the trash.
    pub async fn document(&self, actor: &Actor, id: DocumentId) -> ServiceResult<DocumentView> {
        let document = self.existing_document(actor, id).await?;
        let (_, text) = self.existing_version(actor, id, document.version).await?;
        Ok(DocumentView { text: Some(text), ..view(document, actor) })
    }

    /// Lists the versions that we keep, newest first, without their texts.
    pub async fn document_versions(&self, actor: &Actor, id: DocumentId) -> ServiceResult<Vec<DocumentVersionView>> {
        self.existing_document(actor, id).await?;
        let all = self.store.list_document_versions(actor.workspace, id).await?;
        Ok(all.into_iter().map(|version| version_view(version, actor)).collect())
    }

    pub async fn document_version(
        &self,
        actor: &Actor,
        id: DocumentId,
        number: i64,
    ) -> ServiceResult<DocumentVersionView> {
        let (version, text) = self.existing_version(actor, id, number).await?;
        Ok(DocumentVersionView { text: Some(text), ..version_view(version, actor) })
    }

    pub async fn create_document(
        &self,
        actor: &Granted<EditLibrary>,
        draft: &DocumentDraft,
    ) -> ServiceResult<DocumentView> {
        let first = self.new_version(actor, checked(draft, "")?);
        let id = DocumentId::new(&*self.ids);
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.insert_document(actor.workspace, id, &first, MOST_DOCUMENTS).await? {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: format!(
                    "This workspace has {MOST_DOCUMENTS} documents, which is the limit. Delete some first; those in the trash count for {TRASH_DAYS} days."
                ),
            });
        }
        self.audit(&mut *work, actor, "document.created", id, json!({})).await?;
        work.commit().await?;
        self.document(actor, id).await
    }

    /// Writes a new version after the one that the person saw. If that is no longer the newest, refuses and says what changed.
    pub async fn update_document(
        &self,
        actor: &Granted<EditLibrary>,
        id: DocumentId,
        update: &DocumentUpdate,
    ) -> ServiceResult<DocumentView> {
        let next = checked(&update.document, "/document")?;
        let before = self.existing_document(actor, id).await?;
        if before.trashed_at.is_some() {
            return Err(in_trash());
        }
        let (_, text) = self.existing_version(actor, id, before.version).await?;
        let changed: Vec<&str> = [
            (before.title != next.title, "title"),
            (before.folder != next.folder, "folder"),
            (text != next.text, "text"),
        ]
        .into_iter()
        .filter(|(changed, _)| *changed)
        .map(|(_, name)| name)
        .collect();
        if update.version == before.version && changed.is_empty() {
            return self.document(actor, id).await;
        }
        let next = self.new_version(actor, next);
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.write_document(actor.workspace, id, update.version, &next, DOCUMENT_VERSIONS).await? {
            drop(work);
            return Err(self.outdated(actor, id, update.version).await?);
        }
        self.audit(&mut *work, actor, "document.changed", id, json!({"changed": changed})).await?;
        work.commit().await?;
        self.document(actor, id).await
    }

    /// Writes the title and text of an earlier version as the newest version. The document stays in its current folder.
    pub async fn restore_version(
        &self,
        actor: &Granted<EditLibrary>,
        id: DocumentId,
        number: i64,
    ) -> ServiceResult<DocumentView> {
        let document = self.existing_document(actor, id).await?;
        let (version, text) = self.existing_version(actor, id, number).await?;
        let draft = DocumentDraft { title: version.title, folder: document.folder, text };
        self.update_document(actor, id, &DocumentUpdate { version: document.version, document: draft }).await
    }

    /// Moves a document to the trash.
    pub async fn delete_document(&self, actor: &Granted<EditLibrary>, id: DocumentId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.trash_document(actor.workspace, id, Some(self.clock.now())).await? {
            return Err(ServiceError::NotFound(DOCUMENT));
        }
        self.audit(&mut *work, actor, "document.deleted", id, json!({})).await?;
        Ok(work.commit().await?)
    }

    /// Moves a document out of the trash. If it is not there, changes nothing.
    pub async fn restore_document(&self, actor: &Granted<EditLibrary>, id: DocumentId) -> ServiceResult<DocumentView> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        if work.trash_document(actor.workspace, id, None).await? {
            self.audit(&mut *work, actor, "document.restored", id, json!({})).await?;
        }
        work.commit().await?;
        self.document(actor, id).await
    }

    fn new_version(&self, actor: &Actor, checked: Checked) -> NewVersion {
        NewVersion {
            title: checked.title,
            folder: checked.folder,
            text: checked.text,
            by: actor.user,
            agent: None,
            call: None,
            at: self.clock.now(),
        }
    }

    async fn existing_document(&self, actor: &Actor, id: DocumentId) -> ServiceResult<Document> {
        self.store.find_document(actor.workspace, id).await?.ok_or(ServiceError::NotFound(DOCUMENT))
    }

    async fn existing_version(
        &self,
        actor: &Actor,
        id: DocumentId,
        number: i64,
    ) -> ServiceResult<(DocumentVersion, String)> {
        let found = self.store.find_document_version(actor.workspace, id, number).await?;
        found.ok_or(ServiceError::NotFound("version"))
    }

    /// Returns why a save from this version is refused: the document is in the trash, or somebody saved a newer version. In the second
    /// case, it says who, and what changed.
    async fn outdated(&self, actor: &Actor, id: DocumentId, from: i64) -> ServiceResult<ServiceError> {
        let document = self.existing_document(actor, id).await?;
        if document.trashed_at.is_some() {
            return Ok(in_trash());
        }
        let (_, now) = self.existing_version(actor, id, document.version).await?;
        let then = self.store.find_document_version(actor.workspace, id, from).await?;
        let changed = then.map_or_else(String::new, |(_, then)| told(&then, &now));
        let who = document.written.by_name.as_deref().unwrap_or("Someone");
        let version = document.version;
        Ok(ServiceError::Conflict {
            code: codes::CONFLICT,
            detail: format!(
                "{who} saved version {version} while you were editing version {from}.{changed} Your text isn't saved. Compare it with version {version}, then save again."
            ),
        })
    }
}

fn in_trash() -> ServiceError {
    ServiceError::Conflict { code: codes::CONFLICT, detail: "This document is in the trash. Restore it first.".into() }
}

/// Says how many places changed, and quotes the first of them.
fn told(then: &str, now: &str) -> String {
    let all = hunks(then, now);
    let Some(first) = all.first() else { return String::new() };
    let places = if all.len() == 1 { "1 place".to_owned() } else { format!("{} places", all.len()) };
    let line =
        |lines: &[&str]| lines.iter().find(|line| !line.trim().is_empty()).map(|line| line.cut(..LINE).to_owned());
    let said = match (line(&first.after), line(&first.before)) {
        (Some(now), _) => format!(", line {} to “{now}”", first.at),
        (None, Some(gone)) => format!(" and removed “{gone}”"),
        (None, None) => String::new(),
    };
    // A quoted line is the end of the sentence, so add no period.
    let end = if said.is_empty() { "." } else { "" };
    format!(" It changed {places}{said}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_says_what_changed() {
        assert_eq!(told("a\nb", "a\nc\nb"), " It changed 1 place, line 2 to “c”");
        assert_eq!(told("a\nb\nc", "c"), " It changed 1 place and removed “a”");
        assert_eq!(told("a\nb\nc", "x\nb\ny"), " It changed 2 places, line 1 to “x”");
        assert_eq!(told("a", "a"), "");
    }
}
