import { createHash } from 'node:crypto'
import type { AgentCard } from '../../protocol/a2a.ts'
import { JSON_TYPE } from '../../protocol/media-types.ts'
import { isHeld } from '../etag.ts'
import { textReply } from './replies.ts'

/** A card seldom changes: an hour is what the official server says, too (specification 8.6). */
const CACHE_CONTROL = 'max-age=3600'

/** Answers requests for the card; who has it already is told so (RFC 9110, 13.1.2). */
export function createCardReply(card: AgentCard): (headers: Headers) => Response {
  const text = JSON.stringify(card)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  const caching = { etag, 'cache-control': CACHE_CONTROL }
  return (headers) =>
    isHeld(headers.get('if-none-match'), etag)
      ? new Response(null, { status: 304, headers: caching })
      : textReply(text, JSON_TYPE, 200, caching)
}
