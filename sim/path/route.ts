/** What lies between two parties, made ready once for all their exchanges of a run. */
import type { RandomStream } from '../kernel/random.ts'
import type { ClientLimits, Hop } from '../policies/middlebox.ts'
import type { Party } from '../records/record.ts'
import type { Conditions } from './conditions.ts'
import type { Dribbling, Path } from './path.ts'
import { createPlaces, type Places } from './places.ts'
import { createWay, type Way } from './way.ts'

export interface Route {
  up: Way
  down: Way
  dribble: { up: Dribbling | undefined; down: Dribbling | undefined }
  /** From the asker. */
  hops: readonly HopOnRoute[]
  limits: ClientLimits | undefined
}

/** A hop together with the exchanges it can still carry; `undefined` for any number. */
export interface HopOnRoute {
  hop: Hop
  places: Places | undefined
}

export interface RouteOptions {
  path: (from: Party, to: Party) => Path
  conditions?: Conditions | undefined
  random: (purpose: string) => RandomStream
}

export function createRoutes({ path, conditions, random }: RouteOptions): (from: Party, to: Party) => Route {
  const routes = new Map<string, Route>()
  return (from, to) => {
    const key = `${from}->${to}`
    let route = routes.get(key)
    if (route === undefined)
      routes.set(key, (route = createRoute(from, to, path(from, to), { conditions, random })))
    return route
  }
}

export function createRoute(
  from: Party,
  to: Party,
  { latency, loss, dribble, hops, limits }: Path,
  { conditions, random }: Pick<RouteOptions, 'conditions' | 'random'>,
): Route {
  return {
    up: createWay({ from, to, latency: latency.up, loss, conditions, random }),
    down: createWay({ from: to, to: from, latency: latency.down, loss, conditions, random }),
    // A client's requests are small and go whole; the agent's are posts.
    dribble: { up: from === 'agent' ? dribble : undefined, down: dribble },
    hops: hops.map((hop) => ({
      hop,
      places: hop.connections === undefined ? undefined : createPlaces(hop.connections),
    })),
    limits,
  }
}
