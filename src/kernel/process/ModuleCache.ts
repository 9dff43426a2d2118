/** Compiles WASM programs, and caches them by the bytes object and by SHA-256. */
import { importMemory, type MemoryImport, type PreparedBinary } from "./wasmBinary.ts"

export interface CompiledProgram {
  readonly module: WebAssembly.Module
  /** The memory that the kernel supplies; `undefined` if the program declares its own. */
  readonly memory: MemoryImport | undefined
  /** Whether it has memories whose growth cannot be limited. */
  readonly unbounded: boolean
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

class NotExecutableError extends Error {
  override readonly name = "NotExecutable"
}

const toNotExecutable = (cause: unknown): unknown =>
  cause instanceof WebAssembly.CompileError
    ? new NotExecutableError(
      `cannot execute: not a WebAssembly program: ${cause.message.replace(/^WebAssembly\.\w+\(\): /, "")}`,
    )
    : cause

/** Whether bytes begin as a WebAssembly module does. Source: WebAssembly core specification, 5.5.16. */
const hasMagic = (bytes: Uint8Array): boolean => [0, 0x61, 0x73, 0x6d].every((byte, at) => bytes[at] === byte)

/** Compiled programs by their SHA-256; the least recently used are dropped. */
export class ModuleCache {
  readonly #byDigest = new Map<string, Promise<CompiledProgram>>()
  /** By the bytes object itself, so that the kernel's own programs need no digest. */
  readonly #known = new WeakMap<object, CompiledProgram>()
  readonly #limit: number
  readonly #prepare: (source: Uint8Array<ArrayBuffer>) => PreparedBinary

  /** `prepared` rewrites a binary before it is compiled. Default: its memory becomes an import. */
  constructor(limit: number, prepared: (source: Uint8Array<ArrayBuffer>) => PreparedBinary = importMemory) {
    this.#limit = limit
    this.#prepare = prepared
  }

  known(source: WebAssembly.Module | Uint8Array<ArrayBuffer>): CompiledProgram | undefined {
    const known = this.#known.get(source)
    if (known !== undefined || source instanceof Uint8Array) return known
    const given = describeModule(source, undefined)
    this.#known.set(source, given)
    return given
  }

  /** Compiles a program. Rejects if the bytes are no program, or the host forbids compiling. */
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

  /** Compiles synchronously, for a process that cannot wait. */
  compileNow(source: WebAssembly.Module | Uint8Array<ArrayBuffer>): CompiledProgram {
    const known = this.known(source)
    if (known !== undefined || !(source instanceof Uint8Array)) return known ?? describeModule(source, undefined)
    const { bytes, memory, unbounded } = this.#prepareProgram(source)
    try {
      const done = describeModule(new WebAssembly.Module(bytes), memory, unbounded)
      this.#known.set(source, done)
      return done
    } catch (cause) {
      throw toNotExecutable(cause)
    }
  }

  #prepareProgram(source: Uint8Array<ArrayBuffer>): PreparedBinary {
    if (!hasMagic(source)) throw new NotExecutableError("cannot execute: not a WebAssembly program")
    return this.#prepare(source)
  }

  async #compile(source: Uint8Array<ArrayBuffer>): Promise<CompiledProgram> {
    const { bytes, memory, unbounded } = this.#prepareProgram(source)
    try {
      return describeModule(await WebAssembly.compile(bytes), memory, unbounded)
    } catch (cause) {
      throw toNotExecutable(cause)
    }
  }
}
