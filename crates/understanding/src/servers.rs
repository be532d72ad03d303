//! Recognizes messages that name a tool of a tool server: which tool, and with which arguments. They go to no network.
//!
//! Only names count: of the server, the tool and its arguments. This module does not read the tool's own description.

use std::ops::Range;

use adagent_contract::ServerToolName;
use adagent_domain::{Cut as _, Network};
use adagent_llm::OwnTool;
use serde_json::{Map, Number, Value as Json};

use crate::types::Understood;

/// The most words in a name.
const MOST_WORDS: usize = 8;

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Meant<'t> {
    Tool(&'t OwnTool),
    /// Two tools of the same name at different servers.
    Several(&'t OwnTool, &'t OwnTool),
    /// A server, by its handle, but none of its tools.
    Server(&'t str),
}

/// A run of letters and digits.
#[derive(Debug)]
struct Word {
    text: String,
    at: Range<usize>,
}

fn words(text: &str) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        if !c.is_alphanumeric() {
            open = false;
            continue;
        }
        match out.last_mut().filter(|_| open) {
            Some(word) => {
                word.text.extend(c.to_lowercase());
                word.at.end = at + c.len_utf8();
            }
            None => out.push(Word { text: c.to_lowercase().collect(), at: at..at + c.len_utf8() }),
        }
        open = true;
    }
    out
}

/// Returns a name in lowercase without anything between its words, so that `get-sum` and `getSum` are equal.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Finds the words from `from` on that together form this name.
fn place(words: &[Word], name: &str, from: usize) -> Option<Range<usize>> {
    if name.is_empty() {
        return None;
    }
    (from..words.len()).find_map(|start| {
        let mut rest = name;
        for (end, word) in words.iter().enumerate().skip(start).take(MOST_WORDS) {
            rest = rest.strip_prefix(word.text.as_str())?;
            if rest.is_empty() {
                return Some(start..end + 1);
            }
        }
        None
    })
}

/// Returns every place of this name, first one first.
fn places<'w>(words: &'w [Word], name: &'w str) -> impl Iterator<Item = Range<usize>> + 'w {
    std::iter::successors(place(words, name, 0), move |at| place(words, name, at.start + 1))
}

fn parts(tool: &OwnTool) -> Option<(ServerToolName<'_>, &str, &str)> {
    let name = ServerToolName::of(&tool.name)?;
    let (server, title) = tool.title.split_once(": ").unwrap_or((name.server, name.tool));
    Some((name, server, title))
}

/// Finds where the text names a server, by name (`Team files`) or by handle (`files`). If both occur, the earlier one counts.
fn named(words: &[Word], name: &ServerToolName<'_>, server: &str) -> Option<Range<usize>> {
    let both = [plain(server), plain(name.server)].into_iter().filter_map(|name| place(words, &name, 0));
    both.min_by_key(|at| at.start)
}

fn apart(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.end <= other.start || other.end <= one.start
}

struct Hit<'t> {
    tool: &'t OwnTool,
    at: Range<usize>,
    server: Option<Range<usize>>,
}

/// Verbs that come before the name of what to use.
const USES: [&str; 6] = ["use", "using", "call", "invoke", "execute", "ask"];

/// Words before a verb that make it a request.
const ASKS: [&str; 10] = ["please", "you", "and", "then", "now", "to", "just", "also", "me", "lets"];

/// Checks whether a name is part of a request: it follows a verb such as "use", or it begins the message with a colon after it. Names alone
/// may be everyday words: `list my games` does not call the tool `list` of a server `games`.
fn is_addressed(text: &str, words: &[Word], at: &Range<usize>) -> bool {
    let article = |word: &Word| matches!(word.text.as_str(), "the" | "my" | "our" | "a" | "server");
    let verb = (0..at.start).rev().find(|n| words.get(*n).is_some_and(|word| !article(word)));
    let told = verb.is_some_and(|verb| is_told(text, words, verb));
    let colon = at.start == 0
        && at
            .end
            .checked_sub(1)
            .and_then(|last| words.get(last))
            .is_some_and(|last| text.get(last.at.end..).is_some_and(|rest| rest.trim_start().starts_with(':')));
    colon || told
}

/// Checks whether a verb such as "use" is a request: it begins a sentence, or follows a word that makes it one. `Games use it` asks for
/// nothing.
fn is_told(text: &str, words: &[Word], verb: usize) -> bool {
    let Some(word) = words.get(verb).filter(|word| USES.contains(&word.text.as_str())) else { return false };
    let Some(before) = verb.checked_sub(1).and_then(|before| words.get(before)) else { return true };
    let between = text.get(before.at.end..word.at.start).unwrap_or_default();
    ASKS.contains(&before.text.as_str()) || between.contains(['.', ',', ';', ':', '!', '?', '\n'])
}

/// Checks whether a name is spelled as programs spell it: `read_text_file`.
fn is_code(text: &str, words: &[Word], at: &Range<usize>) -> bool {
    let ends = words.get(at.start).zip(at.end.checked_sub(1).and_then(|last| words.get(last)));
    ends.and_then(|(first, last)| text.get(first.at.start..last.at.end)).is_some_and(|name| name.contains('_'))
}

fn hits<'t>(text: &str, words: &[Word], tools: &'t [OwnTool]) -> Vec<Hit<'t>> {
    let says_tool = |at: usize| words.get(at).is_some_and(|word| matches!(word.text.as_str(), "tool" | "tools"));
    let any_tool = (0..words.len()).any(says_tool);
    let hit = |tool: &'t OwnTool| {
        let (name, server, title) = parts(tool)?;
        // If a server has the name of a network, the message must also say "tool" to mean the server.
        let as_network = Network::ALL.iter().any(|network| plain(server).contains(&plain(network.display_name())));
        let server = named(words, &name, server);
        let server = server.filter(|_| any_tool || !as_network);
        let at = [plain(name.tool), plain(title)].into_iter().find_map(|name| {
            let is_it = |at: &Range<usize>| {
                let next = says_tool(at.end) || at.start.checked_sub(1).is_some_and(says_tool);
                let told = |server: &Range<usize>| {
                    apart(server, at)
                        && (is_addressed(text, words, server)
                            || is_addressed(text, words, at)
                            || is_code(text, words, at))
                };
                next || server.as_ref().is_some_and(told)
            };
            places(words, &name).find(is_it)
        })?;
        let server = server.filter(|server| apart(server, &at));
        Some(Hit { tool, at, server })
    };
    tools.iter().filter_map(hit).collect()
}

/// Returns the handle of a server that the message calls a server or asks for its tools.
fn server_of<'t>(words: &[Word], tools: &'t [OwnTool]) -> Option<&'t str> {
    // `tools of SERVER`, `which tools does SERVER have`, `the SERVER server`: these words must be near the name, because the name may be an
    // everyday word.
    let spoken = |at: &Range<usize>| {
        words.iter().enumerate().any(|(n, word)| {
            let between = if n < at.start { at.start - n - 1 } else { n.saturating_sub(at.end) };
            match word.text.as_str() {
                "tool" | "tools" => between <= 1,
                "server" => between == 0,
                _ => false,
            }
        })
    };
    let meant = |tool: &'t OwnTool| {
        let (name, server, _) = parts(tool)?;
        named(words, &name, server).filter(spoken).map(|_| name.server)
    };
    tools.iter().find_map(meant)
}

/// Returns the tool or server that the message means. `None` if the message asks for something else.
pub(crate) fn meant<'t>(text: &str, tools: &'t [OwnTool]) -> Option<Meant<'t>> {
    if tools.is_empty() {
        return None;
    }
    let words = words(text);
    let mut hits = hits(text, &words, tools);
    if hits.iter().any(|hit| hit.server.is_some()) {
        hits.retain(|hit| hit.server.is_some());
    }
    // Of `get` and `get sum`, the message means the longer name.
    let longest = hits.iter().map(|hit| hit.at.len()).max();
    hits.retain(|hit| Some(hit.at.len()) == longest);
    match hits.as_slice() {
        [] => server_of(&words, tools).map(Meant::Server),
        [one] => Some(Meant::Tool(one.tool)),
        [one, other, ..] => Some(Meant::Several(one.tool, other.tool)),
    }
}

pub(crate) fn are_meant(text: &str, tools: &[OwnTool]) -> bool {
    meant(text, tools).is_some()
}

pub(crate) fn understood(text: &str) -> Understood {
    Understood { thinking: "a tool of a tool server".into(), ..crate::desk::understood(text) }
}

/// Returns the arguments that a message gives, and the names of the required ones that are missing.
pub(crate) fn arguments(text: &str, tool: &OwnTool) -> (Json, Vec<String>) {
    let schema = &tool.input_schema;
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    if let Some(given) = object_in(text) {
        let missing = required.iter().filter(|name| given.get(**name).is_none()).map(|name| (*name).to_owned());
        return (given.clone(), missing.collect());
    }
    let words = words(text);
    let used = used(text, &words, tool);
    let fields: Vec<(&String, &Json)> = schema["properties"].as_object().into_iter().flatten().collect();
    // Find the name of each argument in the text, outside of the names of the server and the tool.
    let mut named: Vec<(&String, &Json, Range<usize>)> = fields
        .iter()
        .filter_map(|(name, field)| {
            let at = places(&words, &plain(name)).find(|at| used.iter().all(|other| apart(other, at)))?;
            Some((*name, *field, at))
        })
        .collect();
    named.sort_by_key(|(_, _, at)| at.start);
    let mut out = Map::new();
    let starts: Vec<usize> = named.iter().map(|(_, _, at)| words[at.start].at.start).collect();
    for (place, (name, field, at)) in named.iter().enumerate() {
        let from = words[at.end - 1].at.end;
        // A quoted value may contain the names of other arguments.
        let end = starts.get(place + 1).copied().filter(|end| *end > from).unwrap_or(text.len());
        if let Some(value) = value(text.cut(from..), end - from, field) {
            out.insert((*name).clone(), value);
        }
    }
    if out.is_empty() {
        unnamed(text, &words, &used, &fields, &required, &mut out);
    }
    let missing = required.iter().filter(|name| !out.contains_key(**name)).map(|name| (*name).to_owned()).collect();
    (Json::Object(out), missing)
}

/// Returns where the text names the server and the tool.
fn used(text: &str, words: &[Word], tool: &OwnTool) -> Vec<Range<usize>> {
    let hit = hits(text, words, std::slice::from_ref(tool)).into_iter().next();
    hit.into_iter().flat_map(|hit| [Some(hit.at), hit.server]).flatten().collect()
}

/// Fills arguments that the text does not name: one string, or all numbers in order.
fn unnamed(
    text: &str,
    words: &[Word],
    used: &[Range<usize>],
    fields: &[(&String, &Json)],
    required: &[&str],
    out: &mut Map<String, Json>,
) {
    let wanted: Vec<&(&String, &Json)> =
        fields.iter().filter(|(name, _)| fields.len() == 1 || required.contains(&name.as_str())).collect();
    let is_number = |field: &Json| matches!(field["type"].as_str(), Some("number" | "integer"));
    match wanted.as_slice() {
        [(name, field)] if field["type"] == "string" => {
            let after_colon = text.split_once(": ").map(|(_, rest)| rest.trim().to_owned());
            if let Some(said) = quoted(text).or(after_colon).filter(|said| !said.is_empty()) {
                out.insert((*name).clone(), said.into());
            }
        }
        [] => {}
        all if all.iter().all(|(_, field)| is_number(field)) => {
            let inside = |at: usize| used.iter().any(|range| range.contains(&at));
            let numbers: Vec<Json> = words
                .iter()
                .enumerate()
                .filter(|(at, word)| !inside(*at) && word.text.chars().all(|c| c.is_ascii_digit()))
                .filter_map(|(_, word)| number(text.cut(word.at.start.saturating_sub(1)..)))
                .collect();
            if numbers.len() == all.len() {
                out.extend(all.iter().map(|(name, _)| (*name).clone()).zip(numbers));
            }
        }
        _ => {}
    }
}

/// Reads the value after the name of an argument. It ends after `most` bytes unless it is in quotes.
fn value(rest: &str, most: usize, field: &Json) -> Option<Json> {
    let mut lead = 0;
    loop {
        let left = rest.cut(lead..);
        let trimmed = left.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '='));
        lead += left.len() - trimmed.len();
        let word = trimmed.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if !matches!(word.to_lowercase().as_str(), "is" | "of" | "as" | "to" | "equals") {
            break;
        }
        lead += word.len();
    }
    let rest = rest.cut(lead..);
    if let Some(said) = quoted(rest).filter(|_| rest.starts_with(QUOTES.map(|(open, _)| open))) {
        return typed(&said, field);
    }
    let mut said = rest.cut(..most.saturating_sub(lead)).trim();
    if most < rest.len() + lead {
        // Words that lead to the next argument belong to neither value.
        while let Some(shorter) = ["and", "with", ",", ";", "the"].iter().find_map(|word| {
            let shorter = said.strip_suffix(word)?;
            (shorter.ends_with(char::is_whitespace) || !word.starts_with(char::is_alphabetic)).then_some(shorter)
        }) {
            said = shorter.trim_end();
        }
    }
    typed(said.trim_end_matches(['.', '!', '?']).trim_end(), field)
}

const QUOTES: [(char, char); 4] = [('"', '"'), ('“', '”'), ('\'', '\''), ('`', '`')];

/// Returns the text in the first quotes.
fn quoted(text: &str) -> Option<String> {
    let (open, close, at) = QUOTES
        .iter()
        .filter_map(|(open, close)| Some((*open, *close, text.find(*open)?)))
        .min_by_key(|(.., at)| *at)?;
    let inside = text.cut(at + open.len_utf8()..);
    // An apostrophe inside a word opens no quotes.
    let before = text.cut(..at).chars().next_back();
    if open == '\'' && before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    Some(inside.cut(..inside.find(close)?).to_owned())
}

fn number(text: &str) -> Option<Json> {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '-');
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-'))).unwrap_or(text.len());
    let text = text.cut(..end).trim_end_matches('.');
    let whole = text.parse::<i64>().ok().map(Number::from);
    whole.or_else(|| Number::from_f64(text.parse().ok()?)).map(Json::Number)
}

fn typed(said: &str, field: &Json) -> Option<Json> {
    if said.is_empty() {
        return None;
    }
    if let Some(options) = field["enum"].as_array() {
        return options.iter().find(|one| one.as_str().is_some_and(|one| plain(one) == plain(said))).cloned();
    }
    match field["type"].as_str() {
        Some("number" | "integer") => number(said),
        Some("boolean") => match said.split_whitespace().next()?.to_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true.into()),
            "false" | "no" | "off" => Some(false.into()),
            _ => None,
        },
        Some("array") => {
            Some(said.split(',').map(|one| Json::from(one.trim())).filter(|one| one != "").collect::<Vec<_>>().into())
        }
        Some("object") => object_in(said),
        _ => Some(said.into()),
    }
}

/// Returns arguments that the person wrote as JSON.
fn object_in(text: &str) -> Option<Json> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    serde_json::from_str::<Json>(text.cut(start..=end)).ok().filter(Json::is_object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, title: &str, schema: Json) -> OwnTool {
        OwnTool { name: name.into(), title: title.into(), input_schema: schema.into() }
    }

    fn tools() -> Vec<OwnTool> {
        let text = json!({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]});
        let sum = json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]});
        let file = json!({"type": "object", "properties": {
            "path": {"type": "string"}, "head": {"type": "integer"}, "format": {"enum": ["plain", "rich"]}, "deep": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
        }, "required": ["path"]});
        vec![
            tool("mcp:everything:echo", "Everything: Echo Tool", text.clone()),
            tool("mcp:everything:get-sum", "Everything: Get Sum", sum),
            tool("mcp:everything:get", "Everything: get", json!({"type": "object"})),
            tool("mcp:files:read_text_file", "Team files: Read text", file),
            tool("mcp:mail:echo", "Mail: echo", text.clone()),
            tool("mcp:unity-tools:report", "Unity tools: report", text),
            tool("mcp:games:list", "Games: list", json!({"type": "object"})),
        ]
    }

    fn named(text: &str) -> Option<String> {
        let tools = tools();
        meant(text, &tools).map(|meant| match meant {
            Meant::Tool(tool) => tool.name.clone(),
            Meant::Several(one, other) => format!("{} or {}", one.name, other.name),
            Meant::Server(handle) => handle.to_owned(),
        })
    }

    #[test]
    fn a_tool_is_meant_where_it_and_its_server_are_named() {
        for (text, wanted) in [
            ("use the echo tool of everything with message hello", Some("mcp:everything:echo")),
            ("Everything: echo \"hi\"", Some("mcp:everything:echo")),
            ("ask mail to echo hello", Some("mcp:mail:echo")),
            ("use the echo tool", Some("mcp:everything:echo or mcp:mail:echo")),
            ("call the get-sum tool with a 3 and b 4", Some("mcp:everything:get-sum")),
            ("run tool getSum on everything, a=3 b=4", Some("mcp:everything:get-sum")),
            ("read_text_file of files, path a.txt", Some("mcp:files:read_text_file")),
            ("team files: read text file, path a.txt", Some("mcp:files:read_text_file")),
            ("use read text file of the team files: path a.txt", Some("mcp:files:read_text_file")),
            ("use list of games", Some("mcp:games:list")),
            ("Games: list", Some("mcp:games:list")),
            ("Can you please use games to list them?", Some("mcp:games:list")),
            ("which tools does everything have?", Some("everything")),
            ("use the report tool of unity tools", Some("mcp:unity-tools:report")),
        ] {
            assert_eq!(named(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn other_questions_are_not_about_tools() {
        for text in [
            "What was my revenue yesterday?",
            "Unity report yesterday",
            "unity revenue by country",
            "How is everything?",
            "get me the floors of Puzzle Game",
            "echo",
            "list my ad units",
            "which tool do you recommend?",
            "list my games",
            "List all games with revenue below $5",
            "how many games use the list of ad sources?",
            "which of my games run on another ad server?",
            "get me everything on Puzzle Game",
            "what tools do I need for my games?",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
        assert_eq!(meant("use the echo tool", &[]), None);
    }

    fn args(text: &str) -> (Json, Vec<String>) {
        let tools = tools();
        let Some(Meant::Tool(tool)) = meant(text, &tools) else { panic!("{text}") };
        arguments(text, tool)
    }

    #[test]
    fn arguments_are_read_by_their_names() {
        for (text, wanted) in [
            ("use the echo tool of everything with message hello", json!({"message": "hello"})),
            ("use the echo tool of everything with message: hello big world.", json!({"message": "hello big world"})),
            (
                "use the echo tool of everything with message \"a message. Really!\"",
                json!({"message": "a message. Really!"}),
            ),
            ("everything: echo “hi there”", json!({"message": "hi there"})),
            ("echo tool of everything: hi", json!({"message": "hi"})),
            ("call the get-sum tool with a 3 and b = -4.5", json!({"a": 3, "b": -4.5})),
            ("get-sum tool of everything: 3 and 4", json!({"a": 3, "b": 4})),
            ("use the get-sum tool {\"a\": 1, \"b\": 2}", json!({"a": 1, "b": 2})),
            (
                "read_text_file tool with path /tmp/a b.txt, head 5, format Rich, deep yes and tags x, y",
                json!({"path": "/tmp/a b.txt", "head": 5, "format": "rich", "deep": true, "tags": ["x", "y"]}),
            ),
        ] {
            assert_eq!(args(text), (wanted, Vec::new()), "{text}");
        }
    }

    #[test]
    fn what_is_not_said_is_missing_and_never_made_up() {
        assert_eq!(args("use the echo tool of everything"), (json!({}), vec!["message".to_owned()]));
        assert_eq!(args("get-sum tool with a 3"), (json!({"a": 3}), vec!["b".to_owned()]));
        assert_eq!(args("get-sum tool with 3"), (json!({}), vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(args("get-sum tool with a three and b 4"), (json!({"b": 4}), vec!["a".to_owned()]));
    }
}
