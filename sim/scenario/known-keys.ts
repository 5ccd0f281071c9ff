/** The keys that each map of the format may have, read off the schema. */
import * as z from 'zod'
import { placeName } from './later.ts'
import { ScenarioSchema } from './schema.ts'

/** By the name of the place: `''` for the file, `job.updates[]` for an update, `poll` for that of any mechanism. */
export const KNOWN_KEYS: ReadonlyMap<string, readonly string[]> = keysBelow(ScenarioSchema)

function keysBelow(schema: z.ZodType): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const walk = (type: unknown, path: readonly (string | number)[]): void => {
    if (type instanceof z.ZodObject) {
      const place = placeName(path)
      const keys = Object.keys(type.shape)
      found.set(place, [...new Set([...(found.get(place) ?? []), ...keys])])
      for (const [key, inner] of Object.entries(type.shape)) walk(inner, [...path, key])
    } else if (type instanceof z.ZodArray) {
      walk(type.element, [...path, 0])
    } else if (type instanceof z.ZodUnion) {
      for (const branch of type.options) walk(branch, path)
    } else if (
      type instanceof z.ZodOptional ||
      type instanceof z.ZodDefault ||
      type instanceof z.ZodPrefault
    ) {
      walk(type.unwrap(), path)
    }
  }
  walk(schema, [])
  return found
}
