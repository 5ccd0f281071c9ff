import { A2AError } from './errors.ts'

/** As deep as protobuf lets messages be; without a bound, writing a value out again could overflow the stack. */
const DEPTH_MAX = 100

/** A JSON text that came off the wire. @throws A2AError JSONParseError or InvalidRequestError */
export function parseJson(text: string): unknown {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new A2AError('JSONParseError')
  }
  if (!isWithin(parsed, DEPTH_MAX))
    throw new A2AError('InvalidRequestError', `JSON may be nested ${DEPTH_MAX} deep, not more`)
  return parsed
}

const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((member) => isWithin(member, depth - 1)))
