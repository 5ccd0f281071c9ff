import type { Operation } from '../../protocol/operation.ts'
import type { Asks } from '../asks.ts'
import type { Answer } from '../operations.ts'

/**
 * What a binding knocks at before it looks at what a request means.
 *
 * @throws A2AError for a caller who is not let in
 */
export type Door = (headers: Headers) => Admit

/**
 * What a binding calls once it knows which operation the request means: it is
 * performed in the caller's scope, at once or when a handler is free.
 *
 * @throws A2AError for whatever the request got wrong
 */
export type Admit = (operation: Operation, params: unknown, asks: Asks) => Answer | Promise<Answer>
