//! A person or a workspace as two letters, in a color that depends only on the name.

use leptos::prelude::*;

/// Returns up to two letters of a name: the first of the first word and the first of the last word.
pub fn initials(name: &str) -> String {
    let mut words = name.split_whitespace().filter_map(|word| word.chars().find(|c| c.is_alphanumeric()));
    let first = words.next();
    let last = words.next_back();
    let letters: String = first.into_iter().chain(last).flat_map(char::to_uppercase).collect();
    if letters.is_empty() { "?".into() } else { letters }
}

/// Returns a hue in degrees; the same name always has the same hue.
pub fn hue(name: &str) -> u32 {
    name.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte))) % 360
}

#[component]
pub fn Avatar(
    #[prop(into)] name: String,
    #[prop(optional)] small: bool,
    /// Workspaces are square, people round.
    #[prop(optional)]
    square: bool,
) -> impl IntoView {
    let corner = match (square, small) {
        (false, _) => "",
        (true, true) => ";border-radius:3px",
        (true, false) => ";border-radius:5px",
    };
    view! {
        <span
            class=if small { "avatar small" } else { "avatar" }
            style=format!("--h:{}{corner}", hue(&name))
            aria-hidden="true"
        >
            {initials(&name)}
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_take_first_and_last_word() {
        assert_eq!(initials("Mara Kessler"), "MK");
        assert_eq!(initials("Mara de la Kessler"), "MK");
        assert_eq!(initials("acme"), "A");
        assert_eq!(initials("  "), "?");
        assert_eq!(initials("émile zola"), "ÉZ");
    }

    #[test]
    fn a_hue_is_an_angle_and_stays() {
        assert!(hue("Mara Kessler") < 360);
        assert_eq!(hue("Mara Kessler"), hue("Mara Kessler"));
        assert_ne!(hue("Mara Kessler"), hue("Jonas Weber"));
    }
}
