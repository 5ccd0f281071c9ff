/** `reproduce --studies` from its words to its text; that studies are run and judged right, `experiment/run.test.ts` says. */
import { expect, test, vi } from 'vitest'
import type { runStudies, Study } from './experiment/studies.ts'
import { main } from './main.ts'

/** All of them take minutes: two stand for them. */
const two: typeof runStudies = (loaded, _workers, ended) => {
  const studies: Study[] = loaded
    .slice(0, 2)
    .map((one) => ({ loaded: one, verdict: 'reproduced', values: [], misses: [] }))
  for (const [i, study] of studies.entries()) ended?.(study, i + 1)
  return Promise.resolve(studies)
}
vi.mock('./experiment/studies.ts', () => ({ runStudies: two }))

async function reproduced(...argv: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await main(['reproduce', '--studies', ...argv], {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  })
  return { code, out: out.join(''), err: err.join('') }
}

test('each study is told on stderr as it ends, unless that is unwanted', async () => {
  const { code, out, err } = await reproduced()
  expect(code).toBe(0)
  expect(err).toMatch(/^1 of \d+: apigw-30s, reproduced\n2 of \d+: apigw-rest-stream, reproduced\n$/)
  expect(out).toContain('\n2 scenarios reproduced, ')
  expect(await reproduced('--quiet')).toEqual({ code, out, err: '' })
})
