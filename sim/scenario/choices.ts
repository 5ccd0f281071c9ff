/** What the agent does by choice may stand in the scenario's agent and in a policy: the policy's word holds. */
import type { Policy, SinglePolicy } from '../policies/policy.ts'
import { singlesOf } from '../policies/singles.ts'
import type { AgentSettings } from './scenario.ts'

/** The agent as a policy wants it. */
export function agentWith(agent: AgentSettings, policy: Policy | undefined): AgentSettings {
  return policy === undefined ? agent : singlesOf(policy).reduce(chosenBy, agent)
}

function chosenBy(agent: AgentSettings, policy: SinglePolicy): AgentSettings {
  if (policy.kind === 'stream' && policy.heartbeat !== undefined && agent.streaming !== false)
    return { ...agent, streaming: { ...agent.streaming, heartbeat: policy.heartbeat } }
  if (policy.kind === 'push' && agent.push !== false)
    return { ...agent, push: { ...agent.push, ...policy.sending } }
  return agent
}
