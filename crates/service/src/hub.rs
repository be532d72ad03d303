//! Wakes readers: one task listens to the store, and each reader gets only the wakes of its own subject, a run or a person.
//!
//! Without it, every event of every run would wake each of ten thousand open streams.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adagent_domain::{RunId, UserId};
use adagent_store::Wake;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

/// What a reader listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Run(RunId),
    Person(UserId),
}

/// The kinds of streams that a person can hold open. Each kind has its own limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Holds {
    /// A stream of a run, in any tab, browser or program. The limit is more than any person watches.
    RunStream,
    /// A page that follows changes. Browsers open few connections to one server; a page beyond the limit polls instead.
    ActivityPage,
}

impl Holds {
    const fn most(self) -> usize {
        match self {
            Self::RunStream => 100,
            Self::ActivityPage => 12,
        }
    }
}

#[derive(Default)]
pub(crate) struct WakeHub {
    subjects: Mutex<HashMap<Subject, watch::Sender<()>>>,
    seats: Mutex<HashMap<(UserId, Holds), usize>>,
}

/// One of the streams that a person may hold open. A drop gives it back.
pub struct Seat {
    hub: Arc<WakeHub>,
    taken: (UserId, Holds),
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = self.hub.seats();
        if let Some(count) = seats.get_mut(&self.taken) {
            *count -= 1;
            if *count == 0 {
                seats.remove(&self.taken);
            }
        }
    }
}

/// A reader's place at the hub. A drop removes it.
pub(crate) struct Listener {
    hub: Arc<WakeHub>,
    subject: Subject,
    receiver: watch::Receiver<()>,
}

impl WakeHub {
    /// Listens to the subject from now on.
    pub fn listen(self: &Arc<Self>, subject: Subject) -> Listener {
        let receiver = self.lock().entry(subject).or_insert_with(|| watch::channel(()).0).subscribe();
        Listener { hub: Arc::clone(self), subject, receiver }
    }

    /// Takes a seat. `None` if this person already holds as many as the limit allows.
    pub fn take_seat(self: &Arc<Self>, user: UserId, holds: Holds) -> Option<Seat> {
        let mut seats = self.seats();
        let count = seats.entry((user, holds)).or_default();
        if *count >= holds.most() {
            return None;
        }
        *count += 1;
        Some(Seat { hub: Arc::clone(self), taken: (user, holds) })
    }

    /// Passes wakes on until `stop`.
    pub async fn run(&self, mut wakes: broadcast::Receiver<Wake>, stop: CancellationToken) {
        loop {
            let wake = tokio::select! {
                () = stop.cancelled() => return,
                wake = wakes.recv() => wake,
            };
            match wake {
                Ok(Wake::Events(run)) => self.wake(Subject::Run(run)),
                Ok(Wake::Activity(user)) => self.wake(Subject::Person(user)),
                Ok(Wake::Work) => {}
                // Some wakes were missed, so wake every reader.
                Ok(Wake::Everything) | Err(broadcast::error::RecvError::Lagged(_)) => {
                    for sender in self.lock().values() {
                        sender.send_replace(());
                    }
                }
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    fn wake(&self, subject: Subject) {
        if let Some(sender) = self.lock().get(&subject) {
            sender.send_replace(());
        }
    }

    fn seats(&self) -> MutexGuard<'_, HashMap<(UserId, Holds), usize>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Subject, watch::Sender<()>>> {
        self.subjects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// Waits for a wake since the last one.
    pub async fn wait(&mut self) {
        if self.receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut subjects = self.hub.lock();
        // The count still includes this listener.
        if subjects.get(&self.subject).is_some_and(|sender| sender.receiver_count() <= 1) {
            subjects.remove(&self.subject);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use adagent_domain::SequentialIds;

    use super::*;

    #[tokio::test]
    async fn a_reader_hears_of_its_subject_only_and_leaves_nothing_behind() {
        let ids = SequentialIds::default();
        let (run, other) = (RunId::new(&ids), RunId::new(&ids));
        let (ann, bob) = (UserId::new(&ids), UserId::new(&ids));
        for (subject, foreign, own) in [
            (Subject::Run(run), [Wake::Events(other), Wake::Activity(ann)], Wake::Events(run)),
            (Subject::Person(ann), [Wake::Activity(bob), Wake::Events(run)], Wake::Activity(ann)),
        ] {
            let hub = Arc::new(WakeHub::default());
            let (sender, receiver) = broadcast::channel(4);
            let stop = CancellationToken::new();
            let mut listener = hub.listen(subject);
            let second = hub.listen(subject);
            let task = tokio::spawn({
                let (hub, stop) = (Arc::clone(&hub), stop.clone());
                async move { hub.run(receiver, stop).await }
            });
            for wake in foreign {
                sender.send(wake).unwrap();
            }
            sender.send(Wake::Work).unwrap();
            assert!(tokio::time::timeout(Duration::from_millis(30), listener.wait()).await.is_err());
            sender.send(own).unwrap();
            tokio::time::timeout(Duration::from_secs(5), listener.wait()).await.expect("woken");
            sender.send(Wake::Everything).unwrap();
            tokio::time::timeout(Duration::from_secs(5), listener.wait()).await.expect("everybody looks");
            drop(second);
            assert_eq!(hub.lock().len(), 1);
            drop(listener);
            assert_eq!(hub.lock().len(), 0);
            stop.cancel();
            task.await.unwrap();
        }
    }

    #[test]
    fn a_person_holds_so_many_of_a_kind_and_others_hold_theirs() {
        let ids = SequentialIds::default();
        let (ada, bob) = (UserId::new(&ids), UserId::new(&ids));
        for (holds, else_held, most) in
            [(Holds::RunStream, Holds::ActivityPage, 100), (Holds::ActivityPage, Holds::RunStream, 12)]
        {
            let hub = Arc::new(WakeHub::default());
            let mut seats: Vec<_> = (0..most).map(|_| hub.take_seat(ada, holds).expect("a seat")).collect();
            assert!(hub.take_seat(ada, holds).is_none());
            assert!(hub.take_seat(ada, else_held).is_some(), "each kind has its own bound");
            assert!(hub.take_seat(bob, holds).is_some());
            seats.pop();
            assert!(hub.take_seat(ada, holds).is_some(), "one that is closed makes room");
            drop(seats);
            assert!(hub.seats().is_empty());
        }
    }
}
