//! Finds the string literals of a Rust file that people could read.
//!
//! It is a small lexer with a stack of brackets, not a parser: it only needs to know which call, macro or attribute contains a
//! literal.

/// Calls and macros with strings that go to a log, to a developer or to the compiler.
const NOT_READ: &[&str] = &[
    "trace!",
    "debug!",
    "info!",
    "warn!",
    "error!",
    "event!",
    "span!",
    "info_span!",
    "debug_span!",
    "error_span!",
    "panic!",
    "unreachable!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
    "debug_assert!",
    "debug_assert_eq!",
    "expect",
    "env!",
    "include_str!",
    "include_bytes!",
    "cfg!",
    "stylance!",
];

/// Attributes of elements that hold names instead of words.
const NOT_WORDS: &[&str] =
    &["class", "rel", "d", "viewBox", "style", "describedby", "labelledby", "controls", "owns", "content", "sizes"];

/// Attributes of items with strings that reach a person: error messages, help of commands, the description of the API.
const READ_ATTRIBUTES: &[&str] = &["error", "arg", "command", "utoipa", "schema", "param"];

struct Frame {
    name: String,
    /// Whether nobody reads the strings in this frame.
    hidden: bool,
}

struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::CharIndices<'a>>,
    source: &'a str,
    line: usize,
    frames: Vec<Frame>,
    /// The name that was just read, and what follows it so far.
    name: String,
    after: String,
    /// An attribute said that the next block is a test.
    test_ahead: bool,
    found: Vec<(usize, String)>,
}

/// Returns the line and text of every literal that looks like words; with `help`, also the doc comments inside items.
pub fn strings(source: &str, help: bool) -> Vec<(usize, String)> {
    let mut lexer = Lexer {
        rest: source.char_indices().peekable(),
        source,
        line: 1,
        frames: Vec::new(),
        name: String::new(),
        after: String::new(),
        test_ahead: false,
        found: Vec::new(),
    };
    lexer.run(help);
    lexer.found
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<char> {
        let (_, character) = self.rest.next()?;
        self.line += usize::from(character == '\n');
        Some(character)
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, character)| *character)
    }

    /// Returns the text that is not read yet.
    fn ahead(&mut self) -> &str {
        let source = self.source;
        self.rest.peek().map_or("", |(at, _)| &source[*at..])
    }

    fn run(&mut self, help: bool) {
        while let Some(character) = self.peek() {
            if self.ahead().starts_with("//") {
                self.comment(help);
            } else if self.ahead().starts_with("/*") {
                self.block_comment();
            } else if character == '"' {
                self.next();
                self.plain_string();
            } else if let Some(hashes) = raw_start(self.ahead()) {
                self.raw_string(hashes);
            } else if character.is_alphanumeric() || character == '_' {
                self.read_name();
            } else if character == '\'' {
                self.quote();
            } else {
                self.next();
                self.mark(character);
            }
        }
    }

    fn comment(&mut self, help: bool) {
        let line = self.line;
        let text: String = self.ahead().lines().next().unwrap_or_default().to_owned();
        for _ in text.chars() {
            self.next();
        }
        let inside = self.frames.len() == 1 && !self.is_hidden();
        if let Some(doc) = text.strip_prefix("/// ")
            && help
            && inside
        {
            self.found.push((line, doc.to_owned()));
        }
    }

    fn block_comment(&mut self) {
        while !self.ahead().starts_with("*/") && self.next().is_some() {}
        self.next();
        self.next();
    }

    fn read_name(&mut self) {
        self.name.clear();
        self.after.clear();
        while let Some(character) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
            self.name.push(character);
            self.next();
        }
    }

    /// Reads a character literal, or the tick of a lifetime.
    fn quote(&mut self) {
        self.next();
        let mut ahead = self.ahead().chars();
        match (ahead.next(), ahead.next()) {
            (Some('\\'), _) => {
                self.next();
                self.next();
                while self.next().is_some_and(|character| character != '\'') {}
            }
            (Some(_), Some('\'')) => {
                self.next();
                self.next();
            }
            _ => {}
        }
    }

    fn mark(&mut self, character: char) {
        match character {
            '(' | '[' | '{' => {
                let name = match (character, self.after.trim()) {
                    ('[', "#" | "#!") => "#".to_owned(),
                    (_, "!") => format!("{}!", self.name),
                    (_, "") => self.name.clone(),
                    _ => String::new(),
                };
                let test = character == '{' && self.test_ahead;
                self.test_ahead &= !test;
                self.frames.push(Frame { hidden: test || NOT_READ.contains(&name.as_str()), name });
                self.forget();
            }
            ')' | ']' | '}' => {
                self.frames.pop();
                self.forget();
            }
            ';' => {
                self.test_ahead = false;
                self.forget();
            }
            ' ' | '\n' | '\r' | '\t' => {}
            '#' => {
                self.forget();
                self.after.push('#');
            }
            other => self.after.push(other),
        }
        self.look_at_attribute();
    }

    fn forget(&mut self) {
        self.name.clear();
        self.after.clear();
    }

    /// Uses the first name in `#[…]` to decide what the attribute is about.
    fn look_at_attribute(&mut self) {
        if self.frames.last().is_none_or(|frame| frame.name != "#") {
            return;
        }
        let ahead = self.ahead();
        let name: String = ahead.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if name.is_empty() {
            return;
        }
        let is_test = ahead.starts_with("cfg(test)") || name == "test" || ahead.starts_with("tokio::test");
        self.test_ahead |= is_test;
        if let Some(frame) = self.frames.last_mut() {
            frame.hidden = !READ_ATTRIBUTES.contains(&name.as_str());
            frame.name = format!("#{name}");
        }
    }

    fn is_hidden(&self) -> bool {
        self.frames.iter().any(|frame| frame.hidden)
    }

    fn plain_string(&mut self) {
        let line = self.line;
        let mut text = String::new();
        while let Some(character) = self.next() {
            match character {
                '"' => break,
                '\\' => match self.next() {
                    Some('n') => text.push('\n'),
                    Some('\n') => {
                        while self.peek().is_some_and(char::is_whitespace) {
                            self.next();
                        }
                    }
                    Some('u') => text.push('…'),
                    Some(escaped) => text.push(escaped),
                    None => break,
                },
                other => text.push(other),
            }
        }
        self.keep(line, text);
    }

    fn raw_string(&mut self, hashes: usize) {
        let line = self.line;
        while self.next() != Some('"') {}
        let end = format!("\"{}", "#".repeat(hashes));
        let mut text = String::new();
        while !self.ahead().starts_with(&end) {
            let Some(character) = self.next() else { break };
            text.push(character);
        }
        for _ in end.chars() {
            self.next();
        }
        self.keep(line, text);
    }

    fn keep(&mut self, line: usize, text: String) {
        let is_name = self.after.trim() == "=" && NOT_WORDS.contains(&self.name.as_str());
        if !self.is_hidden() && !is_name && is_prose(&text) {
            self.found.push((line, text));
        }
        self.forget();
    }
}

/// Returns the number of `#` of a raw string that starts here; `None` if none starts here.
fn raw_start(ahead: &str) -> Option<usize> {
    let rest = ahead.strip_prefix("br").or_else(|| ahead.strip_prefix('r'))?;
    let hashes = rest.chars().take_while(|c| *c == '#').count();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// Checks whether a text is words rather than a name, a path, a pattern or a statement.
fn is_prose(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let statement =
        ["select ", "insert ", "update ", "delete from", "pragma ", "with ", "create table", "begin immediate"];
    if letters < 2 || statement.iter().any(|start| text.trim_start().starts_with(start)) {
        return false;
    }
    let has_space = text.trim().contains(' ');
    let one_word = text.chars().next().is_some_and(char::is_uppercase)
        && text.chars().skip(1).any(char::is_lowercase)
        && !text.chars().skip(1).any(char::is_uppercase)
        && text.chars().all(|c| c.is_alphanumeric() || "'’.,:!?…-".contains(c));
    let class_names = text.split(' ').any(|word| word.contains('-') || word.contains("__"))
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || " -_".contains(c));
    (has_space && !class_names) || one_word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        strings(source, false).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn words_are_found_with_their_line_wherever_they_stand() {
        let source =
            "fn a() {\n    // \"not this\"\n    let b = 'x';\n    say(\"Two words\", \"Word\", \"snake_case\");\n}";
        assert_eq!(strings(source, false), [(4, "Two words".to_owned()), (4, "Word".to_owned())]);
        assert_eq!(
            texts("const A: &str = \"one \\\n     line\"; const B: &str = r#\"raw \"words\"\"#;"),
            ["one line", "raw \"words\""]
        );
        assert_eq!(texts("fn f<'a>(x: &'a str) -> char { g(\"Over there\"); '\"' }"), ["Over there"]);
    }

    #[test]
    fn log_lines_tests_and_class_names_are_left_out() {
        assert!(texts("fn a() { tracing::warn!(x, \"a log line\"); b.expect(\"it is there\"); }").is_empty());
        assert!(texts("#[cfg(test)]\nmod tests { fn a() { b(\"In a test\") } }").is_empty());
        assert!(texts("#[expect(dead_code, reason = \"a reason why\")] fn a() {}").is_empty());
        assert!(texts("view! { <p class=\"Big card\">{x}</p> }").is_empty());
        assert!(texts("fn a() { sql(\"select id from users\"); css(\"card card--wide\") }").is_empty());
    }

    #[test]
    fn what_follows_a_test_is_read_again() {
        let source = "#[cfg(test)] mod tests;\nfn a() { b(\"Read this\") }\n#[test] fn c() { d(\"Not this\") }\nfn e() { f(\"And this\") }";
        assert_eq!(texts(source), ["Read this", "And this"]);
    }

    #[test]
    fn errors_and_labels_are_read_and_the_help_of_a_command_too() {
        assert_eq!(texts("enum E { #[error(\"no such {0}\")] A(String) }"), ["no such {0}"]);
        assert_eq!(
            texts("view! { <p class=\"c\" aria-label=\"Close it\">\"Plain text\"</p> }"),
            ["Close it", "Plain text"]
        );
        let source = "/// A type\nstruct A {\n    /// Say more.\n    b: bool,\n}";
        assert_eq!(strings(source, true), [(3, "Say more.".to_owned())]);
        assert!(strings(source, false).is_empty());
    }
}
