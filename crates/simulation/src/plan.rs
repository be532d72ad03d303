//! What happens in one simulation, drawn from a seed: questions, what people do, and faults. It is a plain value, so that `shrink` can make
//! it smaller.

use crate::chance::Chance;

/// A bug built into the simulated adapters on purpose. A server cannot have it, because its adapters do not know this type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planted {
    /// The store accepts writes of a worker that has lost its lease to another one.
    ForgetEpoch,
    /// The commit of `sending` is acknowledged at once, but carried out only after the request left.
    LateSending,
    /// When it appends events, the store sometimes skips a number.
    SkipNumber,
}

impl Planted {
    pub const ALL: [Self; 3] = [Self::ForgetEpoch, Self::LateSending, Self::SkipNumber];

    pub const fn name(self) -> &'static str {
        match self {
            Self::ForgetEpoch => "forget-epoch",
            Self::LateSending => "late-sending",
            Self::SkipNumber => "skip-number",
        }
    }
}

/// What the scripted model does with a question. The question's text begins with the flow's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Talk,
    Read,
    ManyReads,
    Write,
    TwoWrites,
    /// Two changes, as the steps of a plan.
    Planned,
    /// The run asks two agents at the same time, and each makes changes.
    Delegated,
    /// The run asks an agent that asks two others.
    HandedOn,
    /// A read and a write in one turn.
    Mixed,
    ReadThenWrites,
    /// The same change twice; the second one must be refused as a repeat.
    Repeats,
    Refused,
    /// A tool that does not exist, then a correct one.
    Malformed,
    /// Invalid arguments, then valid ones.
    Invalid,
    Ungrounded,
    Reroute,
    /// Fails until the stop policy ends it, and is then overridden.
    Stubborn,
}

impl Flow {
    pub const ALL: [Self; 17] = [
        Self::Write,
        Self::TwoWrites,
        Self::Planned,
        Self::Delegated,
        Self::HandedOn,
        Self::Mixed,
        Self::ReadThenWrites,
        Self::Repeats,
        Self::Read,
        Self::ManyReads,
        Self::Stubborn,
        Self::Ungrounded,
        Self::Invalid,
        Self::Malformed,
        Self::Reroute,
        Self::Talk,
        Self::Refused,
    ];

    /// Returns the question for this flow. It has a number, so that no two questions are the same.
    pub fn text(self, number: usize) -> String {
        format!("{} {number}", self.name())
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "Write",
            Self::TwoWrites => "TwoWrites",
            Self::Planned => "Planned",
            Self::Delegated => "Delegated",
            Self::HandedOn => "HandedOn",
            Self::Mixed => "Mixed",
            Self::ReadThenWrites => "ReadThenWrites",
            Self::Repeats => "Repeats",
            Self::Read => "Read",
            Self::ManyReads => "ManyReads",
            Self::Stubborn => "Stubborn",
            Self::Ungrounded => "Ungrounded",
            Self::Invalid => "Invalid",
            Self::Malformed => "Malformed",
            Self::Reroute => "Reroute",
            Self::Talk => "Talk",
            Self::Refused => "Refused",
        }
    }

    /// Returns the flow that a question names.
    pub fn of(text: &str) -> Self {
        let word = text.split(' ').next().unwrap_or_default();
        Self::ALL.into_iter().find(|flow| word == flow.name()).unwrap_or(Self::Talk)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    pub at_ms: u64,
    pub chat: usize,
    pub flow: Flow,
}

/// What a person does with an approval of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Approve,
    Deny,
    Edit,
    /// Approves from two tabs at the same moment.
    ApproveTwice,
    ApproveAndDeny,
    /// Sends the form with invalid arguments first, then unchanged.
    EditBadly,
    /// Never answers, so the approval expires.
    Never,
    /// Stops the run instead.
    Cancel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    pub after_ms: u64,
    pub answer: Answer,
}

/// What people do besides asking and answering. The plan numbers runs in the order of their questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Cancel {
        run: usize,
    },
    Fork {
        run: usize,
        checkpoint: usize,
    },
    /// Forks with other arguments for the run's last change, or with the same ones.
    ForkArgs {
        run: usize,
        checkpoint: usize,
        same: bool,
    },
    Override {
        run: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At this simulated time since the beginning.
    At(u64),
    /// When a worker makes its n-th request to the outside. This reaches every point at which a worker waits.
    Step { place: usize, nth: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Kills a worker, and starts it again under another name after this time.
    Kill {
        place: usize,
        back_after_ms: u64,
    },
    /// Stops a worker for a while. Then it continues as if nothing had happened, although another worker may hold the lease by then.
    Pause {
        place: usize,
        for_ms: u64,
    },
    /// Tells a worker to shut down properly, and starts it again.
    Drain {
        place: usize,
        back_after_ms: u64,
    },
    ClockStep {
        place: usize,
        by_ms: i64,
    },
    StoreDown {
        for_ms: u64,
    },
    WakesLost {
        for_ms: u64,
    },
    /// Cuts the power of the database's machine, so that everything not yet on a disk is lost. With `workers_too`, the workers run on that
    /// machine.
    PowerCut {
        workers_too: bool,
        back_after_ms: u64,
    },
}

impl What {
    /// Returns the worker that the fault affects.
    pub const fn place(self) -> Option<usize> {
        match self {
            Self::Kill { place, .. }
            | Self::Pause { place, .. }
            | Self::Drain { place, .. }
            | Self::ClockStep { place, .. } => Some(place),
            Self::StoreDown { .. } | Self::WakesLost { .. } | Self::PowerCut { .. } => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub when: When,
    pub what: What,
}

/// What happens to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitFate {
    Works,
    FailsBefore,
    /// It is carried out, but the reply is lost.
    ReplyLost,
}

/// What happens to a request to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireFate {
    Works,
    /// The network refuses it before it has an effect. It may work later.
    Busy,
    Refused,
    SignInGone,
    /// Carried out, but without a reply.
    ReplyLost,
    /// It never arrives, and the client cannot know.
    RequestLost,
    /// It arrives twice, because of some proxy on the way.
    Doubled,
    /// The network does not answer for this long, then carries it out.
    Stalls {
        ms: u64,
    },
    /// It waits inside the process before it leaves, for a new token or a rate limit.
    Queued {
        ms: u64,
    },
}

/// What happens to a request to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFate {
    Works,
    Busy,
    Unavailable,
    Malformed,
    Rejected,
    Slow { ms: u64 },
}

/// Everything that is decided in advance. The rest (latencies, order) follows from the seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub seed: u64,
    /// Adds no latency and no fault. For the conformance suite.
    pub exact: bool,
    pub workers: usize,
    pub parallel: usize,
    /// One writer at a time, like SQLite; otherwise row locks, like PostgreSQL.
    pub one_writer: bool,
    /// Whether work is recorded together with what follows it. Otherwise each step is recorded by itself.
    pub together: bool,
    /// How slow the store may be: 0 or 1.
    pub slow: u64,
    /// How many checkpoints are kept.
    pub keep: u32,
    pub questions: Vec<Question>,
    pub decisions: Vec<Decision>,
    pub deeds: Vec<(u64, Deed)>,
    pub faults: Vec<Fault>,
    /// What happens to commits, by the number of the commit.
    pub commits: Vec<(u64, CommitFate)>,
    /// What happens to requests, by their number. Reads and writes are counted separately.
    pub writes: Vec<(u64, WireFate)>,
    pub reads: Vec<(u64, WireFate)>,
    /// The numbers of the checks after an interruption that cannot tell anything.
    pub blind: Vec<u64>,
    /// What happens to requests for what an approval would show.
    pub sketches: Vec<(u64, WireFate)>,
    pub asked: Vec<(u64, ModelFate)>,
    /// When faults end.
    pub calm_at_ms: u64,
    pub planted: Option<Planted>,
}

impl Plan {
    /// Returns a plan without faults and without questions.
    pub fn quiet(seed: u64) -> Self {
        Self {
            seed,
            exact: false,
            workers: 1,
            parallel: 2,
            one_writer: false,
            together: true,
            slow: 0,
            keep: 24,
            questions: Vec::new(),
            decisions: Vec::new(),
            deeds: Vec::new(),
            faults: Vec::new(),
            commits: Vec::new(),
            writes: Vec::new(),
            reads: Vec::new(),
            blind: Vec::new(),
            sketches: Vec::new(),
            asked: Vec::new(),
            calm_at_ms: 0,
            planted: None,
        }
    }

    /// Returns a plan for the conformance suite of stores.
    pub fn exact(one_writer: bool) -> Self {
        Self { exact: true, one_writer, ..Self::quiet(0) }
    }

    /// Returns the plan of a seed.
    pub fn of(seed: u64) -> Self {
        let chance = Chance::new(seed);
        let workers = chance.pick(&[1, 2, 2, 3, 3, 4]);
        let mut plan = Self {
            workers: usize::try_from(workers).unwrap_or(1),
            parallel: if chance.percent(50) { 1 } else { 3 },
            one_writer: chance.percent(40),
            together: chance.percent(60),
            slow: u64::from(chance.percent(25)),
            keep: if chance.percent(20) { 2 } else { 24 },
            calm_at_ms: chance.between(8_000, 40_000),
            ..Self::quiet(seed)
        };
        let until = plan.calm_at_ms;
        for _ in 0..chance.pick(&[1, 1, 1, 2, 2, 3]) {
            // Changes matter most here, so they come first in the list and are drawn more often.
            let flow = if chance.percent(65) { chance.pick(&Flow::ALL[..7]) } else { chance.pick(&Flow::ALL) };
            let chat = usize::from(chance.percent(50));
            plan.questions.push(Question { at_ms: chance.below(until / 2), chat, flow });
        }
        for _ in 0..6 {
            plan.decisions.push(decision(&chance));
        }
        for _ in 0..chance.pick(&[0, 0, 0, 1, 1, 2]) {
            let run = usize::try_from(chance.below(3)).unwrap_or_default();
            let deed = match chance.below(5) {
                0 | 1 => Deed::Cancel { run },
                2 => Deed::Override { run },
                _ => Deed::Fork { run, checkpoint: usize::try_from(chance.below(8)).unwrap_or_default() },
            };
            plan.deeds.push((chance.below(until), deed));
        }
        for _ in 0..chance.pick(&[0, 1, 1, 2, 3, 4]) {
            plan.faults.push(fault(&chance, plan.workers, until));
        }
        for _ in 0..chance.pick(&[0, 0, 1, 2, 4]) {
            let fate = if chance.percent(50) { CommitFate::FailsBefore } else { CommitFate::ReplyLost };
            plan.commits.push((chance.below(80), fate));
        }
        for _ in 0..chance.pick(&[0, 1, 1, 2]) {
            plan.writes.push((chance.below(4), wire(&chance)));
        }
        for _ in 0..chance.pick(&[0, 0, 1]) {
            plan.reads.push((chance.below(6), wire(&chance)));
        }
        for nth in 0..3 {
            if chance.percent(20) {
                plan.blind.push(nth);
            }
        }
        for _ in 0..chance.pick(&[0, 0, 1, 2]) {
            let fate = match chance.below(10) {
                0 | 1 => ModelFate::Busy,
                2 | 3 => ModelFate::Unavailable,
                4 | 5 => ModelFate::Malformed,
                6 => ModelFate::Rejected,
                _ => ModelFate::Slow { ms: chance.between(200, 20_000) },
            };
            plan.asked.push((chance.below(8), fate));
        }
        for _ in 0..chance.pick(&[0, 0, 1, 2]) {
            plan.sketches.push((chance.below(5), wire(&chance)));
        }
        if chance.percent(20) {
            let run = usize::try_from(chance.below(3)).unwrap_or_default();
            let checkpoint = usize::try_from(chance.below(8)).unwrap_or_default();
            plan.deeds.push((chance.below(until), Deed::ForkArgs { run, checkpoint, same: chance.percent(60) }));
        }
        if chance.percent(15) {
            // An outage in the middle of a write: the reply is lost or late, no check can tell anything, and no preview is possible.
            let nth = chance.below(3);
            let fate = if chance.percent(50) {
                WireFate::ReplyLost
            } else {
                WireFate::Stalls { ms: chance.between(25_000, 40_000) }
            };
            plan.writes.insert(0, (nth, fate));
            plan.blind.extend(0..4);
            let lost = if chance.percent(70) { WireFate::Busy } else { WireFate::Refused };
            plan.sketches.extend((1..4).map(|nth| (nth, lost)));
            plan.calm_at_ms = plan.calm_at_ms.max(150_000);
            if chance.percent(50) {
                // The person asks another question instead of answering the second approval.
                plan.decisions[1] = Decision { after_ms: 100, answer: Answer::Never };
                let chat = plan.questions[0].chat;
                plan.questions.push(Question { at_ms: chance.between(70_000, 140_000), chat, flow: Flow::Write });
            }
        }
        plan
    }

    #[must_use]
    pub fn with(mut self, planted: Planted) -> Self {
        self.planted = Some(planted);
        self
    }

    /// Checks that the clocks are close enough that no process takes a lease that another one still holds. Only then can a check at the
    /// network be trusted, because it cannot see a request that is still on its way.
    pub(crate) fn clocks_agree(&self) -> bool {
        const SMALL_MS: i64 = 1500;
        let wrong = self.faults.iter().filter_map(|fault| match fault.what {
            What::ClockStep { by_ms, .. } => Some(by_ms.abs()),
            _ => None,
        });
        wrong.sum::<i64>() <= SMALL_MS
    }

    pub(crate) fn due_by_step(&self) -> Vec<(usize, u64, usize)> {
        let due = self.faults.iter().enumerate().filter_map(|(at, fault)| match fault.when {
            When::Step { place, nth } => Some((place, nth, at)),
            When::At(_) => None,
        });
        due.collect()
    }

    pub(crate) fn commit_fate(&self, nth: u64) -> CommitFate {
        fate(&self.commits, nth).unwrap_or(CommitFate::Works)
    }

    /// Returns the size of the plan, which shrinking reduces.
    pub fn size(&self) -> usize {
        self.questions.len()
            + self.deeds.len()
            + self.faults.len()
            + self.commits.len()
            + self.writes.len()
            + self.reads.len()
            + self.blind.len()
            + self.sketches.len()
            + self.asked.len()
            + self.workers
            + self.decisions.iter().filter(|one| one.answer != Answer::Approve).count()
    }
}

pub(crate) fn fate<T: Copy>(list: &[(u64, T)], nth: u64) -> Option<T> {
    list.iter().find(|(at, _)| *at == nth).map(|(_, fate)| *fate)
}

fn decision(chance: &Chance) -> Decision {
    let answer = match chance.below(20) {
        0..=8 => Answer::Approve,
        9 | 10 => Answer::Deny,
        11 | 12 => Answer::Edit,
        13 | 14 => Answer::ApproveTwice,
        15 | 16 => Answer::ApproveAndDeny,
        17 => Answer::EditBadly,
        18 => Answer::Never,
        _ => Answer::Cancel,
    };
    let after_ms = if chance.percent(40) { chance.below(200) } else { chance.below(15_000) };
    Decision { after_ms, answer }
}

fn fault(chance: &Chance, workers: usize, until: u64) -> Fault {
    let place = usize::try_from(chance.below(workers as u64)).unwrap_or_default();
    let when =
        if chance.percent(70) { When::Step { place, nth: chance.below(140) } } else { When::At(chance.below(until)) };
    let back_after_ms = chance.between(50, 15_000);
    let what = match chance.below(20) {
        0..=6 => What::Kill { place, back_after_ms },
        7..=10 => What::Pause { place, for_ms: chance.between(100, 30_000) },
        11 | 12 => What::Drain { place, back_after_ms },
        13 | 14 => What::StoreDown { for_ms: chance.between(50, 15_000) },
        15 => What::WakesLost { for_ms: chance.between(1000, 20_000) },
        16 | 17 => What::PowerCut { workers_too: chance.percent(50), back_after_ms },
        18 => {
            let by_ms = i64::try_from(chance.between(1, 1500)).unwrap_or_default();
            What::ClockStep { place, by_ms: if chance.percent(50) { by_ms } else { -by_ms } }
        }
        _ => What::ClockStep { place, by_ms: i64::try_from(chance.between(3_000, 3_600_000)).unwrap_or_default() },
    };
    Fault { when, what }
}

fn wire(chance: &Chance) -> WireFate {
    match chance.below(16) {
        0 | 1 => WireFate::Busy,
        2 => WireFate::Refused,
        3 => WireFate::SignInGone,
        4..=6 => WireFate::ReplyLost,
        7 | 8 => WireFate::RequestLost,
        9 => WireFate::Doubled,
        10..=12 => WireFate::Stalls { ms: chance.between(500, 40_000) },
        _ => WireFate::Queued { ms: chance.between(100, 15_000) },
    }
}
