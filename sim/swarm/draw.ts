/**
 * Draws a scenario and a policy from a seed, as a file says them: so a run that
 * goes wrong can be printed, shrunk and kept. Times are short, so that much
 * happens at the same instants, and every fault ends, so that what is promised
 * for afterwards can be asked for.
 */
import { chanceOf } from './chance.ts'
import { ifAny, type Document } from './document.ts'
import { drawFaults } from './drawn/faults.ts'
import { drawJob } from './drawn/job.ts'
import { drawPolicy } from './drawn/policy.ts'
import { drawWorld } from './drawn/world.ts'

/** Longer than any drawn policy waits after the last fault. */
const HORIZON = '1h'

/** Every part has a stream of its own, so that a change to how one is drawn leaves the others as they were. */
export const drawScenario = (seed: number): Document => ({
  seed,
  horizon: HORIZON,
  job: drawJob(chanceOf(seed, 'swarm job')),
  ...drawWorld(chanceOf(seed, 'swarm world')),
  ...ifAny('faults', drawFaults(chanceOf(seed, 'swarm faults'))),
  mechanisms: [drawPolicy(chanceOf(seed, 'swarm policy'))],
})
