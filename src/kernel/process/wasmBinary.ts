/**
 * Rewrites a WASM binary so that its memory becomes an import. The kernel then limits its growth through the engine
 * and reuses memories, which are slow to make.
 *
 * Source: WebAssembly core specification, 5.5 "Modules".
 *
 * @module
 */
import { encodeUtf8 } from "../../base/bytes.ts"

/** A memory import of a program. */
export interface MemoryImport {
  readonly module: string
  readonly name: string
  /** Pages of 64 KiB. */
  readonly minimum: number
  readonly maximum: number | undefined
}

/** A rewritten binary and its memory import. */
export interface PreparedBinary {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly memory: MemoryImport | undefined
  /** Whether it has memories whose growth cannot be limited: several, a 64-bit or a shared one. */
  readonly unbounded?: true | undefined
}

/** Ids of sections. */
export const Section = { custom: 0, type: 1, import: 2, memory: 5, code: 10 } as const
/** Kinds of imports. */
export const ImportKind = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const

/** The import that replaces a memory. */
const kernelMemory = { module: "sluice", name: "memory" }

/** Thrown for a binary that this reader does not understand: it stays unchanged, and the engine validates it. */
class UnknownBinaryError extends Error {}

/** Thrown for memories that cannot become an import. */
class UnboundedMemoryError extends UnknownBinaryError {}

/** Reads a binary from an offset on. */
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

  /** Skips a LEB128 number. */
  leb(): void {
    while (this.byte() >= 128);
  }

  /** Skips a value type or block type. */
  type(): void {
    const first = this.byte()
    // A reference type is followed by its heap type; an index may have several bytes.
    if (first === 0x63 || first === 0x64 || first >= 128) this.leb()
  }

  /** Skips the attribute and type of a tag. */
  tag(): void {
    this.byte()
    this.number()
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

/** Encodes an unsigned number as LEB128. */
export const encodeLeb128 = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [value % 128 + 128, ...encodeLeb128(Math.floor(value / 128))]

/** Encodes a name with its length. */
export const encodeName = (
  value: string,
): ReadonlyArray<number> => [...encodeLeb128(value.length), ...encodeUtf8(value)]

/** Joins parts of a binary. */
export const joinParts = (parts: ReadonlyArray<ArrayLike<number>>): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Reads the number of imports and the memory among them. */
const readImports = (reader: WasmReader): { readonly count: number; readonly memory: MemoryImport | undefined } => {
  const count = reader.number()
  let memory: MemoryImport | undefined
  for (let index = 0; index < count; index++) {
    const module = reader.name()
    const name = reader.name()
    const kind = reader.byte()
    if (kind === ImportKind.function) reader.number()
    else if (kind === ImportKind.global) reader.at += 2
    else if (kind === ImportKind.tag) reader.tag()
    else if (kind === ImportKind.table) {
      reader.byte()
      reader.limits()
    } else if (kind === ImportKind.memory && memory === undefined) memory = { module, name, ...reader.limits() }
    else throw new UnknownBinaryError()
  }
  return { count, memory }
}

const rewriteBinary = (bytes: Uint8Array<ArrayBuffer>): PreparedBinary => {
  const sections: Array<{ readonly id: number; readonly start: number; readonly body: number; readonly end: number }> =
    []
  for (const reader = new WasmReader(bytes, 8); reader.at < bytes.length;) {
    const start = reader.at
    const id = reader.byte()
    const length = reader.number()
    sections.push({ id, start, body: reader.at, end: reader.at + length })
    reader.at += length
  }
  const find = (id: number) => sections.find((section) => section.id === id)
  const imports = find(Section.import)
  const list = imports === undefined
    ? { count: 0, memory: undefined }
    : readImports(new WasmReader(bytes, imports.body))
  const memories = find(Section.memory)
  if (memories === undefined) return { bytes, memory: list.memory }
  const reader = new WasmReader(bytes, memories.body)
  const count = reader.number()
  if (count === 0) return { bytes, memory: list.memory }
  if (count > 1 || list.memory !== undefined) throw new UnboundedMemoryError()
  const limits = reader.limits()
  const entry = [
    ...encodeName(kernelMemory.module),
    ...encodeName(kernelMemory.name),
    ImportKind.memory,
    ...limits.maximum === undefined
      ? [0, ...encodeLeb128(limits.minimum)]
      : [1, ...encodeLeb128(limits.minimum), ...encodeLeb128(limits.maximum)],
  ]
  const old = imports === undefined ? 0 : new WasmReader(bytes, imports.body)
  const rest = old === 0 || imports === undefined
    ? new Uint8Array(0)
    : (old.number(), bytes.subarray(old.at, imports.end))
  const size = encodeLeb128(list.count + 1)
  const section = [Section.import, ...encodeLeb128(size.length + rest.length + entry.length), ...size]
  const parts: Array<ArrayLike<number>> = [bytes.subarray(0, 8)]
  let placed = false
  for (const { end, id, start } of sections) {
    if (!placed && id !== Section.custom && id !== Section.type) {
      parts.push(section, rest, entry)
      placed = true
    }
    if (id !== Section.import && id !== Section.memory) parts.push(bytes.subarray(start, end))
  }
  return { bytes: joinParts(parts), memory: { ...kernelMemory, ...limits } }
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
