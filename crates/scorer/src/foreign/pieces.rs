//! Cuts a text into words of the language and everything else, which stays as it is.

use crate::scan;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Gap,
    /// Ends a clause.
    Stop,
    Other,
}

#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub text: String,
    /// The word in the form of the tables; empty for other pieces.
    pub word: String,
    pub kind: Kind,
    /// The preposition that its ending means.
    pub case: &'static str,
}

impl Piece {
    pub fn other(text: String) -> Self {
        Self { text, word: String::new(), kind: Kind::Other, case: "" }
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '.' | '?' | '!' | '…' | '–' | '—' | '\n')
}

fn is_edge(c: char) -> bool {
    is_stop(c)
        || matches!(
            c,
            '"' | '\'' | '“' | '”' | '«' | '»' | '’' | '‘' | '-' | '/' | '+' | '[' | ']' | '=' | '→' | '(' | ')'
        )
}

/// Cuts a text. Words are runs of `native` letters, normalized by `fold`. A piece with mixed or foreign letters stays whole.
pub(super) fn cut(text: &str, native: impl Fn(char) -> bool, fold: impl Fn(&str) -> String) -> Vec<Piece> {
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<Piece> = Vec::new();
    let mut at = 0;
    let run = |from: usize, belongs: &dyn Fn(usize, char) -> bool| {
        (from + 1..chars.len()).find(|at| !belongs(*at, chars[*at])).unwrap_or(chars.len())
    };
    while at < chars.len() {
        let c = chars[at];
        let (end, kind) = if let Some(end) = scan::quotes(c).then(|| scan::quoted(&chars, at)).flatten() {
            (end, Kind::Other)
        } else if c == '\n' {
            (at + 1, Kind::Stop)
        } else if c.is_whitespace() {
            (run(at, &|_, c| c.is_whitespace() && c != '\n'), Kind::Gap)
        } else if native(c) {
            (run(at, &|_, c| native(c) || c == '\u{301}'), Kind::Word)
        } else if is_edge(c) {
            (at + 1, if is_stop(c) { Kind::Stop } else { Kind::Other })
        } else {
            let inner = |at: usize, c: char| {
                let goes_on = chars.get(at + 1).is_some_and(|c| c.is_alphanumeric() && !native(*c));
                !c.is_whitespace()
                    && !native(c)
                    && (!is_edge(c) || goes_on && !matches!(c, '"' | '«' | '(' | '+' | '→'))
            };
            (run(at, &inner), Kind::Other)
        };
        let text: String = chars[at..end].iter().collect();
        let word = if kind == Kind::Word { fold(&text) } else { String::new() };
        out.push(Piece { text, word, kind, case: "" });
        at = end;
    }
    out
}
