//! Changes a document: its title, its whole text or a part added at its end. Also restores an earlier version.

use adagent_contract::{
    ChangeRow, DOCUMENT_VERSIONS, FieldHint, MOST_DOCUMENT, MOST_DOCUMENT_TITLE, Preview, PreviewKind, hunks,
};
use adagent_domain::{DocumentId, Source};
use adagent_store::Document;
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    checked_text, field, find, fixed, issue, known, property,
    rows::{beginning, changed, row},
    shown, text_of, version, wrong,
};
use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, object, output, typed},
};

/// How often we try a change again after another person's change came first.
const TRIES: usize = 5;

pub(crate) struct UpdateDocument;

#[derive(Deserialize)]
struct Change {
    id: DocumentId,
    title: Option<String>,
    text: Option<String>,
    append: Option<String>,
    restore: Option<i64>,
    version: Option<i64>,
}

impl Change {
    /// Returns what is wrong with the change itself, whatever the document contains.
    fn issues(&self) -> Vec<GroundingIssue> {
        let mut issues: Vec<GroundingIssue> = Vec::new();
        let texts =
            usize::from(self.text.is_some()) + usize::from(self.append.is_some()) + usize::from(self.restore.is_some());
        if texts > 1 {
            issues.push(issue("/text", "Name one of text, append and restore."));
        }
        if texts == 0 && self.title.is_none() {
            issues.push(issue("/id", "Nothing is to be changed: name the title, the text, or what to add."));
        }
        if self.text.is_some() && self.version.is_none() {
            let message = "Name the version that the new text replaces, as read_document gives it.";
            issues.push(issue("/version", message));
        }
        issues.extend(self.text.as_deref().and_then(|text| checked_text("/text", text)));
        issues
    }

    /// Returns the title and the text after the change.
    async fn of(
        &self,
        desk: &Desk,
        scope: &CallScope,
        document: &Document,
        text: &str,
    ) -> Result<(String, String), GroundingIssue> {
        let mut title = document.title.clone();
        let mut after = text.to_owned();
        if let Some(number) = self.restore {
            let found = desk.store.find_document_version(scope.workspace, document.id, number).await.ok().flatten();
            let Some((kept, text)) = found else {
                return Err(issue("/restore", format!("Version {number} isn't kept.")));
            };
            (title, after) = (kept.title, text);
        }
        if let Some(text) = &self.text {
            after.clone_from(text);
        }
        if let Some(more) = &self.append {
            let before = text.trim_end();
            after = if before.is_empty() { more.clone() } else { format!("{before}\n\n{}", more.trim()) };
        }
        if let Some(new) = &self.title {
            new.trim().clone_into(&mut title);
        }
        checked_text("/append", &after).map_or(Ok((title, after)), Err)
    }
}

/// Returns an issue if other people changed the document since the version that a new text replaces. It shows the first place they changed.
async fn outdated(
    desk: &Desk,
    scope: &CallScope,
    change: &Change,
    document: &Document,
    text: &str,
) -> Result<Option<GroundingIssue>, ToolError> {
    let Some(from) = change.version.filter(|from| *from != document.version) else { return Ok(None) };
    let who = document.written.by_name.as_deref().unwrap_or("Someone who left");
    let now = document.version;
    let then = desk.store.find_document_version(scope.workspace, document.id, from).await.map_err(unreadable)?;
    let what = then.map_or_else(String::new, |(_, then)| match hunks(&then, text).as_slice() {
        [] => String::new(),
        all => {
            let first = &all[0];
            let lines = if first.after.is_empty() { &first.before } else { &first.after };
            let verb = if first.after.is_empty() { "removed" } else { "now" };
            format!(" Line {}, {verb}: “{}”.", first.at, beginning(lines))
        }
    });
    let message =
        format!("{who} wrote version {now} since version {from}.{what} Read it again and make your change there.");
    Ok(Some(issue("/version", message)))
}

fn rows(change: &Change, document: &Document, (title, after): &(String, String), text: &str) -> Vec<ChangeRow> {
    let mut rows = Vec::new();
    if change.title.is_some() || *title != document.title {
        rows.push(row("Title", Some(document.title.clone()), Some(title.clone())));
    }
    if let Some(more) = change.append.as_deref().filter(|_| after != text) {
        let lines: Vec<&str> = more.trim().lines().collect();
        rows.push(row("At the end", None, Some(beginning(&lines))));
    } else if after != text {
        let (now, next) = (document.version, document.version + 1);
        rows.push(row("Version", Some(now.to_string()), Some(next.to_string())));
        rows.extend(changed(text, after));
    }
    rows
}

#[async_trait]
impl NativeTool for UpdateDocument {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Change document".into(),
            description: "Changes a document of this workspace as a new version: its title, its whole text, or a part added at its end. \
                          What is left out stays as it is. A text that replaces an older version than the newest is refused."
                .into(),
            capability: "assistant".into(),
            read_only: false,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": {
                    "id": property("id"),
                    "title": property("title"),
                    "text": {"type": "string", "contentMediaType": "text/markdown", "maxLength": MOST_DOCUMENT, "description": "The whole text in Markdown, in place of the one it has; needs `version`."},
                    "append": {"type": "string", "contentMediaType": "text/markdown", "minLength": 1, "maxLength": MOST_DOCUMENT, "pattern": r"\S", "description": "Markdown to add at the end."},
                    "restore": {"type": "integer", "minimum": 1, "description": "Put back title and text of this version."},
                    "version": {"type": "integer", "minimum": 1, "description": "The version that this replaces, as read_document gives it."},
                },
            })
            .into(),
            ..ToolInfo::named("update_document", Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let change: Change = typed(args)?;
        // If the call already made its change, skip the checks: its own version is now the newest one, so they would fail.
        if desk.store.find_version_of_call(scope.workspace, scope.call).await.map_err(unreadable)?.is_some() {
            return Ok(Vec::new());
        }
        let mut issues = known(desk, scope, change.id).await?;
        issues.extend(change.issues());
        if issues.is_empty() {
            let document = find(desk, scope, change.id).await?;
            let text = text_of(desk, scope, document.id, document.version).await?;
            issues.extend(outdated(desk, scope, &change, &document, &text).await?);
            issues.extend(change.of(desk, scope, &document, &text).await.err());
        }
        Ok(issues)
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let change: Change = typed(args)?;
        let document = find(desk, scope, change.id).await?;
        let text = text_of(desk, scope, document.id, document.version).await?;
        let after = change.of(desk, scope, &document, &text).await.map_err(wrong)?;
        let rows = rows(&change, &document, &after, &text);
        let name = &document.title;
        let title = match change {
            Change { append: Some(_), .. } => format!("Add to the document “{name}”"),
            Change { restore: Some(number), .. } => format!("Put back version {number} of “{name}”"),
            Change { title: Some(_), text: None, .. } => format!("Rename the document “{name}” to “{}”", after.0),
            _ => format!("Change the document “{name}”"),
        };
        let (id, options) = fixed(&document);
        let asked = |hint: &FieldHint| args.pointer(&hint.pointer).is_some();
        let fields = [
            field("/title", "Title", MOST_DOCUMENT_TITLE),
            field("/text", "Text", MOST_DOCUMENT),
            field("/append", "Text to add", MOST_DOCUMENT),
        ];
        let back = json!({"id": document.id, "restore": document.version});
        Ok(Sketch {
            title,
            warnings: Vec::new(),
            preview: Preview { back: Some(Box::new(back)), ..Preview::new(PreviewKind::Update, rows) },
            fields: std::iter::once(id).chain(fields.into_iter().filter(asked)).collect(),
            options,
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let change: Change = typed(args)?;
        for _ in 0..TRIES {
            if let ProbeOutcome::Happened { result, summary } = self.probe(desk, scope, args).await? {
                return Ok(output(result, summary));
            }
            let document = find(desk, scope, change.id).await?;
            let text = text_of(desk, scope, document.id, document.version).await?;
            if let Some(late) = outdated(desk, scope, &change, &document, &text).await? {
                return Err(ToolError::new(ToolErrorClass::Deterministic, "CONFLICT", late.message));
            }
            let (title, after) = change.of(desk, scope, &document, &text).await.map_err(wrong)?;
            let new = version(desk, scope, (&title, document.folder.clone(), after));
            let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
            let written =
                work.write_document(scope.workspace, document.id, document.version, &new, DOCUMENT_VERSIONS).await;
            if written.map_err(unreadable)? {
                work.commit().await.map_err(unreadable)?;
                let (kept, (zone, _)) = (find(desk, scope, change.id).await?, desk.zone(scope.workspace).await?);
                return Ok(output(object(&shown(&kept, &zone)), format!("changed “{}”", kept.title)));
            }
        }
        let message = "Other people keep changing this document. Nothing was changed.";
        Err(ToolError::new(ToolErrorClass::Retryable, "CONFLICT", message).guide("Try again in a moment."))
    }

    async fn probe(&self, desk: &Desk, scope: &CallScope, _args: &Json) -> Result<ProbeOutcome, ToolError> {
        super::wrote(desk, scope, "changed").await
    }
}
