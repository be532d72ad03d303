//! A panic is a failed step: caught where the work is done, counted, and told by the code that asked for the work.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;

use crate::telemetry;

/// Somebody's defect; the process's telemetry has written down what and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broke;

/// What the work came to, or that it broke. What it only borrows is as it was: nothing of a run is changed but through its journal,
/// by the caller, afterwards. What it owns goes with it.
pub(crate) async fn caught<T>(step: &'static str, work: impl Future<Output = T>) -> Result<T, Broke> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| {
        telemetry::broke(step);
        Broke
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_breaks_at_once_or_later_is_caught() {
        assert_eq!(caught("test", async { 7 }).await, Ok(7));
        assert_eq!(caught("test", async { panic!("at once") }).await, Err::<(), _>(Broke));
        let later = async {
            tokio::task::yield_now().await;
            panic!("later")
        };
        assert_eq!(caught("test", later).await, Err::<(), _>(Broke));
    }
}
