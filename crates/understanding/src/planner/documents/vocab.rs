//! The words for documents, in English, German and Spanish, in the form that [`super::words`] gives them (lower case, no accents).

pub(super) const ONE: [&str; 5] = ["document", "doc", "dokument", "dokuments", "documento"];
pub(super) const MANY: [&str; 5] = ["documents", "docs", "dokumente", "dokumenten", "documentos"];
pub(super) const LIBRARY: [&str; 4] = ["library", "bibliothek", "biblioteca", "wiki"];
pub(super) const FOLDER: [&str; 5] = ["folder", "folders", "ordner", "carpeta", "carpetas"];
pub(super) const ARTICLES: [&str; 36] = [
    "a", "an", "the", "my", "our", "new", "another", "this", "that", "some", "all", "ein", "eine", "einen", "einem",
    "das", "die", "dem", "den", "der", "unser", "unsere", "unseren", "unserem", "mein", "meine", "neues", "un", "una",
    "el", "la", "nuestros", "nuestro", "nuevo", "los", "las",
];
pub(super) const POINTERS: [&str; 14] =
    ["this", "that", "it", "these", "das", "dies", "diese", "dieses", "es", "esto", "eso", "lo", "esta", "este"];
/// What people call the answer before.
pub(super) const ANSWERS: [&str; 19] = [
    "answer",
    "reply",
    "report",
    "table",
    "chart",
    "analysis",
    "summary",
    "result",
    "results",
    "numbers",
    "response",
    "last",
    "previous",
    "antwort",
    "bericht",
    "ergebnis",
    "respuesta",
    "informe",
    "resultado",
];
pub(super) const SAVES: [&str; 21] = [
    "save",
    "note",
    "keep",
    "store",
    "put",
    "file",
    "write",
    "turn",
    "make",
    "add",
    "speichere",
    "speicher",
    "sichere",
    "lege",
    "mach",
    "guarda",
    "guardalo",
    "guardar",
    "salva",
    "pon",
    "archiva",
];
pub(super) const ADDS: [&str; 11] =
    ["add", "append", "write", "put", "insert", "fuge", "erganze", "schreibe", "anade", "agrega", "escribe"];
pub(super) const DELETES: [&str; 10] =
    ["delete", "remove", "erase", "trash", "discard", "losche", "entferne", "elimina", "borra", "quita"];
pub(super) const OPENS: [&str; 15] = [
    "open",
    "show",
    "read",
    "display",
    "view",
    "see",
    "offne",
    "zeig",
    "zeige",
    "lies",
    "abre",
    "muestra",
    "muestrame",
    "lee",
    "ver",
];
pub(super) const MAKES: [&str; 12] =
    ["create", "make", "write", "new", "start", "add", "erstelle", "schreibe", "neues", "crea", "escribe", "nuevo"];
pub(super) const SEARCHES: [&str; 14] = [
    "search",
    "find",
    "look",
    "check",
    "go",
    "suche",
    "such",
    "durchsuche",
    "finde",
    "busca",
    "encuentra",
    "buscar",
    "any",
    "which",
];
pub(super) const INTO: [&str; 16] =
    ["to", "in", "into", "onto", "on", "at", "as", "under", "nach", "als", "ins", "im", "unter", "a", "en", "como"];
pub(super) const ABOUT: [&str; 21] = [
    "about",
    "on",
    "for",
    "regarding",
    "concerning",
    "mentioning",
    "mention",
    "mentions",
    "containing",
    "contain",
    "contains",
    "with",
    "nach",
    "zu",
    "zum",
    "uber",
    "mit",
    "sobre",
    "por",
    "con",
    "de",
];
pub(super) const CALLED: [&str; 10] =
    ["called", "named", "titled", "entitled", "namens", "mit", "titel", "llamado", "titulado", "with"];
/// A day is not a topic: "what do we have on Friday".
pub(super) const DAYS: [&str; 14] = [
    "today",
    "tomorrow",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "week",
    "month",
    "weekend",
    "yesterday",
    "heute",
];
/// Words in a question for the list that do not say what to look for.
pub(super) const FILLER: [&str; 34] = [
    "what",
    "which",
    "show",
    "list",
    "see",
    "get",
    "give",
    "me",
    "us",
    "all",
    "do",
    "we",
    "have",
    "are",
    "is",
    "there",
    "in",
    "of",
    "any",
    "now",
    "here",
    "welche",
    "haben",
    "wir",
    "gibt",
    "es",
    "zeig",
    "zeige",
    "mir",
    "muestra",
    "muestrame",
    "tenemos",
    "hay",
    "que",
];
/// Polite words at the end, and the parts of German verbs that end up there.
pub(super) const TRAILING: [&str; 12] =
    ["please", "pls", "thanks", "thank", "you", "now", "bitte", "danke", "gracias", "por", "favor", "ab"];
/// Words that end the name of a folder, because something else begins with them.
pub(super) const STOPS: [&str; 12] =
    ["and", "as", "called", "named", "titled", "with", "then", "und", "als", "namens", "y", "como"];
