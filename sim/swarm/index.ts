/** The door to the swarm: runs drawn from seeds, judged by what must hold in every run. Loads the engine. */
export { CHECKERS } from './checkers/index.ts'
export { drawScenario } from './draw.ts'
export { goesWrong, judgeSeed, type Violation } from './judge.ts'
export { PLANTS } from './plants.ts'
export { shrink } from './shrink.ts'
