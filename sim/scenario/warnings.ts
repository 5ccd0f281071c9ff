/** What is probably not meant, one sentence each. */
import { formatDuration } from '../kernel/units.ts'
import { isRandom } from './chance.ts'
import type { Scenario } from './scenario.ts'

export function warningsAbout(scenario: Scenario): string[] {
  const { horizonUs, job, replications, agent, fleet } = scenario
  const warnings: string[] = []
  if (fleet === undefined && job.durationUs !== undefined && horizonUs <= job.durationUs) {
    warnings.push(
      `the run stops at ${formatDuration(horizonUs)} (horizon), and the job ends at ${formatDuration(job.durationUs)}: nobody can learn of the end`,
    )
  }
  if (replications > 1 && !isRandom(scenario)) {
    warnings.push(`nothing in this scenario is random: all ${replications} runs are alike (replications)`)
  }
  if (agent.polling.etag && agent.binding === 'JSONRPC') {
    warnings.push('JSON-RPC answers have no tags: agent.polling.etag changes nothing over JSONRPC')
  }
  return warnings
}
