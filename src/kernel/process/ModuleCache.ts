/**
 * Compiled programs.
 *
 * @module
 */
import { importMemory, type MemoryImport, type PreparedBinary } from "./wasmBinary.ts"

/** A program that can be instantiated. */
export interface CompiledProgram {
  readonly module: WebAssembly.Module
  /** The memory that it is to be given; `undefined` when it brings its own. */
  readonly memory: MemoryImport | undefined
  /** Whether it brings memories that cannot be limited. */
  readonly unbounded: boolean
  /** What it imports: names by namespace. */
  readonly imports: ReadonlyMap<string, ReadonlyArray<string>>
}

const describeModule = (
  module: WebAssembly.Module,
  memory: MemoryImport | undefined,
  unbounded = false,
): CompiledProgram => {
  const imports = new Map<string, Array<string>>()
  for (const { module: namespace, name } of WebAssembly.Module.imports(module)) {
    const names = imports.get(namespace) ?? []
    if (names.length === 0) imports.set(namespace, names)
    names.push(name)
  }
  return { module, memory, unbounded, imports }
}

const digestOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return String.fromCharCode(...digest)
}

/** A program that is no WebAssembly: it cannot be executed. */
export class NotExecutableError extends Error {
  override readonly name = "NotExecutable"
}

/** What compiling failed with, told as what the program is. */
const orRefused = (cause: unknown): unknown =>
  cause instanceof WebAssembly.CompileError
    ? new NotExecutableError(
      `cannot execute: not a WebAssembly program: ${cause.message.replace(/^WebAssembly\.\w+\(\): /, "")}`,
    )
    : cause

const noMagic = "cannot execute: not a WebAssembly program"

/** Whether bytes begin as a WebAssembly module does. Source: WebAssembly core specification, 5.5.16. */
const hasMagic = (bytes: Uint8Array): boolean => [0, 0x61, 0x73, 0x6d].every((byte, at) => bytes[at] === byte)

const moduleOf = (bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module => {
  try {
    return new WebAssembly.Module(bytes)
  } catch (cause) {
    throw orRefused(cause)
  }
}

/** Programs by their SHA-256. Those that were not used for the longest time go first. */
export class ModuleCache {
  readonly #byDigest = new Map<string, Promise<CompiledProgram>>()
  /** The same bytes object again needs no digest: programs of the kernel's table. */
  readonly #known = new WeakMap<object, CompiledProgram>()
  readonly #limit: number
  readonly #prepare: (source: Uint8Array<ArrayBuffer>) => PreparedBinary

  /** What is done to a binary first, `prepared` says: by default its memory becomes one that the kernel gives. */
  constructor(limit: number, prepared: (source: Uint8Array<ArrayBuffer>) => PreparedBinary = importMemory) {
    this.#limit = limit
    this.#prepare = prepared
  }

  /** What is compiled already. */
  known(source: WebAssembly.Module | Uint8Array<ArrayBuffer>): CompiledProgram | undefined {
    const known = this.#known.get(source)
    if (known !== undefined || source instanceof Uint8Array) return known
    const given = describeModule(source, undefined)
    this.#known.set(source, given)
    return given
  }

  /** Compiles. Rejected when the bytes are no program, or the host compiles none. */
  async compile(bytes: Uint8Array<ArrayBuffer>): Promise<CompiledProgram> {
    const digest = await digestOf(bytes)
    const cached = this.#byDigest.get(digest)
    this.#byDigest.delete(digest)
    const promise = cached ?? this.#compile(bytes)
    this.#byDigest.set(digest, promise)
    for (const oldest of this.#byDigest.keys()) {
      if (this.#byDigest.size <= this.#limit) break
      this.#byDigest.delete(oldest)
    }
    try {
      const done = await promise
      this.#known.set(bytes, done)
      return done
    } catch (cause) {
      this.#byDigest.delete(digest)
      throw cause
    }
  }

  /** Compiles at once, for a process that cannot wait. */
  compileNow(source: WebAssembly.Module | Uint8Array<ArrayBuffer>): CompiledProgram {
    const known = this.known(source)
    if (known !== undefined || !(source instanceof Uint8Array)) return known ?? describeModule(source, undefined)
    if (!hasMagic(source)) throw new NotExecutableError(noMagic)
    const { bytes, memory, unbounded } = this.#prepare(source)
    const done = describeModule(moduleOf(bytes), memory, unbounded)
    this.#known.set(source, done)
    return done
  }

  async #compile(source: Uint8Array<ArrayBuffer>): Promise<CompiledProgram> {
    if (!hasMagic(source)) throw new NotExecutableError(noMagic)
    const { bytes, memory, unbounded } = this.#prepare(source)
    try {
      return describeModule(await WebAssembly.compile(bytes), memory, unbounded)
    } catch (cause) {
      throw orRefused(cause)
    }
  }
}
