/** What may stand in `thresholds`. */
import * as z from 'zod'
import { word } from './schema-parts.ts'
import { parseThreshold } from './threshold.ts'

/** Whether one task or a fleet is asked about shows only in the whole scenario: resolve.ts judges that. */
export const Thresholds = z.array(
  word((value) => {
    const parsed = parseThreshold(String(value), 'either')
    return 'problem' in parsed ? parsed.problem : undefined
  }, '^.+(?:<|>|==|!=).+$'),
  {
    error: ({ input }) =>
      Array.isArray(input) ? undefined : 'thresholds is a list: write [ timeToLearn <= 5s ]',
  },
)
