/** Starts TypeScript and WASM programs in their processes, on this thread or in workers. */
import type { Pid, Program } from "../System.ts"
import type { MakeWorker } from "../worker/HostWorker.ts"
import type { KernelContext } from "./KernelContext.ts"
import type { Extension } from "./Extension.ts"
import type { Jspi } from "./jspi.ts"
import { processKilled } from "./ProcessKilledError.ts"
import type { CompiledProgram } from "./ModuleCache.ts"
import type { NetworkCalls } from "../network/makeNetwork.ts"
import { PipeReader } from "./Pipe.ts"
import type { Process } from "./Process.ts"
import { type Isolation, isWasmSource, type ModuleSource, type Preopens, type ProgramSource } from "./Programs.ts"
import { StreamSource } from "./StreamSource.ts"

interface WasmLaunch {
  readonly source: ModuleSource
  readonly isolate: Isolation
  readonly preopens: Preopens
}

/** The type of modules has no members, so it cannot be narrowed in another way. */
export const isProgram = (source: ProgramSource): source is Program => typeof source === "function"

type Wasm = typeof import("./wasmRuntime.ts")

const runProgram = async (process: Process, program: Program): Promise<void> => {
  try {
    const exitCode = await program(process)
    process.end({ pid: process.pid, exitCode: exitCode & 255 })
  } catch (cause) {
    // A killed process has ended already.
    if (cause !== processKilled) process.fault(cause)
  }
}

export interface ProgramStarterOptions {
  readonly network: NetworkCalls | undefined
  readonly extensions: ReadonlyMap<string, Extension>
  /** Treats the runtime as if it had no JSPI. */
  readonly sequential: boolean
  /** Isolation of WASM programs whose source names none. */
  readonly isolate: Isolation
  /** Preopens of WASM programs whose source names none. */
  readonly preopens: Preopens
  readonly workers: MakeWorker | undefined
}

export class ProgramStarter {
  readonly #core: KernelContext
  readonly #options: ProgramStarterOptions
  /** `undefined` until JSPI was detected. */
  #jspi: { readonly found: Jspi | undefined } | undefined
  /** Loaded with the first WASM program. */
  #wasm: Wasm | undefined
  #workers = 0
  /** Programs that cannot be suspended, waiting until their input is complete. */
  readonly #waiting = new Map<Pid, { readonly process: Process; readonly wanted: WasmLaunch }>()

  constructor(core: KernelContext, options: ProgramStarterOptions) {
    this.#core = core
    this.#options = options
    if (options.sequential) this.#jspi = { found: undefined }
  }

  /** Whether the limit of workers admits one more such program. */
  admits(source: ProgramSource): boolean {
    return isProgram(source) || this.#wanted(source).isolate === "none" || this.#workers < this.#core.limits.maxWorkers
  }

  #wanted(given: Exclude<ProgramSource, Program>): WasmLaunch {
    const { isolate, preopens } = this.#options
    if (!isWasmSource(given)) return { source: given, isolate, preopens }
    return { source: given.source, isolate: given.isolate ?? isolate, preopens: given.preopens ?? preopens }
  }

  /** Starts a program in a later microtask: the caller of `spawn` gets the pid first. */
  launch(process: Process, source: ProgramSource): void {
    if (isProgram(source)) {
      return this.#core.scheduler.soon(() => {
        if (process.status !== undefined) return
        process.started()
        void runProgram(process, source)
      })
    }
    // The host determines how long WASM takes to compile, and where it runs.
    process.onEnd.push(this.#core.scheduler.hostWait())
    const wanted = this.#wanted(source)
    if (wanted.isolate === "worker") {
      this.#workers++
      process.onEnd.push(() => void this.#workers--)
      this.#core.scheduler.soon(() => void this.#launchInWorker(process, wanted))
    } else if (this.#jspi !== undefined && this.#jspi.found === undefined) this.#hold(process, wanted)
    else this.#core.scheduler.soon(() => this.#suspending(process, wanted))
  }

  async #launchInWorker(process: Process, { preopens, source }: WasmLaunch): Promise<void> {
    if (process.status !== undefined) return
    const { extensions, network, workers } = this.#options
    try {
      const { launchInWorker } = await import("../worker/launchInWorker.ts")
      await launchInWorker({ core: this.#core, extensions, network, preopens }, process, source, workers)
    } catch (cause) {
      process.fault(cause)
    }
  }

  #suspending(process: Process, wanted: WasmLaunch): void {
    if (process.status !== undefined) return
    const wasm = this.#wasm
    const known = wasm?.moduleCache.known(wanted.source)
    const jspi = this.#jspi?.found
    if (wasm !== undefined && jspi !== undefined && known !== undefined) this.#run(wasm, process, known, wanted, jspi)
    else void this.#prepare(process, wanted)
  }

  async #prepare(process: Process, wanted: WasmLaunch): Promise<void> {
    try {
      const wasm = this.#wasm ??= await import("./wasmRuntime.ts")
      const { findJspi, moduleCache: modules } = wasm
      this.#jspi ??= { found: await findJspi() }
      const jspi = this.#jspi.found
      if (jspi === undefined) this.#hold(process, wanted)
      else {
        const { source } = wanted
        const known = modules.known(source)
        const compiled = known ?? (source instanceof Uint8Array ? await modules.compile(source) : undefined)
        if (process.status === undefined && compiled !== undefined) this.#run(wasm, process, compiled, wanted, jspi)
      }
    } catch (cause) {
      process.fault(cause)
    }
  }

  #run(
    wasm: Wasm,
    process: Process,
    compiled: CompiledProgram,
    { preopens }: WasmLaunch,
    jspi: Jspi | undefined,
  ): void {
    const runChild = jspi === undefined ? this.#runChild : undefined
    const { extensions, network } = this.#options
    void wasm.runWasm({ core: this.#core, extensions, jspi, network, preopens, runChild }, process, compiled)
  }

  /** Holds a program until its input is complete, because it cannot wait for more. */
  #hold(process: Process, wanted: WasmLaunch): void {
    // The process may have been killed while JSPI was being detected.
    if (process.status !== undefined) return
    process.sequential = true
    this.#waiting.set(process.pid, { process, wanted })
    process.onEnd.push(() => void this.#waiting.delete(process.pid))
    void this.#collect(process)
  }

  async #collect(process: Process): Promise<void> {
    try {
      this.#wasm ??= await import("./wasmRuntime.ts")
    } catch (cause) {
      return process.fault(cause)
    }
    const limit = this.#core.limits.maxSpoolBytes
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
    const wasm = this.#wasm
    if (held === undefined || wasm === undefined) return
    this.#waiting.delete(pid)
    try {
      this.#run(wasm, held.process, wasm.moduleCache.compileNow(held.wanted.source), held.wanted, undefined)
    } catch (cause) {
      held.process.fault(cause)
    }
  }

  /** For a program that cannot wait: runs its child and the programs before it, as far as their input is complete. */
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
