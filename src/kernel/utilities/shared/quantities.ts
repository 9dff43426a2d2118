/** Parses sizes and durations, and formats sizes, as GNU utilities write them: `4K`, `2MB`, `1.5h`. */
const suffixes = "KMGTPEZY"

/** Parses a size such as `12`, `4K`, `2MB` or `1b` to bytes; `undefined` if it is not one. */
export const parseSize = (text: string): number | undefined => {
  const match = /^([0-9]+)(?:(b)|([kKMGTPE])(iB|B)?|(B))?$/.exec(text)
  if (match === null) return undefined
  const value = Number(match[1])
  if (match[2] !== undefined) return value * 512
  if (match[3] === undefined) return value
  return value * (match[4] === "B" ? 1000 : 1024) ** (suffixes.indexOf(match[3].toUpperCase()) + 1)
}

/** Formats a size as `ls -h` does: `1.5K`. */
export const formatSize = (bytes: number): string => {
  if (bytes < 1024) return `${bytes}`
  let value = bytes
  let power = -1
  while (value >= 1024 && power < suffixes.length - 1) {
    value /= 1024
    power++
  }
  const small = Math.ceil(value * 10) / 10
  if (small >= 10 && Math.ceil(value) >= 1024) return `1.0${suffixes[power + 1] ?? ""}`
  return `${small < 10 ? small.toFixed(1) : Math.ceil(value)}${suffixes[power] ?? ""}`
}

/** Parses `1.5`, `2m`, `1h`, `1d` or `infinity` to seconds; `undefined` if it is none of these. */
export const parseSeconds = (text: string): number | undefined => {
  if (/^inf(inity)?$/i.test(text)) return Infinity
  const match = /^([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([smhd]?)$/.exec(text)
  const units: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 }
  return match === null ? undefined : Number(match[1]) * (units[match[2] || "s"] ?? 1)
}
