//! Plays questions and scripts as a person would.

use adagent_contract::TurnView;
use adagent_eval::{Before, Case};
use anyhow::Result;

use crate::desk::{Desk, Person};

/// A question of a set, and what the desk did.
pub(crate) struct Played {
    pub case: Case,
    /// The reason if the desk could not be asked.
    pub met: Result<TurnView, String>,
}

/// Plays the turns of one script, or one question, in a workspace of its own.
pub(crate) async fn play(desk: &Desk, turns: Vec<Case>) -> Vec<Played> {
    let Some(first) = turns.first() else { return Vec::new() };
    let question = &first.question;
    let mut person = match desk.person(&question.connected, &question.disabled).await {
        Ok(person) => person,
        Err(error) => {
            let why = format!("{error:#}");
            return turns.into_iter().map(|case| Played { case, met: Err(why.clone()) }).collect();
        }
    };
    let mut session: Option<String> = None;
    let mut played = Vec::new();
    if first.script.is_none() {
        // The desk gives its own answers to the questions before.
        for entry in question.history.iter().filter(|entry| entry.role == "user") {
            match person.ask(session.as_deref(), &entry.content).await {
                Ok(answered) => session = Some(answered.session),
                Err(error) => eprintln!("{}: a question before it was not answered: {error:#}", first.id),
            }
        }
    }
    for case in turns {
        let met = turn(&mut person, &mut session, &case).await.map_err(|error| format!("{error:#}"));
        played.push(Played { case, met });
    }
    played
}

async fn turn(person: &mut Person, session: &mut Option<String>, case: &Case) -> Result<TurnView> {
    match (&case.before, session.as_deref()) {
        (Some(Before::Approved), Some(session)) => person.decide(session, true).await?,
        (Some(Before::Denied), Some(session)) => person.decide(session, false).await?,
        (Some(Before::Connected(network)), _) => person.connect(&[*network]).await?,
        (Some(Before::Enabled(network)), _) => person.turn(*network, true).await?,
        _ => {}
    }
    let answered = person.ask(session.as_deref(), &case.question.text).await?;
    *session = Some(answered.session);
    Ok(answered.message.turn)
}
