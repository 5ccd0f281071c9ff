import type { Job, Leg, Update } from '../../scenario/scenario.ts'
import { partOf } from '../content.ts'
import { briefOf, shortlistAsData, shortlistAsText, type Wish, wishIn } from '../venues.ts'
import type { Behaviour, Step, Work } from './behaviour.ts'

/**
 * Plays the job of a scenario for every message, on the job's own clock: the
 * behaviour of measured runs. What the scenario leaves open the venue finder
 * fills, first with words, then with data.
 *
 * A pause ends as the scenario says: a question by whatever the client answers,
 * an authorisation by itself after its time. The task is WORKING again then, an
 * update of its own, and the instants of what follows count from there.
 */
export const scenarioJob =
  (job: Job): Behaviour =>
  ({ message, known }) => ({
    ...legOf(job.updates, job.afterPauses, { ...known, ...wishIn(message) }),
    ...(job.pollHintUs !== undefined && { pollHintUs: job.pollHintUs }),
  })

/** What the agent does up to the end or the next pause, and how it goes on after that. */
function legOf(updates: readonly Update[], [leg, ...later]: readonly Leg[], wish: Wish): Work {
  const work: Work = { kind: 'work', steps: updates.map((update) => stepOf(update, wish)), known: wish }
  if (leg === undefined) return work
  const pause = updates.at(-1)?.change
  return {
    ...work,
    resume: () => legOf(leg.updates, later, wish),
    ...(pause?.of === 'status' &&
      pause.state === 'auth-required' && { authorisedAfterUs: leg.resumeAfterUs }),
  }
}

function stepOf({ atUs, change }: Update, wish: Wish): Step {
  const { content } = change
  const said = content === undefined ? undefined : partOf(content)
  switch (change.of) {
    case 'status':
      return { atUs, of: 'status', state: change.state, says: said && [said] }
    case 'artifact': {
      const { artifact, append, lastChunk } = change
      const fill = append ? shortlistAsData : shortlistAsText
      const parts = [said ?? fill(briefOf(wish))]
      return { atUs, of: 'artifact', artifact: { artifactId: artifact, parts }, append, lastChunk }
    }
  }
}
