/** Runs a WASM program in a process, suspended by JSPI where the runtime has it. */
import { errnoName, errnoText } from "../Errno.ts"
import { Signal } from "../System.ts"
import { firstPreopen, preopenDescriptor } from "../wasi/preopens.ts"
import { suspendingWasiFunctions, type WasiFunctions } from "../wasi/WasiFunctions.ts"
import { wasiImports } from "../wasi/wasiImports.ts"
import type { KernelContext } from "./KernelContext.ts"
import { isEntry, type Jspi, makeTryFirstImports, type SuspendableCalls } from "./jspi.ts"
import { createKernelImports, type KernelImportsOptions, suspendingKernelImports } from "./kernelImports.ts"
import { MemoryPool } from "./MemoryPool.ts"
import type { CompiledProgram } from "./ModuleCache.ts"
import type { Process } from "./Process.ts"
import type { Preopens } from "./Programs.ts"

const pageBytes = 65_536
export const wasiNamespace = "wasi_snapshot_preview1"
/** The import namespace of the kernel's own calls; its design fixes the name, and WASM programs are linked against it. */
export const codepodNamespace = "codepod"

/** Shared by all kernels, because its memories are cleared. */
const pool = new MemoryPool()

export interface WasmContext extends Pick<KernelImportsOptions, "extensions" | "network" | "runChild"> {
  readonly core: KernelContext
  readonly preopens: Preopens
  /** `undefined`: the program cannot be suspended. */
  readonly jspi: Jspi | undefined
}

/** Opens the preopens of a program from descriptor 3 on. Throws if a folder does not exist or no descriptor is free. */
export const openPreopens = (process: Process, preopens: Preopens): void => {
  for (const [name, path] of Object.entries(preopens)) {
    const folder = preopenDescriptor(process.files, process.directory, name, path)
    const fd = typeof folder === "number" ? folder : process.addDescriptor(folder, firstPreopen)
    if (fd >= 0) continue
    if (typeof folder !== "number") folder.file.release()
    throw new Error(`preopen ${name}: cannot open ${path}: ${errnoText(fd)} (${errnoName(fd)})`)
  }
}

export class MemoryAccount {
  readonly #core: KernelContext
  readonly #process: Process
  #memory: WebAssembly.Memory | undefined
  #buffer: ArrayBufferLike | undefined
  #counted = 0

  constructor(core: KernelContext, process: Process) {
    this.#core = core
    this.#process = process
  }

  /** Returns the memory for the WASI functions. Each call checks its size, so that growth is noticed. */
  readonly current = (): WebAssembly.Memory => {
    const memory = this.#memory
    if (memory === undefined) throw new WebAssembly.LinkError("the program exports no memory")
    const { buffer } = memory
    if (buffer !== this.#buffer) this.#count(buffer)
    return memory
  }

  set(memory: WebAssembly.Memory): void {
    this.#memory = memory
    this.current()
  }

  #count(buffer: ArrayBufferLike): void {
    this.#buffer = buffer
    const pages = buffer.byteLength / pageBytes
    const { limits } = this.#process
    const fits = this.#core.takePages(pages - this.#counted)
    this.#counted = pages
    if (fits && pages <= limits.maxMemoryPages) return
    this.#process.endBy(Signal.SIGKILL, { _tag: "Limit", limit: "memoryPages" })
    this.#process.exit(0)
  }

  leave(): void {
    this.#core.takePages(-this.#counted)
    this.#memory = undefined
  }
}

type Import = WebAssembly.ImportValue

/** Builds the imports of one namespace. Functions that can wait suspend; those in `tried` only if they have to. */
const buildImports = (
  compiled: CompiledProgram,
  namespace: string,
  functions: Readonly<Record<string, (...args: never) => unknown>>,
  suspends: { readonly has: (name: string) => boolean },
  jspi: Jspi | undefined,
  tried?: Readonly<Record<string, Import | undefined>>,
): Record<string, Import> => {
  const imports: Record<string, Import> = {}
  for (const name of compiled.imports.get(namespace) ?? []) {
    const callable = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (callable === undefined) continue
    imports[name] = tried?.[name] ?? (jspi !== undefined && suspends.has(name) ? jspi.suspending(callable) : callable)
  }
  return imports
}

const suspendingWasi: ReadonlySet<string> = new Set(suspendingWasiFunctions)

class UnlimitedMemoryError extends Error {
  override readonly name = "Unlimited"

  constructor() {
    super(
      "the program has several memories, or one of 64 bits or shared: none can be limited (maxMemoryPages: Infinity)",
    )
  }
}

/** Makes `clock_time_get` yield: a program that polls the clock lets others run, and can be ended. */
const yieldingClock = (
  process: Process,
  { clock_time_get }: WasiFunctions,
): Pick<SuspendableCalls, "clock_time_get"> => ({
  clock_time_get: (clock, precision, out) => {
    const turn = process.yield()
    return turn instanceof Promise
      ? turn.then(() => clock_time_get(clock, precision, out))
      : clock_time_get(clock, precision, out)
  },
})

/** Runs a program. The promise is resolved when no frame of the program is left; it never rejects. */
export const runWasm = (context: WasmContext, process: Process, compiled: CompiledProgram): void | Promise<void> => {
  const { core, jspi } = context
  const pages = new MemoryAccount(core, process)
  const memoryImport = compiled.memory
  const maxPages = Math.min(process.limits.maxMemoryPages, memoryImport?.maximum ?? Infinity, 65_536)
  if (memoryImport !== undefined && memoryImport.minimum > process.limits.maxMemoryPages) {
    return process.endBy(Signal.SIGKILL, { _tag: "Limit", limit: "memoryPages" })
  }
  let memory: WebAssembly.Memory | undefined
  const finished = (): void => {
    pages.leave()
    if (memory !== undefined && memoryImport !== undefined) pool.give(memory, memoryImport.minimum, maxPages)
  }
  const broke = (cause: unknown): void => {
    process.fault(cause)
    finished()
  }
  const begin = ({ exports }: WebAssembly.Instance): void | Promise<void> => {
    // The process may have been killed while a large program was instantiated.
    if (process.status !== undefined) return finished()
    if (memory === undefined && exports["memory"] instanceof WebAssembly.Memory) pages.set(exports["memory"])
    const entries = ["_initialize", "_start"].map((name): unknown => exports[name]).filter(isEntry)
    if (entries.length === 0) throw new WebAssembly.LinkError("the program exports no _start")
    if (jspi !== undefined) return runEntries(jspi, entries, process).then(finished, broke)
    for (const entry of entries) entry()
    process.end({ pid: process.pid, exitCode: 0 })
    finished()
  }
  try {
    if (compiled.unbounded && process.limits.maxMemoryPages !== Infinity) throw new UnlimitedMemoryError()
    openPreopens(process, context.preopens)
    const functions = wasiImports(process, pages.current)
    const tried = jspi?.adapter &&
      makeTryFirstImports(jspi, jspi.adapter, { ...functions, ...yieldingClock(process, functions) })
    const imports: Record<string, Record<string, Import>> = {
      [wasiNamespace]: buildImports(compiled, wasiNamespace, functions, suspendingWasi, jspi, tried),
    }
    if (compiled.imports.has(codepodNamespace)) {
      const functions = createKernelImports({ ...context, process, memory: pages.current })
      imports[codepodNamespace] = buildImports(compiled, codepodNamespace, functions, suspendingKernelImports, jspi)
    }
    if (memoryImport !== undefined) {
      memory = pool.take(memoryImport.minimum, maxPages)
      imports[memoryImport.module] = { ...imports[memoryImport.module], [memoryImport.name]: memory }
      pages.set(memory)
    }
    const instance = instantiate(compiled.module, imports, jspi !== undefined)
    if (instance instanceof Promise) return instance.then(begin).catch(broke)
    return begin(instance)
  } catch (cause) {
    broke(cause)
  }
}

/**
 * Instantiates synchronously where that is allowed; on a web page, a large program must be instantiated asynchronously.
 */
const instantiate = (
  module: WebAssembly.Module,
  imports: WebAssembly.Imports,
  canWait: boolean,
): WebAssembly.Instance | Promise<WebAssembly.Instance> => {
  try {
    return new WebAssembly.Instance(module, imports)
  } catch (cause) {
    if (cause instanceof RangeError && canWait) return WebAssembly.instantiate(module, imports)
    throw cause
  }
}

const runEntries = async (jspi: Jspi, entries: ReadonlyArray<() => unknown>, process: Process): Promise<void> => {
  for (const entry of entries) await jspi.promising(entry)()
  process.end({ pid: process.pid, exitCode: 0 })
}
