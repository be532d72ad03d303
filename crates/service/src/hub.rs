//! Wakes readers of runs: one task listens to the store, each reader only hears of its own run.
//!
//! Without it ten thousand open streams would each be woken by every event of every run.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_domain::{RunId, UserId};
use adagent_store::Wake;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

/// Streams that one person reads at a time, in all tabs, browsers and programs: more than anybody looks at.
const MOST_STREAMS: usize = 100;

#[derive(Default)]
pub struct EventHub {
    runs: Mutex<HashMap<RunId, watch::Sender<()>>>,
    readers: Mutex<HashMap<UserId, usize>>,
}

/// One of the streams a person may read at a time; given back on drop.
pub struct Seat {
    hub: Arc<EventHub>,
    user: UserId,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut readers = self.hub.readers();
        if let Some(taken) = readers.get_mut(&self.user) {
            *taken -= 1;
            if *taken == 0 {
                readers.remove(&self.user);
            }
        }
    }
}

/// A reader's place at the hub; leaves on drop.
pub struct Listener {
    hub: Arc<EventHub>,
    run: RunId,
    receiver: watch::Receiver<()>,
}

impl EventHub {
    /// Hears of the run from now on.
    pub fn listen(self: &Arc<Self>, run: RunId) -> Listener {
        let receiver = self.lock().entry(run).or_insert_with(|| watch::channel(()).0).subscribe();
        Listener { hub: Arc::clone(self), run, receiver }
    }

    /// `None` when this person reads as many streams as anybody may.
    pub fn take_seat(self: &Arc<Self>, user: UserId) -> Option<Seat> {
        let mut readers = self.readers();
        let taken = readers.entry(user).or_default();
        if *taken >= MOST_STREAMS {
            return None;
        }
        *taken += 1;
        Some(Seat { hub: Arc::clone(self), user })
    }

    /// Passes wakes on until told to stop.
    pub async fn run(&self, mut wakes: broadcast::Receiver<Wake>, stop: CancellationToken) {
        loop {
            let wake = tokio::select! {
                () = stop.cancelled() => return,
                wake = wakes.recv() => wake,
            };
            match wake {
                Ok(Wake::Events(run)) => {
                    if let Some(sender) = self.lock().get(&run) {
                        sender.send_replace(());
                    }
                }
                Ok(Wake::Work | Wake::Activity(_)) => {}
                // Some wakes were missed: everybody looks.
                Ok(Wake::Everything) | Err(broadcast::error::RecvError::Lagged(_)) => {
                    for sender in self.lock().values() {
                        sender.send_replace(());
                    }
                }
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    fn readers(&self) -> std::sync::MutexGuard<'_, HashMap<UserId, usize>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RunId, watch::Sender<()>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// Waits for a wake since the last one heard.
    pub async fn wait(&mut self) {
        if self.receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut runs = self.hub.lock();
        // This listener still counts.
        if runs.get(&self.run).is_some_and(|sender| sender.receiver_count() <= 1) {
            runs.remove(&self.run);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use adagent_domain::SequentialIds;

    use super::*;

    #[tokio::test]
    async fn a_reader_hears_of_its_run_only_and_leaves_nothing_behind() {
        let hub = Arc::new(EventHub::default());
        let (sender, receiver) = broadcast::channel(4);
        let stop = CancellationToken::new();
        let ids = SequentialIds::default();
        let (mine, other) = (RunId::new(&ids), RunId::new(&ids));
        let mut listener = hub.listen(mine);
        let second = hub.listen(mine);
        let task = tokio::spawn({
            let (hub, stop) = (Arc::clone(&hub), stop.clone());
            async move { hub.run(receiver, stop).await }
        });
        sender.send(Wake::Events(other)).unwrap();
        assert!(tokio::time::timeout(Duration::from_millis(30), listener.wait()).await.is_err());
        sender.send(Wake::Events(mine)).unwrap();
        tokio::time::timeout(Duration::from_secs(5), listener.wait()).await.expect("woken");
        drop(second);
        assert_eq!(hub.lock().len(), 1);
        drop(listener);
        assert_eq!(hub.lock().len(), 0);
        stop.cancel();
        task.await.unwrap();
    }

    #[test]
    fn a_person_reads_so_many_streams_at_a_time_and_others_read_theirs() {
        let hub = Arc::new(EventHub::default());
        let ids = SequentialIds::default();
        let (ada, bob) = (UserId::new(&ids), UserId::new(&ids));
        let mut seats: Vec<_> = (0..MOST_STREAMS).map(|_| hub.take_seat(ada).expect("a seat")).collect();
        assert!(hub.take_seat(ada).is_none());
        assert!(hub.take_seat(bob).is_some());
        seats.pop();
        assert!(hub.take_seat(ada).is_some(), "who leaves makes room");
        drop(seats);
        assert!(hub.readers().is_empty());
    }
}
