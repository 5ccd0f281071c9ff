const TEXTS = new WeakMap<object, string>()

/**
 * The JSON text of something that will never change, written once however
 * often it is sent: a task between two updates is asked for many times.
 */
export function jsonOf(immutable: object): string {
  let text = TEXTS.get(immutable)
  if (text === undefined) {
    text = JSON.stringify(immutable)
    TEXTS.set(immutable, text)
  }
  return text
}

/** True for what JSON calls an object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
