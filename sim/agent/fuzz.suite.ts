/**
 * How many random cases each fuzz test tries: a number that suits every run of
 * the test suite, or what the environment variable FUZZ_RUNS says.
 */
export const NUM_RUNS = Number(process.env['FUZZ_RUNS'] ?? 300)
