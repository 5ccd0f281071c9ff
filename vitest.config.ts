import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['sim/**/*.test.ts', 'bench/**/*.test.ts'],
    // Real sockets and whole days of virtual time: slow machines get the time they need.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
