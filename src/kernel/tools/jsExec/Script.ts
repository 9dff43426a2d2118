/** Runs a script in an engine: its evaluation, its timers and requests, and what it leaves unhandled. */
import { Errno } from "../../Errno.ts"
import type { Jspi } from "../../process/jspi.ts"
import type { Later, System } from "../../System.ts"
import { yieldNow } from "../../Coroutine.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { bytesOf, type HostCalls, numberOf, textOf } from "./arguments.ts"
import { guestFile, guestSource } from "./guest/guestSource.ts"
import { FetchFailure, hostFetch } from "./hostFetch.ts"
import { hostFiles } from "./hostFiles.ts"
import { hostText } from "./hostText.ts"
import { type Argument, Handle, QuickJs, type Reply, Thrown } from "./QuickJs.ts"
import { ScriptOutput } from "./ScriptOutput.ts"
import { isModuleFile, makeScriptModules } from "./scriptModules.ts"
import { ScriptTimers } from "./ScriptTimers.ts"

/** Requests and reads of input that wait at once. */
const maxPending = 100
/** Bytes of bodies that requests hold outside of the engine. */
const maxBodyBytes = 67_108_864
/** Promises that were rejected and are not handled yet. */
const maxRejections = 10_000

/** Ends the process with an exit code, in the middle of a script. */
export class ScriptExit extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`the script exits with ${exitCode}`)
    this.exitCode = exitCode
  }
}

export interface ScriptConfig {
  readonly argv: ReadonlyArray<string>
  readonly version: string
}

/** An event of the guest, with its arguments. */
type GuestEvent = readonly [event: "resolve" | "reject" | "timer", ...args: ReadonlyArray<Reply>]

/** Makes a function from the text of a CommonJS module, on its own lines. */
const wrap = (text: string): string =>
  `(function (exports, require, module, __filename, __dirname) { ${text.startsWith("#!") ? `//${text}` : text}\n})`

export class Script {
  readonly #system: System
  readonly #engine: QuickJs
  readonly #output: ScriptOutput
  readonly #timers: ScriptTimers
  readonly #calls: HostCalls
  readonly #rejections = new Map<number, readonly [promise: Handle, reason: Handle]>()
  readonly #settled: Array<{ readonly event: GuestEvent; readonly release: () => void }> = []
  #pending = 0
  #engineBytes = 0
  #bodyBytes = 0
  #wake: () => void = () => undefined
  #dispatch: Handle | undefined
  #builtins: ReadonlyMap<string, ReadonlyArray<string>> = new Map()

  private constructor(system: System, module: WebAssembly.Module, jspi: Jspi | undefined, maxBytes: number) {
    this.#system = system
    const canWait = (): boolean => this.#engine.isSuspendable
    this.#output = new ScriptOutput(system, canWait)
    this.#timers = new ScriptTimers(system)
    this.#calls = {
      ...hostFiles(system, this.#output, canWait),
      ...hostText(system),
      ...this.#ownCalls(),
    }
    const modules = makeScriptModules(system, () => this.#builtins)
    this.#engine = new QuickJs(
      module,
      {
        serve: ([name, ...args]) => {
          const call = Object.hasOwn(this.#calls, textOf(name)) ? this.#calls[textOf(name)] : undefined
          return call === undefined ? -Errno.ENOSYS : call(...args)
        },
        pause: () => this.#pause(),
        onGrowth: (bytes) => {
          if (!this.#hold(bytes, this.#bodyBytes)) {
            throw new UtilityExit(1, "out of memory: the programs of the sandbox hold too much")
          }
        },
        resolveModule: modules.resolve,
        loadModule: modules.load,
        onRejection: (identity, promise, reason, isHandled) => {
          const known = this.#rejections.get(identity) ?? []
          this.#rejections.delete(identity)
          const isKept = !isHandled && this.#rejections.size < maxRejections
          if (isKept) this.#rejections.set(identity, [promise, reason])
          for (const handle of isKept ? known : [...known, promise, reason]) this.#engine.free(handle)
        },
        now: () => system.now(),
        random: (into) => system.random(into),
      },
      jspi,
      maxBytes,
    )
  }

  static async make(
    system: System,
    module: WebAssembly.Module,
    jspi: Jspi | undefined,
    maxBytes: number,
    { argv, version }: ScriptConfig,
  ): Promise<Script> {
    const script = new Script(system, module, jspi, maxBytes)
    const engine = script.#engine
    const config = { argv, version, env: Object.fromEntries(system.env), pid: system.pid, parent: system.parent }
    const guest = script.#checked(await engine.eval(guestSource, guestFile))
    script.#dispatch = script.#checked(await engine.call(guest, [engine.makeHostFunction(), JSON.stringify(config)]))
    const names = async (event: string, ...args: ReadonlyArray<Reply>): Promise<ReadonlyArray<string>> => {
      const value: unknown = JSON.parse(textOf(engine.read(await script.#call(event, ...args))))
      return Array.isArray(value) ? value.map(String) : []
    }
    const builtins = new Map<string, ReadonlyArray<string>>()
    for (const name of await names("builtins")) builtins.set(name, await names("names", name))
    script.#builtins = builtins
    return script
  }

  /** Runs a CommonJS module. */
  async runCommonJs(path: string, text: string): Promise<void> {
    const compiled = await this.#engine.eval(wrap(text), path)
    await this.#unlessThrown(compiled instanceof Thrown ? compiled : await this.#call("run", path, compiled))
  }

  /** Runs an ES module. */
  async runModule(path: string, text: string): Promise<Handle> {
    return this.#unlessThrown(await this.#engine.eval(text, path, true))
  }

  /** Runs text as a script of globals; `prints`: it prints the result. */
  async runText(name: string, text: string, prints: boolean): Promise<void> {
    await this.#call("script", name)
    const result = await this.#unlessThrown(await this.#engine.eval(text, name))
    if (prints) await this.#unlessThrown(await this.#call("print", result))
  }

  /** Whether text can be compiled as the body of a function. */
  async compiles(text: string): Promise<boolean> {
    return !(await this.#engine.eval(wrap(text), "check") instanceof Thrown)
  }

  /** Serves jobs, timers and requests until there are none. Returns the exit code. */
  async finish(evaluation?: Handle): Promise<number> {
    for (;;) {
      await this.#runJobs()
      let event = await this.#nextEvent()
      if (event === undefined) {
        this.#engine.free(await this.#unlessThrown(await this.#call("beforeExit")))
        await this.#runJobs()
        event = await this.#nextEvent()
        if (event === undefined) break
      }
      const [name, ...args] = event
      this.#engine.free(await this.#unlessThrown(await this.#call(name, ...args)))
    }
    if (evaluation !== undefined && this.#engine.promiseState(evaluation) === "pending") {
      this.#output.put(2, "Warning: Detected unsettled top-level await\n")
      await this.flush()
      return 13
    }
    const code = numberOf(this.#engine.read(await this.#unlessThrown(await this.#call("finish"))))
    await this.flush()
    return code & 255
  }

  async flush(): Promise<void> {
    await this.#output.flush()
  }

  #ownCalls(): HostCalls {
    const start = (
      id: Argument,
      run: () => Promise<ReadonlyArray<Reply>>,
      release: () => void = () => undefined,
    ): Reply => {
      if (this.#pending >= maxPending) return -Errno.EAGAIN
      this.#pending++
      run().then(
        (values): GuestEvent => ["resolve", numberOf(id), ...values],
        (
          cause: unknown,
        ): GuestEvent => ["reject", numberOf(id), cause instanceof FetchFailure ? cause.message : "the process ends"],
      ).then((event) => {
        this.#pending--
        this.#settled.push({ event, release })
        this.#wake()
      })
      return 0
    }
    return {
      exit: (code) => {
        throw new ScriptExit(numberOf(code) & 255)
      },
      isModule: (path, text) => isModuleFile(this.#system, textOf(path), textOf(text)),
      compile: (path, text) => this.#compile(textOf(path), textOf(text)),
      promiseState: (promise) => promise instanceof Handle ? this.#engine.promiseState(promise) : undefined,
      promiseResult: (promise) => promise instanceof Handle ? this.#engine.promiseResult(promise) : undefined,
      timer: (id, millis, repeats) => this.#timers.set(numberOf(id), numberOf(millis), repeats === true),
      clearTimer: (id) => this.#timers.clear(numberOf(id)),
      unrefTimer: (id) => this.#timers.unref(numberOf(id)),
      readLater: (id, fd) =>
        start(id, async () => {
          await this.#output.flush()
          const into = new Uint8Array(65_536)
          const count = await this.#system.read(numberOf(fd), into)
          return [into.subarray(0, Math.max(0, count))]
        }),
      fetch: (id, request, body) => {
        let held = 0
        const hold = (bytes: number): boolean => {
          if (!this.#hold(this.#engineBytes, this.#bodyBytes + bytes)) return false
          held += bytes
          return true
        }
        if (this.#pending >= maxPending) return -Errno.EAGAIN
        if (!hold(bytesOf(body).length)) return -Errno.ENOBUFS
        const content = bytesOf(body).slice()
        return start(id, () => hostFetch(this.#system, textOf(request), content, hold), () => {
          this.#hold(this.#engineBytes, this.#bodyBytes - held)
        })
      },
    }
  }

  /** Counts what the script holds; returns whether it may. */
  #hold(engineBytes: number, bodyBytes: number): boolean {
    if (bodyBytes > maxBodyBytes || this.#system.holdValues(engineBytes + bodyBytes) < 0) return false
    this.#engineBytes = engineBytes
    this.#bodyBytes = bodyBytes
    return true
  }

  #compile(path: string, text: string): Later<Reply> {
    return this.#engine.isSuspendable
      ? this.#engine.eval(wrap(text), path)
      : this.#engine.evalBlocking(wrap(text), path)
  }

  #pause(): Later<void> {
    const turn = yieldNow(this.#system)
    if (turn === undefined || this.#output.isEmpty) return turn
    return turn.then(() => this.flush())
  }

  async #runJobs(): Promise<void> {
    for (;;) {
      const job = await this.#engine.runJob()
      if (job === false) break
      if (job !== true) await this.#unlessThrown(job)
      await this.#system.yield()
    }
    for (const [identity, [promise, reason]] of this.#rejections) {
      this.#rejections.delete(identity)
      this.#engine.free(promise)
      await this.#unlessThrown(new Thrown(reason.pointer))
    }
    await this.flush()
  }

  /** Waits for the next event; `undefined` if nothing is left that could happen. */
  async #nextEvent(): Promise<GuestEvent | undefined> {
    for (;;) {
      const settled = this.#settled.shift()
      if (settled !== undefined) {
        settled.release()
        return settled.event
      }
      const due = this.#timers.takeDue()
      if (due !== undefined) return ["timer", due]
      if (this.#pending === 0) {
        if (!this.#timers.keepsAlive) return undefined
        await this.#timers.sleep()
        continue
      }
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#wake = resolve
        }),
        ...this.#timers.isEmpty ? [] : [this.#timers.sleep()],
      ])
    }
  }

  #call(event: string, ...args: ReadonlyArray<Reply>): Promise<Handle> {
    if (this.#dispatch === undefined) throw new UtilityExit(1, "the JavaScript engine did not start")
    return this.#engine.call(this.#dispatch, [event, ...args])
  }

  #checked(handle: Handle): Handle {
    if (!(handle instanceof Thrown)) return handle
    throw new UtilityExit(1, `the JavaScript engine did not start: ${JSON.stringify(this.#engine.read(handle))}`)
  }

  /** Ends the process with 1 after an exception, unless the script handles it. */
  async #unlessThrown(result: Handle): Promise<Handle> {
    if (!(result instanceof Thrown)) return result
    const handled = await this.#call("report", new Handle(result.pointer))
    if (handled instanceof Thrown) this.#output.put(2, "Uncaught exception, which cannot be shown\n")
    else if (this.#engine.read(handled) === true) return handled
    throw new ScriptExit(1)
  }
}
