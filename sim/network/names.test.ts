import { expect, test } from 'vitest'
import { createNames } from './names.ts'

test('each name has a public address of its own, in the order they came', () => {
  const names = createNames()
  for (const name of ['agent.example', 'client.example', 'agent.example']) names.add(name)
  expect(names.resolve('agent.example')).toEqual(['203.0.114.1'])
  expect(names.resolve('client.example')).toEqual(['203.0.114.2'])
  expect(names.resolve('nobody.example')).toBeUndefined()
})

test('an address stands for itself, whether or not anybody is there', () => {
  const names = createNames()
  expect(names.resolve('127.0.0.1')).toEqual(['127.0.0.1'])
  expect(names.resolve('[::1]')).toEqual(['::1'])
})
