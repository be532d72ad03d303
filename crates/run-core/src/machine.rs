//! What every kind of run is to the driver: a pure machine that takes inputs, says what it waits for, and asks for effects.
//!
//! A machine keeps its calls, its time and its spending in a [`Ledger`]; what is its own is how it gets from one call to the
//! next. [`crate::Turn`] answers a message of a conversation.

use std::fmt::Debug;

use adagent_contract::EventBody;
use adagent_domain::{Ids, RunId, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{AskedModel, CallInput, CallWork, ChildEnd, Effect, Ledger};

/// A kind of run.
pub trait Machine: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What only this kind takes in.
    type Input: Debug + Send;
    /// Work that only this kind has.
    type Job: Clone + Debug + PartialEq + Send + Sync;

    /// Stands in a stored state, so that no other kind is made of it.
    const KIND: &'static str;
    /// What this program writes. A newer state is left to the program that wrote it.
    const VERSION: u32;

    fn ledger(&self) -> &Ledger;
    fn ledger_mut(&mut self) -> &mut Ledger;
    /// Where the run stands, for its record.
    fn place(&self) -> &'static str;
    /// What a run in this state waits for; all a worker needs to go on.
    fn outstanding(&self) -> Outstanding<Self::Job>;
    /// Takes one input in. Called by [`step`] alone, never on a run that is over.
    fn take(&mut self, input: Input<Self::Input>, step: &mut Step<'_>) -> Result<(), StepError>;
    /// Whether what this input brings may not be lost with the worker.
    fn is_worth_saving(input: &Input<Self::Input>) -> bool;
    /// What work of this kind is called where it is counted.
    fn name_of(job: &Self::Job) -> &'static str;
}

/// One step: what a machine may know besides state and input, and what it asks for so far.
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
    /// A worker took the run over with this state, which nobody worked on for so long.
    Resumed {
        idle_ms: i64,
    },
    /// Something about the run's calls.
    Call(CallInput),
    /// The time that [`Outstanding::until`] names has come.
    Due,
    /// A run that this one began is over.
    ChildEnded(Box<ChildEnd>),
    /// Every run that this one began waits for a person.
    ChildrenWait,
    /// A question to a model was broken off, or its worker is gone: nobody hears the answer, and it costs all the same.
    Unheard(AskedModel),
    /// The desk itself broke in this step; nothing came of it.
    Broke {
        step: String,
    },
    CancelRequested,
    DeadlineReached,
    /// What only this kind of run takes in.
    Own(I),
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work<J> {
    Calls(CallWork),
    Own(J),
}

/// What a run waits for. Nothing at all: it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outstanding<J> {
    /// Side by side; what each comes to is put in as it comes. A write that is to leave stands alone.
    pub now: Vec<Work<J>>,
    /// Nothing is held until then.
    pub until: Option<Timestamp>,
    /// A person has to answer; nothing is held meanwhile.
    pub people: bool,
    /// Runs that this one began.
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

/// The driver did something the state did not ask for: a defect, never a person's doing.
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
    /// An input that answers nothing the machine waits for.
    pub fn unexpected<M: Machine>(machine: &M, input: &'static str) -> Self {
        let awaiting = format!("{:?}", machine.outstanding());
        Self::Unexpected { input: input.into(), place: machine.place().into(), awaiting }
    }
}

/// Takes one input.
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

/// A stored state cannot be used.
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

/// What comes before everything else of a stored state.
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

/// A state as text.
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
