/** Whose tasks a request is about. Every look-up happens inside one scope. */
export interface Scope {
  /** Who asks: equal strings see each other's tasks, others' look as if they did not exist. */
  owner: string
  /** The opaque routing string of the request; empty if it names none. */
  tenant: string
}

/** The owner of everything when nobody has to say who they are. */
export const ANONYMOUS = 'anonymous'

export const isSameScope = (a: Scope, b: Scope): boolean => a.owner === b.owner && a.tenant === b.tenant
