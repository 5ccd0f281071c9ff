/**
 * Which policies promise that the end of a task is learned once everything is
 * healed, and how soon. A promise says why it can be kept; whoever makes none
 * says why not.
 */
import type { Backoff, Jitter, Waits } from '../policies/backoff.ts'
import type {
  BlockingPolicy,
  ChainPolicy,
  Policy,
  PollPolicy,
  PushPolicy,
  PushSending,
  StreamPolicy,
} from '../policies/policy.ts'
import type { Fault, FaultEffect, ReceiverSettings, Scenario } from '../scenario/scenario.ts'

/** `withinUs` counts from the instant at which the task is over and the last fault has healed. */
export type Promised = { of: 'promise'; withinUs: number } | { of: 'none'; because: string }

/** What latencies, round trips and turns add up to at most, drawn ones included. */
const SLACK_US = 120_000_000

const none = (because: string): Promised => ({ of: 'none', because })
const within = (withinUs: number): Promised => ({ of: 'promise', withinUs: withinUs + SLACK_US })

/** From when on a promise counts; `undefined` if something never heals or the task never ends. */
export function healedUs({ faults, job }: Scenario): number | undefined {
  if (job.durationUs === undefined) return undefined
  let healed = job.durationUs
  for (const { when } of faults) {
    if (when.of === 'again') return undefined
    healed = Math.max(healed, when.toUs)
  }
  return healed
}

export function promiseOf(policy: Policy, scenario: Scenario): Promised {
  const because = spoiltBy(scenario)
  if (because !== undefined) return none(because)
  switch (policy.kind) {
    case 'poll':
      return ofPolling(policy, scenario)
    case 'stream':
      return ofStreaming(policy, scenario)
    case 'push':
      return ofPush(policy, scenario)
    case 'blocking':
      return ofBlocking(policy, scenario)
    case 'chain':
      return ofChain(policy, scenario)
    case 'together': {
      const promises = policy.parts.map((part) => promiseOf(part, scenario))
      // Whoever learns of a question is the one to answer it.
      if (scenario.job.afterPauses.length > 0 && promises.some(({ of }) => of === 'none'))
        return none('a part may end before it has answered')
      const kept = promises.flatMap((promise) => (promise.of === 'promise' ? promise.withinUs : []))
      return kept.length > 0 ? { of: 'promise', withinUs: Math.min(...kept) } : (promises[0] as Promised)
    }
  }
}

/** Why nobody can promise anything here. */
function spoiltBy({ agent, network, faults, job }: Scenario): string | undefined {
  if (has(faults, (effect) => effect.of === 'restart' && effect.loses === 'tasks'))
    return 'the agent forgets its tasks'
  if (agent.ttl !== undefined) return 'the agent deletes the task'
  if (agent.quotas.length > 0) return 'the agent may turn requests away for ever'
  if (network.hops.some(({ connections }) => connections !== undefined))
    return 'a hop without room may turn requests away for ever'
  if (network.loss > 0) return 'messages go on being lost, for ever'
  // Only polls show that the answer did not get through, and that late.
  if (job.afterPauses.length > 0 && (faults.length > 0 || network.hops.length > 0))
    return 'an answer to a question may be lost, and then the task waits for ever'
  return undefined
}

const has = (faults: readonly Fault[], which: (effect: FaultEffect) => boolean): boolean =>
  faults.some(({ effect }) => which(effect))

/** Faults after which one side waits for what never comes. */
const hangs = ({ faults, network }: Scenario): boolean =>
  network.hops.some(({ cut }) => cut === 'silent') ||
  has(
    faults,
    (effect) =>
      ((effect.of === 'partition' || effect.of === 'loss') && effect.link === 'network') ||
      (effect.of === 'cut' && effect.how === 'silent'),
  )

/** After how long a call that hangs is given up; `undefined` if never. */
function patienceUs(scenario: Scenario, timeoutUs: number | undefined): number | undefined {
  const { timeoutUs: inAll, firstByteUs, idleUs } = scenario.client
  const byHead = firstByteUs !== undefined && idleUs !== undefined ? firstByteUs + idleUs : undefined
  const limits = [timeoutUs, inAll, byHead].filter((limit) => limit !== undefined)
  if (limits.length > 0) return Math.min(...limits)
  return hangs(scenario) ? undefined : 0
}

function longestOf(jitter: Jitter): number {
  return jitter.of === 'stretch' ? 1 + jitter.more : 1
}

/** The longest wait of a sequence that goes on for ever; `undefined` if it ends or grows without end. */
function longestWaitUs(waits: Waits, jitter: Jitter): number | undefined {
  switch (waits.of) {
    case 'interval':
      return waits.interval.of === 'fixed' ? waits.interval.us * longestOf(jitter) : undefined
    case 'growing':
      return waits.maxUs === undefined ? undefined : waits.maxUs * longestOf(jitter)
    case 'list':
      return waits.last === 'ends' ? undefined : Math.max(...waits.delaysUs) * longestOf(jitter)
  }
}

/** The same for a whole back-off. */
const longestOfUs = ({ waits, jitter, attempts, budgetUs }: Backoff): number | undefined =>
  attempts === undefined && budgetUs === undefined ? longestWaitUs(waits, jitter) : undefined

/** What a server may add to a wait. */
function serverUs({ agent, faults }: Scenario): number {
  const hints = agent.polling.hints.map(({ hintUs }) => hintUs)
  const retryAfters = faults.map(({ effect }) => (effect.of === 'answer' ? (effect.retryAfterUs ?? 0) : 0))
  const retryHintUs = agent.streaming === false ? 0 : (agent.streaming.retryHintUs ?? 0)
  return Math.max(0, ...hints, ...retryAfters, retryHintUs)
}

/** A slow clock waits longer. */
const byClock = ({ client }: Scenario, us: number): number => us / Math.min(1, client.clock.rate)

function ofPolling(policy: PollPolicy, scenario: Scenario): Promised {
  if (policy.attempts !== undefined || policy.budgetUs !== undefined) return none('polls come to an end')
  if (policy.on429 !== 'next' || policy.onError !== 'next')
    return none('an error ends the polls or stretches them')
  if (policy.slowDown !== 'ignore') return none('each slow_down lengthens the wait')
  if (scenario.agent.polling.minIntervalUs !== undefined)
    return none('polls that come too soon are refused, for ever')
  const waitUs = longestWaitUs(policy.waits, policy.jitter)
  if (waitUs === undefined) return none('the waits end, or grow without end')
  const patience = patienceUs(scenario, policy.timeoutUs)
  if (patience === undefined) return none('a poll that hangs is never given up')
  const holdUs = policy.hold === undefined ? 0 : scenario.agent.polling.holdUs
  const firstUs = typeof policy.first === 'object' && policy.first.of === 'fixed' ? policy.first.us : 0
  return within(byClock(scenario, patience + waitUs * policy.margin + serverUs(scenario) + holdUs + firstUs))
}

function ofStreaming(policy: StreamPolicy, scenario: Scenario): Promised {
  if (policy.reconnect === undefined) return none('a stream that was cut is not opened again')
  if (policy.cleanClose === 'finish') return none('a clean end is taken for the end')
  if (policy.resume === 'live' && asksSomething(scenario))
    return none('a question in a snapshot is passed over')
  const waitUs = longestOfUs(policy.reconnect)
  if (waitUs === undefined) return none('the reconnects come to an end')
  const silenceUs = policy.watchdogUs ?? scenario.client.idleUs
  const openingUs = patienceUs(scenario, policy.timeoutUs)
  if (hangs(scenario) && (silenceUs === undefined || openingUs === undefined))
    return none('a silence is never given up')
  return within(byClock(scenario, (silenceUs ?? 0) + (openingUs ?? 0) + waitUs + serverUs(scenario)))
}

function ofPush(policy: PushPolicy, scenario: Scenario): Promised {
  const { receiver, faults } = scenario
  if (receiver === 'none' || scenario.agent.push === false) return none('no post can arrive')
  if (
    has(
      scenario.faults,
      (effect) => effect.of === 'restart' && effect.host === 'agent' && effect.loses !== 'streams',
    )
  )
    return none('the agent forgets its posts')
  if (policy.register === 'after-reply' && mayNotRegister(scenario)) return none('the registration may fail')
  const sending = { ...scenario.agent.push, ...policy.sending }
  if (sending.events === 'final' && asksSomething(scenario)) return none('no question is posted')
  if (!isQuick(receiver, sending)) return none('the receiver may be slower than the sender waits')
  if (receiver.handlers !== undefined) return none('the receiver may have no room')
  const waitUs = longestOfUs(sending.retry)
  const mayFail = faults.length > 0 || receiver.accepts === 'known'
  if (mayFail && waitUs === undefined) return none('the retries come to an end')
  if (sending.giveUp === 'remove' || sending.disableAfter !== undefined)
    return none('the webhook may be removed')
  // Each update of a job waits for the one before it.
  const updates = scenario.job.updates.length
  return within((waitUs ?? 0) + (sending.timeoutUs + 1_000_000) * (updates + 1))
}

/** Whether a later registration, or the GetTask that follows it, may come to nothing: also one that counts as a poll too soon. */
const mayNotRegister = ({ faults, agent }: Scenario): boolean =>
  faults.length > 0 || agent.polling.minIntervalUs !== undefined

const asksSomething = ({ job }: Scenario): boolean => {
  const pieces = [job.updates, ...job.afterPauses.map(({ updates }) => updates)]
  return pieces.some((updates) => {
    const last = updates.at(-1)?.change
    return last?.of === 'status' && last.state === 'input-required'
  })
}

/** Whether a post is answered before its sender gives it up. */
function isQuick({ service }: ReceiverSettings, { timeoutUs }: PushSending): boolean {
  const slowestUs = service.of === 'fixed' ? service.us : service.of === 'uniform' ? service.toUs : Infinity
  return slowestUs + LATE_US < timeoutUs
}

/** How late a drawn latency can be, both ways. */
const LATE_US = 2_000_000

function ofBlocking(policy: BlockingPolicy, { faults, network, client, agent, job }: Scenario): Promised {
  if (agent.blocking === false || agent.blocking.holdUs !== undefined || policy.holdUs !== undefined)
    return none('the agent answers before the task is over')
  if (faults.length > 0 || network.hops.length > 0 || network.loss > 0)
    return none('a held send that is cut begins nothing that could be found again')
  if (client.timeoutUs !== undefined || client.firstByteUs !== undefined || client.idleUs !== undefined)
    return none('the client gives up before the agent answers')
  return job.afterPauses.length > 0 ? none('the agent answers when the task pauses') : within(0)
}

function ofChain(policy: ChainPolicy, scenario: Scenario): Promised {
  if (policy.recoverUs !== undefined) return none('the first link is tried again and again')
  let sumUs = 0
  for (const [index, link] of policy.links.entries()) {
    if (index > 0 && link.kind === 'push' && mayNotRegister(scenario))
      return none('the webhook is registered later, which may fail')
    const promise = promiseOf(link, scenario)
    if (promise.of === 'promise') return { of: 'promise', withinUs: sumUs + promise.withinUs }
    const endUs = endsWithinUs(link, scenario)
    if (endUs === undefined) return none(`${link.kind} neither learns nor gives up: ${promise.because}`)
    sumUs += endUs
  }
  return none('no link promises it')
}

/** How soon a link that promises nothing gives up, once all is healed. */
function endsWithinUs(link: Policy, scenario: Scenario): number | undefined {
  if (link.kind === 'blocking') {
    const patience = patienceUs(scenario, link.timeoutUs)
    return patience === undefined ? undefined : patience + (link.holdUs ?? 0) + SLACK_US
  }
  if (link.kind !== 'stream') return undefined
  const silenceUs = link.watchdogUs ?? scenario.client.idleUs
  const openingUs = patienceUs(scenario, link.timeoutUs)
  if (hangs(scenario) && (silenceUs === undefined || openingUs === undefined)) return undefined
  if (link.reconnect === undefined) return (silenceUs ?? 0) + (openingUs ?? 0) + SLACK_US
  const { waits } = link.reconnect
  if (waits.of !== 'list') return undefined
  const sumUs = waits.delaysUs.reduce((sum, us) => sum + us, 0)
  return (
    (sumUs + (silenceUs ?? 0) + (openingUs ?? 0)) * 2 + serverUs(scenario) * waits.delaysUs.length + SLACK_US
  )
}
