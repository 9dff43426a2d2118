/** Parses the file listings that programs in a container print. */
import type { BackendStat } from "../files/FileBackend.ts"

const typeOf = (mode: number): BackendStat["type"] => {
  switch (mode & 0xf000) {
    case 0x8000:
      return "file"
    case 0x4000:
      return "directory"
    case 0xa000:
      return "symlink"
    default:
      return "other"
  }
}

/** Parses the mode in hexadecimal digits, the size and the time in seconds. */
export const parseStat = (text: string): BackendStat => {
  const [mode = "0", size, modified] = text.split(" ")
  const bits = Number.parseInt(mode, 16)
  return {
    type: typeOf(bits),
    size: Number(size),
    modified: Number(modified) * 1_000,
    permissions: bits & 0o7777,
  }
}

const [slash, newline, arrow] = [0x2f, 0x0a, 0x3e]

/** The name that bytes encode; other encodings than UTF-8 have no path in this leaf. */
const decodeName = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Parses a listing: `./NAME//STAT` and a line feed; before them, for links, `./NAME//>TARGET` and a NUL. A name has no slash,
 * and may have line feeds.
 */
export const parseListing = (bytes: Uint8Array): ReadonlyArray<readonly [name: string, stat: BackendStat]> => {
  const targets = new Map<string, string>()
  const found: Array<readonly [string, BackendStat]> = []
  for (let at = 0; at < bytes.length;) {
    const nameAt = at + 2
    const nameEnd = bytes.indexOf(slash, nameAt)
    if (nameEnd < 0) break
    const name = decodeName(bytes.subarray(nameAt, nameEnd))
    const restAt = nameEnd + 2
    const isTarget = bytes[restAt] === arrow
    const end = bytes.indexOf(isTarget ? 0 : newline, restAt)
    if (end < 0) break
    at = end + 1
    if (name === undefined) continue
    if (isTarget) {
      const target = decodeName(bytes.subarray(restAt + 1, end))
      if (target !== undefined && target !== "") targets.set(name, target)
      continue
    }
    const stat = parseStat(new TextDecoder().decode(bytes.subarray(restAt, end)))
    const target = stat.type === "symlink" ? targets.get(name) : undefined
    found.push([name, target === undefined ? stat : { ...stat, target }])
  }
  return found
}
