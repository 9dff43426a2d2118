/** Implements `events`, timers and `process`. It runs in the engine, with the names of the files before it. */
export const eventsSource: string = String.raw`
class EventEmitter {
  #listeners = new Map()
  on(name, listener) { return this.#add(name, { listener, isOnce: false }) }
  once(name, listener) { return this.#add(name, { listener, isOnce: true }) }
  addListener(name, listener) { return this.on(name, listener) }
  prependListener(name, listener) {
    this.#listeners.set(name, [{ listener, isOnce: false }, ...this.#listeners.get(name) ?? []])
    return this
  }
  off(name, listener) {
    const found = [...this.#listeners.get(name) ?? []]
    const at = found.findLastIndex((entry) => entry.listener === listener)
    if (at >= 0) found.splice(at, 1)
    this.#listeners.set(name, found)
    return this
  }
  removeListener(name, listener) { return this.off(name, listener) }
  removeAllListeners(name) {
    if (name === undefined) this.#listeners.clear()
    else this.#listeners.delete(name)
    return this
  }
  emit(name, ...args) {
    const found = this.#listeners.get(name) ?? []
    if (found.length === 0 && name === "error") throw args[0] instanceof Error ? args[0] : codedError(Error, "ERR_UNHANDLED_ERROR", "Unhandled error. (" + inspect(args[0]) + ")")
    for (const entry of found) {
      if (entry.isOnce) this.off(name, entry.listener)
      entry.listener.apply(this, args)
    }
    return found.length > 0
  }
  listeners(name) { return (this.#listeners.get(name) ?? []).map(({ listener }) => listener) }
  listenerCount(name) { return this.listeners(name).length }
  eventNames() { return [...this.#listeners.keys()].filter((name) => this.listenerCount(name) > 0) }
  setMaxListeners() { return this }
  #add(name, entry) {
    this.#listeners.set(name, [...this.#listeners.get(name) ?? [], entry])
    return this
  }
}
EventEmitter.EventEmitter = EventEmitter
EventEmitter.once = (emitter, name) => new Promise((resolve, reject) => {
  emitter.once(name, (...args) => resolve(args))
  if (name !== "error") emitter.once("error", reject)
})
/** Numbers of the events that the host reports to the script. */
const waiting = new Map()
let lastWait = 0
const later = (operation, ...args) => new Promise((resolve, reject) => {
  const id = ++lastWait
  waiting.set(id, { resolve, reject })
  checked(call(operation, id, ...args), operation)
})
const tasks = new Map()
class Timeout {
  constructor(id) { this.id = id }
  ref() { return this }
  unref() {
    call("unrefTimer", this.id)
    return this
  }
  hasRef() { return true }
  refresh() { return this }
  close() { clearTimeout(this) }
  [Symbol.toPrimitive]() { return this.id }
  [inspectCustom]() { return "Timeout {}" }
}
const startTimer = (callback, ms, args, repeats) => {
  if (typeof callback !== "function") throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "callback" argument must be of type function. Received ' + describeArgument(callback))
  const id = ++lastWait
  const delay = ms >= 1 && ms <= 2147483647 ? Math.trunc(ms) : 1
  checked(call("timer", id, delay, repeats), "timer")
  tasks.set(id, { callback, args, repeats })
  return new Timeout(id)
}
const setTimeout = (callback, ms, ...args) => startTimer(callback, Number(ms ?? 1), args, false)
const setInterval = (callback, ms, ...args) => startTimer(callback, Number(ms ?? 1), args, true)
const setImmediate = (callback, ...args) => startTimer(callback, 1, args, false)
const clearTimeout = (timer) => {
  const id = typeof timer === "object" && timer !== null ? timer.id : Number(timer)
  if (tasks.delete(id)) call("clearTimer", id)
}
const queueMicrotask = (callback) => void Promise.resolve().then(() => callback())
const writeText = (fd, text) => void checked(call("print", fd, text.toWellFormed()), "write")
const standardOutput = (fd) => {
  const stream = new EventEmitter()
  return Object.assign(stream, {
  fd, writable: true,
  write: (data, encoding, done) => {
    if (typeof data === "string") writeText(fd, data)
    else writeOpen(fd, dataBytes(data))
    const callback = typeof encoding === "function" ? encoding : done
    if (typeof callback === "function") queueMicrotask(callback)
    return true
  },
  end: (data) => void (data === undefined || stream.write(data)),
  })
}
class StandardInput extends EventEmitter {
  fd = 0
  #encoding
  #isFlowing = false
  setEncoding(name) {
    this.#encoding = name ?? "utf8"
    return this
  }
  on(name, listener) {
    super.on(name, listener)
    if (["data", "end", "readable", "close"].includes(name)) this.resume()
    return this
  }
  resume() {
    if (this.#isFlowing) return this
    this.#isFlowing = true
    queueMicrotask(async () => {
      try {
        for await (const piece of this) this.emit("data", piece)
        this.emit("end")
        this.emit("close")
      } catch (error) {
        this.emit("error", error)
      }
    })
    return this
  }
  pause() { return this }
  unref() { return this }
  async *[Symbol.asyncIterator]() {
    const decoder = new TextDecoder()
    for (;;) {
      const piece = await later("readLater", 0)
      const bytes = new Uint8Array(piece)
      const text = this.#encoding === undefined ? Buffer.from(piece) : decoder.decode(bytes, { stream: bytes.length > 0 })
      if (text.length > 0) yield text
      if (bytes.length === 0) return
    }
  }
}
class ProcessExit extends EventEmitter {}
const process = Object.assign(new ProcessExit(), {
  argv: config.argv, argv0: config.argv[0], execPath: config.argv[0], execArgv: [], env: config.env, pid: config.pid, ppid: config.parent,
  platform: "linux", arch: "wasm32", title: config.argv[0], version: config.version, versions: { node: config.version.slice(1), quickjs: "0.0.0" },
  release: { name: "node" }, features: {}, config: {}, exitCode: undefined,
  cwd: () => call("cwd"),
  chdir: (folder) => void checked(call("chdir", String(folder)), "chdir", folder),
  umask: (mask) => call("umask", mask === undefined ? -1 : modeOf(mask, 0)),
  exit: (code = process.exitCode) => {
    if (code !== undefined) process.exitCode = code
    process.emit("exit", Number(process.exitCode ?? 0))
    call("exit", Number(process.exitCode ?? 0))
  },
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
  uptime: () => call("monotonic") / 1000,
  hrtime: Object.assign((since = [0, 0]) => {
    const ns = process.hrtime.bigint() - BigInt(since[0]) * 1000000000n - BigInt(since[1])
    return [Number(ns / 1000000000n), Number(ns % 1000000000n)]
  }, { bigint: () => BigInt(Math.round(call("monotonic") * 1e6)) }),
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  cpuUsage: () => ({ user: Math.round(call("monotonic") * 1000), system: 0 }),
  getuid: () => 1000, getgid: () => 1000,
  emitWarning: (warning) => console.error("(node) Warning: " + (warning.message ?? warning)),
  stdout: standardOutput(1), stderr: standardOutput(2), stdin: new StandardInput(),
})
`
