/** Parses a tar archive (ustar, pax, GNU, the old format) into members and global records. */
import { blockBytes, type Extent, nanosPerSecond, padding, type TarMember } from "./tar.ts"

const decoder = new TextDecoder()

const invalid = (what: string): Error => new Error(`tar: ${what}`)

const field = (head: Uint8Array, at: number, length: number): string => {
  const bytes = head.subarray(at, at + length)
  const end = bytes.indexOf(0)
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end))
}

const number = (head: Uint8Array, at: number, length: number): number => {
  // GNU encoding of large numbers: base 256 after the highest bit.
  if (((head[at] ?? 0) & 0x80) !== 0) {
    return head.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, (head[at] ?? 0) & 0x7f)
  }
  const text = field(head, at, length).trim()
  if (!/^[0-7]*$/.test(text)) throw invalid("a header has an invalid number")
  return text === "" ? 0 : Number.parseInt(text, 8)
}

const readRecords = (body: Uint8Array, into: Map<string, string>): void => {
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(32, at)
    const length = Number(space < 0 ? NaN : decoder.decode(body.subarray(at, space)))
    if (!Number.isSafeInteger(length) || length < space - at + 2 || at + length > body.length) {
      throw invalid("a pax record has an invalid length")
    }
    const text = decoder.decode(body.subarray(space + 1, at + length - 1))
    const equals = text.indexOf("=")
    if (equals < 1) throw invalid("a pax record has no name")
    into.set(text.slice(0, equals), text.slice(equals + 1))
    at += length
  }
}

const readTime = (text: string | undefined): bigint | undefined => {
  const parts = text?.match(/^(-?)(\d{1,15})(?:\.(\d{1,9})\d*)?$/)
  if (parts === null || parts === undefined) return undefined
  const time = BigInt(parts[2] ?? "0") * nanosPerSecond + BigInt((parts[3] ?? "").padEnd(9, "0"))
  return parts[1] === "-" ? -time : time
}

/** Reads the map of a sparse member, and returns it with the remaining content. */
const readSparse = (
  content: Uint8Array,
  size: number,
): { readonly extents: ReadonlyArray<Extent>; readonly rest: Uint8Array } => {
  let at = 0
  const next = (): number => {
    const end = content.indexOf(10, at)
    const value = Number(end < 0 || end - at > 16 ? NaN : decoder.decode(content.subarray(at, end)))
    if (!Number.isSafeInteger(value) || value < 0) throw invalid("the map of a sparse file is invalid")
    at = end + 1
    return value
  }
  const extents: Array<Extent> = []
  let total = 0
  for (let left = next(); left > 0; left--) {
    const extent = { offset: next(), length: next() }
    total += extent.length
    if (extent.offset + extent.length > size) throw invalid("the map of a sparse file is invalid")
    extents.push(extent)
  }
  const rest = content.subarray(at + padding(at).length)
  if (rest.length < total) throw invalid("a sparse file is truncated")
  return { extents, rest }
}

/** Returns the members and the global records of an archive. Throws when the bytes are not a tar archive, or are truncated. */
export const readTar = (
  archive: Uint8Array,
): { readonly records: ReadonlyMap<string, string>; readonly members: ReadonlyArray<TarMember> } => {
  const all = new Map<string, string>()
  const members: Array<TarMember> = []
  let own = new Map<string, string>()
  for (let at = 0;;) {
    const head = archive.subarray(at, at + blockBytes)
    if (head.length === 0 || head.every((byte) => byte === 0)) {
      if (head.length === 0 && at === 0) throw invalid("the archive is empty")
      return { records: all, members }
    }
    if (head.length < blockBytes) throw invalid("the archive is truncated")
    const sum = head.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0)
    if (sum !== number(head, 148, 8)) throw invalid("a header has a wrong checksum")
    const flag = field(head, 156, 1)
    const meta = flag === "x" || flag === "g" || flag === "L" || flag === "K"
    const recordedSize = meta ? undefined : own.get("size")
    const size = recordedSize === undefined ? number(head, 124, 12) : Number(recordedSize)
    const start = at + blockBytes
    // Links and folders have no content, whatever size their header states.
    const stored = /^[1-6]$/.test(flag) ? 0 : size
    if (!Number.isSafeInteger(stored) || stored < 0 || start + stored > archive.length) {
      throw invalid("the archive is truncated")
    }
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
  if (!Number.isSafeInteger(realSize) || realSize < 0) throw invalid("a sparse file has no size")
  const map = sparse ? readSparse(content, realSize) : undefined
  return {
    path: path.replace(/\/+$/, ""),
    type,
    mode: number(head, 100, 8) & 0o7777,
    modified: readTime(records.get("mtime")) ?? BigInt(number(head, 136, 12)) * nanosPerSecond,
    accessed: readTime(records.get("atime")),
    target: records.get("linkpath") ?? field(head, 157, 100),
    size: realSize,
    extents: map?.extents,
    records,
    content: map?.rest ?? content,
  }
}
