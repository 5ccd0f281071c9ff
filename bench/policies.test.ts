import { describe, expect, test } from 'vitest'
import { main } from './main.ts'

async function policies(...argv: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await main(['policies', ...argv], {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  })
  return { code, out: out.join(''), err: err.join('') }
}

const idsOf = async (...argv: string[]) => {
  const { out } = await policies(...argv, '--format', 'json')
  return (JSON.parse(out) as { policies: { id: string; kind: string }[] }).policies.map(({ id }) => id)
}

describe('policies', () => {
  test('gives an overview: each kind with its ids, a family of ids in one line', async () => {
    const { code, out, err } = await policies()
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.split('\n')
    expect(lines.length).toBeLessThan(60)
    expect(lines.every((line) => line.length <= 120)).toBe(true)
    const waiters = (await idsOf('aws/*')).length
    expect(lines).toContain(`  aws/*, ${waiters} of them: delivery-bench policies 'aws/*'`)
    expect(out).not.toContain('aws/ec2.InstanceRunning')
    const count = (await idsOf('retry')).length
    expect(out).toMatch(
      new RegExp(`^retry \\(${count}\\), webhook retry schedule: .*\n {2}standard-webhooks, `, 'm'),
    )
    // Each id is there, under each of its kinds.
    const { out: json } = await policies('--format', 'json')
    const { policies: all } = JSON.parse(json) as { policies: { id: string; kind: string }[] }
    const listed = out.split('\n\n').flatMap((block) => {
      const [kind = ''] = block.split(' ')
      const ids = block
        .split('\n')
        .slice(1)
        .join(' ')
        .split(/, +| +/)
      return ids.map((id) => `${kind} ${id}`)
    })
    expect(listed).toEqual(
      expect.arrayContaining(
        all.filter(({ id }) => !id.includes('/')).map(({ id, kind }) => `${kind} ${id}`),
      ),
    )
    expect(out).toContain(`\n${all.length} entries in all.`)
  })

  test('its overview fits a narrower terminal', async () => {
    const out: string[] = []
    const terminal = { stdout: { write: (text: string) => out.push(text) }, stderr: { write: () => {} } }
    expect(await main(['policies'], { ...terminal, columns: 80 })).toBe(0)
    expect(
      out
        .join('')
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([])
  })

  test.each([['--all'], ['*']])('%s lists everything, one entry after the other', async (everything) => {
    const { code, out, err } = await policies(everything)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^id +kind +in words +source +as of +conf\.$/m)
    expect(out).toMatch(/^chromium +reconnect +reconnect after 3 s +chromium/m)
    expect(out).toMatch(/^aws\/ec2\.InstanceRunning +poll +poll every 15 s, 40 polls/m)
    expect(out).toMatch(/^stripe +undetermined +not determined: intervals/m)
    expect(out.split('\n').every((line) => line.length <= 120)).toBe(true)
  })

  test('explains a policy in full', async () => {
    expect((await policies('@slack-events')).out.split('\n')).toEqual([
      'slack-events: Slack Events API',
      'kind        webhook retry schedule: when a failed post is tried again',
      'in words    retry after 0 s, 1 min, 4 min, each up to 3 s',
      'parameters  delays: [0, 1m, 4m], timeout: 3s',
      "use         -m 'push:retry=@slack-events', or as an entry of mechanisms",
      'source      api.slack.com/apis/events-api',
      'as of       2026-11',
      'confidence  B, official documentation',
      expect.stringMatching(/^file {8}scenarios\/policies\/webhook-senders\.yaml:\d+$/),
      '',
    ])
  })

  test('says what one should know before using a policy', async () => {
    const { out } = await policies('@pi-forge')
    expect(out).toMatch(/^parameters .*\nnote {8}It pads its heartbeats.*\n {12}\S.*\nuse /m)
    const { out: json } = await policies('@pi-forge', '--format', 'json')
    expect(JSON.parse(json)).toMatchObject({ policies: [{ note: expect.stringMatching(/^It pads/) }] })
  })

  test.each([
    [
      'aws/ec2.Instance*',
      (ids: string[]) => ids.length > 3 && ids.every((id) => id.startsWith('aws/ec2.Instance')),
    ],
    ['InstanceRunning', (ids: string[]) => ids.includes('aws/ec2.InstanceRunning')],
    ['heartbeat', (ids: string[]) => ids.includes('warp') && !ids.includes('nginx')],
    ['mcp-events', (ids: string[]) => ids.length === 3 && ids.every((id) => id === 'mcp-events')],
    ['shopify', (ids: string[]) => ids.length === 1],
  ])('%s finds what it should', async (pattern, isRight) => {
    expect(await idsOf(pattern)).toSatisfy(isRight)
  })

  test('gives everything that is known as JSON', async () => {
    const { out } = await policies('aws/ec2.InstanceRunning', '--format', 'json')
    expect(JSON.parse(out)).toEqual({
      format: 'delivery-bench-policies/1',
      policies: [
        {
          id: 'aws/ec2.InstanceRunning',
          kind: 'poll',
          parameters: { interval: '15s', attempts: 40 },
          meaning: 'poll every 15 s, 40 polls at most',
          usage: 'poll:@aws/ec2.InstanceRunning',
          source: expect.stringContaining('botocore'),
          asOf: '2026-08-07',
          confidence: 'A',
          file: 'scenarios/policies/aws-waiters.yaml',
          line: expect.any(Number),
        },
      ],
    })
  })

  test.each([
    [['ngnix'], 'the library has no policy ngnix: did you mean nginx?'],
    [['nginx', '--all'], 'policies takes --all or a pattern, not both: nginx'],
    [['nginx', 'envoy'], 'policies takes one pattern, not also envoy'],
    [['nginx', '--format', 'csv'], 'policies are printed as table or json, not as csv'],
    [['nginx', '--seed', '1'], 'policies has no option --seed'],
  ])('%j is refused', async (argv, message) => {
    const { code, out, err } = await policies(...argv)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
  })
})
