/**
 * How a program begins to run in its process.
 *
 * @module
 */
import type { Pid, Program } from "../System.ts"
import type { MakeWorker } from "../isolate/HostWorker.ts"
import { launchIsolated } from "../isolate/launchIsolated.ts"
import type { Core } from "./Core.ts"
import { findJspi, type Jspi } from "./jspi.ts"
import { killed } from "./Killed.ts"
import { type Compiled, ModuleCache } from "./ModuleCache.ts"
import type { Network } from "./NetworkPolicy.ts"
import { PipeReader } from "./Pipe.ts"
import type { Process } from "./Process.ts"
import { type Isolation, isWasmSource, type ModuleSource, type ProgramSource } from "./Programs.ts"
import { StreamSource } from "./StreamSource.ts"
import { runWasm } from "./WasmProgram.ts"

/** The type of modules is empty: it fits everything. */
const isProgram = (source: ProgramSource): source is Program => typeof source === "function"

/** Compiled programs of all kernels. */
const modules = new ModuleCache(64)

const runProgram = async (process: Process, program: Program): Promise<void> => {
  try {
    const exitCode = await program(process)
    process.end({ pid: process.pid, exitCode: exitCode & 255 })
  } catch (cause) {
    // Killed, it has ended already.
    if (cause !== killed) process.fault(cause)
  }
}

/** How programs are run. */
export interface LauncherOptions {
  readonly network: Network | undefined
  /** Treats the runtime as one without JSPI. */
  readonly sequential: boolean
  /** Where WASM runs that does not say so itself. */
  readonly isolate: Isolation
  /** Who makes workers. Default: the host. */
  readonly workers: MakeWorker | undefined
}

/** Starts programs of both kinds, in turn or, where WASM cannot be suspended, one after the other. */
export class Launcher {
  readonly #core: Core
  readonly #options: LauncherOptions
  /** `undefined` until it is known whether this runtime has it. */
  #jspi: { readonly found: Jspi | undefined } | undefined
  /** Programs in workers. */
  #workers = 0
  /** Programs that cannot be suspended and wait until what they read is complete. */
  readonly #waiting = new Map<Pid, { readonly process: Process; readonly source: ModuleSource }>()

  constructor(core: Core, options: LauncherOptions) {
    this.#core = core
    this.#options = options
    if (options.sequential) this.#jspi = { found: undefined }
  }

  /** Whether there may be one more of these. */
  admits(source: ProgramSource): boolean {
    return isProgram(source) || this.#asked(source).isolate === "none" || this.#workers < this.#core.limits.workers
  }

  /** A program's module, and where it is to run. */
  #asked(source: Exclude<ProgramSource, Program>): { readonly isolate: Isolation; readonly source: ModuleSource } {
    const { isolate = this.#options.isolate, source: module } = isWasmSource(source) ? source : { source }
    return { isolate, source: module }
  }

  /** Not at once: whoever started it has its number first. */
  launch(process: Process, source: ProgramSource): void {
    if (isProgram(source)) {
      return this.#core.scheduler.soon(() => {
        if (process.status === undefined) void runProgram(process, source)
      })
    }
    const { isolate, source: module } = this.#asked(source)
    if (isolate === "worker") {
      this.#workers++
      process.onEnd.push(() => void this.#workers--)
      this.#core.scheduler.soon(() => this.#isolated(process, module))
    } else if (this.#jspi !== undefined && this.#jspi.found === undefined) this.#hold(process, module)
    else this.#core.scheduler.soon(() => this.#suspending(process, module))
  }

  #isolated(process: Process, source: ModuleSource): void {
    if (process.status !== undefined) return
    const { network, workers } = this.#options
    void launchIsolated({ core: this.#core, network }, process, source, workers)
  }

  #suspending(process: Process, source: ModuleSource): void {
    if (process.status !== undefined) return
    const known = modules.known(source)
    if (this.#jspi?.found !== undefined && known !== undefined) this.#run(process, known, this.#jspi.found)
    else void this.#prepare(process, source)
  }

  async #prepare(process: Process, source: ModuleSource): Promise<void> {
    try {
      this.#jspi ??= { found: await findJspi() }
      const jspi = this.#jspi.found
      if (jspi === undefined) this.#hold(process, source)
      else {
        const known = modules.known(source)
        const compiled = known ?? (source instanceof Uint8Array ? await modules.compile(source) : undefined)
        if (process.status === undefined && compiled !== undefined) this.#run(process, compiled, jspi)
      }
    } catch (cause) {
      process.fault(cause)
    }
  }

  #run(process: Process, compiled: Compiled, jspi: Jspi | undefined): void {
    const runChild = jspi === undefined ? this.#runChild : undefined
    void runWasm({ core: this.#core, jspi, network: this.#options.network, runChild }, process, compiled)
  }

  /** What it reads is collected first: it cannot wait for more. */
  #hold(process: Process, source: ModuleSource): void {
    process.sequential = true
    this.#waiting.set(process.pid, { process, source })
    process.onEnd.push(() => void this.#waiting.delete(process.pid))
    void this.#collect(process)
  }

  async #collect(process: Process): Promise<void> {
    const limit = this.#core.limits.spoolBytes
    for (const fd of process.descriptors()) {
      const file = process.descriptor(fd)?.file
      if (file instanceof StreamSource) await file.complete(limit)
      else if (file instanceof PipeReader) {
        file.widen(limit)
        await file.ended()
      }
    }
    this.#core.scheduler.soon(() => this.#runHeld(process.pid))
  }

  #runHeld(pid: Pid): void {
    const held = this.#waiting.get(pid)
    if (held === undefined) return
    this.#waiting.delete(pid)
    try {
      this.#run(held.process, modules.compileNow(held.source), undefined)
    } catch (cause) {
      held.process.fault(cause)
    }
  }

  /** For a program that cannot wait: runs those before its child, and the child, as far as what they read is complete. */
  readonly #runChild = (pid: Pid): void => {
    for (let progress = true; progress && this.#waiting.has(pid);) {
      progress = false
      for (const { process } of [...this.#waiting.values()]) {
        if (process.pid > pid || !this.#complete(process)) continue
        this.#runHeld(process.pid)
        progress = true
      }
    }
  }

  #complete(process: Process): boolean {
    return process.descriptors().every((fd) => {
      const file = process.descriptor(fd)?.file
      return !(file instanceof PipeReader || file instanceof StreamSource) || file.hungUp()
    })
  }
}
