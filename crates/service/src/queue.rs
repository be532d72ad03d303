//! Works off jobs outside the database, one claim at a time. Waits longer after each failure, and gives up in the end.
//!
//! Does each job at least once: if a worker dies after doing a job and before recording it, the job is done again when the lease ends. This
//! module must not know what a job is about.

use std::time::Duration;

use adagent_store::{ClaimedJob, JobOutcome, Queue, UnitOfWork};
use async_trait::async_trait;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{Service, ServiceResult};

/// How often we look for jobs of other processes, and for those whose wait is over.
const LOOK: Duration = Duration::from_secs(2);
const MAX_ERROR: usize = 300;

/// How long a claim lasts, how often a job is tried, and how long we wait between tries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    /// Longer than any attempt may take.
    pub lease_seconds: i64,
    pub attempts: u32,
    pub first_wait_seconds: i64,
    pub longest_wait_seconds: i64,
    /// Whether a job that failed in every attempt keeps its sealed content, which may still be useful after the cause is fixed.
    pub keeps: bool,
}

impl Course {
    fn wait(&self, attempts: u32) -> i64 {
        (self.first_wait_seconds << attempts.saturating_sub(1).min(16)).min(self.longest_wait_seconds)
    }
}

/// Why an attempt failed. The texts are for administrators and contain nothing of the sealed content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Another attempt may work.
    Later(String),
    /// No attempt will work.
    Never(String),
}

/// A kind of job.
#[async_trait]
pub(crate) trait Errand: Send + Sync {
    /// The result of a successful attempt, for [`Self::settled`].
    type Found: Send + Sync;

    fn queue(&self) -> Queue;
    fn course(&self) -> Course;
    async fn attempt(&self, job: &ClaimedJob) -> Result<Self::Found, Failure>;
    /// Runs in the transaction that settles the job. If the job is done, it gets the result.
    async fn settled(
        &self,
        _: &mut dyn UnitOfWork,
        _: &ClaimedJob,
        _: &JobOutcome,
        _: Option<&Self::Found>,
    ) -> ServiceResult<()> {
        Ok(())
    }
    /// Reports each attempt to the log and the metrics.
    fn told(&self, job: &ClaimedJob, outcome: &JobOutcome);
}

/// What one pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkedOff {
    pub done: u64,
    pub again: u64,
    pub given_up: u64,
}

impl Service {
    /// Works off a queue until `stop`. `news` tells this that the queue has a new job.
    pub(crate) async fn keep_working_off(&self, errand: &impl Errand, news: &Notify, stop: &CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = news.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
            if let Err(error) = self.work_off(errand, stop).await {
                tracing::warn!(queue = ?errand.queue(), %error, "what waits to be done outside could not be worked on");
            }
        }
    }

    /// Does everything that is due now. After `stop`, finishes only what has begun.
    pub(crate) async fn work_off(&self, errand: &impl Errand, stop: &CancellationToken) -> ServiceResult<WorkedOff> {
        let (queue, course) = (errand.queue(), errand.course());
        let mut worked = WorkedOff::default();
        // Read first: a look at an empty queue must not make writers wait.
        while !stop.is_cancelled() && self.store.job_is_due(queue, self.clock.now()).await? {
            let now = self.clock.now();
            let mut work = self.store.begin().await?;
            let claimed = work.claim_job(queue, now, now.plus_seconds(course.lease_seconds)).await?;
            work.commit().await?;
            let Some(claimed) = claimed else { break };
            let (outcome, found) = match errand.attempt(&claimed).await {
                Ok(found) => (JobOutcome::Done, Some(found)),
                Err(failure) => (self.failed(&course, &claimed, failure), None),
            };
            errand.told(&claimed, &outcome);
            match &outcome {
                JobOutcome::Done => worked.done += 1,
                JobOutcome::Again { .. } => worked.again += 1,
                JobOutcome::GivenUp { .. } => worked.given_up += 1,
            }
            let mut work = self.store.begin().await?;
            if work.settle_job(queue, &claimed, &outcome, self.clock.now()).await? {
                errand.settled(&mut *work, &claimed, &outcome, found.as_ref()).await?;
            }
            work.durable();
            work.commit().await?;
        }
        Ok(worked)
    }

    fn failed(&self, course: &Course, job: &ClaimedJob, failure: Failure) -> JobOutcome {
        match failure {
            Failure::Later(error) if job.attempts < course.attempts => {
                let at = self.clock.now().plus_seconds(course.wait(job.attempts));
                JobOutcome::Again { at, error: cut(&error) }
            }
            Failure::Later(error) => JobOutcome::GivenUp { error: cut(&error), keeps: course.keeps },
            Failure::Never(error) => JobOutcome::GivenUp { error: cut(&error), keeps: false },
        }
    }
}

fn cut(error: &str) -> String {
    adagent_domain::text::visible(error).chars().take(MAX_ERROR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let course = Course {
            lease_seconds: 60,
            attempts: 18,
            first_wait_seconds: 30,
            longest_wait_seconds: 6 * 60 * 60,
            keeps: false,
        };
        let waits: Vec<i64> = [1, 2, 3, 10, 11, 18].map(|attempts| course.wait(attempts)).into();
        assert_eq!(waits, [30, 60, 120, 15_360, 21_600, 21_600]);
        assert!(cut(&"x".repeat(1000)).len() == MAX_ERROR && !cut("a\u{0}b").contains('\u{0}'));
    }
}
