/**
 * Contains the program of the worker thread, as text.
 *
 * @module
 */
import type { StartMessage, WorkerMessage } from "./channel.ts"

/**
 * Runs a program whose imports ask the kernel. It goes over to the worker as text, so that no bundler, registry or
 * installation has to know of a second file: it may use nothing but its parameters and what every worker has, and name no
 * function, as bundlers that keep names wrap those in a helper of theirs.
 */
const runProgram = (begin: StartMessage, say: (what: WorkerMessage) => void): void => {
  const { channel, functions, memories, module, words } = begin
  const shared = new Int32Array(channel.buffer)
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {}
  functions.forEach(([namespace, name], place) => {
    const functions = imports[namespace] ??= {}
    functions[name] = (...args: ReadonlyArray<number | bigint>): number => {
      Atomics.store(shared, words.answered, 0)
      if (Atomics.load(shared, words.stop) === 0) {
        say([place, ...args])
        // The knock that belongs to the last answer may come after it was seen: only the word counts.
        while (Atomics.load(shared, words.answered) === 0) Atomics.wait(shared, words.answered, 0)
      }
      // The program traps at the next loop or call if it catches this.
      if (Atomics.load(shared, words.stop) !== 0) throw new Error("stopped")
      return Atomics.load(shared, words.answer)
    }
  })
  for (const [namespace, name, memory] of memories) (imports[namespace] ??= {})[name] = memory
  try {
    const { exports } = new WebAssembly.Instance(module, imports)
    const entries = ["_initialize", "_start"].flatMap((name) => {
      const entry = exports[name]
      return typeof entry === "function" ? [entry] : []
    })
    if (entries.length === 0) throw new WebAssembly.LinkError("the program exports no _start")
    for (const entry of entries) Reflect.apply(entry, undefined, [])
    say({ done: true })
  } catch (cause) {
    if (Atomics.load(shared, words.stop) !== 0) return
    const { message, name } = cause instanceof Error ? cause : { message: String(cause), name: "Error" }
    say({ fault: { name, message } })
  }
}

const run = `const run=${runProgram};`

/** For a worker of the web, which Deno, Bun and browsers have. */
export const webScript: string = `${run}onmessage=({data})=>{onmessage=null;run(data,(what)=>postMessage(what))}`

/** For Node's. */
export const nodeScript: string =
  `${run}const{parentPort:port}=require("node:worker_threads");port.once("message",(begin)=>run(begin,(what)=>port.postMessage(what)))`
