//! The access that a person must revoke by hand at the network. We list it before an organization or an account is deleted, and
//! again afterwards, because its own pages no longer exist then.

use adagent_contract::GOOGLE_CONNECTIONS;
use adagent_domain::Network;
use leptos::prelude::*;

use crate::ui::{Glyph, Icon};

/// Joins the names, such as "AdMob" or "AdMob and Google Ad Manager".
fn names(networks: &[Network]) -> String {
    let names: Vec<&str> = networks.iter().map(|network| network.display_name()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => String::new(),
    }
}

/// Lists the networks; shows nothing if there are none.
#[component]
pub fn ConsentsLeft(
    networks: Vec<Network>,
    /// Whether the deletion is still to come.
    #[prop(optional)]
    before: bool,
) -> impl IntoView {
    let names = names(&networks);
    let (what, why) = if before {
        (
            format!("Deleting this doesn't remove ADAgentAI's access to {names}."),
            " Afterwards, remove ADAgentAI in the ",
        )
    } else {
        (format!("ADAgentAI still has access to {names}."), " We couldn't revoke it. Remove ADAgentAI in the ")
    };
    (!networks.is_empty()).then(|| {
        view! {
            <div class="note bad" role=(!before).then_some("alert")>
                <Icon glyph=Glyph::CircleAlert/>
                <p>
                    <strong>{what}</strong>{why}
                    <a class="link" href=GOOGLE_CONNECTIONS rel="noreferrer noopener" target="_blank">"third-party connections"</a>
                    " of the Google account you used."
                </p>
            </div>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_named_in_a_sentence() {
        assert_eq!(names(&[]), "");
        assert_eq!(names(&[Network::AdMob]), "AdMob");
        assert_eq!(names(&[Network::AdMob, Network::AdManager]), "AdMob and Google Ad Manager");
    }
}
