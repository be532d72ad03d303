//! Saved questions of the person: list them, save one, delete one.

use adagent_contract::{
    ChangeRow, EntityOption, FieldHint, MOST_PINNED, MOST_QUESTION, MOST_SAVED, Preview, PreviewKind, Widget, title_of,
};
use adagent_domain::{SavedQuestionId, Source};
use adagent_store::SavedQuestion;
use adagent_tools::{CallScope, GroundingIssue, ProbeOutcome, ToolError, ToolErrorClass, ToolInfo, ToolOutput};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    desk::{Desk, unreadable},
    tool::{NativeTool, Sketch, issue, list, object, output, typed},
};

const DELETE: &str = "delete_saved_question";

/// The key of the options that name saved questions in a form.
const NAMED: &str = "saved_question";

async fn all(desk: &Desk, scope: &CallScope) -> Result<Vec<SavedQuestion>, ToolError> {
    desk.store.list_saved_questions(scope.workspace, scope.user, MOST_SAVED).await.map_err(unreadable)
}

fn shown(saved: &SavedQuestion) -> Json {
    json!({"id": saved.id, "title": saved.title, "question": saved.question, "pinned": saved.pinned})
}

pub(crate) struct ListQuestions;

#[async_trait]
impl NativeTool for ListQuestions {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "List saved questions".into(),
            description: "Lists the questions that this person saved to ask them again, with whether each is on home."
                .into(),
            capability: "assistant".into(),
            ..ToolInfo::named("list_saved_questions", Source::Native)
        }
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, _args: &Json) -> Result<ToolOutput, ToolError> {
        let all = all(desk, scope).await?;
        let summary = match all.len() {
            0 => "no saved questions".to_owned(),
            1 => "1 saved question".to_owned(),
            more => format!("{more} saved questions"),
        };
        Ok(output(list(&all.iter().map(shown).collect::<Vec<_>>()), summary))
    }
}

pub(crate) struct SaveQuestion;

#[derive(Deserialize)]
struct NewQuestion {
    question: String,
    #[serde(default)]
    pinned: bool,
}

/// Returns the ID of the question that a call saves. It is the call's ID, so that a repeated call saves the question once.
fn key(scope: &CallScope) -> SavedQuestionId {
    SavedQuestionId(scope.call.0)
}

#[async_trait]
impl NativeTool for SaveQuestion {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Save question".into(),
            description:
                "Saves a question, so that the person can ask it again; pinned, its newest answer stands on home."
                    .into(),
            capability: "assistant".into(),
            read_only: false,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["question"],
                "properties": {
                    "question": {
                        "type": "string", "minLength": 1, "maxLength": MOST_QUESTION, "pattern": r"\S",
                        "description": "The question, as the person would ask it.",
                    },
                    "pinned": {"type": "boolean", "default": false, "description": "Show its newest answer on home."},
                },
            })
            .into(),
            ..ToolInfo::named("save_question", Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let new: NewQuestion = typed(args)?;
        let others = all(desk, scope).await?.into_iter().filter(|saved| saved.id != key(scope)).collect::<Vec<_>>();
        if let Some(same) = others.iter().find(|saved| saved.question == new.question.trim()) {
            return Ok(vec![issue("/question", format!("You saved this question already, as “{}”.", same.title))]);
        }
        if new.pinned && others.iter().filter(|saved| saved.pinned).count() >= MOST_PINNED {
            return Ok(vec![issue(
                "/pinned",
                format!(
                    "Home shows {MOST_PINNED} saved questions at most. Unpin one first, or save this one without pinning it."
                ),
            )]);
        }
        if others.len() >= usize::try_from(MOST_SAVED).unwrap_or(usize::MAX) {
            return Ok(vec![issue(
                "/question",
                format!("You have {MOST_SAVED} saved questions, which is the limit. Delete one first."),
            )]);
        }
        Ok(Vec::new())
    }

    async fn sketch(&self, _desk: &Desk, _scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let new: NewQuestion = typed(args)?;
        let row = |label: &str, after: &str| ChangeRow { label: label.into(), before: None, after: Some(after.into()) };
        let home = if new.pinned { "Yes" } else { "No" };
        let changes = vec![row("Question", new.question.trim()), row("On home", home)];
        let field = |pointer: &str, label: &str, widget| FieldHint {
            pointer: pointer.into(),
            label: label.into(),
            widget,
            ..FieldHint::default()
        };
        let question = FieldHint {
            required: true,
            max_length: Some(MOST_QUESTION as u64),
            ..field("/question", "Question", Widget::Text)
        };
        Ok(Sketch {
            title: format!("Save the question “{}”", title_of(&new.question)),
            warnings: Vec::new(),
            preview: Preview { unmade_by: Some(DELETE.into()), ..Preview::new(PreviewKind::Create, changes) },
            fields: vec![question, field("/pinned", "Show on home", Widget::Checkbox)],
            options: Vec::new(),
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let new: NewQuestion = typed(args)?;
        if let ProbeOutcome::Happened { result, summary } = self.probe(desk, scope, args).await? {
            return Ok(output(result, summary));
        }
        let now = desk.clock.now();
        let question = new.question.trim().to_owned();
        let saved = SavedQuestion {
            id: key(scope),
            workspace: scope.workspace,
            user: scope.user,
            title: title_of(&question),
            question,
            pinned: new.pinned,
            created_at: now,
            updated_at: now,
        };
        let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
        if !work.insert_saved_question(&saved, MOST_SAVED).await.map_err(unreadable)? {
            let message = format!("You have {MOST_SAVED} saved questions, which is the limit.");
            return Err(
                ToolError::new(ToolErrorClass::Deterministic, "LIMIT_REACHED", message).guide("Delete one first.")
            );
        }
        work.commit().await.map_err(unreadable)?;
        Ok(output(object(&shown(&saved)), format!("saved “{}”", saved.title)))
    }

    async fn probe(&self, desk: &Desk, scope: &CallScope, _args: &Json) -> Result<ProbeOutcome, ToolError> {
        let found = all(desk, scope).await?.into_iter().find(|saved| saved.id == key(scope));
        Ok(match found {
            Some(saved) => ProbeOutcome::Happened {
                result: object(&shown(&saved)),
                summary: format!("saved “{}”", saved.title),
            },
            None => ProbeOutcome::DidNotHappen { looked_at: "your saved questions".into() },
        })
    }

    fn unmade(&self, result: &Json) -> Option<(String, Json)> {
        Some((DELETE.to_owned(), json!({"id": result.pointer("/item/id")?.as_str()?})))
    }
}

pub(crate) struct DeleteQuestion;

#[derive(Deserialize)]
struct Which {
    id: SavedQuestionId,
}

#[async_trait]
impl NativeTool for DeleteQuestion {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            title: "Delete saved question".into(),
            description: "Deletes a saved question of this person; list_saved_questions gives its id.".into(),
            capability: "assistant".into(),
            read_only: false,
            destructive: true,
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": {"id": {"type": "string", "format": "uuid", "description": "The saved question."}},
            })
            .into(),
            ..ToolInfo::named(DELETE, Source::Native)
        }
    }

    async fn ground(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let Which { id } = typed(args)?;
        let all = all(desk, scope).await?;
        if all.iter().any(|saved| saved.id == id) {
            return Ok(Vec::new());
        }
        let candidates = all.into_iter().map(|saved| (saved.id.to_string(), saved.title)).collect();
        Ok(vec![GroundingIssue {
            pointer: "/id".into(),
            message: "You have no saved question with this ID.".into(),
            candidates,
        }])
    }

    async fn sketch(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<Sketch, ToolError> {
        let Which { id } = typed(args)?;
        let found = all(desk, scope).await?.into_iter().find(|saved| saved.id == id).ok_or_else(gone)?;
        let row = ChangeRow { label: "Question".into(), before: Some(found.question), after: None };
        let named =
            EntityOption { id: id.to_string(), name: found.title.clone(), parent: None, detail: None, network: None };
        Ok(Sketch {
            title: format!("Delete the saved question “{}”", found.title),
            warnings: Vec::new(),
            preview: Preview::new(PreviewKind::Delete, vec![row]),
            fields: vec![FieldHint {
                pointer: "/id".into(),
                label: "Saved question".into(),
                widget: Widget::ReadOnly,
                options: Some(NAMED.into()),
                ..FieldHint::default()
            }],
            options: vec![(NAMED.into(), vec![named])],
        })
    }

    async fn execute(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ToolOutput, ToolError> {
        let Which { id } = typed(args)?;
        let mut work = desk.store.begin_in(scope.workspace).await.map_err(unreadable)?;
        if !work.delete_saved_question(scope.workspace, scope.user, id).await.map_err(unreadable)? {
            return Err(gone());
        }
        work.commit().await.map_err(unreadable)?;
        Ok(output(object(&json!({"id": id})), "deleted the saved question"))
    }

    /// Reports success if the saved question is gone. It does not matter who deleted it.
    async fn probe(&self, desk: &Desk, scope: &CallScope, args: &Json) -> Result<ProbeOutcome, ToolError> {
        let Which { id } = typed(args)?;
        Ok(if all(desk, scope).await?.iter().any(|saved| saved.id == id) {
            ProbeOutcome::DidNotHappen { looked_at: "your saved questions".into() }
        } else {
            ProbeOutcome::Happened { result: object(&json!({"id": id})), summary: "the saved question is gone".into() }
        })
    }
}

fn gone() -> ToolError {
    ToolError::new(ToolErrorClass::Deterministic, "NOT_FOUND", "You have no saved question with this ID.")
        .guide("list_saved_questions gives the IDs.")
}
