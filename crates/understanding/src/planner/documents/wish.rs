//! Reads what a message wants from the documents. It looks at several kinds of evidence, never at one fixed sentence: the word for a
//! document or the library, something to save and a place for it, or a question for what is written about something. It reads English,
//! German and Spanish.

use adagent_contract::{capital, folder_path};
use adagent_domain::Network;

use super::{
    vocab::{
        ABOUT, ADDS, ANSWERS, ARTICLES, CALLED, DAYS, DELETES, FILLER, FOLDER, INTO, LIBRARY, MAKES, MANY, ONE, OPENS,
        POINTERS, SAVES, SEARCHES, STOPS, TRAILING,
    },
    words::{Word, quoted, start, words, written},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// Save the answer before as a document.
    Save {
        title: Option<String>,
        folder: Option<String>,
    },
    /// Create a document with a text from the message.
    New {
        title: String,
        folder: Option<String>,
        text: String,
    },
    Find {
        query: String,
    },
    List {
        folder: Option<String>,
    },
    Open {
        what: String,
    },
    Append {
        what: String,
        text: Added,
    },
    Move {
        what: String,
        folder: String,
    },
    Rename {
        what: String,
        title: String,
    },
    Delete {
        what: String,
    },
    /// Replace a document's text. A person does that on the document's page.
    Rewrite {
        what: String,
    },
    /// Restore a document. A person does that in the trash.
    Restore,
    /// The message asks for something else too, which we can't read.
    More {
        rest: String,
    },
}

/// What to add to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Added {
    Text(String),
    /// The answer before.
    Answer,
}

fn is_one(word: &Word) -> bool {
    word.is(&ONE)
}

fn is_noun(word: &Word) -> bool {
    word.is(&ONE) || word.is(&MANY)
}

fn is_article(word: &Word) -> bool {
    word.is(&ARTICLES)
}

pub(super) fn wish(text: &str) -> Option<Wish> {
    let all = words(text);
    let mut words = all.get(start(&all)..).unwrap_or_default();
    while let Some((_, before)) = words.split_last().filter(|(last, _)| last.is(&TRAILING)) {
        words = before;
    }
    if words.is_empty() {
        return None;
    }
    append(text, words)
        .or_else(|| change(text, words))
        .or_else(|| new(text, words))
        .or_else(|| save(text, words))
        .or_else(|| find(text, words))
        .or_else(|| list(text, words))
        .or_else(|| open(text, words))
}

/// Returns the name that these words give a document, without articles and without words such as "called" that only lead to a name.
fn name(text: &str, words: &[Word]) -> String {
    let begin = words.first().map_or(text.len(), |first| first.at.start);
    let end = words.last().map_or(begin, |last| last.at.end);
    let around = text.get(begin.saturating_sub(4)..).or_else(|| text.get(begin..)).unwrap_or_default();
    if let Some((inside, _)) = quoted(around)
        && text.get(begin..end).is_some_and(|own| own.contains(inside) || inside.contains(own))
    {
        return inside.to_owned();
    }
    let mut rest = words;
    while let Some((first, after)) = rest.split_first()
        && !after.is_empty()
        && (is_article(first)
            || first.is(&["called", "named", "titled", "namens", "llamado", "about", "on", "uber", "sobre"]))
    {
        rest = after;
    }
    // "the floors document".
    while let Some((_, before)) = rest.split_last().filter(|(last, _)| is_noun(last)) {
        rest = before;
    }
    written(text, rest)
}

/// Reads the folder at `at`: "in /floors", "to the folder floors", "in the floors folder". Returns it with the position after its words.
fn folder_at(text: &str, words: &[Word], at: usize) -> Option<(String, usize)> {
    let lead = usize::from(words.get(at)?.is(&INTO));
    let mut from = at + lead;
    while lead == 1 && words.get(from).is_some_and(is_article) {
        from += 1;
    }
    // A name continues until one of the stop words or a colon.
    let end = |from: usize| {
        let rest = words.get(from..).unwrap_or_default();
        let leads = rest.iter().position(|word| word.leads).map_or(rest.len(), |at| at + 1);
        let other = rest.iter().skip(1).position(|word| word.is(&STOPS)).map_or(rest.len(), |at| at + 1);
        from + leads.min(other)
    };
    let path = |from: usize, to: usize| {
        let path = folder_path(&written(text, words.get(from..to)?))?;
        Some((path, to))
    };
    if words.get(from).is_some_and(|word| word.path) {
        return path(from, end(from));
    }
    if lead == 0 {
        return None;
    }
    if words.get(from).is_some_and(|word| word.is(&FOLDER)) {
        let mut named = from + 1;
        while words.get(named).is_some_and(|word| word.is(&CALLED)) {
            named += 1;
        }
        return path(named, end(named));
    }
    let noun = words.iter().skip(from).take(5).position(|word| word.is(&FOLDER)).filter(|noun| *noun > 0)?;
    path(from, from + noun).map(|(path, to)| (path, to + 1))
}

/// Finds the folder that a message names. Returns it with the first position of its words and the one after them.
fn folder(text: &str, words: &[Word]) -> Option<(String, usize, usize)> {
    (0..words.len()).find_map(|at| folder_at(text, words, at).map(|(path, end)| (path, at, end)))
}

/// Reports words that we can't read. If we did the rest and dropped them, the answer would be wrong.
fn more(text: &str, words: &[Word]) -> Option<Wish> {
    (!words.is_empty()).then(|| Wish::More { rest: written(text, words) })
}

/// Returns the text after a colon or dash, with its line breaks.
fn after(text: &str, word: &Word) -> String {
    let rest = text.get(word.at.end..).unwrap_or_default();
    let sign = rest.char_indices().find(|(_, c)| matches!(c, ':' | '–' | '—' | '-'));
    let colon = sign.map_or(0, |(at, c)| at + c.len_utf8());
    rest.get(colon..).unwrap_or_default().trim().to_owned()
}

/// Reads "add to the document X: …" and "append this to the document X".
fn append(text: &str, words: &[Word]) -> Option<Wish> {
    let (first, rest) = words.split_first()?;
    if !first.is(&ADDS) {
        return None;
    }
    let noun = rest.iter().position(is_one)?;
    // What follows a colon is a text, whatever it says.
    if rest[..noun].iter().any(|word| word.leads) {
        return None;
    }
    let place = rest[..noun].iter().rposition(|word| !is_article(word));
    let place =
        place.filter(|at| rest[*at].is(&["to", "in", "into", "onto", "at", "of", "zum", "ins", "im", "al", "en"]));
    let is_dative = noun > 0 && rest[noun - 1].is(&["dem", "unserem"]);
    let what_is_added = match place {
        Some(at) => &rest[..at],
        // "füge dem Dokument X hinzu: …".
        None if is_dative => &rest[..noun - 1],
        None => return None,
    };
    let tail = rest.get(noun + 1..)?;
    let leads = tail.iter().position(|word| word.leads);
    let named = leads.map_or(tail, |at| &tail[..=at]);
    let named = match named.split_last() {
        Some((last, before)) if last.is(&["hinzu", "an"]) => before,
        _ => named,
    };
    let mut named: &[Word] = named;
    // "the document X at the end".
    if let Some(end) =
        named.windows(2).position(|pair| pair[0].is(&["at"]) && pair[1].is(&["the"])).filter(|at| *at > 0)
    {
        named = &named[..end];
    }
    let what = name(text, named);
    let end_only = what_is_added.iter().all(|word| word.is(&["at", "the", "end", "to", "of"]));
    let added = match leads {
        Some(at) => Added::Text(after(text, &tail[at])),
        None if !end_only
            && what_is_added.iter().all(|word| word.is(&POINTERS) || word.is(&ANSWERS) || is_article(word)) =>
        {
            Added::Answer
        }
        None if !end_only => Added::Text(capital(&written(text, what_is_added))),
        None => Added::Text(String::new()),
    };
    Some(Wish::Append { what, text: added })
}

/// Reads "delete the document X", "move the document X to /floors", "rename the document X to Y".
fn change(text: &str, words: &[Word]) -> Option<Wish> {
    let (first, rest) = words.split_first()?;
    let lead = rest.iter().take_while(|word| is_article(word)).count();
    // "delete the document X". Further down: "delete X from the library".
    let noun = rest.get(lead).filter(|word| is_one(word)).map(|_| lead + 1);
    if first.is(&DELETES) {
        if let Some(from) = noun {
            return Some(Wish::Delete { what: name(text, &rest[from..]) });
        }
        // "delete the floors document".
        let (last, named) = rest.split_last()?;
        return (is_one(last) && named.iter().any(|word| !is_article(word)))
            .then(|| Wish::Delete { what: name(text, named) });
    }
    let tail = &rest[noun?..];
    if first.is(&["restore", "recover", "undelete", "stelle", "restaura", "recupera"]) {
        return Some(Wish::Restore);
    }
    if first.is(&[
        "change",
        "edit",
        "update",
        "rewrite",
        "replace",
        "correct",
        "bearbeite",
        "andere",
        "edita",
        "cambia",
    ]) {
        let end = tail.iter().position(|word| word.leads).map_or(tail.len(), |at| at + 1);
        let to = tail.iter().position(|word| word.is(&["to", "so", "with"])).filter(|at| *at > 0);
        return Some(Wish::Rewrite { what: name(text, &tail[..to.map_or(end, |at| at.min(end))]) });
    }
    if first.is(&["move", "put", "file", "verschiebe", "verschieb", "mueve", "mover", "pasa"]) {
        let (folder, at, end) = folder(text, tail).or_else(|| {
            let at =
                tail.iter().rposition(|word| word.is(&["to", "into", "nach", "in", "a", "en"])).filter(|at| *at > 0)?;
            folder_path(&written(text, &tail[at + 1..])).map(|path| (path, at, tail.len()))
        })?;
        let moves = (at > 0).then(|| Wish::Move { what: name(text, &tail[..at]), folder });
        return more(text, tail.get(end..).unwrap_or_default()).or(moves);
    }
    if first.is(&["rename", "retitle", "call", "benenne", "renombra"]) {
        let at = tail.iter().rposition(|word| word.is(&["to", "as", "in", "a"])).filter(|at| *at > 0)?;
        let end = tail.len() - usize::from(tail.last().is_some_and(|word| word.is(&["um"])));
        let title = written(text, tail.get(at + 1..end)?);
        return (!title.is_empty()).then(|| Wish::Rename { what: name(text, &tail[..at]), title });
    }
    None
}

/// Reads "create a document called X in /floors: …".
fn new(text: &str, words: &[Word]) -> Option<Wish> {
    let (first, rest) = words.split_first()?;
    let lead = rest.iter().take_while(|word| is_article(word)).count();
    // "make this a document" saves what "this" points at.
    let points = rest[..lead].iter().any(|word| word.is(&["this", "that", "these"]));
    if points || !first.is(&MAKES) || !rest.get(lead).is_some_and(is_one) {
        return None;
    }
    let mut tail = rest.get(lead + 1..)?;
    while tail.first().is_some_and(|word| word.is(&CALLED)) {
        tail = &tail[1..];
    }
    let leads = if rest[lead].leads { None } else { tail.iter().position(|word| word.leads) };
    let head = leads.map_or(tail, |at| &tail[..=at]);
    let body = match leads {
        Some(at) => after(text, &tail[at]),
        None => String::new(),
    };
    let place = folder(text, head);
    let named = place.as_ref().map_or(head, |(_, at, _)| &head[..*at]);
    let rest = place.as_ref().and_then(|(_, _, end)| head.get(*end..)).unwrap_or_default();
    if let Some(more) = more(text, rest) {
        return Some(more);
    }
    let place = place.map(|(path, ..)| path);
    // "a document about floors" names only its topic, so the topic becomes the title.
    let title = capital(&name(text, named));
    // "create a document from this" saves the answer.
    let from_answer = named.iter().any(|word| word.is(&["from", "of", "aus", "von", "de", "with"]))
        && named.last().is_some_and(|word| word.is(&POINTERS) || word.is(&ANSWERS));
    if from_answer {
        return Some(Wish::Save { title: None, folder: place });
    }
    Some(Wish::New { title, folder: place, text: body })
}

/// Reads "save this as a document", "put the answer in /floors", "keep it in the library".
fn save(text: &str, words: &[Word]) -> Option<Wish> {
    let (first, rest) = words.split_first()?;
    if !first.is(&SAVES) {
        return None;
    }
    let folded_in = first.is(&["guardalo"]);
    let pointed = rest.iter().take_while(|word| word.is(&POINTERS) || word.is(&ANSWERS) || is_article(word)).count();
    let points = folded_in || rest[..pointed].iter().any(|word| word.is(&POINTERS) || word.is(&ANSWERS));
    if !points {
        return None;
    }
    let tail = &rest[pointed..];
    let (mut title, mut place, mut as_document) = (None, None, false);
    let mut at = 0;
    while let Some(word) = tail.get(at) {
        let noun = |word: &Word| is_noun(word) || word.is(&LIBRARY);
        let what = tail[at + 1..].iter().find(|word| !is_article(word));
        let begins_name = text.get(..word.at.start).is_some_and(|before| before.ends_with(['“', '„', '"', '«', '‘']));
        if let Some((path, end)) = folder_at(text, tail, at) {
            (place, at) = (Some(path), end);
        } else if noun(word) {
            (as_document, at) = (true, at + 1);
        } else if word.is(&INTO) && what.is_some_and(noun) || is_article(word) && !begins_name {
            at += 1;
        } else if word.is(&["as", "als", "como"]) || word.is(&CALLED) || begins_name {
            let from = at + usize::from(!begins_name);
            let end = (from..tail.len()).find(|at| folder_at(text, tail, *at).is_some()).unwrap_or(tail.len());
            title = Some(name(text, tail.get(from..end)?)).filter(|title| !title.is_empty());
            at = end.max(from);
        } else {
            break;
        }
    }
    if !as_document && place.is_none() {
        return None;
    }
    more(text, &tail[at.min(tail.len())..]).or(Some(Wish::Save { title, folder: place }))
}

fn topic(text: &str, words: &[Word]) -> Option<String> {
    // "… in our documents", "… in the library".
    let mut end = words.len();
    if let Some(at) = words.iter().rposition(|word| word.is(&["in", "en", "from"])).filter(|at| *at > 0)
        && words[at + 1..].iter().all(|word| is_article(word) || is_noun(word) || word.is(&LIBRARY))
        && at + 1 < words.len()
    {
        end = at;
    }
    let mut rest = &words[..end];
    while rest.first().is_some_and(is_article) {
        rest = &rest[1..];
    }
    let query = written(text, rest);
    let is_day = !rest.is_empty() && rest.iter().all(|word| word.is(&DAYS) || word.is(&["this", "next", "the"]));
    (!query.is_empty() && !is_day).then_some(query)
}

/// The most words of a topic, with the word before it, if nothing else in the message says that it means documents.
const MOST_TOPIC: usize = 5;

fn is_network(text: &str) -> bool {
    let lower = text.to_lowercase();
    Network::ALL.iter().any(|network| network.display_name().to_lowercase() == lower || network.id() == lower)
}

/// Reads "search our documents for floors", "what do we have on floors?", "is there a document about floors?".
fn find(text: &str, words: &[Word]) -> Option<Wish> {
    let found = |query| Some(Wish::Find { query });
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|word| word.is(any));
    // Without a word for a document, we only accept these beginnings: what we have, or what is written, about something.
    let leads: [&[&[&str]]; 7] = [
        &[&["what"], &["do", "have"], &["we"], &["have", "got"]],
        &[&["what"], &["is", "was"], &["written", "noted", "documented"]],
        &[&["what's", "whats"], &["written", "noted", "documented"]],
        &[&["do"], &["we"], &["have"], &["anything", "something"]],
        &[&["where"], &["did"], &["we", "i"], &["write", "note", "document"]],
        &[&["was"], &["haben", "steht"], &["wir"]],
        &[&["que"], &["tenemos", "hay"]],
    ];
    for lead in leads {
        if !lead.iter().enumerate().all(|(at, any)| is(at, any)) {
            continue;
        }
        let mut at = lead.len();
        while is(at, &["written", "saved", "noted", "documented", "down", "already", "escrito"]) {
            at += 1;
        }
        if is(at, &["on", "about", "regarding", "zu", "uber", "sobre"])
            && let Some(query) = topic(text, words.get(at + 1..)?)
            // "anything on Unity that loses money" asks for more than a topic. "On" a network means its things.
            && words.len() - at <= MOST_TOPIC
            && !(is(at, &["on"]) && is_network(&query))
        {
            return found(query);
        }
    }
    let noun = words.iter().position(|word| is_noun(word) || word.is(&LIBRARY))?;
    // "search the docs" means a network's docs, unless the person says "our" or "my".
    if words[noun].is(&["docs"]) && !(noun > 0 && words[noun - 1].is(&["our", "my"])) {
        return None;
    }
    let about = |from: usize| words.iter().enumerate().skip(from).find(|(_, word)| word.is(&ABOUT)).map(|(at, _)| at);
    let searches = words[0].is(&SEARCHES);
    let asks = words[0].is(&[
        "do", "is", "are", "what", "which", "any", "gibt", "haben", "welche", "hay", "tenemos", "que", "show", "list",
        "anything",
    ]);
    if searches && noun > 0 {
        // "search our documents for floors", "look in the library for floors".
        if let Some(at) = about(noun + 1)
            && let Some(query) = topic(text, words.get(at + 1..)?)
        {
            return found(query);
        }
        // "search for floors in our documents".
        if let Some(at) = about(1).filter(|at| *at < noun)
            && let Some(query) = topic(text, words.get(at + 1..)?)
        {
            return found(query);
        }
        // "find floors in our documents".
        if words[0].is(&["look", "search", "find", "suche", "finde", "busca", "encuentra"])
            && let Some(place) = words[..noun].iter().rposition(|word| word.is(&["in", "en"])).filter(|at| *at > 1)
        {
            let from = 1 + usize::from(words[1].is(&["up"]));
            return topic(text, words.get(from..place)?).map(|query| Wish::Find { query });
        }
    }
    // "is there a document about floors", "documents about floors", "which documents mention floors".
    if (asks || noun == 0) && about(noun + 1) == Some(noun + 1)
        || asks
            && words.get(noun + 1).is_some_and(|word| word.is(&["are", "that", "die", "que"]))
            && about(noun + 1) == Some(noun + 2)
    {
        let at = about(noun + 1)?;
        return topic(text, words.get(at + 1..)?).map(|query| Wish::Find { query });
    }
    None
}

/// Reads "show our documents", "what documents do we have in /floors?", "what is in /floors?".
fn list(text: &str, words: &[Word]) -> Option<Wish> {
    const MOST: usize = 10;
    let place = folder(text, words);
    let rest = place.as_ref().map_or(words, |(_, at, _)| &words[..*at]);
    let noun = rest.iter().any(|word| word.is(&MANY) || word.is(&LIBRARY) || word.is(&["folders", "carpetas"]));
    let only = rest.iter().all(|word| {
        is_noun(word)
            || is_article(word)
            || word.is(&LIBRARY)
            || word.is(&FOLDER)
            || word.is(&FILLER)
            || word.is(&["what's", "whats"])
    });
    let docs = rest.iter().any(|word| word.is(&["docs"])) && !rest.iter().any(|word| word.is(&["our", "my"]));
    let asks = rest.first().is_some_and(|word| {
        word.is(&["what", "what's", "whats", "show", "list", "was", "que", "zeig", "zeige", "muestra"])
    });
    // "list documents in floors".
    if place.is_none()
        && let Some(noun) = words.iter().position(|word| word.is(&MANY))
        && words[..noun].iter().all(|word| is_article(word) || word.is(&FILLER))
        && words.get(noun + 1).is_some_and(|word| word.is(&["in", "under", "en"]))
        && words.len() <= MOST
        && let Some(named) = words.get(noun + 2..).filter(|named| !named.is_empty())
        && !named.iter().any(|word| word.is(&LIBRARY))
    {
        return folder_path(&name(text, named)).map(|path| Wish::List { folder: Some(path) });
    }
    let folder = place.map(|(path, ..)| path);
    (words.len() <= MOST && only && !docs && (noun || folder.is_some() && asks)).then_some(Wish::List { folder })
}

/// Reads "open the document X", "show me the floors document".
fn open(text: &str, words: &[Word]) -> Option<Wish> {
    let (first, rest) = words.split_first()?;
    if !first.is(&OPENS) {
        return None;
    }
    let lead = rest.iter().take_while(|word| is_article(word) || word.is(&["me", "us", "up", "mir", "uns"])).count();
    if rest.get(lead).is_some_and(is_one) {
        return Some(Wish::Open { what: name(text, &rest[lead + 1..]) });
    }
    let (last, named) = rest.split_last()?;
    (is_one(last) && named.len() > lead).then(|| Wish::Open { what: name(text, &named[lead..]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "as it is read")]
    fn saved(title: Option<&str>, folder: Option<&str>) -> Option<Wish> {
        Some(Wish::Save { title: title.map(str::to_owned), folder: folder.map(str::to_owned) })
    }

    #[test]
    fn an_answer_is_saved_where_it_is_said() {
        for (text, wanted) in [
            ("save this as a document", saved(None, None)),
            ("Please save that answer as a document.", saved(None, None)),
            ("save this in /floors", saved(None, Some("/floors"))),
            ("put it in the folder Floors 2026", saved(None, Some("/Floors 2026"))),
            ("keep this report in the floors folder", saved(None, Some("/floors"))),
            ("save it to our library", saved(None, None)),
            ("save this as a document in /floors/2026", saved(None, Some("/floors/2026"))),
            ("save this as a document called “US floors” in /floors", saved(Some("US floors"), Some("/floors"))),
            ("save the table as a document named Q1 plan", saved(Some("Q1 plan"), None)),
            ("turn this into a document", saved(None, None)),
            ("create a document from this", saved(None, None)),
            ("speichere das als Dokument", saved(None, None)),
            ("Speichere die Antwort in /floors", saved(None, Some("/floors"))),
            ("guarda esto como documento", saved(None, None)),
            ("guárdalo en la carpeta floors", saved(None, Some("/floors"))),
            ("save this answer as “AppLovin floors” in /floors", saved(Some("AppLovin floors"), Some("/floors"))),
            ("Can you save that as a doc?", saved(None, None)),
            ("save the last answer to the library", saved(None, None)),
            ("make this a document", saved(None, None)),
            ("note this in /floors", saved(None, Some("/floors"))),
            ("save this in /floors please", saved(None, Some("/floors"))),
            ("save this in /floors as US floors", saved(Some("US floors"), Some("/floors"))),
            ("speichere das als Dokument „US-Floors“ in /floors", saved(Some("US-Floors"), Some("/floors"))),
            ("lege das in /floors ab", saved(None, Some("/floors"))),
            (
                "save this as a document and remind me to check floors",
                Some(Wish::More { rest: "and remind me to check floors".into() }),
            ),
            ("save this in /floors and pause the banner", Some(Wish::More { rest: "and pause the banner".into() })),
            ("save this question", None),
            ("save this as a report", None),
            ("save it", None),
            ("put this into a table", None),
            ("make it $5", None),
            ("add this app to the group", None),
            ("keep the floor at $5", None),
        ] {
            assert_eq!(wish(text), wanted, "{text}");
        }
    }

    #[test]
    fn documents_are_looked_for_by_topic() {
        for (text, query) in [
            ("what do we have on floors?", "floors"),
            ("What do we have written about the AppLovin floors", "AppLovin floors"),
            ("search our documents for AppLovin floors", "AppLovin floors"),
            ("find documents about “bidding”", "bidding"),
            ("search for bidding in the library", "bidding"),
            ("find bidding in our documents", "bidding"),
            ("which documents mention Unity?", "Unity"),
            ("do we have a document about payouts?", "payouts"),
            ("is there a document on payouts in the library?", "payouts"),
            ("do we have anything on payouts", "payouts"),
            ("documents about floors", "floors"),
            ("anything in our documents about floors?", "floors"),
            ("look up floors in the library", "floors"),
            ("where did we write about the floors?", "floors"),
            ("was haben wir zu Floors?", "Floors"),
            ("suche in unseren Dokumenten nach Floors", "Floors"),
            ("¿qué tenemos sobre floors?", "floors"),
            ("busca floors en nuestros documentos", "floors"),
        ] {
            assert_eq!(wish(text), Some(Wish::Find { query: query.into() }), "{text}");
        }
        for text in [
            "what do we have on Friday?",
            "what do we have to do",
            "what is my revenue",
            "search the docs for eCPM",
            "find apps with low fill",
            "what apps do we have on AdMob?",
            "which groups have floors",
            "what do we have on AppLovin?",
            "do we have anything on Unity that loses money every day",
        ] {
            assert_eq!(wish(text), None, "{text}");
        }
    }

    #[test]
    fn documents_are_listed_and_opened() {
        let list = |folder: Option<&str>| Some(Wish::List { folder: folder.map(str::to_owned) });
        let open = |what: &str| Some(Wish::Open { what: what.into() });
        for (text, wanted) in [
            ("show our documents", list(None)),
            ("what documents do we have?", list(None)),
            ("what documents are in /floors?", list(Some("/floors"))),
            ("what is in /floors/2026?", list(Some("/floors/2026"))),
            ("what's in the folder floors", list(Some("/floors"))),
            ("show me the library", list(None)),
            ("list documents in floors", list(Some("/floors"))),
            ("zeige unsere Dokumente", list(None)),
            ("muestra los documentos", list(None)),
            ("open the document US floors", open("US floors")),
            ("show me the document “Q1: plan”", open("Q1: plan")),
            ("read the document about floors", open("floors")),
            ("show me the floors document", open("floors")),
            ("öffne das Dokument US-Floors", open("US-Floors")),
            ("abre el documento floors", open("floors")),
            ("open it", None),
            ("show the docs", None),
            ("show revenue by app", None),
            ("what is in the waterfall", None),
        ] {
            assert_eq!(wish(text), wanted, "{text}");
        }
    }

    #[test]
    fn documents_are_written_and_changed() {
        let append = |what: &str, text: &str| Some(Wish::Append { what: what.into(), text: Added::Text(text.into()) });
        let new = |title: &str, folder: Option<&str>, text: &str| {
            Some(Wish::New { title: title.into(), folder: folder.map(str::to_owned), text: text.into() })
        };
        for (text, wanted) in [
            ("add to the document US floors: Done on Friday.", append("US floors", "Done on Friday.")),
            ("append to the document “US floors”: - one\n- two", append("US floors", "- one\n- two")),
            ("add a note about bids to the document Ideas", append("Ideas", "A note about bids")),
            ("add to the document Ideas", append("Ideas", "")),
            ("Füge dem Dokument Ideen hinzu: Erst Bidding.", append("Ideen", "Erst Bidding.")),
            ("añade al documento Ideas: primero", append("Ideas", "primero")),
            ("add this to the document Ideas", Some(Wish::Append { what: "Ideas".into(), text: Added::Answer })),
            ("delete the document US floors", Some(Wish::Delete { what: "US floors".into() })),
            ("delete the US floors document", Some(Wish::Delete { what: "US floors".into() })),
            ("lösche das Dokument Ideen", Some(Wish::Delete { what: "Ideen".into() })),
            ("borra el documento Ideas", Some(Wish::Delete { what: "Ideas".into() })),
            (
                "move the document US floors to /floors/2026",
                Some(Wish::Move { what: "US floors".into(), folder: "/floors/2026".into() }),
            ),
            (
                "move the document Ideas to the folder Archive",
                Some(Wish::Move { what: "Ideas".into(), folder: "/Archive".into() }),
            ),
            (
                "rename the document Ideas to Big ideas",
                Some(Wish::Rename { what: "Ideas".into(), title: "Big ideas".into() }),
            ),
            ("create a document called Ideas: Bidding first.", new("Ideas", None, "Bidding first.")),
            ("create a document “Ideas” in /floors", new("Ideas", Some("/floors"), "")),
            ("write a document about floors", new("Floors", None, "")),
            ("crea un documento llamado Ideas: uno", new("Ideas", None, "uno")),
            ("edit the document Ideas", Some(Wish::Rewrite { what: "Ideas".into() })),
            ("change the document Ideas to say hello", Some(Wish::Rewrite { what: "Ideas".into() })),
            ("restore the document Ideas", Some(Wish::Restore)),
            ("add AppLovin to the group", None),
            ("delete the ad unit Banner", None),
            ("move the line to position 2", None),
            ("create a mediation group", None),
            ("rename the app to Puzzle", None),
        ] {
            assert_eq!(wish(text), wanted, "{text}");
        }
    }

    proptest::proptest! {
        /// Reading ends for any words in any order.
        #[test]
        fn no_message_breaks_it(picks in proptest::collection::vec(0_usize..40, 0..14)) {
            const WORDS: [&str; 40] = [
                "save", "this", "the", "document", "documents", "in", "/floors", "folder", "as", "called", "“X”", "to", "add", "append:",
                "Ideas:", "move", "delete", "open", "what", "do", "we", "have", "on", "about", "library", "find", "for", "é", "—", "/", "…",
                "please", "and", "rename", "create", "a", "from", "our", "docs", "dem",
            ];
            let text: Vec<&str> = picks.into_iter().map(|pick| WORDS[pick]).collect();
            let _ = wish(&text.join(" "));
        }
    }
}
