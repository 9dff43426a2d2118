/**
 * Finds the worker threads of the host, web workers or `node:worker_threads`, starts and terminates them, passes
 * messages, and reports when one fails. They are looked up on demand; nothing of the host is imported.
 */
import type * as NodeWorkers from "node:worker_threads"
import { errorMessage } from "../../base/errorMessage.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { isWorkerd } from "../process/isWorkerd.ts"
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
  /** The worker has sent a message. */
  readonly message: (data: unknown) => void
  /** The worker has failed, or ended without being terminated. */
  readonly broken: (why: string) => void
}

/**
 * Starts a worker that waits for its first message.
 *
 * @stability stable
 */
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
    // Without this, Deno reports the failure as an error of this thread.
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

type NodeWorkerClass = typeof NodeWorkers.Worker

const nodeWorkerClass = (): NodeWorkerClass | undefined =>
  // workerd has Node's class, but cannot start workers.
  isWorkerd ? undefined : nodeBuiltins()?.getBuiltinModule("node:worker_threads")?.Worker

const nodeWorker = (Worker: NodeWorkerClass): MakeWorker => (events) => {
  const worker = new Worker(nodeScript, { eval: true, execArgv: [] })
  worker.on("message", events.message)
  worker.on("error", (cause) => events.broken(errorMessage(cause)))
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
