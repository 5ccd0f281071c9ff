/** What the `hops` command stands on. */
export { adviceFor } from './advice.ts'
export { leftOut } from './hop-world.ts'
export { matrixOf, stretchesOf, type HopCell, type HopMatrix } from './matrix.ts'
export { streamsOf } from './streams.ts'
