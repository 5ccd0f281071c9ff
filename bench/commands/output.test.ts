import type * as fs from 'node:fs'
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeOut } from './output.ts'

let folder = ''
const path = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'output-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The disk is full when a file gets its place. */
let isFull = false
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>()
  return {
    ...real,
    renameSync: (...args: Parameters<typeof fs.renameSync>) => {
      if (isFull) throw new Error('no space left')
      real.renameSync(...args)
    },
  }
})

test('a file is written whole, and nothing lies beside it', () => {
  writeOut(path('a.json'), 'one')
  writeOut(path('a.json'), 'two')
  expect(readFileSync(path('a.json'), 'utf8')).toBe('two')
  expect(readdirSync(folder)).toEqual(['a.json'])
})

test('where it fails, what was there before stays, and nothing else', () => {
  writeOut(path('a.json'), 'before')
  isFull = true
  expect(() => writeOut(path('a.json'), 'after')).toThrow(/^cannot write .*a\.json: no space left$/)
  isFull = false
  expect(readFileSync(path('a.json'), 'utf8')).toBe('before')
  expect(readdirSync(folder)).toEqual(['a.json'])
})

test('a link stays one, and a folder that is not there is named', () => {
  writeFileSync(path('real.json'), 'old')
  symlinkSync(path('real.json'), path('link.json'))
  writeOut(path('link.json'), 'new')
  expect(lstatSync(path('link.json')).isSymbolicLink()).toBe(true)
  expect(readFileSync(path('real.json'), 'utf8')).toBe('new')
  expect(() => writeOut(path('none/a.json'), 'x')).toThrow(/cannot write .*none\/a\.json: ENOENT/)
})
