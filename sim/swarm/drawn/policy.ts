import type { Chance } from '../chance.ts'
import { seconds } from '../document.ts'

/** A policy's word: one of the ways of waiting, a chain of them, or several side by side. */
export const drawPolicy = (chance: Chance): string =>
  chance.pick<() => string>([
    () => drawPoll(chance),
    () => drawPoll(chance),
    () => drawStream(chance),
    () => drawStream(chance),
    () => drawStream(chance),
    () => drawPush(chance),
    () => drawPush(chance),
    () => drawPush(chance),
    () => drawChain(chance),
    () => drawChain(chance),
    () => `${drawPush(chance)}+${drawPoll(chance)}`,
    () => `${drawStream(chance)}+${drawPush(chance)}`,
    () => drawThree(chance),
    () => 'blocking',
  ])()

const drawChain = (chance: Chance): string =>
  chance.pick<() => string>([
    () => `${drawBlocking(chance)}>${drawPoll(chance)}`,
    () => `${drawStream(chance, recovering(chance))}>${drawPoll(chance)}`,
    () => `${drawStream(chance, recovering(chance))}>${drawPush(chance)}`,
    () => `${drawPoll(chance)}>${drawStream(chance)}`,
  ])()

const drawThree = (chance: Chance): string =>
  chance.pick<() => string>([
    () => `${drawStream(chance)}>${drawPush(chance)}+${drawPoll(chance)}`,
    () => `${drawStream(chance)}>${drawPush(chance)}>${drawPoll(chance)}`,
    () => `${drawStream(chance)}+${drawPush(chance)}+${drawPoll(chance)}`,
    () => `${drawBlocking(chance)}>${drawStream(chance)}>${drawPoll(chance)}`,
  ])()

/** After so long a chain goes back to its first link. */
const recovering = (chance: Chance): string | false =>
  chance.maybe(0.2) && `recover=${seconds(chance, 10, 40)}`

const wordOf = (kind: string, argumentsOf: readonly (string | false)[]): string => {
  const given = argumentsOf.filter((argument) => argument !== false)
  return given.length === 0 ? kind : `${kind}:${given.join(',')}`
}

const JITTERS = ['full', 'equal', 'decorrelated', '±25%', '+25%']

const AFTER_ERRORS = ['fail', '2s', '1s*3', '1s/2s/4s/8s/16s']

function drawPoll(chance: Chance): string {
  const grows = chance.maybe(0.3)
  const adapts = !grows && chance.maybe(0.1)
  return wordOf('poll', [
    grows ? `initial=${chance.pick(['500ms', '1s', '2s'])}` : seconds(chance, 1, 15),
    grows && `multiplier=${chance.pick([1.5, 2])}`,
    grows && `max=${seconds(chance, 5, 20)}`,
    chance.maybe(0.3) && `first=${chance.pick(['after', '3s', 'hint', 'random'])}`,
    chance.maybe(0.2) && 'waitFrom=request',
    chance.maybe(0.25) && grows && `jitter=${chance.pick(JITTERS)}`,
    chance.maybe(0.3) && `hint=${chance.pick(['interval', 'floor'])}`,
    chance.maybe(0.3) && `timeout=${seconds(chance, 5, 20)}`,
    chance.maybe(0.15) && `slowDown=${chance.pick(['+1s', 'x1.4'])}`,
    chance.maybe(0.1) && `attempts=${chance.whole(2, 30)}`,
    chance.maybe(0.1) && `budget=${seconds(chance, 10, 60)}`,
    chance.maybe(0.1) && `hold=${seconds(chance, 2, 20)}`,
    chance.maybe(0.1) && 'conditional=true',
    chance.maybe(0.1) && `on429=${chance.pick(AFTER_ERRORS)}`,
    chance.maybe(0.1) && `onError=${chance.pick(AFTER_ERRORS)}`,
    adapts && `adapt.news=${chance.pick(['x0.5', 'reset', '1s'])}`,
    adapts && `adapt.quiet=${chance.pick(['x1.5', '+2s'])}`,
    adapts && `adapt.min=500ms,adapt.max=${seconds(chance, 5, 20)}`,
  ])
}

function drawStream(chance: Chance, recover: string | false = false): string {
  const reconnect = chance.maybe(0.85)
  return wordOf('stream', [
    recover,
    chance.maybe(0.3) && `heartbeat=${seconds(chance, 1, 20)}`,
    chance.maybe(0.5) && `watchdog=${seconds(chance, 10, 40)}`,
    reconnect && `reconnect=${chance.pick(['1s', '3s', '500ms', '2s', '1s/2s/4s/8s/16s'])}`,
    reconnect && chance.maybe(0.3) && `reconnect.jitter=${chance.pick(['full', 'equal', '±25%'])}`,
    reconnect && chance.maybe(0.1) && `reconnect.attempts=${chance.whole(1, 5)}`,
    reconnect && chance.maybe(0.2) && `resume=${chance.pick(['cursor', 'live'])}`,
    chance.maybe(0.1) && 'cleanClose=finish',
    chance.maybe(0.4) && `timeout=${seconds(chance, 5, 20)}`,
  ])
}

const drawPush = (chance: Chance): string =>
  wordOf('push', [
    chance.maybe(0.7) && `retry=${chance.pick(['none', '2s', '5s', '1s/5s/30s/60s', '2s/4s', '10s*9'])}`,
    chance.maybe(0.4) && `timeout=${seconds(chance, 1, 10)}`,
    chance.maybe(0.3) && `events=${chance.pick(['status', 'pauses-and-final', 'final'])}`,
    chance.maybe(0.2) && `get=${chance.pick(['final', 'each'])}`,
    chance.maybe(0.15) && 'register=after-reply',
    chance.maybe(0.1) && 'ordered=false',
    chance.maybe(0.05) && `disableAfter=${chance.whole(1, 3)}`,
    chance.maybe(0.05) && 'giveUp=remove',
  ])

function drawBlocking(chance: Chance): string {
  return wordOf('blocking', [
    seconds(chance, 5, 60),
    chance.maybe(0.2) && `timeout=${seconds(chance, 5, 40)}`,
    chance.maybe(0.1) && `onError=${chance.pick(AFTER_ERRORS)}`,
  ])
}
