import type { Job, Update } from '../../scenario/scenario.ts'
import { partOf } from '../content.ts'
import { briefOf, shortlistAsData, shortlistAsText, type Wish, wishIn } from '../venues.ts'
import type { Behaviour, Step } from './behaviour.ts'

/**
 * Plays the job of a scenario for every message, on the job's own clock: the
 * behaviour of measured runs. What the scenario leaves open the venue finder
 * fills, first with words, then with data.
 */
export const scenarioJob =
  (job: Job): Behaviour =>
  ({ message, known }) => {
    const wish = { ...known, ...wishIn(message) }
    return { kind: 'work', steps: job.updates.map((update) => stepOf(update, wish)), known: wish }
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
