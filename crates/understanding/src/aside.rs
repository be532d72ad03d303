//! Work that takes a thread for milliseconds: elsewhere than where hundreds of other runs wait for their turn.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Bytes of text from which on it is worth the change of threads.
const LONG: usize = 2_000;

/// Does the work; with much text to read, the other tasks of this thread go on at another one meanwhile. An ordinary question is
/// read in less time than that would take.
pub fn aside<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let others = Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > LONG && others { tokio::task::block_in_place(work) } else { work() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn who_shares_the_thread_goes_on_while_a_long_text_is_read() {
        let (said, heard) = std::sync::mpsc::channel();
        let reading = tokio::spawn(async move {
            tokio::spawn(async move { said.send(()).unwrap() });
            // The only worker is here: unless somebody takes its place, nobody ever says anything.
            aside(LONG + 1, || heard.recv_timeout(Duration::from_secs(20)).is_ok())
        });
        assert!(reading.await.unwrap());
    }

    #[tokio::test]
    async fn where_there_is_one_thread_it_is_done_there() {
        assert_eq!(aside(LONG + 1, || 7), 7);
    }
}
