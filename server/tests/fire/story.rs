//! What a person does with one run, from the question to its end, whatever happens to the servers in the meantime.

use serde_json::{Value, json};

use crate::{chance::Chance, person::Person, world::Networks};

/// What the person asks for.
#[derive(Debug, Clone)]
pub enum Wish {
    Read(&'static str),
    /// A mediation group; the person sets its name by editing the approval.
    Group,
    /// An ad unit, named in the question and sent as proposed.
    Unit,
}

/// The person's answer to an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    Approve,
    Deny,
    /// Leaves it until the end of the test.
    Later,
}

/// An approval that was shown, and its result.
#[derive(Debug, Clone)]
pub struct Asked {
    pub id: String,
    pub call: String,
    /// The arguments that may be sent after an approval.
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

    /// Asks and continues to the end, or until the person leaves the approval for later.
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

    /// Asks with a given wish and plan.
    pub async fn ask_for(networks: &Networks, person: &Person, name: String, wish: Wish, plan: Plan) -> Self {
        let question = match &wish {
            Wish::Read(question) => (*question).to_owned(),
            // Equal changes share one card, so each story asks for a group with its own name. An approval then edits that name.
            Wish::Group => format!(
                "Create a mediation group called \"Draft {name}\" for Puzzle Game on Android banner with AppLovin and Unity bidding"
            ),
            // The unit has another format than the groups are for. Each process caches entities, so a new unit is not known to
            // all of them at once.
            Wish::Unit => format!("Create a rewarded ad unit called {name} in Puzzle Game on Android"),
        };
        let run = person.ask(&question, &name).await;
        let mut story = Self { name, wish, run, events: Vec::new(), asked: Vec::new() };
        story.go_on(networks, person, plan).await;
        story
    }

    /// Returns to what was left for later.
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

    /// Records new approvals.
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
            // After an interruption, the card says what was found. The person checks the network and decides by that.
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
        // A repeated answer with the same key gets the same result.
        assert_eq!(answer.status, 200, "approval {} of {}: {answer:?}", asked.id, self.name);
        self.asked[at].approved = Some(approve);
    }
}

fn questions(events: &[Value]) -> impl Iterator<Item = &Value> {
    events.iter().filter(|event| event["type"] == "tool_approval_required")
}
