//! Turns a provider's answer into a reply of the port. Refuses calls without readable arguments instead of guessing.

use genai::chat::{StopReason as Stop, StreamEnd, Usage as Theirs};
use serde_json::{Value as Json, json};

use crate::{ModelError, ModelReply, ProposedCall, StopReason, Usage};

#[derive(Default)]
pub(super) struct Gathered {
    pub text: String,
    pub end: Option<StreamEnd>,
}

impl Gathered {
    pub fn usage(&self) -> Option<&Theirs> {
        self.end.as_ref()?.captured_usage.as_ref()
    }

    pub fn into_reply(self, id: &str, usage: Usage) -> Result<ModelReply, ModelError> {
        // A stream without its end, or without a reason for its end, may have lost a call or half an answer.
        let broken = || ModelError::unavailable("the answer broke off");
        let end = self.end.ok_or_else(broken)?;
        let stop = end.captured_stop_reason.clone().ok_or_else(broken)?;
        let cut = matches!(stop, Stop::MaxTokens(_));
        // Gemini's codes for a call that it could not write.
        if matches!(&stop, Stop::Other(reason) if reason.starts_with("MALFORMED") || reason == "UNEXPECTED_TOOL_CALL") {
            return Err(ModelError::Malformed("the call was not well-formed; send it again".into()));
        }
        let mut calls = Vec::new();
        let given = end.captured_into_tool_calls().unwrap_or_default();
        let last = given.len().saturating_sub(1);
        for (at, call) in given.into_iter().enumerate() {
            // The answer was cut right after the call's name, so we cannot know that its arguments were meant to be empty.
            let bare = matches!(&call.fn_arguments, Json::String(text) if text.trim().is_empty());
            if cut && at == last && bare {
                continue;
            }
            match arguments(call.fn_arguments) {
                Some(args) => calls.push(ProposedCall { id: None, name: call.fn_name, args }),
                // The last call of an answer that reached its limit is incomplete.
                None if cut => {}
                None => {
                    return Err(ModelError::Malformed(format!(
                        "the arguments of {} are not a JSON object; send the call again with one that fits its schema",
                        call.fn_name.chars().take(80).collect::<String>()
                    )));
                }
            }
        }
        let stop = match stop {
            Stop::ContentFilter(_) => StopReason::Refusal,
            Stop::Other(reason) if reason.contains("refus") => StopReason::Refusal,
            _ if !calls.is_empty() => StopReason::ToolCalls,
            Stop::MaxTokens(_) => StopReason::MaxTokens,
            _ => StopReason::End,
        };
        if stop == StopReason::Refusal {
            // Drop the calls that the model began before it declined.
            calls.clear();
        }
        Ok(ModelReply {
            text: self.text,
            calls,
            plan: None,
            artifacts: Vec::new(),
            method: Vec::new(),
            covers: None,
            follow_ups: Vec::new(),
            usage,
            stop,
            model: id.to_owned(),
        })
    }
}

/// Returns the arguments as an object. Some providers stream them as text.
fn arguments(given: Json) -> Option<Json> {
    match given {
        Json::Object(_) => Some(given),
        Json::Null => Some(json!({})),
        Json::String(text) if text.trim().is_empty() => Some(json!({})),
        Json::String(text) => serde_json::from_str::<Json>(&text).ok().filter(Json::is_object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use genai::chat::{MessageContent, ToolCall};

    use super::*;

    fn end(arguments: Json, stop: Stop) -> StreamEnd {
        let call =
            ToolCall { call_id: "c".into(), fn_name: "t".into(), fn_arguments: arguments, thought_signatures: None };
        StreamEnd {
            captured_stop_reason: Some(stop),
            captured_content: Some(MessageContent::from_tool_calls(vec![call])),
            ..StreamEnd::default()
        }
    }

    fn read(end: Option<StreamEnd>) -> Result<ModelReply, ModelError> {
        Gathered { text: "t".into(), end }.into_reply("openai/gpt-5", Usage::default())
    }

    #[test]
    fn calls_need_an_object_of_arguments() {
        let done = || Stop::ToolCall("tool_use".into());
        assert_eq!(read(Some(end(json!("{\"a\":1}"), done()))).expect("read").calls[0].args, json!({"a": 1}));
        let error = read(Some(end(json!("{\"a\":"), done()))).expect_err("half an object");
        assert!(
            matches!(&error, ModelError::Malformed(text) if text.contains("t are not a JSON object"))
                && error.is_retryable()
        );
        assert!(read(Some(end(json!([1]), done()))).is_err());
    }

    #[test]
    fn stops_are_told_apart() {
        let stop = |theirs| read(Some(end(json!({}), theirs))).expect("read").stop;
        assert_eq!(stop(Stop::ToolCall("tool_use".into())), StopReason::ToolCalls);
        assert_eq!(stop(Stop::ContentFilter("refusal".into())), StopReason::Refusal);
        let bare = |theirs| StreamEnd { captured_stop_reason: Some(theirs), ..StreamEnd::default() };
        assert_eq!(read(Some(bare(Stop::MaxTokens("length".into())))).expect("read").stop, StopReason::MaxTokens);
        assert!(matches!(read(None), Err(ModelError::Unavailable { .. })), "a cut stream is no answer");
        let silent = StreamEnd { captured_stop_reason: None, ..end(json!({}), Stop::Completed("STOP".into())) };
        assert!(matches!(read(Some(silent)), Err(ModelError::Unavailable { .. })), "Gemini ends a cut stream this way");
        let cut = read(Some(end(json!(""), Stop::MaxTokens("length".into())))).expect("read");
        assert!(cut.calls.is_empty() && cut.stop == StopReason::MaxTokens, "a name without its arguments is no call");
        let odd = bare(Stop::Other("MALFORMED_FUNCTION_CALL".into()));
        assert!(matches!(read(Some(odd)), Err(ModelError::Malformed(_))));
        let declined = read(Some(end(json!({}), Stop::ContentFilter("refusal".into())))).expect("read");
        assert!(declined.calls.is_empty(), "nothing of what it began before declining");
    }
}
