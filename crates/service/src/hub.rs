//! Wakes readers of runs: one task listens to the store, each reader only hears of its own run.
//!
//! Without it ten thousand open streams would each be woken by every event of every run.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use adagent_domain::RunId;
use adagent_store::Wake;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

#[derive(Default)]
pub struct EventHub {
    runs: Mutex<HashMap<RunId, watch::Sender<()>>>,
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
                Ok(Wake::Work) => {}
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
}
