/** Text by RFC 4180. */

type Value = string | number | null

/** Quoted where it must be, quotes doubled; an empty field is "not applicable". */
function field(value: Value): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (values: readonly Value[]): string => `${values.map(field).join(',')}\r\n`

/** `time to learn (ms)`; counts and octets are what their titles say. */
export const titleWithUnit = ({ title, unit }: { title: string; unit: string | undefined }): string =>
  unit !== undefined && unit !== 'count' && unit !== 'octets' ? `${title} (${unit})` : title
