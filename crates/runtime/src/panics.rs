//! A panic counts as a failed step. We catch it where the work runs and count it. The code that asked for the work reports it.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;

use crate::telemetry;

/// A defect in our code. Telemetry has recorded what broke and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broke;

/// Returns the result of the work, or `Broke` if the work panicked. A panic leaves borrowed data as it was, because only the caller changes
/// a run, later, through its journal. The work's own data is dropped.
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
