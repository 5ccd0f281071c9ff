/** What a worker runs where the engine plays nothing. */
import { fakeEngine } from './fake-fleet.suite.ts'
import { partsPlayer } from './fleet-parts.ts'

export default partsPlayer(fakeEngine)
