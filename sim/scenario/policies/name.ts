/** Names of library policies: `aws/ec2.InstanceRunning`, in words with `@` before it. */
import { kindOf, quoted } from '../values.ts'
import { word } from '../schema-parts.ts'

export const NAME_TEXT = String.raw`@?[A-Za-z][\w.-]*(?:/[A-Za-z0-9][\w.-]*)*`
const NAME = new RegExp(`^${NAME_TEXT}$`)

/** `use` in a map. Whether there is such a policy is asked when policies are written out (spell-out.ts). */
export const LibraryName = word(
  (value) =>
    typeof value === 'string' && NAME.test(value)
      ? undefined
      : `${typeof value === 'string' ? quoted(value) : kindOf(value)} is no name of a library policy: write one such as chromium or aws/ec2.InstanceRunning`,
  `^${NAME_TEXT}$`,
).meta({ description: 'a policy of the library' })
