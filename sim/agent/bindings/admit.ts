import type { Operation } from '../../protocol/operation.ts'
import type { Answer } from '../operations.ts'

/**
 * What a binding calls once it knows which operation a request means: the
 * caller is let in or not, and the operation performed in the caller's scope.
 *
 * @throws A2AError for whatever the request got wrong
 */
export type Admit = (operation: Operation, params: unknown) => Answer
