//! What the composer offers while the person types: prompts, agents and apps. This module also picks the agent for a message that
//! names none.

use adagent_contract::{AgentRef, DEFAULT_AGENT, EntityItem, EntityKind, mention};
use leptos::{prelude::*, task::spawn_local};

use super::thread::Thread;
use crate::{
    features::api::{self, AgentName},
    ui::{AgentMark, Glyph, Icon},
};

/// How many apps the list shows at once.
const MOST_APPS: usize = 8;
/// How many agents the list shows at once; typing finds more.
const MOST_AGENTS: usize = 8;

/// What the list above the composer offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    Prompts(String),
    /// Agents, which only the very start of a message can name.
    Agents(String),
    Apps(String),
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Prompt(String),
    Agent(AgentName),
    App(String),
}

/// Returns what the person is looking for, from the text before the cursor.
pub fn offer(text: &str) -> Option<Offer> {
    if let Some(rest) = text.strip_prefix('/') {
        return (!rest.contains('\n')).then(|| Offer::Prompts(rest.to_lowercase()));
    }
    let (before, rest) = text.rsplit_once('@')?;
    let fits = rest.chars().count() < 30 && !rest.contains('\n');
    // A handle has no spaces, so after the first one the message has begun.
    if before.is_empty() && !rest.contains(char::is_whitespace) {
        return fits.then(|| Offer::Agents(rest.to_lowercase()));
    }
    let starts_word = before.is_empty() || before.ends_with(char::is_whitespace);
    (starts_word && fits).then(|| Offer::Apps(rest.to_lowercase()))
}

pub fn choices(offer: &Offer, prompts: Vec<String>, agents: &[AgentName], apps: &[EntityItem]) -> Vec<Choice> {
    match offer {
        Offer::Prompts(start) => {
            let fits = |prompt: &String| prompt.to_lowercase().contains(start.trim());
            prompts.into_iter().filter(fits).map(Choice::Prompt).collect()
        }
        Offer::Agents(start) => {
            let fits = |agent: &&AgentName| {
                agent.handle.contains(start)
                    || agent.name.to_lowercase().split_whitespace().any(|word| word.starts_with(start))
            };
            let found = agents.iter().filter(fits).take(MOST_AGENTS).cloned().map(Choice::Agent);
            found.chain(apps_named(start, apps)).collect()
        }
        Offer::Apps(start) => apps_named(start, apps).collect(),
    }
}

fn apps_named(start: &str, apps: &[EntityItem]) -> impl Iterator<Item = Choice> + use<> {
    let mut names: Vec<String> = apps
        .iter()
        .filter(|item| item.kind == EntityKind::App && item.name.to_lowercase().contains(start.trim()))
        .map(|item| item.name.clone())
        .collect();
    names.dedup();
    names.truncate(MOST_APPS);
    names.into_iter().map(Choice::App)
}

/// Returns the text with the choice inserted.
pub fn accept(text: &str, choice: &Choice) -> String {
    match choice {
        Choice::Prompt(prompt) => prompt.clone(),
        Choice::Agent(agent) => format!("@{} ", agent.handle),
        Choice::App(name) => {
            text.rsplit_once('@').map_or_else(|| name.clone(), |(before, _)| format!("{before}{name} "))
        }
    }
}

/// Returns the heading of a line, for lists with several kinds of lines.
fn head(choice: &Choice) -> &'static str {
    match choice {
        Choice::Prompt(_) => "",
        Choice::Agent(agent) if agent.mine => "Your agents",
        Choice::Agent(agent) if agent.handle == DEFAULT_AGENT => "Built in",
        Choice::Agent(_) => "Shared with you",
        Choice::App(_) => "Apps",
    }
}

/// Returns a heading for each line that begins a group.
pub fn heads(list: &[Choice]) -> Vec<Option<&'static str>> {
    let named = list.iter().any(|choice| matches!(choice, Choice::Agent(_)));
    let mut before = "";
    list.iter()
        .map(|choice| {
            let head = head(choice);
            let begins = named && head != before;
            before = head;
            begins.then_some(head)
        })
        .collect()
}

/// Draws a line.
pub fn line(choice: Choice) -> AnyView {
    match choice {
        Choice::Agent(agent) => {
            let about = Some(agent.position).filter(|text| !text.is_empty());
            view! {
                <AgentMark name=agent.name.clone() color=agent.color/>
                <span class="truncate grow"><b>{agent.name}</b>" "<code>{format!("@{}", agent.handle)}</code></span>
                {about.map(|text| view! { <small class="faint truncate">{text}</small> })}
            }
            .into_any()
        }
        Choice::Prompt(text) | Choice::App(text) => text.into_any(),
    }
}

/// The agents that a message can name, loaded on first use.
#[derive(Clone, Copy)]
pub struct Agents {
    names: RwSignal<Vec<AgentName>>,
    asked: StoredValue<bool>,
}

impl Agents {
    pub fn new() -> Self {
        Self { names: RwSignal::new(vec![desk()]), asked: StoredValue::new(false) }
    }

    pub fn get(self) -> Vec<AgentName> {
        self.names.get()
    }

    pub fn look_for(self, text: &str) {
        if !text.starts_with('@') || self.asked.get_value() {
            return;
        }
        self.asked.set_value(true);
        spawn_local(async move {
            match api::agent_names().await {
                Ok(names) => {
                    self.names.try_set(names.into_iter().chain([desk()]).collect());
                }
                // The next letter tries again.
                Err(_) => {
                    self.asked.try_set_value(false);
                }
            }
        });
    }
}

/// Returns the agent that answers when the message names none.
fn desk() -> AgentName {
    AgentName {
        handle: DEFAULT_AGENT.to_owned(),
        name: "Desk".to_owned(),
        position: "Answers when no agent is named".to_owned(),
        color: 0,
        mine: false,
    }
}

/// Returns the agent for a message that names none: the one that gave the last answer.
pub fn stays_with(thread: Thread) -> Memo<Option<AgentRef>> {
    let last = Memo::new(move |_| {
        thread.entries.with(|all| all.last().and_then(|entry| entry.turn.with(|turn| turn.agent.clone())))
    });
    Memo::new(move |_| {
        let named = thread.draft.with(|draft| mention(draft).is_some());
        last.get().filter(|_| !named && !thread.to_desk.get())
    })
}

/// Shows `To @reporter`, with a button to return to the workspace's own assistant.
#[component]
pub fn Addressee(thread: Thread) -> impl IntoView {
    let to = stays_with(thread);
    view! {
        {move || to.get().map(|agent| view! {
            <p class="addressee">
                <AgentMark name=agent.name color=agent.color size="small"/>
                <span>"To "<b>{format!("@{}", agent.handle)}</b></span>
                <button
                    class="button ghost icon-only small" type="button" aria-label=format!("Ask @{DEFAULT_AGENT} instead")
                    title=format!("Ask @{DEFAULT_AGENT} instead")
                    on:click=move |_| {
                        thread.to_desk.set(true);
                        crate::platform::focus("ask");
                    }
                >
                    <Icon glyph=Glyph::X small=true/>
                </button>
            </p>
        })}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn agent(handle: &str, name: &str, mine: bool) -> AgentName {
        AgentName { handle: handle.into(), name: name.into(), position: String::new(), color: 0, mine }
    }

    #[test]
    fn a_slash_at_the_start_offers_prompts_and_an_at_sign_agents_there_and_apps_elsewhere() {
        assert_eq!(offer("/rev"), Some(Offer::Prompts("rev".into())));
        assert_eq!(offer("@Rev"), Some(Offer::Agents("rev".into())));
        assert_eq!(offer("@revenue-watch "), Some(Offer::Apps("revenue-watch ".into())), "the message has begun");
        assert_eq!(offer("revenue of @Puz"), Some(Offer::Apps("puz".into())));
        assert_eq!(offer("@reporter revenue of @Puz"), Some(Offer::Apps("puz".into())));
        assert_eq!(offer("mail me at a@b.example"), None);
        assert_eq!(offer("1/2"), None);
    }

    #[test]
    fn agents_are_found_by_handle_or_name_and_apps_stand_below_them() {
        let apps: Vec<EntityItem> = vec![
            serde_json::from_value(json!({"network": "admob", "kind": "app", "id": "a", "name": "Floor Tiles"}))
                .unwrap(),
        ];
        let agents = [agent("keeper", "Floor keeper", true), agent("tuner", "Floor tuner", false), desk()];
        let found = |start: &str| choices(&Offer::Agents(start.into()), vec![], &agents, &apps);
        let list = found("flo");
        assert_eq!(heads(&list), [Some("Your agents"), Some("Shared with you"), Some("Apps")]);
        assert_eq!(found("keep"), [Choice::Agent(agents[0].clone())]);
        assert_eq!(found("desk"), [Choice::Agent(desk())]);
        assert_eq!(choices(&Offer::Apps("flo".into()), vec![], &agents, &apps), [Choice::App("Floor Tiles".into())]);
        assert_eq!(heads(&[Choice::App("a".into())]), [None]);
    }

    #[test]
    fn a_choice_replaces_only_what_was_looked_for() {
        assert_eq!(accept("revenue of @Puz", &Choice::App("Puzzle Game".into())), "revenue of Puzzle Game ");
        assert_eq!(accept("@Flo", &Choice::Agent(agent("keeper", "Floor keeper", true))), "@keeper ");
        let prompts = vec!["Revenue by country".to_owned(), "Revenue by app".to_owned()];
        let found = choices(&Offer::Prompts("country".into()), prompts, &[], &[]);
        assert_eq!(found, [Choice::Prompt("Revenue by country".into())]);
    }
}
