/** The policy library as a table, as one policy in full, and as JSON. */
import { styleText } from 'node:util'
import type { ListedPolicy } from '../../sim/index.ts'
import type { TableStyle } from './table.ts'
import { textWidth, wrapped } from './wrap.ts'

const GAP = 2
/** A narrower column than this wraps every word. */
const WORDS_MIN = 20
/** A longer id has a line of its own. */
const ID_MAX = 30
/** As in the row above. */
const DITTO = '″'

const HEAD = ['id', 'kind', 'in words', 'source', 'as of', 'conf.']

const cellsOf = ({ id, kind, meaning, source, asOf, confidence }: ListedPolicy): string[] => [
  id,
  kind,
  meaning,
  source ?? '',
  asOf ?? '',
  confidence ?? '',
]

/** One line or more for each policy. */
export function asPolicyTable(policies: readonly ListedPolicy[], { columns, colour }: TableStyle): string {
  const rows = policies.map((policy, i) =>
    policy.source !== undefined && policy.source === policies[i - 1]?.source
      ? cellsOf({ ...policy, source: DITTO })
      : cellsOf(policy),
  )
  const natural = HEAD.map((head, i) =>
    Math.max(textWidth(head), ...rows.map((row) => textWidth(row[i] ?? ''))),
  )
  const [longest = 0, kind = 0, meaning = 0, , asOf = 0, confidence = 0] = natural
  const id = Math.min(longest, ID_MAX)
  const room = columns - id - kind - asOf - confidence - GAP * (HEAD.length - 1)
  const words = Math.max(WORDS_MIN, Math.min(meaning, Math.floor(room * 0.55)))
  const widths = [id, kind, words, Math.max(WORDS_MIN, room - words), asOf, confidence]
  const bold = (text: string) => (colour ? styleText('bold', text, { validateStream: false }) : text)
  return [
    ...linesOf(HEAD, widths).map(bold),
    ...rows.flatMap((row) => linesOf(row, widths)),
    '',
    ...wrapped(
      `${policies.length} entries. delivery-bench policies <id> explains one. Confidence: ${Object.entries(
        CONFIDENCE,
      )
        .map(([grade, meaning]) => `${grade} ${meaning}`)
        .join(', ')}.`,
      columns,
    ),
    '',
  ].join('\n')
}

function linesOf(row: readonly string[], widths: readonly number[]): string[] {
  const [id = '', ...rest] = row
  if (textWidth(id) > (widths[0] as number)) return [id, ...linesOf(['', ...rest], widths)]
  const cells = row.map((text, i) => linesIn(text, widths[i] as number))
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, i) => {
        const text = lines[line] ?? ''
        return text + ' '.repeat(Math.max(0, (widths[i] as number) - textWidth(text)))
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  )
}

/** As `wrapped`, but what is longer than a line is broken: addresses are. */
const linesIn = (text: string, width: number): string[] =>
  text === ''
    ? ['']
    : wrapped(text, width).flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [])

const CONFIDENCE: Readonly<Record<string, string>> = {
  A: 'read in the source at a pinned commit',
  B: 'official documentation',
  C: 'issue or third party',
  U: 'unverified',
}

/** What each kind is, for people; in the order in which kinds are listed. */
export const KINDS: Readonly<Record<ListedPolicy['kind'], string>> = {
  poll: 'polling policy: when a client asks with GetTask',
  blocking: 'blocking policy: a send that the agent holds',
  reconnect: 'reconnect policy: when a client opens a stream again',
  heartbeat: 'heartbeat: octets that keep a stream alive',
  retry: 'webhook retry schedule: when a failed post is tried again',
  hop: 'hop: what stands between two parties and cuts',
  client: 'client limits: what a client allows one request',
  scenario: 'fact of the world: no policy, but values a scenario may set',
  undetermined: 'known, but its behaviour is not determined',
}

/** One policy with everything that is known of it. */
export function asPolicy(policy: ListedPolicy, columns: number): string {
  const { id, kind, name, meaning, note, parameters, source, asOf, confidence, file, line } = policy
  const given = Object.entries(parameters).map(([key, value]) => `${key}: ${inYaml(value)}`)
  const facts = [
    ['kind', KINDS[kind]],
    ['in words', meaning],
    ['parameters', given.join(', ')],
    ['note', note],
    ['use', usageText(policy)],
    ['source', source],
    ['as of', asOf],
    ['confidence', confidence === undefined ? undefined : `${confidence}, ${CONFIDENCE[confidence]}`],
    ['file', `${file}:${line}`],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '')
  const width = Math.max(...facts.map(([label]) => label.length)) + GAP
  return [
    name === undefined ? id : `${id}: ${name}`,
    ...facts.flatMap(([label, text]) =>
      wrapped(text, columns - width).map((part, i) => `${(i === 0 ? label : '').padEnd(width)}${part}`),
    ),
    '',
  ].join('\n')
}

function usageText({ kind, usage }: ListedPolicy): string {
  if (usage === undefined) return 'write the values yourself, where you know them'
  return kind === 'hop' || kind === 'client'
    ? `in a scenario, ${usage}`
    : kind === 'scenario'
      ? usage
      : `-m '${usage}', or as an entry of mechanisms`
}

/** A value as a scenario writes it, on one line. */
const inYaml = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(inYaml).join(', ')}]`
    : typeof value === 'object' && value !== null
      ? `{ ${Object.entries(value)
          .map(([key, inner]) => `${key}: ${inYaml(inner)}`)
          .join(', ')} }`
      : String(value)

/** Stable: fields may be added, none is renamed. What is not known is left out. */
export const asPoliciesJson = (policies: readonly ListedPolicy[]): string =>
  `${JSON.stringify(
    {
      format: 'delivery-bench-policies/1',
      policies: policies.map(
        ({
          id,
          kind,
          name,
          parameters,
          meaning,
          usage,
          note,
          undetermined,
          source,
          asOf,
          confidence,
          file,
          line,
        }) => ({
          id,
          kind,
          name,
          parameters,
          meaning,
          usage,
          note,
          undetermined,
          source,
          asOf,
          confidence,
          file,
          line,
        }),
      ),
    },
    undefined,
    2,
  )}\n`
