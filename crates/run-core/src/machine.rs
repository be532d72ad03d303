//! What the driver knows about every kind of run: a pure machine that takes inputs, says what it waits for, and returns effects.
//!
//! A machine keeps its calls, its time and its spending in a [`Ledger`]. How it gets from one call to the next is its own. [`crate::Turn`]
//! answers a message of a chat.

use std::fmt::Debug;

use adagent_contract::EventBody;
use adagent_domain::{Ids, RunId, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{AskedModel, CallInput, CallWork, ChildEnd, Effect, Ledger};

/// A kind of run.
pub trait Machine: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Inputs that only this kind takes.
    type Input: Debug + Send;
    /// Work that only this kind has.
    type Job: Clone + Debug + PartialEq + Send + Sync;

    /// The name in a stored state, so that no other kind loads the state.
    const KIND: &'static str;
    /// The version that this program writes. If a state is newer, this program leaves it to the program that wrote it.
    const VERSION: u32;

    fn ledger(&self) -> &Ledger;
    fn ledger_mut(&mut self) -> &mut Ledger;
    /// Returns where the run is, for its record.
    fn place(&self) -> &'static str;
    /// Returns what a run in this state waits for. This is all that a worker needs to continue.
    fn outstanding(&self) -> Outstanding<Self::Job>;
    /// Takes one input. Only [`step`] calls this, and never on a run that has ended.
    fn take(&mut self, input: Input<Self::Input>, step: &mut Step<'_>) -> Result<(), StepError>;
    /// Checks whether the run must save this input at once, because a lost worker would lose it.
    fn is_worth_saving(input: &Input<Self::Input>) -> bool;
    /// Returns the name of a job for metrics.
    fn name_of(job: &Self::Job) -> &'static str;
}

/// One step: what a machine may know besides its state and input, and the effects so far.
pub struct Step<'a> {
    pub now: Timestamp,
    pub ids: &'a dyn Ids,
    pub effects: Vec<Effect>,
}

impl Step<'_> {
    pub fn emit(&mut self, event: EventBody) {
        self.effects.push(Effect::Emit(event));
    }
}

/// What happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Input<I> {
    /// A worker took over the run in this state. Nobody worked on it for `idle_ms`.
    Resumed {
        idle_ms: i64,
    },
    /// Something happened to the run's calls.
    Call(CallInput),
    /// The time in [`Outstanding::until`] has come.
    Due,
    /// A run that this one began has ended.
    ChildEnded(Box<ChildEnd>),
    /// All runs that this one waits for are themselves waiting for a person.
    ChildrenWait,
    /// A question to a model broke off, or its worker was lost. Nobody gets the answer, but it still costs.
    Unheard(AskedModel),
    /// Our own code broke in this step, and the step had no result.
    Broke {
        step: String,
    },
    CancelRequested,
    DeadlineReached,
    /// An input that only this kind takes.
    Own(I),
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work<J> {
    Calls(CallWork),
    Own(J),
}

/// What a run waits for. If nothing, the run has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outstanding<J> {
    /// Work to do at the same time. Each result goes in when it arrives. A write that is about to be sent is the only work.
    pub now: Vec<Work<J>>,
    /// The run waits until this time and holds no worker.
    pub until: Option<Timestamp>,
    /// Whether a person must answer. The run holds no worker meanwhile.
    pub people: bool,
    /// Runs that this one began and waits for.
    pub children: Vec<RunId>,
}

impl<J> Default for Outstanding<J> {
    fn default() -> Self {
        Self { now: Vec::new(), until: None, people: false, children: Vec::new() }
    }
}

impl<J> Outstanding<J> {
    pub fn own(job: J) -> Self {
        Self { now: vec![Work::Own(job)], ..Self::default() }
    }

    pub const fn is_nothing(&self) -> bool {
        self.now.is_empty() && self.until.is_none() && !self.people && self.children.is_empty()
    }
}

/// The driver did something that the state does not allow. This is a defect in our code, never a person's mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error("the run is over; nothing can be put in")]
    Over,
    #[error("{input} does not answer what is outstanding at {place}: {awaiting}")]
    Unexpected { input: String, place: String, awaiting: String },
    #[error("no call {0} in this run, or not in the state this needs")]
    UnknownCall(ToolCallId),
    #[error("the graph has no edge from {from} for {when}")]
    NoEdge { from: &'static str, when: String },
}

impl StepError {
    /// Makes the error for an input that the machine does not wait for.
    pub fn unexpected<M: Machine>(machine: &M, input: &'static str) -> Self {
        let awaiting = format!("{:?}", machine.outstanding());
        Self::Unexpected { input: input.into(), place: machine.place().into(), awaiting }
    }
}

/// Takes one input. Returns the next state and the effects.
pub fn step<M: Machine>(
    mut state: M,
    input: Input<M::Input>,
    now: Timestamp,
    ids: &dyn Ids,
) -> Result<(M, Vec<Effect>), StepError> {
    if state.ledger().outcome.is_some() {
        return Err(StepError::Over);
    }
    let mut step = Step { now, ids, effects: Vec::new() };
    state.take(input, &mut step)?;
    Ok((state, step.effects))
}

/// Why a stored state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("the stored state has version {found}, this program knows up to {known}; update the program")]
    Newer { found: u64, known: u32 },
    #[error("the stored state is of a run of the kind {found:?}, not {wanted:?}")]
    OtherKind { found: String, wanted: &'static str },
    #[error("the stored state is no run state: {0}")]
    Malformed(#[from] serde_json::Error),
}

#[derive(Serialize)]
struct Written<'a, M> {
    v: u32,
    kind: &'static str,
    state: &'a M,
}

/// The first fields of a stored state.
#[derive(Deserialize)]
struct Head {
    v: u64,
    #[serde(default)]
    kind: String,
}

#[derive(Deserialize)]
struct Body<M> {
    state: M,
}

/// Writes a state as text.
pub fn to_text<M: Machine>(state: &M) -> String {
    serde_json::to_string(&Written { v: M::VERSION, kind: M::KIND, state }).expect("a state has only string keys")
}

/// Reads a stored state.
pub fn from_text<M: Machine>(text: &str) -> Result<M, StateError> {
    let Head { v, kind } = serde_json::from_str(text)?;
    if v > u64::from(M::VERSION) {
        return Err(StateError::Newer { found: v, known: M::VERSION });
    }
    if kind != M::KIND {
        return Err(StateError::OtherKind { found: kind, wanted: M::KIND });
    }
    let Body { state } = serde_json::from_str(text)?;
    Ok(state)
}
