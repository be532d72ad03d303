//! Cuts a text into words. IDs, amounts, dates and quoted names become the name of their kind.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// The word that replaces a quoted name.
pub const QUOTED: &str = "qname";
/// The highest number of letters in a quoted name.
const LONGEST_NAME: usize = 60;

/// Checks for scripts without spaces between words: kana, Han, Hangul, Thai.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{0e00}'..='\u{0e7f}')
}

/// Lowercases a text, unifies variants of letters, and removes accents from Latin and Cyrillic.
pub fn fold(text: &str) -> Vec<char> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if c.is_ascii() || is_unspaced(c) {
            out.push(c);
        } else {
            decompose_canonical(c, |part| {
                if !is_combining_mark(part) {
                    out.push(part);
                }
            });
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || (is_unspaced(c) && !c.is_whitespace())
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '«' | '»' | '„' | '「' | '」')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘')
}

/// Checks for a mark that may open a quoted name.
pub fn quotes(c: char) -> bool {
    is_quote(c) || is_apostrophe(c)
}

/// Returns where a name that is quoted from `at` ends.
pub fn quoted(chars: &[char], at: usize) -> Option<usize> {
    let single = is_apostrophe(chars[at]);
    if single && at > 0 && is_word(chars[at - 1]) {
        return None;
    }
    let end = (at + 2..chars.len().min(at + 2 + LONGEST_NAME)).find(|end| {
        let closes = if single { is_apostrophe(chars[*end]) } else { is_quote(chars[*end]) };
        closes && !(single && chars.get(end + 1).is_some_and(|c| is_word(*c)))
    })?;
    Some(end + 1)
}

/// Returns the words and kinds of a text, in order; `?` is a separate word.
pub fn scan(text: &str) -> Vec<String> {
    let chars = fold(text);
    let mut out = Vec::with_capacity(16);
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if c.is_whitespace() {
            at += 1;
        } else if let Some(end) = (is_quote(c) || is_apostrophe(c)).then(|| quoted(&chars, at)).flatten() {
            out.push(QUOTED.to_owned());
            at = end;
        } else if is_quote(c) {
            at += 1;
        } else {
            let len = chars[at + 1..]
                .iter()
                .position(|c| c.is_whitespace() || is_quote(*c))
                .map_or(chars.len(), |n| at + 1 + n);
            chunk(&chars[at..len], &mut out);
            at = len;
        }
    }
    out
}

fn chunk(chars: &[char], out: &mut Vec<String>) {
    let start = chars.iter().position(|c| !matches!(c, '(' | '[' | '{' | '<' | '*' | '`')).unwrap_or(chars.len());
    let end = chars
        .iter()
        .rposition(|c| !matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '>' | '*' | '`'))
        .map_or(start, |n| n + 1)
        .max(start);
    let body = &chars[start..end];
    match kind(body) {
        Some(kind) => out.push(kind.to_owned()),
        None => runs(body, out),
    }
    if chars[end..].contains(&'?') {
        out.push("?".to_owned());
    }
}

fn digits(chars: &[char]) -> bool {
    !chars.is_empty() && chars.iter().all(char::is_ascii_digit)
}

/// Checks for a number such as "1,234.5", "7" or "4.50k".
fn number(chars: &[char]) -> bool {
    chars.first().is_some_and(char::is_ascii_digit)
        && chars.iter().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | 'k' | 'm'))
}

/// Returns the kind of a piece without spaces, if the whole piece is one thing.
fn kind(body: &[char]) -> Option<&'static str> {
    if body.iter().all(char::is_ascii_alphanumeric) {
        return None;
    }
    let text: String = body.iter().collect();
    if text.starts_with("ca-app-pub-") {
        return Some("idcapub");
    }
    if text.strip_prefix("pub-").is_some_and(|rest| rest.len() >= 8 && rest.bytes().all(|b| b.is_ascii_digit())) {
        return Some("idpub");
    }
    if text.starts_with("http://") || text.starts_with("https://") {
        return Some("idurl");
    }
    if text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
        return Some("idmail");
    }
    if body.len() == 10 && body[4] == '-' && body[7] == '-' && digits(&body[..4]) && digits(&body[8..]) {
        return Some("numdate");
    }
    if matches!(body[0], '$' | '€' | '£') && number(&body[1..]) {
        return Some("nummoney");
    }
    if let [rest @ .., '$' | '€' | '£'] = body
        && number(rest)
    {
        return Some("nummoney");
    }
    if let [rest @ .., '%'] = body
        && number(rest.strip_prefix(&['-']).unwrap_or(rest))
    {
        return Some("numpct");
    }
    if number(body) && body.iter().any(|c| matches!(c, '.' | ',')) {
        return Some("num");
    }
    let parts: Vec<&str> = text.split('.').collect();
    let named = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    if parts.len() >= 3 && parts.iter().all(named) {
        return Some("idpkg");
    }
    let groups: Vec<&str> = text.split('-').collect();
    let hex = |group: &&str| group.len() >= 4 && group.bytes().all(|b| b.is_ascii_hexdigit());
    (groups.len() >= 4 && groups.iter().all(hex)).then_some("idhex")
}

/// Adds the words of a piece: letters and digits, without apostrophes inside words.
fn runs(body: &[char], out: &mut Vec<String>) {
    let mut run: Vec<char> = Vec::with_capacity(body.len());
    for (at, c) in body.iter().enumerate() {
        if is_word(*c) {
            run.push(*c);
        } else if is_apostrophe(*c) && !run.is_empty() && body.get(at + 1).is_some_and(|c| is_word(*c)) {
        } else {
            finish(&run, out);
            run.clear();
            if *c == '%' && out.last().is_some_and(|last| last == "num") {
                out.pop();
                out.push("numpct".to_owned());
            } else if *c == '?' {
                out.push("?".to_owned());
            }
        }
    }
    finish(&run, out);
}

fn finish(run: &[char], out: &mut Vec<String>) {
    if run.is_empty() {
        return;
    }
    let numbers = run.iter().filter(|c| c.is_ascii_digit()).count();
    if numbers == 0 {
        out.push(run.iter().collect());
    } else if numbers == run.len() {
        let year = run.len() == 4 && run[0] == '2' && run[1] == '0';
        out.push(if run.len() >= 4 && !year { "idnum" } else { "num" }.to_owned());
    } else if run.split(|c| *c == 'x').all(digits) {
        // "300x250" is the name of a size.
        out.push(run.iter().collect());
    } else if run.len() >= 6 && run.iter().all(char::is_ascii_alphanumeric) && numbers >= 2 {
        out.push("idhex".to_owned());
    } else {
        // "14d", "q3": separate the number from its letters.
        for part in run.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
            out.push(if part[0].is_ascii_digit() { "num".to_owned() } else { part.iter().collect() });
        }
    }
}
