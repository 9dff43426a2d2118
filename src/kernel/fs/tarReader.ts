/** Parses a tar archive (ustar, pax, GNU, the old format) into members and global records. */
import { type Coroutine, runCoroutineSync } from "../Coroutine.ts"
import { blockBytes, type Extent, nanosPerSecond, padding, type TarEntry, type TarMember } from "./tar.ts"

const decoder = new TextDecoder()

const invalid = (what: string): Error => new Error(`tar: ${what}`)

const field = (head: Uint8Array, at: number, length: number): string => {
  const bytes = head.subarray(at, at + length)
  const end = bytes.indexOf(0)
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end))
}

/** Reads a number of a header: octal digits, or base 256. */
export const parseTarNumber = (head: Uint8Array, at: number, length: number): number => {
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
    const [name, value] = [text.slice(0, equals), text.slice(equals + 1)]
    // The map of sparse files 0.0 is many records of the same names, in order.
    const isPart = name === "GNU.sparse.offset" || name === "GNU.sparse.numbytes"
    const before = isPart ? into.get("GNU.sparse.map") : undefined
    into.set(isPart ? "GNU.sparse.map" : name, before === undefined ? value : `${before},${value}`)
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

/** A header, and the number of bytes that follow it in whole blocks. */
export interface TarHeader {
  readonly flag: string
  readonly stored: number
  /** Whether the following bytes describe the next member, for {@link TarHeaders.addMetadata}. */
  readonly isMetadata: boolean
}

/** Parses the headers of one archive in order. */
export class TarHeaders {
  /** Records of all members. */
  readonly records: Map<string, string> = new Map()
  #own = new Map<string, string>()

  /** Parses a block; `undefined` if it is empty, as at the end of an archive. */
  parse(head: Uint8Array): TarHeader | undefined {
    if (head.every((byte) => byte === 0)) return undefined
    const sum = head.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0)
    if (sum !== parseTarNumber(head, 148, 8)) throw invalid("a header has a wrong checksum")
    const flag = field(head, 156, 1)
    const isMetadata = flag === "x" || flag === "g" || flag === "L" || flag === "K"
    const recordedSize = isMetadata ? undefined : this.#own.get("size")
    const size = recordedSize === undefined ? parseTarNumber(head, 124, 12) : Number(recordedSize)
    // Links and folders have no content, whatever size their header states.
    const stored = /^[1-6]$/.test(flag) ? 0 : size
    if (!Number.isSafeInteger(stored) || stored < 0) throw invalid("the archive is truncated")
    return { flag, isMetadata, stored }
  }

  /** Adds the metadata in the bytes after a header. */
  addMetadata(flag: string, content: Uint8Array): void {
    if (flag === "x") readRecords(content, this.#own)
    else if (flag === "g") readRecords(content, this.records)
    else this.#own.set(flag === "L" ? "path" : "linkpath", field(content, 0, content.length))
  }

  /** Returns the member of a header, with the metadata before it. */
  takeEntry(head: Uint8Array, { flag, stored }: TarHeader): TarEntry {
    const records = this.#own
    this.#own = new Map()
    return entryOf(head, flag, records, stored)
  }
}

export interface TarContent {
  readonly records: ReadonlyMap<string, string>
  readonly members: ReadonlyArray<TarMember>
}

/** Returns the members and the global records of an archive. Throws when the bytes are not a tar archive, or are truncated. */
export const readTar = (archive: Uint8Array): TarContent => runCoroutineSync(readTarSteps(archive))

/** As {@link readTar}; yields between members. */
export function* readTarSteps(archive: Uint8Array): Coroutine<TarContent> {
  const headers = new TarHeaders()
  const members: Array<TarMember> = []
  for (let at = 0;;) {
    const head = archive.subarray(at, at + blockBytes)
    if (head.length === 0 && at === 0) throw invalid("the archive is empty")
    if (head.length < blockBytes) throw invalid("the archive is truncated")
    const header = headers.parse(head)
    if (header === undefined) {
      // An archive that was cut between two members has no end.
      const second = archive.subarray(at + blockBytes, at + 2 * blockBytes)
      if (second.length < blockBytes || second.some((byte) => byte !== 0)) throw invalid("the archive is truncated")
      return { records: headers.records, members }
    }
    const start = at + blockBytes
    if (start + header.stored > archive.length) throw invalid("the archive is truncated")
    const content = archive.subarray(start, start + header.stored)
    at = start + header.stored + padding(header.stored).length
    if (header.isMetadata) headers.addMetadata(header.flag, content)
    else members.push(withContent(headers.takeEntry(head, header), content))
    yield
  }
}

export const isSparse = ({ records }: TarEntry): boolean => records.get("GNU.sparse.major") === "1"

/** Strips slashes at the end by index: a regular expression would take quadratic time. */
const withoutSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === "/") end--
  return path.slice(0, end)
}

const entryOf = (head: Uint8Array, flag: string, records: ReadonlyMap<string, string>, stored: number): TarEntry => {
  const prefix = field(head, 257, 6) === "ustar" ? field(head, 345, 155) : ""
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
    : flag === "6"
    ? "fifo"
    : "other"
  const size = sparse ? Number(records.get("GNU.sparse.realsize")) : stored
  if (!Number.isSafeInteger(size) || size < 0) throw invalid("a sparse file has no size")
  return {
    path: withoutSlashes(path),
    type,
    mode: parseTarNumber(head, 100, 8) & 0o7777,
    modified: readTime(records.get("mtime")) ?? BigInt(parseTarNumber(head, 136, 12)) * nanosPerSecond,
    accessed: readTime(records.get("atime")),
    target: records.get("linkpath") ?? field(head, 157, 100),
    size,
    records,
    owner: {
      uid: parseTarNumber(head, 108, 8),
      gid: parseTarNumber(head, 116, 8),
      user: field(head, 265, 32),
      group: field(head, 297, 32),
    },
  }
}

const withContent = (entry: TarEntry, content: Uint8Array): TarMember => {
  const map = isSparse(entry) ? readSparse(content, entry.size) : undefined
  return { ...entry, extents: map?.extents, content: map?.rest ?? content }
}
