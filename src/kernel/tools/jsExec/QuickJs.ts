/**
 * One engine of JavaScript, for one process. Its memory is its own; what crosses its border are texts, numbers and copies of bytes.
 * Loops of the engine count down and then give way to other processes: by JSPI, or, where the runtime has none, a call blocks and is
 * ended after a second.
 */
import type { Later } from "../../System.ts"
import type { Jspi } from "../../process/jspi.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { maxBlockedMillis } from "../maxBlockedMillis.ts"
import { type EngineExports, parseEngine, type Pointer } from "./engineExports.ts"

/** Bytes of the engine's own stack; it throws a RangeError before the host's stack is used up. */
const maxStackBytes = 131_072
const moduleFlag = 1
/** Characters of a text that is made within a millisecond. */
const maxPlainText = 65_536
/** Arguments of a call of the host, more than any has. */
const maxArguments = 8

/** A value of the engine, which its owner frees. */
export class Handle {
  readonly pointer: Pointer

  constructor(pointer: Pointer) {
    this.pointer = pointer
  }
}

/** An exception of the engine; as a reply, it is thrown by the call. */
export class Thrown extends Handle {}

export type Reply = undefined | null | boolean | number | string | Uint8Array | Handle
/** A handle in an argument is an object, and valid during the call. */
export type Argument = undefined | boolean | number | string | Uint8Array | Handle

export interface EngineHost {
  /** Serves a call of the host function. Bytes are valid until it returns or waits. */
  readonly serve: (args: ReadonlyArray<Argument>) => Later<Reply>
  /** Lets other processes run if it is their turn; is rejected when the process has ended. */
  readonly pause: () => Later<void>
  /** Is told the size of the memory when it has grown; throws to end the process. */
  readonly onGrowth: (bytes: number) => void
  /** Returns the path of a module. */
  readonly resolveModule: (importer: string, specifier: string) => string
  readonly loadModule: (path: string) => string
  /** A promise was rejected without a handler, or has got one later. `identity` is its own while it is not freed. */
  readonly onRejection: (identity: number, promise: Handle, reason: Handle, isHandled: boolean) => void
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
  readonly random: (into: Uint8Array) => void
}

type Source = readonly [code: Pointer, length: number, filename: Pointer]
type AsyncCall = (...args: ReadonlyArray<number>) => Later<number>
const isAsyncCall = (value: unknown): value is AsyncCall => typeof value === "function"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const notSupported = 52

export class QuickJs {
  /** Whether a call of the host may return a promise. */
  readonly isSuspendable: boolean
  readonly #exports: EngineExports
  readonly #host: EngineHost
  readonly #call: AsyncCall
  readonly #eval: AsyncCall
  readonly #job: AsyncCall
  readonly #newString: AsyncCall
  /** Four bytes for results. */
  readonly #scratch: Pointer
  #knownBytes = 0
  /** Calls between host and engine that cannot be suspended. */
  #plainDepth = 0
  /** Calls of scripts that have not returned. */
  #running = 0
  #deadline = 0
  #turn: Promise<void> | undefined

  constructor(module: WebAssembly.Module, host: EngineHost, jspi: Jspi | undefined, maxBytes: number) {
    this.#host = host
    const suspending = (call: (...args: ReadonlyArray<number>) => Later<number>): WebAssembly.ImportValue =>
      jspi === undefined ? call : jspi.suspending(call)
    const instance = new WebAssembly.Instance(module, {
      env: {
        host_call: suspending((_name, _length, _this, count = 0, args = 0) => this.#serve(count, args)),
        host_interrupt: () => this.#check(),
        host_promise_rejection: (promise: Pointer, reason: Pointer, isHandled: number) =>
          this.#plain(() =>
            host.onRejection(
              this.#exports.qjs_get_value_ptr(promise),
              new Handle(promise),
              new Handle(reason),
              isHandled !== 0,
            )
          ),
        host_module_normalize: (importer: Pointer, specifier: Pointer) =>
          this.#plain(() =>
            this.#putText(host.resolveModule(this.#readCString(importer), this.#readCString(specifier)))[0]
          ),
        host_module_load: (path: Pointer, lengthOut: Pointer) =>
          this.#plain(() => {
            const [text, length] = this.#putText(host.loadModule(this.#readCString(path)))
            this.#view().setUint32(lengthOut, length, true)
            return text
          }),
        host_get_timezone_offset: () => 0,
      },
      wasi_snapshot_preview1: {
        clock_time_get: (_clock: number, _precision: bigint, out: Pointer) => {
          this.#view().setBigUint64(out, host.now(), true)
          return 0
        },
        // The engine has no files: counted loops suspend the stack by it.
        fd_close: suspending(() => this.#turn?.then(() => 0) ?? notSupported),
        fd_fdstat_get: () => notSupported,
        fd_seek: () => notSupported,
        fd_write: () => notSupported,
        random_get: (out: Pointer, length: number) => {
          const bytes = new Uint8Array(length)
          host.random(bytes)
          this.#bytes().set(bytes, out)
          return 0
        },
      },
    })
    const exports = parseEngine(instance.exports)
    this.#exports = exports
    const promising = (call: AsyncCall): AsyncCall => {
      const wrapped: unknown = jspi?.promising(call)
      return isAsyncCall(wrapped) ? wrapped : call
    }
    this.isSuspendable = jspi !== undefined
    this.#eval = promising(exports.qjs_eval)
    this.#call = promising(exports.qjs_call)
    this.#job = promising(exports.qjs_execute_pending_job)
    this.#newString = promising(exports.qjs_new_string)
    this.#scratch = this.#plain(() => {
      exports._initialize()
      if (exports.qjs_init() !== 0) throw new UtilityExit(1, "the JavaScript engine did not start")
      exports.qjs_set_memory_limit(maxBytes)
      exports.qjs_set_max_stack_size(maxStackBytes)
      exports.qjs_set_promise_rejection_handler(1)
      exports.qjs_set_module_loader(1)
      return exports.wasm_malloc(8)
    })
  }

  /** Evaluates a script, or a module: then it returns the promise of its evaluation. */
  async eval(code: string, filename: string, isModule = false): Promise<Handle> {
    const source = this.#plain(() => this.#putSource(code, filename))
    const result = await this.#start(() => this.#eval(...source, isModule ? moduleFlag : 0))
    return this.#plain(() => this.#evaluated(source, result))
  }

  /** Evaluates a script within a call of the host, where nothing can be suspended. */
  evalBlocking(code: string, filename: string): Handle {
    const source = this.#putSource(code, filename)
    return this.#evaluated(source, this.#exports.qjs_eval(...source, 0))
  }

  /** Calls a function. */
  async call(callee: Handle, args: ReadonlyArray<Reply>): Promise<Handle> {
    const { qjs_free_value: free, qjs_get_undefined: getUndefined, wasm_free, wasm_malloc } = this.#exports
    const [receiver, list, values] = this.#plain(() => {
      const values = args.map((arg) => this.#toPointer(arg))
      const list = wasm_malloc(4 * values.length + 4)
      for (const [index, value] of values.entries()) this.#view().setUint32(list + 4 * index, value, true)
      return [getUndefined(), list, values] as const
    })
    const result = await this.#start(() => this.#call(callee.pointer, receiver, values.length, list))
    return this.#plain(() => {
      for (const value of [receiver, ...values]) free(value)
      wasm_free(list)
      return this.#outcome(result)
    })
  }

  /** Runs the next job of a promise. Returns whether there was one, or what it threw. */
  async runJob(): Promise<boolean | Thrown> {
    if (this.#plain(() => this.#exports.qjs_is_job_pending()) === 0) return false
    if (await this.#start(() => this.#job()) >= 0) return true
    return this.#plain(() => new Thrown(this.#exports.qjs_get_exception()))
  }

  /** Makes the function by which the engine calls its host. */
  makeHostFunction(): Handle {
    return this.#plain(() => {
      const [name, length] = this.#putText("host")
      return new Handle(this.#exports.qjs_new_host_function(name, length, 1))
    })
  }

  /** Reads a value; an object that is no ArrayBuffer is a handle. Bytes are valid until the engine runs. */
  read({ pointer }: Handle): Argument {
    return this.#plain(() => this.#read(pointer))
  }

  promiseState({ pointer }: Handle): "pending" | "fulfilled" | "rejected" | undefined {
    return this.#plain(() => {
      if (this.#exports.qjs_is_promise(pointer) === 0) return undefined
      return (["pending", "fulfilled", "rejected"] as const)[this.#exports.qjs_promise_state(pointer)]
    })
  }

  promiseResult({ pointer }: Handle): Handle {
    return this.#plain(() => new Handle(this.#exports.qjs_promise_result(pointer)))
  }

  free({ pointer }: Handle): void {
    this.#plain(() => this.#exports.qjs_free_value(pointer))
  }

  /** Calls the engine so that it cannot be suspended; no code of a script may run then. */
  #plain<A>(call: () => A): A {
    if (this.#plainDepth === 0 && (this.isSuspendable || this.#running === 0)) {
      this.#deadline = performance.now() + maxBlockedMillis
    }
    this.#plainDepth++
    try {
      return call()
    } finally {
      this.#plainDepth--
    }
  }

  async #start(call: () => Later<number>): Promise<number> {
    this.#deadline = performance.now() + maxBlockedMillis
    this.#running++
    try {
      return await call()
    } finally {
      this.#running--
    }
  }

  /** Is called by counted loops; returns whether to suspend. */
  #check(): number {
    const { byteLength } = this.#exports.memory.buffer
    if (byteLength > this.#knownBytes) this.#host.onGrowth(this.#knownBytes = byteLength)
    if (this.isSuspendable && this.#plainDepth === 0) {
      const turn = this.#host.pause()
      this.#turn = turn instanceof Promise ? turn : undefined
      return this.#turn === undefined ? 0 : 1
    }
    if (performance.now() <= this.#deadline) return 0
    throw new UtilityExit(
      1,
      this.isSuspendable
        ? `one value of the script took more than ${maxBlockedMillis} ms to copy; pass it in smaller parts`
        : `the script ran for ${maxBlockedMillis} ms without a wait, and this runtime cannot suspend it; use one with JSPI, as Node 24 is`,
    )
  }

  #serve(count: number, list: Pointer): Later<number> {
    const canWait = this.isSuspendable && this.#plainDepth === 0
    const reply = this.#plain(() =>
      this.#host.serve(
        Array.from(
          { length: Math.min(count, maxArguments) },
          (_, index) => this.#read(this.#view().getUint32(list + 4 * index, true)),
        ),
      )
    )
    return reply instanceof Promise ? reply.then((value) => this.#answer(value, canWait)) : this.#answer(reply, canWait)
  }

  /** Gives way after a call: its own work is not counted, and loops of the engine could not be suspended within it. */
  #answer(reply: Reply, canWait: boolean): Later<Pointer> {
    if (canWait && typeof reply === "string" && reply.length > maxPlainText) return this.#makeText(reply)
    const pointer = this.#plain(() => this.#reply(reply))
    const turn = canWait ? this.#host.pause() : undefined
    return turn instanceof Promise ? turn.then(() => pointer) : pointer
  }

  /** Makes a long text, which can be suspended. */
  async #makeText(text: string): Promise<Pointer> {
    const [bytes, length] = this.#plain(() => this.#putText(text))
    const pointer = await this.#start(() => this.#newString(bytes, length))
    this.#plain(() => this.#exports.wasm_free(bytes))
    return pointer
  }

  #reply(reply: Reply): Pointer {
    if (!(reply instanceof Thrown)) return this.#toPointer(reply)
    this.#exports.qjs_free_value(this.#exports.qjs_throw(reply.pointer))
    this.free(reply)
    return 0
  }

  #outcome(pointer: Pointer): Handle {
    if (this.#exports.qjs_is_exception(pointer) === 0) return new Handle(pointer)
    this.#exports.qjs_free_value(pointer)
    return new Thrown(this.#exports.qjs_get_exception())
  }

  #putSource(code: string, filename: string): Source {
    const [text, length] = this.#putText(code)
    return [text, length, this.#putText(filename)[0]]
  }

  #evaluated([text, , filename]: Source, result: Pointer): Handle {
    this.#exports.wasm_free(text)
    this.#exports.wasm_free(filename)
    return this.#outcome(result)
  }

  #toPointer(reply: Reply): Pointer {
    const exports = this.#exports
    if (reply instanceof Handle) return reply.pointer
    if (reply === undefined) return exports.qjs_get_undefined()
    if (reply === null) return exports.qjs_get_null()
    if (typeof reply === "boolean") return reply ? exports.qjs_get_true() : exports.qjs_get_false()
    if (typeof reply === "number") return exports.qjs_new_number(reply)
    const [bytes, length] = typeof reply === "string" ? this.#putText(reply) : this.#putBytes(reply)
    const value = typeof reply === "string"
      ? exports.qjs_new_string(bytes, length)
      : exports.qjs_new_array_buffer(bytes, length)
    exports.wasm_free(bytes)
    return value
  }

  #read(pointer: Pointer): Argument {
    const exports = this.#exports
    if (exports.qjs_is_undefined(pointer) !== 0) return undefined
    if (exports.qjs_is_bool(pointer) !== 0) return exports.qjs_get_bool(pointer) !== 0
    if (exports.qjs_is_number(pointer) !== 0) return exports.qjs_get_float64(pointer)
    if (exports.qjs_is_string(pointer) !== 0) {
      const text = exports.qjs_get_string_len(pointer, this.#scratch)
      if (text === 0) throw new UtilityExit(1, "out of memory")
      const found = decoder.decode(this.#resultBytes(text))
      exports.qjs_free_cstring(text)
      return found
    }
    if (exports.qjs_is_array_buffer(pointer) !== 0) {
      // One that is detached leaves it as it is.
      this.#view().setUint32(this.#scratch, 0, true)
      return this.#resultBytes(exports.qjs_get_array_buffer(pointer, this.#scratch))
    }
    return new Handle(pointer)
  }

  /** The bytes at a pointer, as many as the last call has put into the scratch. */
  #resultBytes(pointer: Pointer): Uint8Array {
    return this.#bytes().subarray(pointer, pointer + this.#view().getUint32(this.#scratch, true))
  }

  #putText(text: string): readonly [pointer: Pointer, length: number] {
    return this.#putBytes(encoder.encode(text))
  }

  /** Copies bytes, with a zero behind them. */
  #putBytes(bytes: Uint8Array): readonly [pointer: Pointer, length: number] {
    const pointer = this.#exports.wasm_malloc(bytes.length + 1)
    if (pointer === 0) throw new UtilityExit(1, "out of memory")
    const memory = this.#bytes()
    memory.set(bytes, pointer)
    memory[pointer + bytes.length] = 0
    return [pointer, bytes.length]
  }

  #readCString(pointer: Pointer): string {
    const memory = this.#bytes()
    return decoder.decode(memory.subarray(pointer, memory.indexOf(0, pointer)))
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer)
  }

  #view(): DataView {
    return new DataView(this.#exports.memory.buffer)
  }
}
