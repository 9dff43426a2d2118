/**
 * Starts worker threads of the host: web workers, or `node:worker_threads`. They are looked up when they are needed;
 * nothing of the host is imported.
 *
 * @module
 */
import { isWorkerd } from "../process/workerd.ts"
import { nodeScript, webScript } from "./workerScript.ts"

/** A thread of its own. */
export interface WorkerHandle {
  /** Sends it a message. */
  readonly post: (message: unknown) => void
  /** It answers nothing any more. What it computes may go on for as long as it does not look whether to stop. */
  readonly terminate: () => void
}

/** What a worker's owner hears of it. */
export interface WorkerEvents {
  /** It has sent one. */
  readonly message: (data: unknown) => void
  /** It is gone, or will be soon, and nobody has asked for that. */
  readonly broken: (why: string) => void
}

/** Starts a worker that waits for its first message. */
export type MakeWorker = (events: WorkerEvents) => WorkerHandle

const webWorker: MakeWorker = (events) => {
  const url = URL.createObjectURL(new Blob([webScript], { type: "text/javascript" }))
  const worker = new Worker(url, { type: "module" })
  let loaded = false
  const release = (): void => {
    if (!loaded) URL.revokeObjectURL(url)
    loaded = true
  }
  worker.onmessage = ({ data }) => {
    release()
    events.message(data)
  }
  worker.onerror = (event) => {
    release()
    // Otherwise Deno takes it for an error of this thread.
    event.preventDefault()
    events.broken(event.message)
  }
  worker.onmessageerror = () => events.broken("a message could not be read")
  return {
    post: (message) => worker.postMessage(message),
    terminate: () => {
      release()
      worker.terminate()
    },
  }
}

/** What is used of Node's workers. */
interface NodeWorker {
  on(event: "message" | "error" | "exit", listener: (value: unknown) => void): unknown
  postMessage(message: unknown): void
  terminate(): unknown
}

type NodeWorkerClass = new (script: string, options: { eval: true; execArgv: [] }) => NodeWorker

const isNodeWorkerClass = (value: unknown): value is NodeWorkerClass => typeof value === "function"

const nodeWorkerClass = (): NodeWorkerClass | undefined => {
  // Node's class is there by name, and makes none.
  if (isWorkerd) return undefined
  const process: unknown = Reflect.get(globalThis, "process")
  if (typeof process !== "object" || process === null) return undefined
  const getBuiltinModule: unknown = Reflect.get(process, "getBuiltinModule")
  if (typeof getBuiltinModule !== "function") return undefined
  const threads: unknown = Reflect.apply(getBuiltinModule, process, ["node:worker_threads"])
  const found: unknown = typeof threads === "object" && threads !== null ? Reflect.get(threads, "Worker") : undefined
  return isNodeWorkerClass(found) ? found : undefined
}

const nodeWorker = (Worker: NodeWorkerClass): MakeWorker => (events) => {
  const worker = new Worker(nodeScript, { eval: true, execArgv: [] })
  worker.on("message", events.message)
  worker.on("error", (cause) => events.broken(cause instanceof Error ? cause.message : String(cause)))
  worker.on("exit", () => events.broken("it has ended"))
  return { post: (message) => worker.postMessage(message), terminate: () => void worker.terminate() }
}

/** How this host makes workers; `undefined` where there are none, or no memory can be shared with them. */
export const hostWorkers = (): MakeWorker | undefined => {
  // Browsers share memory with pages only that are isolated from others (COOP and COEP).
  if (typeof SharedArrayBuffer !== "function") return undefined
  if (typeof Worker === "function" && typeof URL.createObjectURL === "function") return webWorker
  const found = nodeWorkerClass()
  return found && nodeWorker(found)
}
