/**
 * Starts worker threads of the host: web workers, or `node:worker_threads`. They are looked up when they are needed;
 * nothing of the host is imported.
 *
 * @module
 */
import { isWorkerd } from "../process/workerd.ts"
import { nodeScript, webScript } from "./workerScript.ts"

/** A running worker. */
export interface WorkerHandle {
  /** Sends a message to it. */
  readonly post: (message: unknown) => void
  /** Terminates it. On some runtimes a computation continues until its next stop check. */
  readonly terminate: () => void
}

/** The events of a worker. */
export interface WorkerEvents {
  /** It has sent a message. */
  readonly message: (data: unknown) => void
  /** It has failed, or ended without being terminated. */
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
    // Otherwise Deno reports it as an error of this thread.
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

/** The part of Node's workers that is used. */
interface NodeWorker {
  on(event: "message" | "error" | "exit", listener: (value: unknown) => void): unknown
  postMessage(message: unknown): void
  terminate(): unknown
}

type NodeWorkerClass = new (script: string, options: { eval: true; execArgv: [] }) => NodeWorker

const isNodeWorkerClass = (value: unknown): value is NodeWorkerClass => typeof value === "function"

const nodeWorkerClass = (): NodeWorkerClass | undefined => {
  // workerd has Node's class, but cannot start workers.
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

/** Returns the function that makes workers of this host; `undefined` without workers or shared memory. */
export const hostWorkers = (): MakeWorker | undefined => {
  // Browsers share memory only with cross-origin isolated pages (COOP and COEP).
  if (typeof SharedArrayBuffer !== "function") return undefined
  if (typeof Worker === "function" && typeof URL.createObjectURL === "function") return webWorker
  const found = nodeWorkerClass()
  return found && nodeWorker(found)
}
