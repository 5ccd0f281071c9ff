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
  test('lists everything, one entry after the other', async () => {
    const { code, out, err } = await policies()
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
    [['nginx', 'envoy'], 'policies takes one pattern, not also envoy'],
    [['nginx', '--format', 'csv'], 'policies are printed as table or json, not as csv'],
    [['nginx', '--seed', '1'], 'policies has no option --seed'],
  ])('%j is refused', async (argv, message) => {
    const { code, out, err } = await policies(...argv)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
  })
})
