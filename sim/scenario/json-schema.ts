/** The JSON Schema of scenario files, with which editors complete and mark them. */
import * as z from 'zod'
import { ScenarioSchema } from './schema.ts'

/** Where it lies beside the scenarios, named in the first line of each. */
export const SCHEMA_FILE = 'scenarios/scenario.schema.json'

/** Grows with the format; what it says is what this release supports. */
const SCHEMA_ID = 'urn:delivery-bench:scenario:1'

/** The text of the schema file, ending in a newline. */
export function scenarioSchemaText(): string {
  const { $schema, ...schema } = z.toJSONSchema(ScenarioSchema, {
    io: 'input',
    target: 'draft-2020-12',
    // What stands in several places is said once, below $defs.
    reused: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === ScenarioSchema) {
        Object.assign(jsonSchema, { title: 'delivery-bench scenario', patternProperties: { '^x-': {} } })
      }
    },
  })
  const text = JSON.stringify({ $schema, $id: SCHEMA_ID, ...schema }, undefined, 2)
  return `${shortLists(text)}\n`
}

/** Lists of plain values on one line where they fit, as the formatter of this project wants them. */
const shortLists = (text: string): string =>
  text.replaceAll(
    /^(.*)\[\n\s+([^[\]{}]*?)\n\s*\](,?)$/gm,
    (long, before: string, items: string, comma: string) => {
      const short = `${before}[${items.replaceAll(/\n\s+/g, ' ')}]${comma}`
      return short.length <= 110 ? short : long
    },
  )
