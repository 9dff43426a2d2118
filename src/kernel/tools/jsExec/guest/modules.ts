/** Implements `require` and the modules of Node that are small. It runs in the engine, with the names of the files before it. */
export const modulesSource: string = String.raw`
const promisify = (run) => run[promisify.custom] ?? (run === setTimeout ? (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value))
  : (...args) => new Promise((resolve, reject) => run(...args, (error, value) => error ? reject(error) : resolve(value))))
promisify.custom = Symbol.for("nodejs.util.promisify.custom")
const isDeepEqual = (a, b, isStrict, seen = new Map()) => {
  if (isStrict ? Object.is(a, b) : a == b || Number.isNaN(a) && Number.isNaN(b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || tagOf(a) !== tagOf(b)) return false
  if (seen.get(a) === b) return true
  seen.set(a, b)
  const same = (x, y) => isDeepEqual(x, y, isStrict, seen)
  if (a instanceof Date) return a.getTime() === b.getTime()
  if (a instanceof RegExp) return String(a) === String(b)
  if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false
  if (a instanceof Map) return a.size === b.size && [...a].every(([key, value]) => b.has(key) ? same(value, b.get(key)) : [...b].some(([other, found]) => same(key, other) && same(value, found)))
  if (a instanceof Set) return a.size === b.size && [...a].every((value) => b.has(value) || [...b].some((other) => same(value, other)))
  if (typeof a.valueOf() !== "object" && !same(a.valueOf(), b.valueOf())) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && (!Array.isArray(a) || a.length === b.length) && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
}
class AssertionError extends Error {
  name = "AssertionError"
  code = "ERR_ASSERTION"
  constructor({ actual, expected, message, operator }) {
    super(message)
    Object.assign(this, { generatedMessage: false, actual, expected, operator })
  }
}
const assertThat = (isTrue, given, message, operator, actual, expected) => {
  if (isTrue) return
  if (given instanceof Error) throw given
  throw new AssertionError({ message: given ?? message, operator, actual, expected })
}
const pair = (text, a, b) => text + "\n\n" + inspect(a) + " !== " + inspect(b) + "\n"
const matches = (error, expected) => expected === undefined || (expected instanceof RegExp ? expected.test(String(error))
  : typeof expected === "function" ? expected.prototype !== undefined && error instanceof expected || Error.isPrototypeOf(expected) === false && expected !== Error && expected.call({}, error) === true
  : Object.keys(expected).every((key) => expected[key] instanceof RegExp && typeof error[key] === "string" ? expected[key].test(error[key]) : isDeepEqual(error[key], expected[key], true)))
const assert = Object.assign((value, message) => assertThat(value, message, "The expression evaluated to a falsy value", "==", value, true), {
  AssertionError,
  ok: (value, message) => assert(value, message),
  fail: (message = "Failed") => assertThat(false, message, "", "fail"),
  equal: (a, b, message) => assertThat(a == b || Number.isNaN(a) && Number.isNaN(b), message, inspect(a) + " == " + inspect(b), "==", a, b),
  notEqual: (a, b, message) => assertThat(a != b, message, inspect(a) + " != " + inspect(b), "!=", a, b),
  strictEqual: (a, b, message) => assertThat(Object.is(a, b), message, pair("Expected values to be strictly equal:", a, b), "strictEqual", a, b),
  notStrictEqual: (a, b, message) => assertThat(!Object.is(a, b), message, 'Expected "actual" to be strictly unequal to: ' + inspect(b), "notStrictEqual", a, b),
  deepEqual: (a, b, message) => assertThat(isDeepEqual(a, b, false), message, pair("Expected values to be loosely deep-equal:", a, b), "deepEqual", a, b),
  deepStrictEqual: (a, b, message) => assertThat(isDeepEqual(a, b, true), message, pair("Expected values to be strictly deep-equal:", a, b), "deepStrictEqual", a, b),
  notDeepStrictEqual: (a, b, message) => assertThat(!isDeepEqual(a, b, true), message, 'Expected "actual" not to be strictly deep-equal to: ' + inspect(b), "notDeepStrictEqual", a, b),
  match: (text, pattern, message) => assertThat(pattern.test(text), message, "The input did not match the regular expression " + pattern + ". Input:\n\n" + inspect(text) + "\n", "match", text, pattern),
  doesNotMatch: (text, pattern, message) => assertThat(!pattern.test(text), message, "The input was expected to not match the regular expression " + pattern + ". Input:\n\n" + inspect(text) + "\n", "doesNotMatch", text, pattern),
  throws: (run, expected, message) => {
    try {
      run()
    } catch (error) {
      if (typeof expected !== "string" && !matches(error, expected)) throw error
      return
    }
    assertThat(false, typeof expected === "string" ? expected : message, "Missing expected exception.", "throws")
  },
  doesNotThrow: (run) => void run(),
  rejects: async (run, expected, message) => {
    try {
      await (typeof run === "function" ? run() : run)
    } catch (error) {
      if (typeof expected !== "string" && !matches(error, expected)) throw error
      return
    }
    assertThat(false, typeof expected === "string" ? expected : message, "Missing expected rejection.", "rejects")
  },
})
assert.strict = Object.assign((...args) => assert(...args), assert, { equal: assert.strictEqual, deepEqual: assert.deepStrictEqual, notEqual: assert.notStrictEqual })
const types = {}
for (const [name, Type] of Object.entries({ Date, Map, Promise, RegExp, Set, Uint8Array, WeakMap, WeakSet, ArrayBuffer, DataView })) types["is" + name] = (value) => value instanceof Type
const util = {
  inspect, format, promisify, types, isDeepStrictEqual: (a, b) => isDeepEqual(a, b, true), TextEncoder, TextDecoder,
  inherits: (Type, Parent) => void Object.setPrototypeOf(Type.prototype, Parent.prototype),
  deprecate: (run) => run,
  callbackify: (run) => (...args) => {
    const done = args.pop()
    run(...args).then((value) => done(null, value), done)
  },
  stripVTControlCharacters: (text) => text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, ""),
  isArray: Array.isArray,
}
const os = {
  EOL: "\n", platform: () => "linux", type: () => "Linux", arch: () => "wasm32", release: () => "sluice", hostname: () => "localhost",
  homedir: () => process.env.HOME ?? "/", tmpdir: () => process.env.TMPDIR ?? "/tmp", cpus: () => [], totalmem: () => 0, freemem: () => 0,
  uptime: () => process.uptime(), endianness: () => "LE", userInfo: () => ({ username: process.env.USER ?? "user", uid: 1000, gid: 1000, shell: "/bin/sh", homedir: os.homedir() }),
  availableParallelism: () => 1,
}
const timersPromises = {
  setTimeout: (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value)),
  setImmediate: (value) => new Promise((resolve) => setImmediate(resolve, value)),
}
const createInterface = ({ input }) => {
  const lines = async function* () {
    let rest = ""
    for await (const piece of input) {
      const found = (rest + (typeof piece === "string" ? piece : Buffer.from(piece).toString())).split(/\r?\n/)
      rest = found.pop()
      yield* found
    }
    if (rest !== "") yield rest
  }
  const reader = Object.assign(new EventEmitter(), { [Symbol.asyncIterator]: lines, close: () => void reader.emit("close") })
  const on = reader.on
  reader.on = (name, listener) => {
    on.call(reader, name, listener)
    if (name === "line") queueMicrotask(async () => {
      for await (const line of lines()) reader.emit("line", line)
      reader.emit("close")
    })
    return reader
  }
  return reader
}
const builtins = {
  assert, "assert/strict": assert.strict, buffer: { Buffer, atob, btoa, constants: { MAX_LENGTH: 2147483647, MAX_STRING_LENGTH: 1073741823 } }, console,
  crypto: { webcrypto: crypto, randomUUID: crypto.randomUUID, getRandomValues: crypto.getRandomValues, randomBytes: (size) => crypto.getRandomValues(Buffer.alloc(size)) },
  events: EventEmitter, fs, "fs/promises": fs.promises, os, path, "path/posix": path, process, readline: { createInterface },
  timers: { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval: clearTimeout, clearImmediate: clearTimeout },
  "timers/promises": timersPromises, url: { URL, URLSearchParams, fileURLToPath, pathToFileURL }, util,
}
`
