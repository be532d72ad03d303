//! Works off what waits to be done outside: one claim at a time, waiting longer after each failure, until it is given up.
//!
//! At least once: if a worker dies after doing a job and before recording it, the job is done again when the lease ends. Must know
//! nothing of what a job is about.

use std::time::Duration;

use adagent_store::{ClaimedJob, JobOutcome, Queue, UnitOfWork};
use async_trait::async_trait;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{Service, ServiceResult};

/// How often other processes' jobs, and those whose wait is over, are looked for.
const LOOK: Duration = Duration::from_secs(2);
const MAX_ERROR: usize = 300;

/// How long a claim holds, and how often and how far apart it is tried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    /// Longer than any attempt may take.
    pub lease_seconds: i64,
    pub attempts: u32,
    pub first_wait_seconds: i64,
    pub longest_wait_seconds: i64,
    /// What every attempt failed at keeps its sealed content: it may still be wanted once what was in the way is mended.
    pub keeps: bool,
}

impl Course {
    fn wait(&self, attempts: u32) -> i64 {
        (self.first_wait_seconds << attempts.saturating_sub(1).min(16)).min(self.longest_wait_seconds)
    }
}

/// Why an attempt failed. The texts are for operators and hold nothing of what is sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Another attempt may work.
    Later(String),
    /// None will.
    Never(String),
}

/// A kind of job.
#[async_trait]
pub(crate) trait Errand: Send + Sync {
    /// What an attempt that worked found, for [`Self::settled`].
    type Found: Send + Sync;

    fn queue(&self) -> Queue;
    fn course(&self) -> Course;
    async fn attempt(&self, job: &ClaimedJob) -> Result<Self::Found, Failure>;
    /// In the transaction that settles it; an outcome that is done comes with what was found.
    async fn settled(
        &self,
        _: &mut dyn UnitOfWork,
        _: &ClaimedJob,
        _: &JobOutcome,
        _: Option<&Self::Found>,
    ) -> ServiceResult<()> {
        Ok(())
    }
    /// Once per attempt, for the log and the metrics.
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
    /// Works a queue off until `stop`; `news` says that something was put into it.
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

    /// Everything that is due now. What is under way when `stop` comes is finished.
    pub(crate) async fn work_off(&self, errand: &impl Errand, stop: &CancellationToken) -> ServiceResult<WorkedOff> {
        let (queue, course) = (errand.queue(), errand.course());
        let mut worked = WorkedOff::default();
        // A read first: looking for nothing must not keep those who write waiting.
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
