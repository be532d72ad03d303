//! What hosted models cost the workspace today.

use adagent_contract::{UsageCeilings, UsageToday};
use adagent_domain::Actor;

use crate::{Service, ServiceResult};

impl Service {
    pub async fn usage_today(&self, actor: &Actor) -> ServiceResult<UsageToday> {
        let config = &self.runtime.config;
        let now = self.clock.now();
        let day = config.budget.day(now);
        let usage = self.store.find_usage(actor.workspace, &day.name, now).await?;
        Ok(UsageToday {
            day: day.name,
            resets_at: day.ends,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_micros: usage.cost_micros,
            held_micros: usage.held_micros,
            calls: usage.calls,
            ceilings: UsageCeilings {
                workspace_daily_cost_micros: config.budget.daily_cost_micros,
                run_cost_micros: config.limits.cost_micros,
                run_tokens: config.limits.tokens,
            },
        })
    }
}
