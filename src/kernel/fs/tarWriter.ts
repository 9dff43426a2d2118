/** Encodes the headers, pax records, maps of sparse files and end of tar archives as pieces of bytes. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { blockBytes, nanosPerSecond, padding, type TarEntry, type TarOwner } from "./tar.ts"

const flagOf = { fifo: "6", file: "0", hardLink: "1", link: "2", folder: "5", other: "0" } as const

const octal = (value: number, width: number): string => {
  const digits = value.toString(8)
  return digits.length < width ? digits.padStart(width - 1, "0") + "\0" : "7".repeat(width - 1) + "\0"
}

interface HeaderFields {
  readonly name: string
  readonly flag: string
  readonly mode: number
  readonly size: number
  /** Seconds since 1970. */
  readonly modified: number
  readonly target: string
  /** GNU's format, which has large sizes. Default: ustar. */
  readonly isGnu?: boolean
  readonly owner?: TarOwner | undefined
}

const header = ({ flag, isGnu, mode, modified, name, owner, size, target }: HeaderFields): Uint8Array => {
  const bytes = new Uint8Array(blockBytes)
  const put = (text: string, at: number, length: number): void => bytes.set(encodeUtf8(text).subarray(0, length), at)
  put(name, 0, 100)
  const { gid, group, uid, user } = owner ?? { gid: 0, group: "", uid: 0, user: "" }
  put(octal(mode, 8) + octal(uid, 8) + octal(gid, 8) + octal(size, 12) + octal(modified, 12), 100, 48)
  if (isGnu && size >= 8 ** 11) {
    bytes[124] = 0x80
    new DataView(bytes.buffer).setBigUint64(128, BigInt(size))
  }
  put(" ".repeat(8) + flag, 148, 9)
  put(target, 157, 100)
  put(isGnu ? "ustar  \0" : "ustar\u000000", 257, 8)
  put(user, 265, 31)
  put(group, 297, 31)
  put(octal(bytes.reduce((sum, byte) => sum + byte, 0), 7) + " ", 148, 8)
  return bytes
}

const record = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  const length = encodeUtf8(rest).length
  // The length includes its own digits.
  let digits = String(length).length
  while (String(length + digits).length > digits) digits++
  return `${length + digits}${rest}`
}

const timeText = (time: bigint): string => {
  const part = ((time % nanosPerSecond) + nanosPerSecond) % nanosPerSecond
  const whole = (time - part) / nanosPerSecond
  // Before 1970 the fraction is subtracted: -0.25 is -1 s plus 0.75 s.
  if (whole < 0n && part > 0n) {
    return `${whole === -1n ? "-0" : whole + 1n}.${String(nanosPerSecond - part).padStart(9, "0")}`
  }
  return part === 0n ? String(whole) : `${whole}.${String(part).padStart(9, "0")}`
}

const pax = (flag: string, records: ReadonlyArray<readonly [string, string]>): ReadonlyArray<Uint8Array> => {
  const body = encodeUtf8(records.map(([key, value]) => record(key, value)).join(""))
  return [
    header({ name: "pax", flag, mode: 0o644, size: body.length, modified: 0, target: "" }),
    body,
    padding(body.length),
  ]
}

export const archiveHeader = (records: ReadonlyArray<readonly [string, string]>): ReadonlyArray<Uint8Array> =>
  pax("g", records)

/**
 * Writes the header of a member. Its bytes must follow (for a sparse file, those of its extents), then {@link padding}.
 */
export const memberHeader = (entry: TarEntry): ReadonlyArray<Uint8Array> => {
  const { accessed, extents, mode, modified, path, size, target, type } = entry
  const name = type === "folder" ? `${path}/` : path
  const plain = (text: string): boolean => /^[ -~]{0,100}$/.test(text)
  const map = extents === undefined
    ? new Uint8Array(0)
    : encodeUtf8([extents.length, ...extents.flatMap(({ length, offset }) => [offset, length])].join("\n") + "\n")
  const stored = extents === undefined
    ? size
    : map.length + padding(map.length).length + extents.reduce((sum, { length }) => sum + length, 0)
  const records: Array<readonly [string, string]> = [["mtime", timeText(modified)], ...entry.records]
  if (accessed !== undefined) records.push(["atime", timeText(accessed)])
  if (stored >= 8 ** 11) records.push(["size", String(stored)])
  if (!plain(target)) records.push(["linkpath", target])
  if (extents !== undefined) {
    records.push(["GNU.sparse.major", "1"], ["GNU.sparse.minor", "0"])
    records.push(["GNU.sparse.name", path], ["GNU.sparse.realsize", String(size)])
  } else if (!plain(name)) records.push(["path", name])
  const seconds = Number(modified / nanosPerSecond)
  return [
    ...pax("x", records),
    header({
      name: extents === undefined ? name : "GNUSparseFile.0/file",
      flag: flagOf[type],
      mode,
      size: stored,
      modified: Math.max(0, seconds),
      owner: entry.owner,
      target,
    }),
    map,
    padding(map.length),
  ]
}

/** Writes the header of a member in GNU's format: a long name or target precedes it as content of its own. */
export const gnuMemberHeader = (entry: TarEntry, owner: TarOwner): ReadonlyArray<Uint8Array> => {
  const name = entry.type === "folder" ? `${entry.path}/` : entry.path
  const long = (flag: string, text: string): ReadonlyArray<Uint8Array> => {
    const bytes = encodeUtf8(`${text}\0`)
    if (bytes.length <= 101) return []
    const owner = { gid: 0, group: "root", uid: 0, user: "root" }
    const size = bytes.length
    const fields = { flag, isGnu: true, owner, mode: 0o644, modified: 0, name: "././@LongLink", size, target: "" }
    return [header(fields), bytes, padding(size)]
  }
  const modified = Math.max(0, Number(entry.modified / nanosPerSecond))
  const { mode, size, target, type } = entry
  return [
    ...long("K", target),
    ...long("L", name),
    header({ name, flag: flagOf[type], isGnu: true, owner, mode, size, modified, target }),
  ]
}

export const archiveEnd = (): Uint8Array => new Uint8Array(2 * blockBytes)
