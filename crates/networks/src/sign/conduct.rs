//! How to read a network's replies, as data: where its mark of success is, where its error code and message are, and what the known ones
//! mean. Several networks answer 200 with an error inside; a reply without the mark is no success.

use adagent_domain::Cut as _;

/// A place in the reply, and the values there that mean success.
pub struct Mark {
    /// JSON pointer.
    pub at: &'static str,
    pub yes: &'static [&'static str],
}

/// What a refusal of the network means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The network does not accept a key, token, session or signature.
    Credentials,
    /// The time in the signature is too far from the network's clock.
    ClockSkew,
    /// The network knows the caller but does not allow this (allow-list, role, plan).
    NotAllowed,
    RateLimited,
    NotFound,
    AlreadyExists,
    /// The network itself failed; it may work later.
    Temporary,
}

/// How a network says yes and no.
pub struct Conduct {
    /// Every mark in the reply must say yes.
    pub marks: &'static [Mark],
    /// Whether every successful reply has at least one mark.
    pub marked: bool,
    /// JSON pointers to the network's error code (`codes`) and to its message (`words`). The first pointer that finds a value counts.
    pub codes: &'static [&'static str],
    pub words: &'static [&'static str],
    /// Response headers with code and message. They may also come with status 200.
    pub error_headers: Option<(&'static str, &'static str)>,
    /// What an answer means. We check the code first, then whole sayings, then phrases inside a sentence. More text may follow a saying
    /// after a colon, a comma or a semicolon. Only a code or a whole saying may blame the credentials, because a phrase can occur in a
    /// message about something else.
    pub by_code: &'static [(&'static str, Meaning)],
    pub by_saying: &'static [(&'static str, Meaning)],
    pub by_phrase: &'static [(&'static str, Meaning)],
    /// Whether a list that is missing from the reply is empty (Google leaves out empty fields).
    pub empty_lists_left_out: bool,
}

impl Conduct {
    /// Google's conduct: the status says everything.
    pub const GOOGLE: Self = Self {
        marks: &[],
        marked: false,
        codes: &[],
        words: &[],
        error_headers: None,
        by_code: &[],
        by_saying: &[],
        by_phrase: &[],
        empty_lists_left_out: true,
    };

    /// The status says yes or no; code and message are in the usual places.
    pub const PLAIN: Self = Self {
        marks: &[],
        marked: false,
        codes: &["/code", "/errorCode", "/error/code", "/error_code", "/status"],
        words: &[
            "/message",
            "/errorMessage",
            "/msg",
            "/error/message",
            "/error_description",
            "/error",
            "/detail",
            "/title",
        ],
        error_headers: None,
        by_code: &[],
        by_saying: COMMON_SAYINGS,
        by_phrase: COMMON_PHRASES,
        empty_lists_left_out: false,
    };

    pub fn meaning(&self, code: &str, words: &str) -> Option<Meaning> {
        let known = self.by_code.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning);
        known.or_else(|| {
            let words = words.to_lowercase();
            let said = self.by_saying.iter().find(|(saying, _)| says(&words, saying));
            said.or_else(|| self.by_phrase.iter().find(|(phrase, _)| holds(&words, phrase)))
                .map(|(_, meaning)| *meaning)
        })
    }
}

/// Checks whether the message is this saying, alone or with more text after a colon, a comma or a semicolon.
fn says(words: &str, saying: &str) -> bool {
    let said = words.trim().strip_prefix(saying);
    said.is_some_and(|rest| rest.trim_end_matches(['.', '!', ' ']).is_empty() || rest.starts_with([':', ',', ';']))
}

/// Checks whether the message contains the phrase, as whole words.
fn holds(words: &str, phrase: &str) -> bool {
    let part_of_a_word = |c: char| c.is_alphanumeric() || c == '_';
    words.match_indices(phrase).any(|(at, _)| {
        !words.cut(..at).ends_with(part_of_a_word) && !words.cut(at + phrase.len()..).starts_with(part_of_a_word)
    })
}

/// Sayings that networks use only for problems with credentials or clocks.
pub const COMMON_SAYINGS: &[(&str, Meaning)] = &[
    ("invalid credentials", Meaning::Credentials),
    ("invalid credential", Meaning::Credentials),
    ("timestamp error", Meaning::ClockSkew),
    ("invalid key", Meaning::Credentials),
    ("invalid api key", Meaning::Credentials),
    ("invalid signature", Meaning::Credentials),
    ("invalid sign", Meaning::Credentials),
    ("signature error", Meaning::Credentials),
    ("sign error", Meaning::Credentials),
    ("invalid token", Meaning::Credentials),
    ("invalid access token", Meaning::Credentials),
    ("token is invalid", Meaning::Credentials),
    ("token expired", Meaning::Credentials),
    ("token has expired", Meaning::Credentials),
    ("expired token", Meaning::Credentials),
    ("invalid session", Meaning::Credentials),
    ("session expired", Meaning::Credentials),
    ("session has expired", Meaning::Credentials),
    ("the session has expired", Meaning::Credentials),
    ("unauthorized", Meaning::Credentials),
    ("authentication failed", Meaning::Credentials),
];

/// Phrases that networks use. The first match counts, so the more specific ones come first.
pub const COMMON_PHRASES: &[(&str, Meaning)] = &[
    ("timestamp expired", Meaning::ClockSkew),
    ("timestamp is expired", Meaning::ClockSkew),
    ("timestamp has expired", Meaning::ClockSkew),
    ("timestamp too old", Meaning::ClockSkew),
    ("timestamp is too old", Meaning::ClockSkew),
    ("invalid timestamp", Meaning::ClockSkew),
    ("timestamp is invalid", Meaning::ClockSkew),
    ("clock skew", Meaning::ClockSkew),
    // The name in OAuth 1.
    ("timestamp_refused", Meaning::ClockSkew),
    ("request expired", Meaning::ClockSkew),
    ("request has expired", Meaning::ClockSkew),
    ("too many requests", Meaning::RateLimited),
    ("too many calls", Meaning::RateLimited),
    ("too many sessions", Meaning::RateLimited),
    ("rate limit", Meaning::RateLimited),
    ("rate limited", Meaning::RateLimited),
    ("too frequent", Meaning::RateLimited),
    ("too frequently", Meaning::RateLimited),
    ("quota exceeded", Meaning::RateLimited),
    ("exceeded quota", Meaning::RateLimited),
    ("allow-list", Meaning::NotAllowed),
    ("allowlist", Meaning::NotAllowed),
    ("allow list", Meaning::NotAllowed),
    ("allowlisted", Meaning::NotAllowed),
    ("whitelist", Meaning::NotAllowed),
    ("whitelisted", Meaning::NotAllowed),
    ("permission denied", Meaning::NotAllowed),
    ("no permission", Meaning::NotAllowed),
    ("not have permission", Meaning::NotAllowed),
    ("insufficient permission", Meaning::NotAllowed),
    ("insufficient permissions", Meaning::NotAllowed),
    ("not allowed to", Meaning::NotAllowed),
    ("already exist", Meaning::AlreadyExists),
    ("already exists", Meaning::AlreadyExists),
    ("not found", Meaning::NotFound),
    ("not exist", Meaning::NotFound),
    ("does not exist", Meaning::NotFound),
    ("system error", Meaning::Temporary),
    ("internal error", Meaning::Temporary),
];

/// A limit of the network: a number of calls in a number of seconds, for the named schemes (for all if none is named).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub calls: u32,
    pub seconds: u32,
    pub schemes: &'static [&'static str],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_code_counts_before_words() {
        let conduct = Conduct { by_code: &[("7", Meaning::NotFound)], ..Conduct::PLAIN };
        assert_eq!(conduct.meaning("7", "Invalid signature"), Some(Meaning::NotFound));
        assert_eq!(conduct.meaning("8", "Invalid signature"), Some(Meaning::Credentials));
        assert_eq!(conduct.meaning("8", "Request timestamp too old"), Some(Meaning::ClockSkew));
        assert_eq!(conduct.meaning("8", "name too long"), None);
    }
    #[test]
    fn a_word_in_passing_blames_neither_keys_nor_clocks_nor_limits() {
        for words in [
            "Unknown column session_length",
            "Sessions per user cannot be combined with country",
            "design_id is unknown to this signature-free endpoint",
            "The column timestamp is not sortable",
            "time is not a dimension",
            "Too many columns",
            "skey must not be in the body",
            "assigned placements cannot be deleted",
            "The token of the advertiser is invalid for this placement",
            "App named 'Unauthorized Racing' was archived",
        ] {
            for network in adagent_domain::Network::ALL {
                let meaning = crate::sign::profile(network).conduct.meaning("-1", words);
                assert_eq!(meaning, None, "{network}: {words}");
            }
        }
    }

    #[test]
    fn a_whole_saying_counts_also_with_an_explanation_behind_it() {
        for words in ["Sign error", "Invalid signature: nonce is required", "Unauthorized.", "Invalid session."] {
            assert_eq!(Conduct::PLAIN.meaning("", words), Some(Meaning::Credentials), "{words}");
        }
    }
}
