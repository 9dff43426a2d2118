/** Contains the source text of the worker thread that runs isolated WASM programs. */
import type { StartMessage, WorkerMessage } from "./channel.ts"

/**
 * Runs a program whose imports call the kernel. It is sent to the worker as text, so that no bundler or registry has to
 * handle a second file. It may use only its parameters and globals of workers, and must not declare named functions:
 * bundlers that keep names wrap those in a helper.
 */
const runProgram = (start: StartMessage, send: (message: WorkerMessage) => void): void => {
  const { channel, functions, memories, module, words } = start
  const shared = new Int32Array(channel.buffer)
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {}
  functions.forEach(([namespace, name], place) => {
    const functions = imports[namespace] ??= {}
    functions[name] = (...args: ReadonlyArray<number | bigint>): number => {
      Atomics.store(shared, words.answered, 0)
      if (Atomics.load(shared, words.stop) === 0) {
        send([place, ...args])
        // The notification of the previous result may arrive late: only the word counts.
        while (Atomics.load(shared, words.answered) === 0) Atomics.wait(shared, words.answered, 0)
      }
      // If the program catches this, it traps at the next stop check.
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
    send({ done: true })
  } catch (cause) {
    if (Atomics.load(shared, words.stop) !== 0) return
    const { message, name } = cause instanceof Error ? cause : { message: String(cause), name: "Error" }
    send({ fault: { name, message } })
  }
}

const run = `const run=${runProgram};`

/** The script of web workers, for Deno, Bun and browsers. */
export const webScript: string = `${run}onmessage=({data})=>{onmessage=null;run(data,(message)=>postMessage(message))}`

export const nodeScript: string =
  `${run}const{parentPort:port}=require("node:worker_threads");port.once("message",(start)=>run(start,(message)=>port.postMessage(message)))`
