/** Sets the globals, loads CommonJS modules, and serves what the host calls back. It runs in the engine, with the names of the files before it. */
export const dispatchSource: string = String.raw`
const loaded = Object.create(null)
const missing = (name, from) => codedError(Error, "MODULE_NOT_FOUND", "Cannot find module '" + name + "'" + (/^[./]/.test(name) ? " from " + from : "; js-exec has files by their path, and " + Object.keys(builtins).join(", ")))
const builtinOf = (name) => {
  const bare = name.replace(/^node:/, "")
  return Object.hasOwn(builtins, bare) ? builtins[bare] : undefined
}
const resolveFile = (name) => {
  const names = [name, name + ".js", name + ".json", name + ".cjs", name + ".mjs", name + "/index.js"]
  return names.find((found) => typeAt(found) === 4 || typeAt(found) === 0)
}
const makeRequire = (from) => {
  const resolve = (name) => {
    if (builtinOf(name) !== undefined) return name
    const found = /^\.{0,2}\//.test(name) || name === "." || name === ".." ? resolveFile(path.resolve(path.dirname(from), name)) : undefined
    if (found === undefined) throw missing(name, from)
    return fs.realpathSync(found)
  }
  return Object.assign((name) => {
    const found = resolve(pathText(name, "id"))
    return builtinOf(found) ?? loadFile(found).exports
  }, { resolve, cache: loaded, main: mainModule })
}
let mainModule
const makeModule = (filename) => ({ exports: {}, filename, id: filename, loaded: false, path: path.dirname(filename), paths: [], children: [] })
const runFile = (module, compiled) => {
  compiled.call(module.exports, module.exports, makeRequire(module.filename), module, module.filename, module.path)
  module.loaded = true
  return module
}
const loadFile = (filename) => {
  if (loaded[filename] !== undefined) return loaded[filename]
  const module = loaded[filename] = makeModule(filename)
  try {
    const text = fs.readFileSync(filename, "utf8")
    if (filename.endsWith(".json")) module.exports = JSON.parse(text.replace(/^\ufeff/, ""))
    else {
      if (call("isModule", filename, text)) throw codedError(Error, "ERR_REQUIRE_ESM", "require() of the ES module " + filename + " is not there; import it")
      runFile(module, call("compile", filename, text))
    }
    return module
  } catch (error) {
    delete loaded[filename]
    throw error
  }
}
const define = (target, properties) => {
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
}
define(globalThis, {
  AbortController, AbortSignal, Buffer, Event, EventTarget, Headers, Request, Response, TextDecoder, TextEncoder, URL, URLSearchParams,
  clearImmediate: clearTimeout, clearInterval: clearTimeout, clearTimeout, console, crypto, fetch, global: globalThis, process, queueMicrotask,
  setImmediate, setInterval, setTimeout, structuredClone: (value) => structuredClone(value),
})
Object.defineProperty(globalThis, Symbol.for("js-exec.load"), { value: (name) => builtinOf(name) ?? loadFile(name).exports })
const report = (error) => {
  if (process.emit("uncaughtException", error, "uncaughtException")) return true
  writeText(2, "Uncaught " + (error instanceof Error ? inspect(error) : "'" + (typeof error === "string" ? error : inspect(error)) + "'").replace(/^'(.*)'$/s, "$1") + "\n")
  return false
}
const handlers = {
  names: (name) => JSON.stringify(Object.keys(builtinOf(name) ?? {}).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key))),
  builtins: () => JSON.stringify(Object.keys(builtins)),
  run: (filename, compiled) => {
    const module = loaded[filename] = mainModule = makeModule(filename)
    runFile(module, compiled)
  },
  script: (filename) => {
    const module = mainModule = makeModule(filename)
    define(globalThis, { require: makeRequire(filename), module, exports: module.exports, __filename: filename, __dirname: "." })
    // As node does for -e and -p.
    for (const [name, value] of Object.entries(builtins)) if (isIdentifier(name) && !(name in globalThis)) define(globalThis, { [name]: value })
  },
  print: (value) => console.log(value),
  timer: (id) => {
    const task = tasks.get(id)
    if (task === undefined) return
    if (!task.repeats) tasks.delete(id)
    task.callback(...task.args)
  },
  resolve: (id, ...values) => {
    waiting.get(id)?.resolve(values.length === 1 ? values[0] : values)
    waiting.delete(id)
  },
  reject: (id, message) => {
    waiting.get(id)?.reject(new HostFailure(message))
    waiting.delete(id)
  },
  report,
  finish: () => {
    process.emit("exit", Number(process.exitCode ?? 0))
    return Number(process.exitCode ?? 0)
  },
  beforeExit: () => void process.emit("beforeExit", Number(process.exitCode ?? 0)),
}
return (event, ...args) => handlers[event](...args)
`
