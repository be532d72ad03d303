//! Reads texts on other threads than the ones where runs wait, so that a long reading blocks no run and its caller can leave.

use std::sync::{Arc, LazyLock};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::Semaphore,
    task::spawn_blocking,
};
use tracing::Span;

/// Readings of more bytes than this take turns.
const LONG: usize = 2_000;

/// At most half of the processors read long texts, so that the others stay free for other requests.
static LONG_READINGS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Arc::new(Semaphore::new((processors / 2).max(1)))
});

/// Does the work on another thread and returns its result. The caller stays free to renew a lease, notice a stop or leave. If the caller
/// leaves, the work continues to its end and keeps its turn until then. A panic in the work becomes a panic here. With a single thread, as
/// in tests and simulations, the work runs on that thread.
pub async fn aside<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if !Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread) {
        return work();
    }
    let turn = if bytes > LONG { Arc::clone(&LONG_READINGS).acquire_owned().await.ok() } else { None };
    let span = Span::current();
    let reading = spawn_blocking(move || {
        let _turn = turn;
        span.in_scope(work)
    });
    match reading.await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The process is about to end, so nobody waits for this result.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn who_shares_the_thread_goes_on_while_a_text_is_read() {
        let (say, said) = std::sync::mpsc::channel();
        let reading = aside(1, move || said.recv_timeout(Duration::from_secs(20)).is_ok());
        // If the reading ran on this thread, the test would never send `say`.
        let saying = async move { say.send(()).unwrap() };
        assert!(tokio::join!(reading, saying).0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn long_texts_take_turns_also_those_that_were_left() {
        let turns = (std::thread::available_parallelism().map_or(1, usize::from) / 2).max(1);
        let (free, held) = std::sync::mpsc::channel::<()>();
        let held = Arc::new(std::sync::Mutex::new(held));
        let readings: Vec<_> = (0..turns)
            .map(|_| {
                let held = Arc::clone(&held);
                let reading =
                    aside(LONG + 1, move || held.lock().unwrap().recv_timeout(Duration::from_secs(20)).is_ok());
                tokio::spawn(tokio::time::timeout(Duration::from_millis(50), reading))
            })
            .collect();
        for reading in readings {
            assert!(reading.await.unwrap().is_err(), "who waited left");
        }
        let begun = Instant::now();
        let next = tokio::spawn(aside(LONG + 1, move || begun.elapsed()));
        assert_eq!(aside(1, || 7).await, 7, "short ones wait for nobody");
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(free);
        assert!(next.await.unwrap() >= Duration::from_millis(100), "waited for a turn");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_is_that_of_who_waits() {
        let reading = tokio::spawn(aside(1, || panic!("a defect")));
        assert!(reading.await.unwrap_err().is_panic());
    }

    #[tokio::test]
    async fn where_there_is_one_thread_it_is_done_there() {
        let here = std::thread::current().id();
        assert_eq!(aside(LONG + 1, move || std::thread::current().id()).await, here);
    }
}
