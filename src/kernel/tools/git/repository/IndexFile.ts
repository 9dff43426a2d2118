/** Reads and writes the index of a repository. Source: gitformat-index(5), versions 2 and 3. */
import { concatBytes, viewOf } from "../../../../base/bytes.ts"
import { decodeLossless, encodeLossless } from "../../../../base/surrogateEscape.ts"
import type { Stat } from "../../../Stat.ts"
import type { System } from "../../../System.ts"
import { compareStrings, textToBinary } from "../../../binaryString.ts"
import { fatal, unsupported } from "../GitError.ts"
import { readFileIfExists, replaceFile } from "./files.ts"
import { oidBytes } from "./objects.ts"

export interface IndexEntry {
  readonly path: string
  /** 0, or 1 to 3 in a conflict: the base, ours, theirs. */
  readonly stage: number
  readonly mode: number
  readonly oid: string
  readonly size: number
  /** Nanoseconds since 1970. */
  readonly modified: bigint
  readonly changed: bigint
  readonly device: number
  readonly inode: number
  /** Whether it was added by `--intent-to-add`, without its content. */
  readonly isIntent: boolean
}

const billion = 1_000_000_000n

/** Returns the stat fields of an entry, by which an unchanged file is recognized without reading it. */
export const statFields = (
  { changed, device, inode, modified, size }: Stat,
): Pick<IndexEntry, "changed" | "device" | "inode" | "modified" | "size"> => ({
  changed,
  device: device >>> 0,
  inode: inode >>> 0,
  modified,
  size,
})

export const noStat = { changed: 0n, device: 0, inode: 0, modified: 0n, size: 0 } as const

const keyOf = (path: string, stage: number): string => `${path}\0${stage}`

export class IndexFile {
  readonly #system: System
  readonly #path: string
  readonly #entries = new Map<string, IndexEntry>()
  #sorted: ReadonlyArray<IndexEntry> | undefined
  /** Time at which the index was last written: files that changed at that moment must be read. */
  written = 0n

  private constructor(system: System, path: string) {
    this.#system = system
    this.#path = path
  }

  static async read(system: System, path: string): Promise<IndexFile> {
    const index = new IndexFile(system, path)
    const bytes = await readFileIfExists(system, path)
    const stat = system.stat(path)
    if (typeof stat === "object") index.written = stat.modified
    if (bytes !== undefined && bytes.length > 0) index.#parse(bytes)
    return index
  }

  #parse(bytes: Uint8Array): void {
    const view = viewOf(bytes)
    if (bytes.length < 32 || view.getUint32(0) !== 0x44495243) fatal("index file corrupt")
    const version = view.getUint32(4)
    if (version !== 2 && version !== 3) unsupported(`an index of version ${version}`, "write one of version 2")
    const time = (at: number): bigint => BigInt(view.getUint32(at)) * billion + BigInt(view.getUint32(at + 4))
    let at = 12
    for (let left = view.getUint32(8); left > 0; left--) {
      if (at + 62 > bytes.length) fatal("index file corrupt")
      const flags = view.getUint16(at + 60)
      const more = (flags & 0x4000) === 0 ? 0 : view.getUint16(at + 62)
      const start = at + ((flags & 0x4000) === 0 ? 62 : 64)
      const end = bytes.indexOf(0, start)
      if (end < 0) fatal("index file corrupt")
      this.set({
        path: decodeLossless(bytes.subarray(start, end)),
        stage: flags >> 12 & 3,
        mode: view.getUint32(at + 24),
        oid: Array.from(bytes.subarray(at + 40, at + 60), (byte) => byte.toString(16).padStart(2, "0")).join(""),
        size: view.getUint32(at + 36),
        changed: time(at),
        modified: time(at + 8),
        device: view.getUint32(at + 16),
        inode: view.getUint32(at + 20),
        isIntent: (more & 0x2000) !== 0,
      })
      at += Math.ceil((end - at + 1) / 8) * 8
    }
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /** All entries in git's order. */
  get entries(): ReadonlyArray<IndexEntry> {
    return this.#sorted ??= [...this.#entries.values()]
      .map((entry) => [textToBinary(entry.path), entry] as const)
      .sort(([a, one], [b, two]) => compareStrings(a, b) || one.stage - two.stage)
      .map(([, entry]) => entry)
  }

  get(path: string, stage = 0): IndexEntry | undefined {
    return this.#entries.get(keyOf(path, stage))
  }

  /** Whether a path has an entry of any stage. */
  has(path: string): boolean {
    return [0, 1, 2, 3].some((stage) => this.#entries.has(keyOf(path, stage)))
  }

  isConflicted(path: string): boolean {
    return [1, 2, 3].some((stage) => this.#entries.has(keyOf(path, stage)))
  }

  /** The paths with conflicts, in order. */
  get conflicts(): ReadonlyArray<string> {
    return [...new Set(this.entries.flatMap(({ path, stage }) => stage === 0 ? [] : [path]))]
  }

  set(entry: IndexEntry): void {
    this.#sorted = undefined
    this.#entries.set(keyOf(entry.path, entry.stage), entry)
  }

  /** Sets the entry of a path, and ends its conflict. A file replaces a folder, and the other way round. */
  add(entry: IndexEntry): void {
    for (const stage of [1, 2, 3]) this.#entries.delete(keyOf(entry.path, stage))
    const parts = entry.path.split("/")
    for (let count = 1; count < parts.length; count++) this.remove(parts.slice(0, count).join("/"))
    this.set(entry)
  }

  remove(path: string): void {
    this.#sorted = undefined
    for (const stage of [0, 1, 2, 3]) this.#entries.delete(keyOf(path, stage))
  }

  clear(): void {
    this.#sorted = undefined
    this.#entries.clear()
  }

  async write(): Promise<void> {
    const entries = this.entries
    const hasIntent = entries.some(({ isIntent }) => isIntent)
    const head = new Uint8Array(12)
    viewOf(head).setUint32(0, 0x44495243)
    viewOf(head).setUint32(4, hasIntent ? 3 : 2)
    viewOf(head).setUint32(8, entries.length)
    const parts: Array<Uint8Array> = [head]
    for (const entry of entries) {
      const name = encodeLossless(entry.path)
      const fixed = entry.isIntent ? 64 : 62
      const bytes = new Uint8Array(Math.ceil((fixed + name.length + 1) / 8) * 8)
      const view = viewOf(bytes)
      const time = (at: number, nanos: bigint): void => {
        view.setUint32(at, Number(nanos / billion & 0xffffffffn))
        view.setUint32(at + 4, Number(nanos % billion))
      }
      time(0, entry.changed)
      time(8, entry.modified)
      view.setUint32(16, entry.device)
      view.setUint32(20, entry.inode)
      view.setUint32(24, entry.mode)
      view.setUint32(36, entry.size >>> 0)
      bytes.set(oidBytes(entry.oid), 40)
      view.setUint16(60, (entry.isIntent ? 0x4000 : 0) | entry.stage << 12 | Math.min(name.length, 0xfff))
      if (entry.isIntent) view.setUint16(62, 0x2000)
      bytes.set(name, fixed)
      parts.push(bytes)
    }
    const content = concatBytes(parts)
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", content))
    await replaceFile(this.#system, this.#path, concatBytes([content, digest]))
    const stat = this.#system.stat(this.#path)
    if (typeof stat === "object") this.written = stat.modified
  }
}
