/** Runs WASM programs with stop checks in workers, and serves their calls on the kernel's thread. */
import { Signal } from "../System.ts"
import { wasiImports } from "../wasi/wasiImports.ts"
import { createKernelImports } from "../process/kernelImports.ts"
import { type CompiledProgram, ModuleCache } from "../process/ModuleCache.ts"
import type { Process } from "../process/Process.ts"
import type { ModuleSource } from "../process/Programs.ts"
import {
  codepodNamespace,
  MemoryAccount,
  openPreopens,
  wasiNamespace,
  type WasmContext,
} from "../process/WasmProgram.ts"
import { ChannelWord, parseWorkerMessage, type StartMessage } from "./channel.ts"
import { hostWorkers, type MakeWorker } from "./HostWorker.ts"
import { NotIsolable } from "./NotIsolable.ts"
import { makeStoppable, stopMemory } from "./makeStoppable.ts"

const programs = new ModuleCache(16, makeStoppable)

type WorkerContext = Pick<WasmContext, "core" | "extensions" | "network" | "preopens">

type Functions = Readonly<Record<string, (...args: never) => unknown>>

const makeError = (name: string, message: string): Error => {
  const error = new Error(message)
  error.name = name
  return error
}

const serveWorker = (
  context: WorkerContext,
  process: Process,
  compiled: CompiledProgram,
  makeWorker: MakeWorker,
): void => {
  const { core, extensions, network, preopens } = context
  const memoryImport = compiled.memory
  if (memoryImport === undefined) throw new NotIsolable("the program has no memory of its own that can be shared")
  const maxPages = Math.min(process.limits.maxMemoryPages, memoryImport.maximum ?? Infinity, 65_536)
  if (memoryImport.minimum > process.limits.maxMemoryPages) {
    return process.endBy(Signal.SIGKILL, { _tag: "Limit", limit: "memoryPages" })
  }
  const pages = new MemoryAccount(core, process)
  const memory = new WebAssembly.Memory({ initial: memoryImport.minimum, maximum: maxPages, shared: true })
  const channel = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })
  const words = new Int32Array(channel.buffer)
  openPreopens(process, preopens)
  const tables: Readonly<Record<string, Functions>> = {
    [wasiNamespace]: wasiImports(process, pages.current),
    ...compiled.imports.has(codepodNamespace) && {
      [codepodNamespace]: createKernelImports({
        extensions,
        network,
        process,
        memory: pages.current,
        runChild: undefined,
      }),
    },
  }
  const functions: Array<readonly [namespace: string, name: string]> = []
  const calls: Array<(...args: never) => unknown> = []
  for (const [namespace, names] of compiled.imports) {
    const table = tables[namespace] ?? {}
    for (const name of names) {
      const call = Object.hasOwn(table, name) ? table[name] : undefined
      if (call === undefined) continue
      functions.push([namespace, name])
      calls.push(call)
    }
  }

  let computingSince = performance.now()
  const wake = (): void => {
    computingSince = performance.now()
    Atomics.store(words, ChannelWord.answered, 1)
    Atomics.notify(words, ChannelWord.answered)
  }
  const answer = (value: unknown): void => {
    Atomics.store(words, ChannelWord.answer, Number(value))
    wake()
  }
  const fault = (cause: unknown): void => process.fault(cause)
  const call = (place: number, args: ReadonlyArray<number | bigint>): void => {
    try {
      const called = calls[place]
      // Growth of a shared memory is noticed only here, because old views stay valid.
      pages.current()
      if (called === undefined) throw new NotIsolable(`the worker calls an unknown function (${place})`)
      const later: unknown = Reflect.apply(called, undefined, args)
      if (later instanceof Promise) later.then(answer, fault)
      else answer(later)
    } catch (cause) {
      fault(cause)
    }
  }
  let terminate = (): void => {}
  process.onEnd.push(() => {
    Atomics.store(words, ChannelWord.stop, 1)
    wake()
    terminate()
    pages.leave()
  })
  pages.set(memory)
  const worker = makeWorker({
    message: (data) => {
      if (process.status !== undefined) return
      core.scheduler.begin()
      process.spent += performance.now() - computingSince
      const parsed = parseWorkerMessage(data)
      if (parsed === undefined) fault(makeError("Error", "the worker sent an invalid message"))
      else if ("done" in parsed) process.end({ pid: process.pid, exitCode: 0 })
      else if ("fault" in parsed) fault(makeError(parsed.fault.name, parsed.fault.message))
      else call(parsed[0], parsed.slice(1))
    },
    broken: (why) => fault(makeError("Error", `the worker of the program failed: ${why}`)),
  })
  terminate = worker.terminate
  const begin: StartMessage = {
    module: compiled.module,
    memories: [[memoryImport.module, memoryImport.name, memory], [stopMemory.module, stopMemory.name, channel]],
    channel,
    words: ChannelWord,
    functions,
  }
  worker.post(begin)
}

/** Compiles a program and starts it in a worker. A failure is the fault of its process. */
export const launchInWorker = async (
  context: WorkerContext,
  process: Process,
  source: ModuleSource,
  workers: MakeWorker | undefined = hostWorkers(),
): Promise<void> => {
  try {
    if (workers === undefined) throw new NotIsolable(NotIsolable.noWorkers)
    if (!(source instanceof Uint8Array)) throw new NotIsolable("it takes the program's bytes, not a compiled module")
    const compiled = programs.known(source) ?? await programs.compile(source)
    if (process.status === undefined) serveWorker(context, process, compiled, workers)
  } catch (cause) {
    process.fault(cause)
  }
}
