//! Calls a tool of a tool server that the message names, with the arguments that it gives, and quotes the result.

use std::borrow::Cow;

use adagent_contract::ServerToolName;
use adagent_llm::OwnTool;
use serde_json::Value as Json;

use super::{
    Answer, Call, Step,
    format::{and, plain},
    read::{Done, Turn},
    talk, unmade,
};
use crate::servers::{self, Meant};

/// How many characters of a result we quote. The step shows everything that was stored.
const MOST_QUOTED: usize = 1_500;
/// How many tools of a server the text lists.
const TOLD: usize = 30;

/// Returns `None` if the message asks for something else.
pub(super) fn next(turn: &Turn<'_>) -> Option<Step> {
    let tools = &turn.request.planner.own_tools;
    Some(match servers::meant(turn.question(), tools)? {
        Meant::Tool(tool) => used(turn, tool),
        Meant::Several(one, other) => {
            let ask = |tool: &OwnTool| format!("Use the {} tool of {}", own(tool), server(tool));
            Answer::text(format!("Several tool servers have a tool named {}. Which one do you mean?", plain(own(one))))
                .choosing([ask(one), ask(other)])
                .into()
        }
        Meant::Server(handle) => listed(handle, tools).into(),
    })
}

fn own(tool: &OwnTool) -> &str {
    ServerToolName::of(&tool.name).map_or(&tool.name, |name| name.tool)
}

fn server(tool: &OwnTool) -> &str {
    tool.title.split_once(": ").map_or(&tool.title, |(server, _)| server)
}

fn used(turn: &Turn<'_>, tool: &OwnTool) -> Step {
    let Some(done) = turn.done.iter().rfind(|done| done.name == tool.name) else {
        let (args, missing) = servers::arguments(turn.question(), tool);
        if !missing.is_empty() {
            return lacking(tool, &missing).into();
        }
        let say = format!("Using {} of {}", own(tool), server(tool));
        return Step::Calls { say, calls: vec![Call { name: Cow::Owned(tool.name.clone()), args }] };
    };
    told(done, tool).into()
}

fn lacking(tool: &OwnTool, missing: &[String]) -> Answer {
    let names: Vec<String> = missing.iter().map(|name| format!("*{}*", plain(name))).collect();
    let example: Vec<String> = missing.iter().map(|name| format!("{} …", plain(name))).collect();
    Answer::text(format!(
        "The tool {} of {} also needs {}. Say it with the name, for example: *Use the {0} tool of {1} with {}*.",
        plain(own(tool)),
        plain(server(tool)),
        and(&names),
        and(&example)
    ))
}

fn told(done: &Done<'_>, tool: &OwnTool) -> Answer {
    let name = plain(server(tool));
    if done.waits_already() {
        return unmade::waiting(done);
    }
    if done.denied() {
        return Answer::text(format!("I didn't use {} of {name}.", plain(own(tool))));
    }
    if !done.ok {
        let problem = plain(&done.problem());
        return Answer::text(format!("{problem}.")).following(talk::EXAMPLES);
    }
    let text = done.content["text"].as_str().filter(|text| !text.trim().is_empty());
    let structured = || done.content.get("structured").map(Json::to_string);
    let Some(text) = text.map(str::to_owned).or_else(structured) else {
        return Answer::text(format!("{name} answered without text."));
    };
    let mut answer = Answer::text(format!("{name} answered:\n\n{}", quoted(&text)));
    if text.chars().count() > MOST_QUOTED || done.content["truncated"] == true {
        answer.say("The answer is longer; this is its beginning.");
    }
    answer
}

/// Quotes somebody else's words, so that nothing in them acts as formatting.
fn quoted(text: &str) -> String {
    let short: String = text.chars().take(MOST_QUOTED).collect();
    short.lines().map(|line| format!("> {}", escaped(line))).collect::<Vec<_>>().join("\n>\n")
}

fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars().filter(|c| !c.is_control()) {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn listed(handle: &str, tools: &[OwnTool]) -> Answer {
    let its: Vec<&OwnTool> =
        tools.iter().filter(|tool| ServerToolName::of(&tool.name).is_some_and(|name| name.server == handle)).collect();
    let name = its.first().map_or(handle, |tool| server(tool));
    let lines: Vec<String> = its.iter().take(TOLD).map(|tool| format!("- {}", plain(own(tool)))).collect();
    let count = if its.len() == 1 { "1 tool".to_owned() } else { format!("{} tools", its.len()) };
    Answer::text(format!("The tool server {} has {count}:\n\n{}", plain(name), lines.join("\n")))
        .following(its.first().map(|tool| format!("Use the {} tool of {name}", own(tool))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_quoted_and_formats_nothing() {
        assert_eq!(quoted("a **b**\n[x](http://evil)"), "> a \\*\\*b\\*\\*\n>\n> \\[x\\]\\(http\\:\\/\\/evil\\)");
    }
}
