//! What the credentials of a connection may do. We learn it from the granted scopes, from cheap reads and from refusals. We never change
//! anything just to find out whether we may.

use adagent_contract::{Abilities, Ability, AbilityView};
use adagent_domain::Network;

use super::Networks;
use crate::{Attempted, ConnectionMark, Credentials, Operation, Via, sign};
use adagent_tools::{ToolError, ToolErrorClass};

const REPORTING: &str = "reporting";

impl Networks {
    /// Returns what credentials that just passed a check may do. `granted`: the scopes of a sign-in, if it returned them.
    pub async fn look_at_abilities(
        &self,
        network: Network,
        credentials: &Credentials,
        granted: Option<&[String]>,
    ) -> Abilities {
        let looked_at = self.now();
        if network.uses_oauth() {
            let (read, report, write) = of_scopes(network, granted);
            return Abilities { read, report, write, looked_at };
        }
        let membership = &sign::profile(network).membership;
        let possible = || membership.proofs.iter().filter(|proof| proof.is_possible(&credentials.fields));
        let reports = |tool: &str| self.catalogue.get(tool).is_some_and(|known| known.info.capability == REPORTING);
        let name = network.display_name();
        let manages = possible().any(|proof| !reports(proof.tool));
        let read = if manages {
            AbilityView::yes()
        } else {
            AbilityView::said(Ability::No, format!("You gave only {name}'s reporting keys."))
        };
        let report = if possible().any(|proof| reports(proof.tool)) {
            AbilityView::yes()
        } else {
            self.report_ability(network, credentials).await
        };
        let write = if manages {
            AbilityView::said(
                Ability::NotKnown,
                format!("{name} has no safe way to check whether these keys can make changes."),
            )
        } else {
            read.clone()
        };
        Abilities { read, report, write, looked_at }
    }

    /// Requests a report over one day, if the network has a cheap one for the keys that open everything else.
    async fn report_ability(&self, network: Network, credentials: &Credentials) -> AbilityView {
        let name = network.display_name();
        let membership = &sign::profile(network).membership;
        let Some(probe) = membership.reports.as_ref() else {
            let why = format!("{name} limits how many reports you can run, so we didn't use one for a test.");
            return AbilityView::said(Ability::NotKnown, why);
        };
        let offered = self.catalogue.get(probe.tool).is_some_and(|known| known.info.is_offered(credentials.sandbox));
        match self.facts(network) {
            _ if !offered => {
                AbilityView::said(Ability::NotKnown, format!("{name} has no documented report we can test with."))
            }
            Err(error) => AbilityView::said(Ability::NotKnown, error.message),
            Ok(facts) => match self.prove(&facts, probe, credentials).await {
                Ok(_) => AbilityView::yes(),
                Err(failed) if failed.refused || failed.error.code == DENIED => {
                    AbilityView::said(Ability::No, failed.error.message)
                }
                Err(failed) => AbilityView::said(Ability::NotKnown, failed.error.message),
            },
        }
    }

    /// Refuses a call that we know is not allowed, before anything is sent, and says what to do about it.
    pub(super) fn within_abilities(mark: &ConnectionMark, tool: &Operation) -> Result<(), ToolError> {
        let Some(abilities) = &mark.abilities else { return Ok(()) };
        let (view, code, only) = match () {
            () if !tool.read_only => (&abilities.write, "READ_ONLY", "can only read"),
            () if tool.capability == REPORTING => (&abilities.report, "NO_REPORTS", "can't read reports"),
            () => return Ok(()),
        };
        if view.ability != Ability::No {
            return Ok(());
        }
        let (network, name) = (tool.network, tool.network.display_name());
        let why = view.why.as_deref().unwrap_or_default();
        let (what, guidance) = if network.uses_oauth() {
            let guidance = format!(
                "Reconnect {name} under /settings/networks?connect={}&connection={} and keep every permission on Google's page checked.",
                network.id(),
                mark.id
            );
            ("sign-in", guidance)
        } else {
            let guidance = format!(
                "Give the key this permission in {name} and click Test under /settings/networks, or enter other keys: \
                 /settings/networks?connect={}&connection={}.",
                network.id(),
                mark.id
            );
            ("key", guidance)
        };
        let message = format!("This {name} {what} {only}: {why} Nothing was sent.");
        Err(ToolError::new(ToolErrorClass::Deterministic, code, message).guide(guidance))
    }

    /// Returns a warning for the approval of a change if the network refused the last one.
    pub(super) fn doubt(mark: &ConnectionMark, tool: &Operation) -> Option<String> {
        let write = &mark.abilities.as_ref()?.write;
        (write.ability == Ability::Refused).then(|| {
            let why = write.why.as_deref().unwrap_or("no reason was given.");
            format!(
                "{} rejected the last change through this connection: {why} It may reject this one too.",
                tool.network.display_name()
            )
        })
    }

    /// Stores what an attempt shows about the permissions of the credentials, if that is news.
    pub(super) async fn learn(
        &self,
        via: Via,
        tool: &Operation,
        credentials: &Credentials,
        outcome: Result<(), &ToolError>,
    ) {
        let what = match () {
            () if !tool.read_only => Attempted::Write,
            () if tool.capability == REPORTING => Attempted::Report,
            () => return,
        };
        let refused = match outcome {
            Err(error) if error.code == DENIED => Some(error.message.as_str()),
            Err(_) => return,
            Ok(()) => None,
        };
        let known = self.registry.mark(via, tool.network).and_then(|mark| mark.abilities);
        let known = known.map(|abilities| match what {
            Attempted::Write => abilities.write.ability,
            Attempted::Report => abilities.report.ability,
        });
        // A success is news only if we did not know that it works.
        let news = match known {
            None | Some(Ability::Yes) => refused.is_some(),
            Some(_) => true,
        };
        if news {
            self.source.learned(via, tool.network, credentials, what, refused).await;
        }
    }
}

/// Our code for a refusal because of missing permissions.
const DENIED: &str = "PERMISSION_DENIED";

/// Returns what the scopes of a sign-in allow: reading, reports, changes.
fn of_scopes(network: Network, granted: Option<&[String]>) -> (AbilityView, AbilityView, AbilityView) {
    let Some(granted) = granted else {
        let unsaid = || AbilityView::said(Ability::NotKnown, "The sign-in didn't say what it allows.");
        return (AbilityView::yes(), unsaid(), unsaid());
    };
    let has =
        |wanted: &[&str]| granted.iter().any(|scope| wanted.iter().any(|end| scope.rsplit('/').next() == Some(*end)));
    let given = |wanted: &[&str], what: &str, granted_but: Option<&str>| match (has(wanted), granted_but) {
        (true, None) => AbilityView::yes(),
        (true, Some(but)) => AbilityView::said(Ability::Yes, but),
        (false, _) => AbilityView::said(Ability::No, format!("“{what}” was not allowed at sign-in.")),
    };
    let role = "The sign-in allows it; each network also depends on the user's role.";
    match network {
        Network::AdManager => (
            AbilityView::yes(),
            given(&["admanager", "admanager.readonly"], "See Google Ad Manager data", Some(role)),
            given(&["admanager"], "See, create and change Google Ad Manager data", Some(role)),
        ),
        _ => (
            given(&["admob.readonly"], "See all AdMob data", None),
            given(&["admob.readonly", "admob.report"], "See ad performance and earnings reports", None),
            given(&["admob.monetization"], "See, create and change AdMob monetization settings", None),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abilities(network: Network, granted: Option<&[&str]>) -> [Ability; 3] {
        let granted: Option<Vec<String>> =
            granted.map(|list| list.iter().map(|name| format!("https://www.googleapis.com/auth/{name}")).collect());
        let (read, report, write) = of_scopes(network, granted.as_deref());
        [read.ability, report.ability, write.ability]
    }

    #[test]
    fn what_a_sign_in_granted_decides() {
        use Ability::{No, NotKnown, Yes};
        type Case<'a> = (Network, Option<&'a [&'a str]>, [Ability; 3]);
        let cases: [Case; 6] = [
            (Network::AdMob, Some(&["admob.readonly", "admob.report", "admob.monetization"]), [Yes, Yes, Yes]),
            (Network::AdMob, Some(&["admob.readonly", "admob.report"]), [Yes, Yes, No]),
            (Network::AdMob, Some(&["admob.report"]), [No, Yes, No]),
            (Network::AdMob, None, [Yes, NotKnown, NotKnown]),
            (Network::AdManager, Some(&["admanager"]), [Yes, Yes, Yes]),
            (Network::AdManager, Some(&["admanager.readonly"]), [Yes, Yes, No]),
        ];
        for (network, granted, expected) in cases {
            assert_eq!(abilities(network, granted), expected, "{network} {granted:?}");
        }
    }
}
