//! How many runs a process advances at the same time. A quarter of the places is only for runs that a person waits for, so that a question
//! finds a place however many background runs there are.

use std::sync::Arc;

use adagent_store::RunClass;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) struct Places {
    all: Arc<Semaphore>,
    background: Arc<Semaphore>,
}

impl Places {
    pub fn new(parallel: usize) -> Self {
        let all = parallel.max(1);
        // If there is only one place, any run may take it.
        let kept = all.div_ceil(4).min(all - 1);
        Self { all: Arc::new(Semaphore::new(all)), background: Arc::new(Semaphore::new(all - kept)) }
    }

    /// Waits for a place. If a place for background runs is also free, a background run may use it.
    pub async fn take(&self) -> Place {
        let any = Arc::clone(&self.all).acquire_owned().await.expect("nobody closes it");
        Place { background: Arc::clone(&self.background).try_acquire_owned().ok(), _any: any }
    }

    /// Returns once a place for background runs is free.
    pub async fn background_is_free(&self) {
        let free = self.background.acquire().await;
        drop(free);
    }
}

/// A place. Dropping it frees it.
pub(crate) struct Place {
    background: Option<OwnedSemaphorePermit>,
    _any: OwnedSemaphorePermit,
}

impl Place {
    /// Returns the classes of runs that may use this place.
    pub const fn classes(&self) -> &'static [RunClass] {
        match self.background {
            Some(_) => &RunClass::ALL,
            None => &[RunClass::Interactive],
        }
    }

    /// Gives the place to a run of this class. An interactive run uses up none of the background places.
    pub fn of(mut self, class: RunClass) -> Self {
        if class == RunClass::Interactive {
            self.background = None;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn background_runs_never_take_the_last_quarter() {
        for (parallel, background) in [(1, 1), (2, 1), (4, 3), (5, 3), (64, 48)] {
            let places = Places::new(parallel);
            let mut taken = Vec::new();
            for number in 0..parallel {
                let place = places.take().await;
                let may = place.classes().contains(&RunClass::Background);
                assert_eq!(may, number < background, "place {number} of {parallel}");
                let class = if may { RunClass::Background } else { RunClass::Interactive };
                taken.push(place.of(class));
            }
            assert_eq!(places.all.available_permits(), 0);
            drop(taken);
            assert_eq!((places.all.available_permits(), places.background.available_permits()), (parallel, background));
        }
    }

    #[tokio::test]
    async fn interactive_runs_may_take_every_place() {
        let places = Places::new(4);
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(places.take().await.of(RunClass::Interactive));
        }
        assert_eq!((places.all.available_permits(), places.background.available_permits()), (0, 3));
        places.background_is_free().await;
    }
}
