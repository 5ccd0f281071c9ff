/** What the agent does by choice may stand in the scenario's agent and in a policy: the policy's word holds. */
import type { Policy, SinglePolicy } from '../policies/policy.ts'
import type { AgentSettings } from '../scenario/scenario.ts'

/** The agent as a policy wants it. */
export function agentWith(agent: AgentSettings, policy: Policy | undefined): AgentSettings {
  return policy === undefined ? agent : singlesOf(policy).reduce(chosenBy, agent)
}

/** The single policies a policy is made of, in order. */
function singlesOf(policy: Policy): readonly SinglePolicy[] {
  switch (policy.kind) {
    case 'chain':
      return policy.links
    case 'together':
      return policy.parts.flatMap(singlesOf)
    default:
      return [policy]
  }
}

function chosenBy(agent: AgentSettings, policy: SinglePolicy): AgentSettings {
  switch (policy.kind) {
    case 'stream':
      return policy.heartbeat === undefined || agent.streaming === false
        ? agent
        : { ...agent, streaming: { ...agent.streaming, heartbeat: policy.heartbeat } }
    case 'push':
      return agent.push === false ? agent : { ...agent, push: { ...agent.push, ...policy.sending } }
    default:
      return agent
  }
}
