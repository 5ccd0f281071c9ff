import { invalidParams } from '../protocol/errors.ts'
import { isSameScope, type Scope } from './scope.ts'
import type { Wish } from './venues.ts'

/** A conversation of one caller: its tasks have its id, and what was said in one the next one knows. */
export interface Context {
  readonly id: string
  readonly scope: Scope
  known: Wish
}

export interface Contexts {
  begin(id: string, scope: Scope): Context
  /** @throws A2AError InvalidParamsError, for the context of another caller exactly as for one that never was */
  find(id: string, scope: Scope): Context
}

export function createContexts(): Contexts {
  const contexts = new Map<string, Context>()
  return {
    begin(id, scope) {
      const context = { id, scope, known: {} }
      contexts.set(id, context)
      return context
    },
    find(id, scope) {
      const context = contexts.get(id)
      if (context === undefined || !isSameScope(context.scope, scope))
        throw invalidParams('message.contextId', 'must be a context this agent began')
      return context
    },
  }
}
