//! How a network's replies are told apart, as data: where its own mark of success is, where its code and its words are, and
//! what the ones we know mean. Several networks answer 200 with an error inside; without its mark such a reply is no success.

/// A place in the reply and the values that mean yes there.
pub struct Mark {
    /// JSON pointer.
    pub at: &'static str,
    pub yes: &'static [&'static str],
}

/// What a network's no means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Key, token, session or signature is not accepted.
    Credentials,
    /// The signature's time is too far from the network's clock.
    ClockSkew,
    /// Known, but not allowed to use this (allow-list, role, plan).
    NotAllowed,
    RateLimited,
    NotFound,
    AlreadyExists,
    /// The network's own failure; it may work later.
    Temporary,
}

/// How a network says yes and no.
pub struct Conduct {
    /// Each mark that is there must say yes.
    pub marks: &'static [Mark],
    /// At least one mark must be there.
    pub marked: bool,
    /// Pointers to its code and its words, the first that is there counts.
    pub codes: &'static [&'static str],
    pub words: &'static [&'static str],
    /// Response headers with code and words, also beside a 200.
    pub error_headers: Option<(&'static str, &'static str)>,
    /// What it means, by code first and then by a part of its words in lower case.
    pub by_code: &'static [(&'static str, Meaning)],
    pub by_words: &'static [(&'static str, Meaning)],
    /// A list that is not in the reply is an empty one (Google leaves empty fields out).
    pub empty_lists_left_out: bool,
}

impl Conduct {
    /// Google's: the status says everything.
    pub const GOOGLE: Self = Self {
        marks: &[],
        marked: false,
        codes: &[],
        words: &[],
        error_headers: None,
        by_code: &[],
        by_words: &[],
        empty_lists_left_out: true,
    };

    /// The status says yes or no; code and words lie in the usual places.
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
        by_words: COMMON_WORDS,
        empty_lists_left_out: false,
    };

    pub fn meaning(&self, code: &str, words: &str) -> Option<Meaning> {
        let known = self.by_code.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning);
        known.or_else(|| {
            let words = words.to_lowercase();
            self.by_words.iter().find(|(part, _)| words.contains(part)).map(|(_, meaning)| *meaning)
        })
    }
}

/// Phrases networks use; the more telling ones first, because the first that fits counts.
pub const COMMON_WORDS: &[(&str, Meaning)] = &[
    ("timestamp", Meaning::ClockSkew),
    ("clock", Meaning::ClockSkew),
    ("request expired", Meaning::ClockSkew),
    ("too many", Meaning::RateLimited),
    ("rate limit", Meaning::RateLimited),
    ("too frequent", Meaning::RateLimited),
    ("quota", Meaning::RateLimited),
    ("allow-list", Meaning::NotAllowed),
    ("allowlist", Meaning::NotAllowed),
    ("allow list", Meaning::NotAllowed),
    ("whitelist", Meaning::NotAllowed),
    ("permission", Meaning::NotAllowed),
    ("not allowed", Meaning::NotAllowed),
    ("signature", Meaning::Credentials),
    ("invalid sign", Meaning::Credentials),
    ("sign error", Meaning::Credentials),
    ("invalid credential", Meaning::Credentials),
    ("invalid key", Meaning::Credentials),
    ("invalid api key", Meaning::Credentials),
    ("api key is", Meaning::Credentials),
    ("invalid token", Meaning::Credentials),
    ("token is invalid", Meaning::Credentials),
    ("token expired", Meaning::Credentials),
    ("expired token", Meaning::Credentials),
    ("session", Meaning::Credentials),
    ("unauthori", Meaning::Credentials),
    ("authentication", Meaning::Credentials),
    ("already exist", Meaning::AlreadyExists),
    ("duplicate", Meaning::AlreadyExists),
    ("not found", Meaning::NotFound),
    ("not exist", Meaning::NotFound),
    ("does not exist", Meaning::NotFound),
    ("system error", Meaning::Temporary),
    ("internal error", Meaning::Temporary),
];

/// A limit of the network: so many calls in so many seconds, for the named schemes (all, when none is named).
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
        assert_eq!(conduct.meaning("8", "Timestamp in signature too old"), Some(Meaning::ClockSkew));
        assert_eq!(conduct.meaning("8", "name too long"), None);
    }
}
