/** What fails, and when: a list of entries with one time and one thing each. */
import * as z from 'zod'
import type { Distribution } from '../../kernel/distribution.ts'
import { meanUs } from '../../kernel/distribution.ts'
import { distribution, resolveDistribution } from '../distribution.ts'
import { instantOf, instantUs, type Instant } from '../instant.ts'
import type { Path } from '../node.ts'
import { wait } from '../policies/wait.ts'
import { Share, duration, oneOf } from '../schema-parts.ts'
import type { Fault, FaultEffect } from '../scenario.ts'
import type { Surroundings } from '../surroundings.ts'
import { INSTANT_PATTERN, durationUs, instantProblem, kindOf, shareOf } from '../values.ts'

const instant = (description: string) => duration(instantProblem, description, INSTANT_PATTERN)
const host = (description: string) => oneOf(['agent', 'receiver'], description)
const link = (description: string) => oneOf(['network', 'receiver'], description)

/** The operations a fault can be about. */
const OPERATIONS = ['send', 'poll', 'stream', 'subscribe', 'post', 'other'] as const

export const FaultMap = z.strictObject({
  at: instant('the instant it happens').optional(),
  from: instant('from when it lasts').optional(),
  to: instant('until when').optional(),
  for: wait('for how long').optional(),
  every: distribution('world', 'again and again, from beginning to beginning').optional(),
  down: host('refuses connections').optional(),
  restart: host('goes down and comes back').optional(),
  loses: oneOf(
    ['streams', 'posts', 'tasks'],
    'what a restart loses: streams; posts waiting as well; tasks as well',
  ).optional(),
  partition: link('nothing passes').optional(),
  hold: link('nothing passes until the end').optional(),
  loss: Share.meta({ description: 'share of messages that never arrive' }).optional(),
  duplicate: Share.meta({ description: 'share of requests that arrive twice' }).optional(),
  reorder: Share.meta({ description: 'share of messages handed on after a later one' }).optional(),
  delay: distribution('world', 'added to the latency').optional(),
  link: link('which link loss, duplicate, reorder and delay are about').optional(),
  cut: oneOf(['streams'], 'ends every open stream').optional(),
  as: oneOf(['close', 'reset', 'silent'], 'how').optional(),
  answer: z
    .int({ error: ({ input }) => `expected an HTTP status from 400 to 599, got ${kindOf(input)}` })
    .min(400, { error: ({ input }) => `${String(input)} is no failure: write a status from 400 to 599` })
    .max(599, { error: ({ input }) => `${String(input)} is no failure: write a status from 400 to 599` })
    .meta({ description: 'the status of every answer' })
    .optional(),
  retryAfter: wait('the Retry-After of such answers').optional(),
  operations: z
    .array(oneOf(OPERATIONS, 'an operation'))
    .min(1, {
      error: 'this list is empty: leave operations out to mean all',
    })
    .optional(),
  dns: host('its name is not found').optional(),
})

type FaultInput = z.output<typeof FaultMap>

export const Faults = z
  .array(FaultMap, {
    error: ({ input }) =>
      Array.isArray(input) ? undefined : 'faults is a list: write [ { at: 30s, cut: streams } ]',
  })
  .meta({ description: 'what fails, and when' })

/** A fault before shares of the job's length are known. */
export interface FaultPlan {
  effect: FaultEffect
  when:
    | { of: 'once'; from: Instant; end: { of: 'to'; instant: Instant } | { of: 'for'; us: number } }
    | { of: 'again'; every: Distribution; forUs: number }
}

/** The faults of one run: instants that were shares of its job's length worked out. */
export const timedFaults = (plans: readonly FaultPlan[], lengthUs: number | undefined): Fault[] =>
  plans.map(({ effect, when }) => {
    if (when.of === 'again') return { effect, when }
    const fromUs = instantUs(when.from, lengthUs) ?? 0
    const toUs = when.end.of === 'for' ? fromUs + when.end.us : (instantUs(when.end.instant, lengthUs) ?? 0)
    // A share may come before an instant in one run and after it in another.
    return { effect, when: { of: 'once', fromUs, toUs: Math.max(fromUs, toUs) } }
  })

const THINGS = [
  'down',
  'restart',
  'partition',
  'hold',
  'loss',
  'duplicate',
  'reorder',
  'delay',
  'cut',
  'answer',
  'dns',
] as const

type Thing = (typeof THINGS)[number]

/** Keys that say more about some things. */
const BELONGS_TO: Readonly<Record<'loses' | 'link' | 'as' | 'retryAfter' | 'operations', readonly Thing[]>> =
  {
    loses: ['restart'],
    link: ['loss', 'duplicate', 'reorder', 'delay'],
    as: ['cut'],
    retryAfter: ['answer'],
    operations: ['answer'],
  }

/**
 * The faults of a file; entries that say nothing that could be played are reported and left out.
 * `noLength` is why there is no length that an instant could be a share of.
 */
export const resolveFaults = (
  list: readonly FaultInput[],
  around: Surroundings & { noLength: string | undefined },
): FaultPlan[] =>
  list.flatMap((fault, index) => {
    const path = ['faults', index]
    const [thing, second] = THINGS.filter((key) => fault[key] !== undefined)
    if (thing === undefined) {
      around.say(path, `what happens? write one of ${THINGS.join(', ')}`)
      return []
    }
    if (second !== undefined) {
      around.say([...path, second], `one fault per entry: ${thing} and ${second} are two`, true)
      return []
    }
    for (const [key, things] of Object.entries(BELONGS_TO)) {
      if (fault[key as keyof FaultInput] === undefined || things.includes(thing)) continue
      around.say([...path, key], `${key} belongs to ${things.join(', ')}`, true)
    }
    const when = whenOf(fault, thing, path, around)
    const effect = effectOf(fault, thing, path, around)
    return when === undefined ? [] : [{ effect, when }]
  })

function whenOf(
  fault: FaultInput,
  thing: Thing,
  path: Path,
  { say, columnAt, noLength }: Surroundings & { noLength: string | undefined },
): FaultPlan['when'] | undefined {
  const wrong = (message: string, key?: string, ofKey?: boolean) => {
    say(key === undefined ? path : [...path, key], message, ofKey)
    return undefined
  }
  const starts = (['at', 'from', 'every'] as const).filter((key) => fault[key] !== undefined)
  const [start, second] = starts
  if (start === undefined) return wrong('when? exactly one of at, from or every')
  if (second !== undefined) return wrong('when? exactly one of at, from or every', second, true)
  if (fault.to !== undefined && fault.for !== undefined) {
    return wrong('to and for exclude each other', path.length > 0 ? 'for' : undefined, true)
  }
  let isKnown = true
  const instantAt = (key: 'at' | 'from' | 'to'): Instant => {
    const given = instantOf(fault[key] ?? 0)
    if (given.of === 'share' && noLength !== undefined) {
      wrong(`${fault[key]} of what? ${noLength}: write a duration`, key)
      isKnown = false
    }
    return given
  }
  const forUs = fault.for === undefined ? undefined : durationUs(fault.for)
  const isInstant = thing === 'cut'
  const mayBeInstant = isInstant || thing === 'restart'

  if (isInstant && (start === 'from' || forUs !== undefined || fault.to !== undefined)) {
    const key = start === 'from' ? 'from' : fault.to === undefined ? 'for' : 'to'
    return wrong(`streams are cut at an instant: write at: ${fault.from ?? fault.at ?? '30s'}`, key, true)
  }
  if (start === 'every') {
    if (fault.to !== undefined) return wrong('to belongs to from: with every write for', 'to', true)
    if (forUs === undefined && !mayBeInstant) return wrong('how long each time? add for: 30s')
    const every = resolveDistribution(fault.every, columnAt([...path, 'every']))
    if (meanUs(every) === 0) return wrong('every 0 would never let time pass: write 1ms or more', 'every')
    return { of: 'again', every, forUs: forUs ?? 0 }
  }
  const from = instantAt(start)
  if (start === 'at' && thing !== 'restart' && !isInstant) {
    return wrong(`${thing} lasts a while: write from: ${fault.at} with for or to`, 'at', true)
  }
  if (start === 'at' && fault.to !== undefined) return wrong('to belongs to from: write for', 'to', true)
  if (fault.to !== undefined) {
    const to = instantAt('to')
    const [fromUs, toUs] = [instantUs(from, undefined), instantUs(to, undefined)]
    const isBackwards =
      from.of === to.of &&
      (from.of === 'share' && to.of === 'share' ? to.share <= from.share : (toUs ?? 0) <= (fromUs ?? 0))
    if (isBackwards) return wrong(`it ends at ${fault.to}, before it begins at ${fault.from}`, 'to')
    return isKnown ? { of: 'once', from, end: { of: 'to', instant: to } } : undefined
  }
  if (forUs === undefined && !mayBeInstant) return wrong('until when? add for: 30s, or to: 60s')
  return isKnown ? { of: 'once', from, end: { of: 'for', us: forUs ?? 0 } } : undefined
}

function effectOf(fault: FaultInput, thing: Thing, path: Path, { columnAt }: Surroundings): FaultEffect {
  const link = fault.link ?? 'network'
  switch (thing) {
    case 'down':
    case 'dns':
      return { of: thing, host: fault[thing] ?? 'agent' }
    case 'restart':
      return { of: 'restart', host: fault.restart ?? 'agent', loses: fault.loses ?? 'streams' }
    case 'partition':
    case 'hold':
      return { of: thing, link: fault[thing] ?? 'network' }
    case 'loss':
    case 'duplicate':
    case 'reorder':
      return { of: thing, share: shareOf(fault[thing] ?? '0%'), link }
    case 'delay':
      return { of: 'delay', delay: resolveDistribution(fault.delay, columnAt([...path, 'delay'])), link }
    case 'cut':
      return { of: 'cut', how: fault.as ?? 'close' }
    case 'answer':
      return {
        of: 'answer',
        status: fault.answer ?? 503,
        retryAfterUs: fault.retryAfter === undefined ? undefined : durationUs(fault.retryAfter),
        operations: fault.operations,
      }
  }
}
