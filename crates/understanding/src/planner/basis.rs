//! How we count a total that could be counted in more than one way (`docs/decisions/0008`). A chat keeps the way of its first total. If
//! that changes, the answer says so above the number.

use adagent_contract::HistoryEntry;

/// What a total counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// One network, with everything it mediates.
    Everything,
    /// Only each network's own demand, compared by name.
    Own,
    /// All networks, with every impression counted once.
    Once,
    /// The reports by ad source, unchanged.
    Sources,
}

impl Basis {
    const ALL: [Self; 4] = [Self::Everything, Self::Own, Self::Once, Self::Sources];

    /// The sentence in the method of an answer. Later turns of the chat recognize the basis by these words.
    pub const fn line(self) -> &'static str {
        match self {
            Self::Everything => "Counted: everything the network mediates, including other networks' ads.",
            Self::Own => "Counted: only each network's own demand, without what other networks earn in its mediation.",
            Self::Once => {
                "Counted: every impression once. To avoid double counting, connected networks use their own reports; \
                 other networks use the mediator's estimates."
            }
            Self::Sources => "Counted: every row of the ad source reports. A network without ad sources is one row.",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Everything => "everything the network mediates, including other networks' ads",
            Self::Own => "only each network's own demand",
            Self::Once => "every impression once across all connected networks",
            Self::Sources => "every row of the ad source reports",
        }
    }

    /// Returns how the last total of the chat was counted.
    pub fn before(history: &[HistoryEntry]) -> Option<Self> {
        let mut answers = history.iter().rev().filter(|entry| entry.role == "assistant");
        answers.find_map(|entry| Self::ALL.into_iter().find(|basis| entry.content.contains(basis.line())))
    }

    /// Warns if the chat changes how it counts, because then the totals can't be compared.
    pub fn warning(self, history: &[HistoryEntry]) -> Option<String> {
        let before = Self::before(history).filter(|before| *before != self)?;
        Some(format!(
            "**This total isn't comparable with my last answer.** It counts {}; my last answer counted {}.",
            self.words(),
            before.words()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_known_again_by_its_line_and_a_change_is_said() {
        let said = |role: &str, content: String| HistoryEntry { role: role.into(), content };
        for basis in Basis::ALL {
            let history = [
                said("assistant", format!("**$1**\n\nHow this was counted:\n- {}", basis.line())),
                said("user", "and by app?".to_owned()),
                said("assistant", "Which app?".to_owned()),
            ];
            assert_eq!(Basis::before(&history), Some(basis));
            for other in Basis::ALL {
                assert_eq!(other.warning(&history).is_some(), other != basis);
            }
        }
        assert_eq!(Basis::Once.warning(&[]), None);
    }
}
