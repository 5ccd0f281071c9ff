import type { StreamPolicy } from '../../policies/policy.ts'
import { connect } from '../a2a-client.ts'
import type { Mechanism } from '../mechanism.ts'

/**
 * SendStreamingMessage, read to its end. The official client neither
 * reconnects nor tells a cut from an end, so a stream that ends before the task
 * has lost the thread (specification 3.1.2: the last event carries the end).
 */
export const streaming: Mechanism<StreamPolicy> = {
  title: () => 'stream (SSE)',

  async run(world) {
    // The official client would quietly send a blocking message instead.
    if (world.card.capabilities.streaming !== true)
      return { kind: 'failed', reason: "the agent's card does not offer streaming" }
    const client = await connect(world)
    let over = false
    for await (const change of client.stream()) over = world.observe(change, 'stream').terminal || over
    return over
      ? { kind: 'learned' }
      : { kind: 'not-learned', reason: 'the stream ended before the task did' }
  },
}
