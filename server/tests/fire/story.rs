//! What a person does with one run, from the question to its end, whatever happens to the servers meanwhile.

use serde_json::{Value, json};

use crate::{chance::Chance, person::Person, world::Networks};

/// What is asked for.
#[derive(Debug, Clone)]
pub enum Wish {
    Read(&'static str),
    /// Named by an edit of the approval.
    Group,
    /// Named in the question; sent as proposed.
    Unit,
}

/// What the person says when asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    Approve,
    Deny,
    /// Leaves it until the end of the test.
    Later,
}

/// An approval that was shown, and what came of it.
#[derive(Debug, Clone)]
pub struct Asked {
    pub id: String,
    pub call: String,
    /// What may be sent after an approval.
    pub args: Value,
    pub approved: Option<bool>,
}

#[derive(Debug)]
pub struct Story {
    pub name: String,
    pub wish: Wish,
    pub run: String,
    pub events: Vec<Value>,
    pub asked: Vec<Asked>,
}

const READS: &[&str] = &[
    "What was my revenue yesterday?",
    "Revenue by country, last 30 days, top 5",
    "List my apps",
    "Impressions and eCPM by ad unit last week",
    "Compare revenue this month with last month",
];

impl Story {
    pub const READ: Wish = Wish::Read(READS[0]);
    pub const UNIT: Wish = Wish::Unit;
    pub const APPROVE: Plan = Plan::Approve;
    pub const LATER: Plan = Plan::Later;

    pub fn is_over(events: &[Value]) -> bool {
        events.last().is_some_and(|event| event["type"] == "done")
    }

    /// Asks, and goes on to the end, or until the person leaves it for later.
    pub async fn live(networks: &Networks, person: &Person, name: String, mut chance: Chance) -> Self {
        let wish = match chance.below(10) {
            0..3 => Wish::Read(chance.pick::<&str>(READS)),
            3..7 => Wish::Group,
            _ => Wish::Unit,
        };
        let plan = match chance.below(8) {
            0 => Plan::Deny,
            1 => Plan::Later,
            _ => Plan::Approve,
        };
        Self::ask_for(networks, person, name, wish, plan).await
    }

    /// The same with a wish and a plan of one's own.
    pub async fn ask_for(networks: &Networks, person: &Person, name: String, wish: Wish, plan: Plan) -> Self {
        let question = match &wish {
            Wish::Read(question) => (*question).to_owned(),
            // The same change waits on one card, so each asks for a group of its own name; who approves it writes another.
            Wish::Group => format!(
                "Create a mediation group called \"Draft {name}\" for Puzzle Game on Android banner with AppLovin and Unity bidding"
            ),
            // Of another format than the groups are for: entities are cached per process, and a new unit is not known to all at once.
            Wish::Unit => format!("Create a rewarded ad unit called {name} in Puzzle Game on Android"),
        };
        let run = person.ask(&question, &name).await;
        let mut story = Self { name, wish, run, events: Vec::new(), asked: Vec::new() };
        story.go_on(networks, person, plan).await;
        story
    }

    /// Comes back to what was left for later.
    pub async fn finish(&mut self, networks: &Networks, person: &Person) {
        if !Self::is_over(&self.events) {
            self.go_on(networks, person, Plan::Approve).await;
        }
    }

    async fn go_on(&mut self, networks: &Networks, person: &Person, plan: Plan) {
        loop {
            self.notice();
            if let Some(open) = self.asked.iter().position(|asked| asked.approved.is_none()) {
                if plan == Plan::Later {
                    return;
                }
                self.answer(networks, person, open, plan).await;
            }
            let known = self.asked.len();
            let over = |events: &[Value]| Self::is_over(events) || questions(events).count() > known;
            person.follow(&self.run, &mut self.events, over).await;
            if Self::is_over(&self.events) {
                return;
            }
        }
    }

    /// Takes note of questions that are new.
    fn notice(&mut self) {
        let known = self.asked.len();
        for event in questions(&self.events).skip(known) {
            let mut args = event["tool_input"].clone();
            if matches!(self.wish, Wish::Group) {
                args["body"]["displayName"] = json!(self.name);
            }
            let text = |key: &str| event[key].as_str().unwrap().to_owned();
            self.asked.push(Asked { id: text("approval_id"), call: text("tool_call_id"), args, approved: None });
        }
    }

    async fn answer(&mut self, networks: &Networks, person: &Person, at: usize, plan: Plan) {
        let event = questions(&self.events).nth(at).unwrap();
        let asked = &self.asked[at];
        let again = self.asked[..at].iter().any(|before| before.call == asked.call);
        let approve = if again {
            // After an interruption a person is told what was found, looks at the network, and decides by that.
            let warning = event["warnings"][0].as_str().unwrap_or_default();
            assert!(
                warning.contains("nterrupted") || warning.contains("not known"),
                "asked again without a word: {event}"
            );
            networks.made(&self.name).await == 0
        } else {
            plan == Plan::Approve
        };
        let edited = (approve && asked.args != event["tool_input"]).then_some(&asked.args);
        let answer = person.answer(&asked.id, approve, edited).await;
        // The same answer with the same key is answered the same, however often it was sent.
        assert_eq!(answer.status, 200, "approval {} of {}: {answer:?}", asked.id, self.name);
        self.asked[at].approved = Some(approve);
    }
}

fn questions(events: &[Value]) -> impl Iterator<Item = &Value> {
    events.iter().filter(|event| event["type"] == "tool_approval_required")
}
