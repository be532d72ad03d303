//! Words and phrases that `docs/style.md` rules out.

/// Matched without regard to case, from the start of a word. A word that ends in `*` matches as a prefix; any other must match to
/// its end.
const RULED_OUT: &[&str] = &[
    // British spelling.
    "organis*",
    "optimis*",
    "recognis*",
    "normalis*",
    "summaris*",
    "customis*",
    "minimis*",
    "maximis*",
    "authoris*",
    "initialis*",
    "prioritis*",
    "synchronis*",
    "utilis*",
    "analyse",
    "analysed",
    "analyses",
    "analysing",
    "cancelled",
    "cancelling",
    "labelled",
    "labelling",
    "modelled",
    "travelled",
    "colour*",
    "behaviour*",
    "favour*",
    "honour*",
    "neighbour*",
    "catalogue*",
    "dialogue*",
    "programme*",
    "licence*",
    "centre*",
    "defence*",
    "grey",
    "judgement*",
    "fulfil",
    "whilst",
    "amongst",
    "learnt",
    "spelt",
    // One word per thing.
    "e-mail*",
    "telephone*",
    // Old or translated words.
    "whoever",
    "anew",
    "thereby",
    "therefrom",
    "therein",
    "hitherto",
    "henceforth",
    "beforehand",
    "altogether",
    "for ever",
    "unasked",
    "reckoned",
    "out of order",
    "by and by",
    // Riddles.
    "nobody may",
    "nobody else may",
    "nothing may",
    "what is there",
    "what there is",
    "what is kept",
    "what is given",
    "rests on",
    "rest on",
    "stands in",
    "stands for",
    "stands at",
    "stands on",
    "stands here",
    "stands there",
    "is no more",
    "any more",
    "is so already",
    "is in its way",
    "is taken back",
    "are taken back",
    "takes back",
    "took back",
    "gives back",
    "is under way",
    "are under way",
    "waits for approval",
    "is on its way",
    "go on with",
    "goes on with",
    "somebody",
    "outside of what",
    "look into",
    "makes of it",
    "make a token",
    "make a link",
];

/// Returns the ruled-out words in a text. Text between backquotes is a name (a wire value, a path, a setting) and is skipped.
pub fn flagged(text: &str) -> Vec<&'static str> {
    let text = text.split('`').step_by(2).collect::<Vec<_>>().join("…").to_lowercase();
    RULED_OUT.iter().copied().filter(|word| contains(&text, word)).collect()
}

fn contains(text: &str, word: &str) -> bool {
    let (word, goes_on) = word.strip_suffix('*').map_or((word, false), |stem| (stem, true));
    text.match_indices(word).any(|(at, _)| {
        let starts = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let ends = goes_on || !text[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        starts && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ruled_out_word_is_found_whatever_its_case_and_ending() {
        assert_eq!(flagged("Your Organisations are here"), ["organis*"]);
        assert_eq!(flagged("Cancelled by you; set anew"), ["cancelled", "anew"]);
        assert_eq!(flagged("Nobody may see it"), ["nobody may"]);
    }

    #[test]
    fn a_word_inside_of_another_is_left_alone() {
        assert!(flagged("The canewood chair, a program, many more").is_empty());
        assert!(flagged("A newer organization cancels an email").is_empty());
        assert!(flagged("Expected `cancelled` or `expired`.").is_empty());
    }
}
