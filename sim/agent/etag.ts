/** Entity tags (RFC 9110, 8.8.3 and 13.1.2). */

/**
 * Whether `If-None-Match` names a tag. Weakly compared: `W/` before a tag makes
 * no difference.
 */
export const isHeld = (ifNoneMatch: string | null | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || opaque(tag) === opaque(etag))

const opaque = (tag: string): string => tag.replace(/^W\//, '')

/** Weak, since a task at one place of its log may be shown with more or less of its history and other hints. */
export const etagOf = (position: number): string => `W/"${position}"`
