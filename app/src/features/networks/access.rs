//! What a network lets our credentials do, in plain words. Plain rules without a page.

use adagent_contract::{Abilities, Ability};

/// What access can do, as a verb, and the name of that access: reading, reporting, changing.
const KINDS: [(&str, &str); 3] = [("read", "Read"), ("report", "Report"), ("make changes", "Write")];

/// A short statement, with the reason if one is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub text: String,
    pub why: Option<String>,
}

/// Returns the three abilities in the order of [`KINDS`].
pub const fn each(abilities: &Abilities) -> [Ability; 3] {
    [abilities.read.ability, abilities.report.ability, abilities.write.ability]
}

/// Describes the abilities in words, such as "Can read and report" and "Write access not verified".
pub fn facts(abilities: [Ability; 3], whys: [Option<String>; 3]) -> Vec<Fact> {
    let all = KINDS.into_iter().zip(abilities).zip(whys);
    let mut verbs = Vec::new();
    let mut reasons = Vec::new();
    let mut others = Vec::new();
    for (((verb, noun), ability), why) in all {
        let text = match ability {
            Ability::Yes => {
                verbs.push(verb);
                reasons.extend(why);
                continue;
            }
            Ability::No => format!("No {} access", noun.to_lowercase()),
            Ability::Refused => format!("{noun} access refused recently"),
            Ability::NotKnown => format!("{noun} access not verified"),
        };
        others.push(Fact { text, why });
    }
    let can = match verbs.split_last() {
        Some((last, [])) => Some(format!("Can {last}")),
        Some((last, rest)) => Some(format!("Can {} and {last}", rest.join(", "))),
        None => None,
    };
    let why = (!reasons.is_empty()).then(|| reasons.join(" "));
    can.map(|text| Fact { text, why }).into_iter().chain(others).collect()
}

/// Returns what is missing and why, in one or two sentences each.
pub fn missing(abilities: &Abilities) -> Vec<String> {
    let whys = [&abilities.read.why, &abilities.report.why, &abilities.write.why];
    let all = KINDS.into_iter().zip(each(abilities)).zip(whys);
    all.filter_map(|(((_, noun), ability), why)| {
        let text = match ability {
            Ability::No => format!("No {} access.", noun.to_lowercase()),
            Ability::Refused => format!("{noun} access was refused last time."),
            Ability::Yes | Ability::NotKnown => return None,
        };
        Some(why.as_ref().map_or_else(|| text.clone(), |why| format!("{text} {why}")))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use adagent_contract::AbilityView;
    use adagent_domain::Timestamp;

    use super::*;

    fn texts(abilities: [Ability; 3]) -> Vec<String> {
        facts(abilities, [None, None, None]).into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn what_works_is_one_sentence_and_the_rest_one_each() {
        use Ability::{No, NotKnown, Refused, Yes};
        assert_eq!(texts([Yes, Yes, NotKnown]), ["Can read and report", "Write access not verified"]);
        assert_eq!(texts([Yes, Yes, Yes]), ["Can read, report and make changes"]);
        assert_eq!(texts([Yes, No, Refused]), ["Can read", "No report access", "Write access refused recently"]);
    }

    #[test]
    fn what_is_missing_says_why() {
        let abilities = Abilities {
            read: AbilityView::yes(),
            report: AbilityView::said(Ability::No, "The key has no report scope."),
            write: AbilityView::said(Ability::NotKnown, "Nobody tried."),
            looked_at: Timestamp::EPOCH,
        };
        assert_eq!(missing(&abilities), ["No report access. The key has no report scope."]);
    }
}
