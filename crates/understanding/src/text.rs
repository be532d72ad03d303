//! Cuts a question into tokens: words, numbers, IDs, quoted literals and punctuation.
//!
//! Quoted text becomes one literal token. No vocabulary is applied to it, so a name can't act as an instruction.

mod shape;

pub use self::shape::{fold, number_word, parse_number, stem};
use adagent_domain::Cut as _;

use self::shape::{is_date, is_identifier};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Word,
    Number(f64),
    /// A date in digits, e.g. `2026-11-05`, `15/10`, `09.11.2026`.
    Date,
    /// An identifier, a package name or an address.
    Id,
    /// Text in quotes.
    Literal,
    Punct(char),
}

/// Checks for a text file such as `app-ads.txt`: people ask about it, and it is no ID.
pub(crate) fn is_text_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, extension)| extension == "txt")
}

pub(crate) fn is_id(token: &Token) -> bool {
    match token.kind {
        Kind::Id => !is_text_file(&token.norm),
        Kind::Number(_) => {
            token.norm.len() >= 3
                && token.norm.bytes().all(|b| b.is_ascii_digit())
                && !matches!(token.norm.as_str(), "2023" | "2024" | "2025" | "2026" | "2027")
        }
        _ => false,
    }
}

/// One token and its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub norm: String,
    /// The word without a plural ending.
    pub stem: String,
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    pub capital: bool,
}

impl Token {
    pub fn is(&self, word: &str) -> bool {
        !matches!(self.kind, Kind::Literal) && (self.norm == word || self.stem == word)
    }

    pub fn any(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.is(w))
    }

    pub fn number(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(n) => Some(n),
            Kind::Word => number_word(&self.norm),
            _ => None,
        }
    }

    pub fn is_punct(&self, c: char) -> bool {
        self.kind == Kind::Punct(c)
    }

    pub fn is_stop(&self) -> bool {
        matches!(self.kind, Kind::Punct(',' | ';' | ':' | '.' | '?' | '!' | '–' | '-' | '(' | ')'))
    }
}

fn closing_quote(open: char) -> Option<char> {
    Some(match open {
        '"' | '`' | '\'' => open,
        '“' => '”',
        '‘' => '’',
        '„' => '“',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        _ => return None,
    })
}

/// Returns where a quotation that opens at `open` ends, as the byte offset of the closing mark.
///
/// `unclosed` holds the marks that an earlier call found no closing mark for. So we search a text full of opening marks only once.
fn quotation_end(text: &str, open: usize, mark: char, unclosed: &mut Vec<char>) -> Option<usize> {
    let close = closing_quote(mark)?;
    if unclosed.contains(&mark) {
        return None;
    }
    let before = text.cut(..open).chars().next_back();
    if matches!(mark, '\'' | '‘' | '"' | '`') && before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let body = open + mark.len_utf8();
    // French puts a space inside its marks: « Bonus DE ».
    if mark != '«' && text.cut(body..).chars().next().is_none_or(char::is_whitespace) {
        return None;
    }
    for (at, c) in text.cut(body..).char_indices() {
        let here = body + at;
        let matches_mark = c == close || (mark == '„' && c == '”') || (mark == '“' && c == '"');
        if matches_mark && at > 0 {
            let after = text.cut(here + c.len_utf8()..).chars().next();
            if !matches!(mark, '\'' | '‘') || after.is_none_or(|a| !a.is_alphanumeric()) {
                return Some(here);
            }
        }
    }
    unclosed.push(mark);
    None
}

/// Cuts a text into tokens.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::with_capacity(text.len() / 5 + 4);
    let (mut at, mut unclosed) = (0, Vec::new());
    while let Some(c) = text.cut(at..).chars().next() {
        let width = c.len_utf8();
        if c.is_whitespace() || c.is_control() {
            at += width;
            continue;
        }
        if let Some(end) = quotation_end(text, at, c, &mut unclosed) {
            let close = text.cut(end..).chars().next().map_or(0, char::len_utf8);
            out.push(Token {
                norm: text.cut(at + width..end).trim().to_owned(),
                stem: String::new(),
                kind: Kind::Literal,
                start: at,
                end: end + close,
                capital: false,
            });
            at = end + close;
            continue;
        }
        let run = text
            .cut(at..)
            .find(|x: char| x.is_whitespace() || matches!(x, '"' | '“' | '”' | '「' | '」' | '«' | '»'))
            .map_or(text.len(), |n| at + n);
        let run = if run == at { at + width } else { run };
        cut_run(text, at, run, &mut out);
        at = run;
    }
    out
}

const EDGE: &[char] = &[
    ',', ';', ':', '.', '?', '!', '(', ')', '[', ']', '{', '}', '¿', '¡', '…', '\'', '’', '‘', '"', '。', '、', '，',
    '？', '！', '：', '（', '）', '=', '→', '%', '*', '&', '<', '>', '|', '«', '»', '-', '–', '—', '/', '+', '$', '€',
    '£', '¥', '₹', '#', '@', '~', '`', '^', '\\',
];

fn punct(text: &str, at: usize, out: &mut Vec<Token>) -> usize {
    let Some(c) = text.cut(at..).chars().next() else { return at + 1 };
    let mapped = match c {
        '。' | '…' => '.',
        '、' | '，' => ',',
        '？' => '?',
        '！' => '!',
        '：' => ':',
        '（' => '(',
        '）' => ')',
        '—' => '–',
        other => other,
    };
    out.push(Token {
        norm: c.to_string(),
        stem: String::new(),
        kind: Kind::Punct(mapped),
        start: at,
        end: at + c.len_utf8(),
        capital: false,
    });
    at + c.len_utf8()
}

fn cut_run(text: &str, mut start: usize, mut end: usize, out: &mut Vec<Token>) {
    while start < end && text.cut(start..).starts_with(EDGE) {
        start = punct(text, start, out);
    }
    let mut tail = Vec::new();
    while start < end && text.cut(start..end).ends_with(EDGE) {
        let width = text.cut(start..end).chars().next_back().map_or(1, char::len_utf8);
        end -= width;
        tail.push(end);
    }
    if start < end {
        cut_core(text, start, end, out);
    }
    for at in tail.into_iter().rev() {
        punct(text, at, out);
    }
}

fn push(text: &str, start: usize, end: usize, kind: Kind, out: &mut Vec<Token>) {
    let raw = text.cut(start..end);
    let norm = fold(raw);
    let stem = stem(&norm);
    let capital = raw.chars().next().is_some_and(char::is_uppercase);
    out.push(Token { norm, stem, kind, start, end, capital });
}

fn cut_core(text: &str, start: usize, end: usize, out: &mut Vec<Token>) {
    let raw = text.cut(start..end);
    if is_date(raw) {
        return push(text, start, end, Kind::Date, out);
    }
    if let Some(n) = parse_number(raw) {
        return push(text, start, end, Kind::Number(n), out);
    }
    let range = raw.split_once("..").is_some_and(|(from, to)| is_date(from) && is_date(to));
    if is_identifier(raw) && !range {
        return push(text, start, end, Kind::Id, out);
    }
    // Two dates, joined by a dash: "10/26-11/1".
    if raw.bytes().filter(u8::is_ascii_digit).count() >= 8 || raw.bytes().filter(|byte| *byte == b'/').count() == 2 {
        // "2026-11-01..2026-11-10" is how programmers write ranges.
        if let Some((from, to)) = raw.split_once("..")
            && is_date(from)
            && is_date(to)
        {
            push(text, start, start + from.len(), Kind::Date, out);
            out.push(Token {
                norm: "–".into(),
                stem: String::new(),
                kind: Kind::Punct('–'),
                start: start + from.len(),
                end: end - to.len(),
                capital: false,
            });
            return push(text, end - to.len(), end, Kind::Date, out);
        }
        for (at, dash) in raw.char_indices().filter(|(_, c)| matches!(c, '-' | '–' | '—')) {
            let rest = at + dash.len_utf8();
            if is_date(raw.cut(..at)) && is_date(raw.cut(rest..)) {
                push(text, start, start + at, Kind::Date, out);
                punct(text, start + at, out);
                return push(text, start + rest, end, Kind::Date, out);
            }
        }
    }
    let mut from = start;
    let mut previous: Option<char> = None;
    for (offset, c) in raw.char_indices() {
        let at = start + offset;
        let next = raw.cut(offset + c.len_utf8()..).chars().next();
        let inner_number = matches!(c, '.' | ',')
            && previous.is_some_and(|p| p.is_ascii_digit())
            && next.is_some_and(|n| n.is_ascii_digit());
        if matches!(c, '\'' | '’') {
            previous = Some(c);
            continue;
        }
        if !(c.is_alphanumeric() || c == '_' || inner_number || is_mark(c)) {
            if from < at {
                cut_word(text, from, at, out);
            }
            punct(text, at, out);
            from = at + c.len_utf8();
        }
        previous = Some(c);
    }
    if from < end {
        cut_word(text, from, end, out);
    }
}

/// Checks for a combining mark, which belongs to the letter before it (Devanagari vowels, decomposed accents).
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

fn cut_word(text: &str, start: usize, end: usize, out: &mut Vec<Token>) {
    let raw = text.cut(start..end);
    if let Some(n) = parse_number(raw) {
        return push(text, start, end, Kind::Number(n), out);
    }
    if let Some(at) = raw.find(['\'', '’']) {
        let base = raw.cut(..at);
        let tail = fold(raw.cut(at..).trim_start_matches(['\'', '’']));
        let lower = fold(base);
        if tail == "s" || tail.is_empty() {
            // "key 11800321's display name": the ID stays an ID.
            let kind = match parse_number(base) {
                Some(n) => Kind::Number(n),
                None if is_identifier(base) => Kind::Id,
                None => Kind::Word,
            };
            push(text, start, start + at, kind, out);
            if matches!(lower.as_str(), "what" | "who" | "where" | "how" | "it" | "that" | "there" | "here" | "when") {
                out.push(Token {
                    norm: "is".into(),
                    stem: "is".into(),
                    kind: Kind::Word,
                    start: start + at,
                    end,
                    capital: false,
                });
            }
            return;
        }
        if matches!(lower.as_str(), "l" | "d" | "qu" | "dell" | "nell" | "all" | "quest") {
            let rest = raw.len() - raw.cut(at..).trim_start_matches(['\'', '’']).len();
            return push(text, start + rest, end, Kind::Word, out);
        }
        push(text, start, end, Kind::Word, out);
        if let Some(last) = out.last_mut() {
            last.norm.retain(|c| c != '\'' && c != '’');
            last.stem = last.norm.clone();
        }
        return;
    }
    // "9th", "90s", "30d" and "Q3" stay whole; "7days" and "nov1" become two tokens.
    let boundary = raw
        .find(|c: char| c.is_ascii_alphabetic())
        .filter(|at| *at > 0 && raw.cut(..*at).bytes().all(|b| b.is_ascii_digit()));
    if let Some(at) = boundary {
        let tail = raw.cut(at..).to_ascii_lowercase();
        if tail.len() >= 3 && tail.bytes().all(|b| b.is_ascii_alphabetic()) {
            push(text, start, start + at, Kind::Number(raw.cut(..at).parse().unwrap_or(0.0)), out);
            return push(text, start + at, end, Kind::Word, out);
        }
        if matches!(tail.as_str(), "d" | "w" | "h" | "s") && at <= 3 {
            push(text, start, start + at, Kind::Number(raw.cut(..at).parse().unwrap_or(0.0)), out);
            push(text, start + at, end, Kind::Word, out);
            if let Some(last) = out.last_mut() {
                let long = match tail.as_str() {
                    "d" => "day",
                    "w" => "week",
                    "h" => "hour",
                    _ => "second",
                };
                last.norm = long.into();
                last.stem = long.into();
            }
            return;
        }
    }
    let digits_from = raw
        .find(|c: char| c.is_ascii_digit())
        .filter(|at| *at >= 3 && raw.cut(*at..).bytes().all(|b| b.is_ascii_digit()) && raw.len() - at <= 2);
    if let Some(at) = digits_from
        && crate::dates::month_of(&raw.cut(..at).to_ascii_lowercase()).is_some()
    {
        push(text, start, start + at, Kind::Word, out);
        return push(text, start + at, end, Kind::Number(raw.cut(at..).parse().unwrap_or(0.0)), out);
    }
    push(text, start, end, Kind::Word, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn norms(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|t| t.norm).collect()
    }

    #[test]
    fn quoted_names_stay_one_literal() {
        let all = tokens("revenue for 'ignore all rules' yesterday");
        assert_eq!(all[2].kind, Kind::Literal);
        assert_eq!(all[2].norm, "ignore all rules");
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn ids_and_dates_are_recognised() {
        let all = tokens("ca-app-pub-3940256099942544~1458002511 on 2026-11-05, 11/12 and 8872-ab");
        assert_eq!(all[0].kind, Kind::Id);
        assert_eq!(all[2].kind, Kind::Date);
        assert_eq!(all[4].kind, Kind::Date);
        assert_eq!(all[6].kind, Kind::Id);
    }

    #[test]
    fn apostrophes_and_numbers_come_apart() {
        assert_eq!(norms("what's October's 7days"), ["what", "is", "october", "7", "days"]);
        assert_eq!(tokens("100k")[0].kind, Kind::Number(100_000.0));
    }
}
