/**
 * Tar archives: ustar headers with pax records, as every tar reads them.
 *
 * Source: pax(1) "pax Interchange Format"; GNU tar's manual, "Sparse Formats", version 1.0.
 *
 * @module
 */

/** A piece of a file that is no hole. */
export interface Extent {
  readonly offset: number
  readonly length: number
}

/** One member of an archive. */
export interface TarEntry {
  /** As it is in the archive: relative, a folder's without its slash. */
  readonly path: string
  readonly type: "file" | "folder" | "link" | "hardLink" | "other"
  readonly mode: number
  /** Nanoseconds since 1970. */
  readonly modified: bigint
  readonly accessed?: bigint | undefined
  /** Of a link. */
  readonly target: string
  /** Of a file, its holes included. */
  readonly size: number
  /** Where its bytes are, when it has holes. */
  readonly extents?: ReadonlyArray<Extent> | undefined
  /** Records of our own. */
  readonly records: ReadonlyMap<string, string>
}

/** A member that was read, with its bytes: those of its extents, one after the other, when it has holes. */
export interface TarMember extends TarEntry {
  readonly content: Uint8Array
}

const block = 512
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const second = 1_000_000_000n

const flagOf = { file: "0", hardLink: "1", link: "2", folder: "5", other: "0" } as const

const octal = (value: number, width: number): string => {
  const digits = value.toString(8)
  return digits.length < width ? digits.padStart(width - 1, "0") + "\0" : "7".repeat(width - 1) + "\0"
}

/** Zeroes up to the next whole block. */
export const padding = (bytes: number): Uint8Array => new Uint8Array((block - (bytes % block)) % block)

const header = (
  name: string,
  flag: string,
  mode: number,
  size: number,
  modified: number,
  target: string,
): Uint8Array => {
  const bytes = new Uint8Array(block)
  const put = (text: string, at: number, length: number): void =>
    bytes.set(encoder.encode(text).subarray(0, length), at)
  put(name, 0, 100)
  put(octal(mode, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(modified, 12), 100, 48)
  put(" ".repeat(8) + flag, 148, 9)
  put(target, 157, 100)
  put("ustar\u000000", 257, 8)
  put(octal(bytes.reduce((sum, byte) => sum + byte, 0), 7) + " ", 148, 8)
  return bytes
}

const record = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  const length = encoder.encode(rest).length
  // The number counts itself.
  let digits = String(length).length
  while (String(length + digits).length > digits) digits++
  return `${length + digits}${rest}`
}

const timeText = (time: bigint): string => {
  const part = ((time % second) + second) % second
  const whole = (time - part) / second
  // Before 1970 the fraction goes the other way: -0.25 is -1 s and 0.75 s.
  if (whole < 0n && part > 0n) return `${whole === -1n ? "-0" : whole + 1n}.${String(second - part).padStart(9, "0")}`
  return part === 0n ? String(whole) : `${whole}.${String(part).padStart(9, "0")}`
}

const pax = (flag: string, records: ReadonlyArray<readonly [string, string]>): ReadonlyArray<Uint8Array> => {
  const body = encoder.encode(records.map(([key, value]) => record(key, value)).join(""))
  return [header("pax", flag, 0o644, body.length, 0, ""), body, padding(body.length)]
}

/** Records for the whole archive: what it is. */
export const archiveHeader = (records: ReadonlyArray<readonly [string, string]>): ReadonlyArray<Uint8Array> =>
  pax("g", records)

/**
 * What comes before the bytes of a member. The bytes follow, of its extents one after the other, and
 * {@link padding} after them.
 */
export const memberHeader = (entry: TarEntry): ReadonlyArray<Uint8Array> => {
  const { accessed, extents, mode, modified, path, size, target, type } = entry
  const name = type === "folder" ? `${path}/` : path
  const plain = (text: string): boolean => /^[ -~]{0,100}$/.test(text)
  const map = extents === undefined
    ? new Uint8Array(0)
    : encoder.encode([extents.length, ...extents.flatMap(({ length, offset }) => [offset, length])].join("\n") + "\n")
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
  const seconds = Number(modified / second)
  return [
    ...pax("x", records),
    header(
      extents === undefined ? name : "GNUSparseFile.0/file",
      flagOf[type],
      mode,
      stored,
      Math.max(0, seconds),
      target,
    ),
    map,
    padding(map.length),
  ]
}

/** The end of an archive. */
export const archiveEnd = (): Uint8Array => new Uint8Array(2 * block)

const broken = (what: string): Error => new Error(`tar: ${what}`)

const field = (head: Uint8Array, at: number, length: number): string => {
  const bytes = head.subarray(at, at + length)
  const end = bytes.indexOf(0)
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end))
}

const number = (head: Uint8Array, at: number, length: number): number => {
  // GNU's way to say large numbers: base 256 after the highest bit.
  if (((head[at] ?? 0) & 0x80) !== 0) {
    return head.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, (head[at] ?? 0) & 0x7f)
  }
  const text = field(head, at, length).trim()
  if (!/^[0-7]*$/.test(text)) throw broken("a number of a header is none")
  return text === "" ? 0 : Number.parseInt(text, 8)
}

const readRecords = (body: Uint8Array, into: Map<string, string>): void => {
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(32, at)
    const length = Number(space < 0 ? NaN : decoder.decode(body.subarray(at, space)))
    if (!Number.isSafeInteger(length) || length < space - at + 2 || at + length > body.length) {
      throw broken("a pax record has no right length")
    }
    const text = decoder.decode(body.subarray(space + 1, at + length - 1))
    const equals = text.indexOf("=")
    if (equals < 1) throw broken("a pax record has no name")
    into.set(text.slice(0, equals), text.slice(equals + 1))
    at += length
  }
}

const readTime = (text: string | undefined): bigint | undefined => {
  const parts = text?.match(/^(-?)(\d{1,15})(?:\.(\d{1,9})\d*)?$/)
  if (parts === null || parts === undefined) return undefined
  const time = BigInt(parts[2] ?? "0") * second + BigInt((parts[3] ?? "").padEnd(9, "0"))
  return parts[1] === "-" ? -time : time
}

/** The map of a sparse member, and what comes after it. */
const readSparse = (
  content: Uint8Array,
  size: number,
): { readonly extents: ReadonlyArray<Extent>; readonly rest: Uint8Array } => {
  let at = 0
  const next = (): number => {
    const end = content.indexOf(10, at)
    const value = Number(end < 0 || end - at > 16 ? NaN : decoder.decode(content.subarray(at, end)))
    if (!Number.isSafeInteger(value) || value < 0) throw broken("the map of a sparse file is broken")
    at = end + 1
    return value
  }
  const extents: Array<Extent> = []
  let total = 0
  for (let left = next(); left > 0; left--) {
    const extent = { offset: next(), length: next() }
    total += extent.length
    if (extent.offset + extent.length > size) throw broken("the map of a sparse file is broken")
    extents.push(extent)
  }
  const rest = content.subarray(at + padding(at).length)
  if (rest.length < total) throw broken("a sparse file is cut off")
  return { extents, rest }
}

/**
 * The members of an archive, and what it says of itself as a whole.
 *
 * @throws {Error} when it is no tar archive, or is cut off
 */
export const readTar = (
  archive: Uint8Array,
): { readonly records: ReadonlyMap<string, string>; readonly members: ReadonlyArray<TarMember> } => {
  const all = new Map<string, string>()
  const members: Array<TarMember> = []
  let own = new Map<string, string>()
  for (let at = 0;;) {
    const head = archive.subarray(at, at + block)
    if (head.length === 0 || head.every((byte) => byte === 0)) {
      if (head.length === 0 && at === 0) throw broken("there is nothing")
      return { records: all, members }
    }
    if (head.length < block) throw broken("it is cut off")
    const sum = head.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0)
    if (sum !== number(head, 148, 8)) throw broken("a header has a wrong checksum")
    const flag = field(head, 156, 1)
    const meta = flag === "x" || flag === "g" || flag === "L" || flag === "K"
    const told = meta ? undefined : own.get("size")
    const size = told === undefined ? number(head, 124, 12) : Number(told)
    const start = at + block
    // Links and folders have no bytes, whatever size they tell.
    const stored = /^[1-6]$/.test(flag) ? 0 : size
    if (!Number.isSafeInteger(stored) || stored < 0 || start + stored > archive.length) throw broken("it is cut off")
    const content = archive.subarray(start, start + stored)
    at = start + stored + padding(stored).length
    if (flag === "x") readRecords(content, own)
    else if (flag === "g") readRecords(content, all)
    else if (flag === "L" || flag === "K") {
      own.set(flag === "L" ? "path" : "linkpath", field(content, 0, content.length))
    } else {
      members.push(member(head, flag, own, content))
      own = new Map()
    }
  }
}

const member = (
  head: Uint8Array,
  flag: string,
  records: ReadonlyMap<string, string>,
  content: Uint8Array,
): TarMember => {
  const prefix = field(head, 257, 5) === "ustar" ? field(head, 345, 155) : ""
  const name = field(head, 0, 100)
  const sparse = records.get("GNU.sparse.major") === "1"
  const path = (sparse ? records.get("GNU.sparse.name") : records.get("path")) ??
    (prefix === "" ? name : `${prefix}/${name}`)
  const type = flag === "5" || ((flag === "0" || flag === "") && path.endsWith("/"))
    ? "folder"
    : flag === "0" || flag === "" || flag === "7"
    ? "file"
    : flag === "1"
    ? "hardLink"
    : flag === "2"
    ? "link"
    : "other"
  const realSize = sparse ? Number(records.get("GNU.sparse.realsize")) : content.length
  if (!Number.isSafeInteger(realSize) || realSize < 0) throw broken("a sparse file has no size")
  const map = sparse ? readSparse(content, realSize) : undefined
  return {
    path: path.replace(/\/+$/, ""),
    type,
    mode: number(head, 100, 8) & 0o7777,
    modified: readTime(records.get("mtime")) ?? BigInt(number(head, 136, 12)) * second,
    accessed: readTime(records.get("atime")),
    target: records.get("linkpath") ?? field(head, 157, 100),
    size: realSize,
    extents: map?.extents,
    records,
    content: map?.rest ?? content,
  }
}
