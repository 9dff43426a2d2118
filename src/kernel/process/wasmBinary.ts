/**
 * Reads and encodes parts of WASM binaries, and rewrites one so that its memory becomes an import: through it the kernel limits
 * growth and reuses memories, which are slow to make. Reports memories that cannot be limited. Source: WebAssembly core
 * specification, 5.5 "Modules".
 */
import { concatBytes, emptyBytes, encodeUtf8 } from "../../base/bytes.ts"

export interface MemoryImport {
  readonly module: string
  readonly name: string
  /** Pages of 64 KiB. */
  readonly minimum: number
  readonly maximum: number | undefined
}

export interface PreparedBinary {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly memory: MemoryImport | undefined
  /** Whether it has memories whose growth cannot be limited: several, a 64-bit or a shared one. */
  readonly unbounded?: true | undefined
}

export const Section = { custom: 0, type: 1, import: 2, memory: 5, global: 6, code: 10 } as const
export const ImportKind = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const

/** The import that replaces a memory. */
const kernelMemory = { module: "sluice", name: "memory" }

/**
 * Thrown for a binary that this reader does not understand; the binary stays unchanged, and the engine validates it.
 */
export class UnknownBinaryError extends Error {}

/** Thrown for memories that cannot become an import. */
class UnboundedMemoryError extends UnknownBinaryError {}

export class WasmReader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  byte(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw new UnknownBinaryError()
    return byte
  }

  /** Reads an unsigned LEB128 number of 32 bits. */
  number(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte()
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
    throw new UnknownBinaryError()
  }

  leb(): void {
    while (this.byte() >= 128);
  }

  /** Skips a value type or block type. */
  type(): void {
    const first = this.byte()
    // A reference type is followed by its heap type; an index may have several bytes.
    if (first === 0x63 || first === 0x64 || first >= 128) this.leb()
  }

  /** Skips the type of an import other than a memory; `false` for a kind that is not known. */
  skipImport(kind: number): boolean {
    if (kind === ImportKind.function) this.number()
    else if (kind === ImportKind.global) this.at += 2
    else if (kind === ImportKind.tag) {
      this.byte()
      this.number()
    } else if (kind === ImportKind.table) {
      this.byte()
      this.limits()
    } else return false
    return true
  }

  name(): string {
    const length = this.number()
    this.at += length
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at))
  }

  limits(): { readonly minimum: number; readonly maximum: number | undefined } {
    const flags = this.byte()
    // Shared and 64-bit memories cannot be rewritten.
    if (flags > 1) throw new UnboundedMemoryError()
    const minimum = this.number()
    return { minimum, maximum: flags === 1 ? this.number() : undefined }
  }
}

export const encodeLeb128 = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [value % 128 + 128, ...encodeLeb128(Math.floor(value / 128))]

export const encodeName = (
  value: string,
): ReadonlyArray<number> => [...encodeLeb128(value.length), ...encodeUtf8(value)]

/** A section of a binary by the offsets of its id, its content and its end. */
interface BinarySection {
  readonly id: number
  readonly start: number
  readonly body: number
  readonly end: number
}

export const readSections = (bytes: Uint8Array): ReadonlyArray<BinarySection> => {
  const sections: Array<BinarySection> = []
  for (const reader = new WasmReader(bytes, 8); reader.at < bytes.length;) {
    const start = reader.at
    const id = reader.byte()
    const length = reader.number()
    sections.push({ id, start, body: reader.at, end: reader.at + length })
    reader.at += length
  }
  return sections
}

/** The imports of a program: their number, their encoded entries, and the memory among them. */
interface Imports {
  readonly count: number
  readonly entries: Uint8Array
  readonly memory: MemoryImport | undefined
}

const readImports = (bytes: Uint8Array, { body, end }: BinarySection): Imports => {
  const reader = new WasmReader(bytes, body)
  const count = reader.number()
  const entries = bytes.subarray(reader.at, end)
  let memory: MemoryImport | undefined
  for (let index = 0; index < count; index++) {
    const module = reader.name()
    const name = reader.name()
    const kind = reader.byte()
    if (reader.skipImport(kind)) continue
    if (kind !== ImportKind.memory || memory !== undefined) throw new UnknownBinaryError()
    memory = { module, name, ...reader.limits() }
  }
  return { count, entries, memory }
}

const rewriteBinary = (bytes: Uint8Array<ArrayBuffer>): PreparedBinary => {
  const sections = readSections(bytes)
  const find = (id: number) => sections.find((section) => section.id === id)
  const found = find(Section.import)
  const imports = found === undefined ? { count: 0, entries: emptyBytes, memory: undefined } : readImports(bytes, found)
  const memories = find(Section.memory)
  if (memories === undefined) return { bytes, memory: imports.memory }
  const reader = new WasmReader(bytes, memories.body)
  const count = reader.number()
  if (count === 0) return { bytes, memory: imports.memory }
  if (count > 1 || imports.memory !== undefined) throw new UnboundedMemoryError()
  const limits = reader.limits()
  const entry = [
    ...encodeName(kernelMemory.module),
    ...encodeName(kernelMemory.name),
    ImportKind.memory,
    ...limits.maximum === undefined
      ? [0, ...encodeLeb128(limits.minimum)]
      : [1, ...encodeLeb128(limits.minimum), ...encodeLeb128(limits.maximum)],
  ]
  const size = encodeLeb128(imports.count + 1)
  const section = [Section.import, ...encodeLeb128(size.length + imports.entries.length + entry.length), ...size]
  const parts: Array<ArrayLike<number>> = [bytes.subarray(0, 8)]
  let placed = false
  for (const { end, id, start } of sections) {
    if (!placed && id !== Section.custom && id !== Section.type) {
      parts.push(section, imports.entries, entry)
      placed = true
    }
    if (id !== Section.import && id !== Section.memory) parts.push(bytes.subarray(start, end))
  }
  return { bytes: concatBytes(parts), memory: { ...kernelMemory, ...limits } }
}

/** Turns a program's memory into an import. A binary that is not understood stays unchanged. */
export const importMemory = (bytes: Uint8Array<ArrayBuffer>): PreparedBinary => {
  try {
    return rewriteBinary(bytes)
  } catch (cause) {
    if (cause instanceof UnboundedMemoryError) return { bytes, memory: undefined, unbounded: true }
    if (cause instanceof UnknownBinaryError) return { bytes, memory: undefined }
    throw cause
  }
}
