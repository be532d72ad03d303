//! How many runs a process advances at a time. A quarter of the places is for runs that a person waits for: however much goes on in
//! the background, a question finds a place.

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
        // The only place is for every run.
        let kept = all.div_ceil(4).min(all - 1);
        Self { all: Arc::new(Semaphore::new(all)), background: Arc::new(Semaphore::new(all - kept)) }
    }

    /// Waits for a place. It is good for a background run where one of theirs is free, too.
    pub async fn take(&self) -> Place {
        let any = Arc::clone(&self.all).acquire_owned().await.expect("nobody closes it");
        Place { background: Arc::clone(&self.background).try_acquire_owned().ok(), _any: any }
    }

    /// Returns when a background run could be taken.
    pub async fn background_is_free(&self) {
        let free = self.background.acquire().await;
        drop(free);
    }
}

/// Free again when it is dropped.
pub(crate) struct Place {
    background: Option<OwnedSemaphorePermit>,
    _any: OwnedSemaphorePermit,
}

impl Place {
    /// The classes of which a run may be taken.
    pub const fn classes(&self) -> &'static [RunClass] {
        match self.background {
            Some(_) => &RunClass::ALL,
            None => &[RunClass::Interactive],
        }
    }

    /// Taken by a run of this class: an interactive one leaves the places of background runs to them.
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
