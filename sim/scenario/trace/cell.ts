/** What stands in a field of a CSV file: numbers and dates, read from their octets. NaN is what is neither. */

const [PLUS, MINUS, POINT, ZERO, NINE, COLON, SPACE] = [43, 45, 46, 48, 57, 58, 32] as const
const [E, LITTLE_E, T, LITTLE_T, Z, LITTLE_Z] = [69, 101, 84, 116, 90, 122] as const

/** Powers of ten that floating point has exactly. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

const isDigit = (octet: number | undefined): boolean => octet !== undefined && octet >= ZERO && octet <= NINE

/** `-12`, `0.25`, `1.5e3`; what it is in floating point, correctly rounded. */
export function numberOf(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const isNegative = bytes[at] === MINUS
  if (isNegative || bytes[at] === PLUS) at += 1
  let digits = 0
  let scale = 0
  let value = 0
  for (; at < end; at++) {
    const octet = bytes[at] as number
    if (!isDigit(octet)) break
    value = value * 10 + (octet - ZERO)
    digits += 1
  }
  if (digits === 0) return NaN
  if (at < end && bytes[at] === POINT) {
    const from = ++at
    for (; at < end; at++) {
      const octet = bytes[at] as number
      if (!isDigit(octet)) break
      value = value * 10 + (octet - ZERO)
      digits += 1
    }
    scale = at - from
    if (scale === 0) return NaN
  }
  // Up to here digits are exact, and so is one division by a power of ten.
  if (at === end && digits <= 15) {
    const absolute = scale === 0 ? value : value / (POWERS[scale] as number)
    return isNegative ? -absolute : absolute
  }
  if (at < end) {
    if (bytes[at] !== E && bytes[at] !== LITTLE_E) return NaN
    at += 1
    if (bytes[at] === PLUS || bytes[at] === MINUS) at += 1
    const from = at
    while (at < end && isDigit(bytes[at])) at += 1
    if (at === from || at < end) return NaN
  }
  const number = Number(textOf(bytes, start, end))
  return Number.isFinite(number) ? number : NaN
}

const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end))

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** Days from 1970-01-01, in the calendar of ISO 8601. */
function dayNumber(year: number, month: number, day: number): number {
  const years = year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  let days = years * 365 + leapDays - 719_162 + day - 1
  for (let before = 1; before < month; before++) days += DAYS_IN_MONTH[before - 1] as number
  return month > 2 && isLeap(year) ? days + 1 : days
}

/** The number of so many digits; NaN if others stand there. */
function digitsOf(bytes: Uint8Array, start: number, count: number): number {
  let value = 0
  for (let at = start; at < start + count; at++) {
    const octet = bytes[at]
    if (octet === undefined || !isDigit(octet)) return NaN
    value = value * 10 + (octet - ZERO)
  }
  return value
}

/**
 * `2023-11-16 18:15:46.68059`, with a T or a space between day and time, and
 * with `Z`, `+01:00` or nothing behind: microseconds since 1970, rounded. What
 * says no zone is read as UTC, which a difference of two does not show.
 */
export function instantUsOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 19 || bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return NaN
  if (bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return NaN
  const between = bytes[start + 10]
  if (between !== SPACE && between !== T && between !== LITTLE_T) return NaN
  const year = digitsOf(bytes, start, 4)
  const month = digitsOf(bytes, start + 5, 2)
  const day = digitsOf(bytes, start + 8, 2)
  const hour = digitsOf(bytes, start + 11, 2)
  const minute = digitsOf(bytes, start + 14, 2)
  const second = digitsOf(bytes, start + 17, 2)
  const longest = month === 2 && isLeap(year) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0)
  // What has no digits is NaN, which compares as false.
  if (!(year >= 1 && day >= 1 && day <= longest && hour <= 23 && minute <= 59 && second <= 59)) return NaN

  let at = start + 19
  let fractionUs = 0
  if (at < end && bytes[at] === POINT) {
    const from = ++at
    let unitUs = 100_000
    for (; at < end && isDigit(bytes[at]); at++) {
      fractionUs += ((bytes[at] as number) - ZERO) * unitUs
      unitUs = unitUs > 1 ? unitUs / 10 : 0
    }
    if (at === from) return NaN
    if (at - from > 6 && (bytes[from + 6] as number) >= ZERO + 5) fractionUs += 1
  }
  const zoneMinutes = zoneOf(bytes, at, end)
  const seconds = dayNumber(year, month, day) * 86_400 + hour * 3600 + (minute - zoneMinutes) * 60 + second
  return seconds * 1e6 + fractionUs
}

/** Minutes that a time is ahead of UTC; NaN for what is no zone. */
function zoneOf(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 0
  const sign = bytes[start]
  if (sign === Z || sign === LITTLE_Z) return end - start === 1 ? 0 : NaN
  if (sign !== PLUS && sign !== MINUS) return NaN
  const hasColon = bytes[start + 3] === COLON
  if (end - start !== (hasColon ? 6 : 5)) return NaN
  const [hours, minutes] = [digitsOf(bytes, start + 1, 2), digitsOf(bytes, start + (hasColon ? 4 : 3), 2)]
  if (!(hours <= 23 && minutes <= 59)) return NaN
  return (hours * 60 + minutes) * (sign === PLUS ? 1 : -1)
}
