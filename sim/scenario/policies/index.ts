/** What other parts use of policies as scenarios write them. */
export type { PolicySource } from './library.ts'
export { listPolicies, type ListedPolicy } from './listing.ts'
export { titleOf } from './title.ts'
