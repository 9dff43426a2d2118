/**
 * Calls a listener when this program is about to end: normally, by `process.exit`, by an uncaught error, or by a signal
 * that the program does not handle, which is then sent again.
 *
 * Source: Node.js documentation, "Process events" and "Signal events"; Deno documentation, "Deno.addSignalListener";
 * signal(7), proc_pid_status(5).
 */
import { type DenoApi, denoApi } from "../../../host/runtimes/denoApi.ts"
import { type NodeProcess, nodeProcess } from "../../../host/nodeProcess.ts"

const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

type EndSignal = typeof endSignals[number]

const signalBits: Readonly<Record<EndSignal, number>> = { SIGHUP: 0x1, SIGINT: 0x2, SIGTERM: 0x4000 }

type Listener = () => void

interface DenoEvent {
  readonly defaultPrevented: boolean
}

type DenoEventName = "unload" | "error" | "unhandledrejection"

interface DenoEvents {
  readonly addEventListener: (event: DenoEventName, listener: (event: DenoEvent) => void) => void
  readonly removeEventListener: (event: DenoEventName, listener: (event: DenoEvent) => void) => void
}

const isEventTarget = (u: unknown): u is DenoEvents => typeof u === "object" && u !== null && "addEventListener" in u

/**
 * Listens on Node and Bun. A signal with a listener of the program is left to the program; if it then ends, the `exit` event
 * occurs.
 */
const onNode = (process: NodeProcess, end: Listener): Listener => {
  const listeners = endSignals.map((signal) => {
    const listener = (): void => {
      if (process.listenerCount(signal) > 1) return
      end()
      remove()
      // Repeats the signal without the listener, so that the parent process sees what ended this program.
      process.kill(process.pid, signal)
    }
    return [signal, listener] as const
  })
  const remove = (): void => {
    process.off("exit", end)
    for (const [signal, listener] of listeners) process.off(signal, listener)
  }
  process.on("exit", end)
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return remove
}

/** Signals with a listener of the program. Deno does not expose them; the system does, until this module listens too. */
let caughtSignals: ReadonlySet<EndSignal> | undefined

const readCaughtSignals = (deno: DenoApi): ReadonlySet<EndSignal> => {
  try {
    const mask = /^SigCgt:\s*\w*(\w{8})$/m.exec(deno.readTextFileSync("/proc/self/status"))?.[1] ?? "0"
    return new Set(endSignals.filter((signal) => (parseInt(mask, 16) & signalBits[signal]) !== 0))
  } catch {
    // Not Linux, or no permission.
    return new Set()
  }
}

const onDeno = (deno: DenoApi, events: DenoEvents, end: Listener): Listener => {
  caughtSignals ??= readCaughtSignals(deno)
  const added: Array<readonly [EndSignal, Listener]> = []
  const onError = ({ defaultPrevented }: DenoEvent): void => {
    if (!defaultPrevented) end()
  }
  const remove = (): void => {
    events.removeEventListener("unload", end)
    events.removeEventListener("error", onError)
    events.removeEventListener("unhandledrejection", onError)
    for (const [signal, listener] of added) deno.removeSignalListener(signal, listener)
  }
  // Deno has no `exit` event for an uncaught error.
  events.addEventListener("unload", end)
  events.addEventListener("error", onError)
  events.addEventListener("unhandledrejection", onError)
  for (const signal of endSignals) {
    if (caughtSignals.has(signal)) continue
    const listener = (): void => {
      if ((nodeProcess()?.listenerCount(signal) ?? 0) > 0) return
      end()
      remove()
      deno.kill(deno.pid, signal)
    }
    try {
      deno.addSignalListener(signal, listener)
      added.push([signal, listener])
    } catch {
      // Windows lacks some of the signals.
    }
  }
  return remove
}

/** Calls `end`, which must be synchronous, before this program ends. Returns a function that stops listening. */
export const listenForExit = (end: Listener): Listener => {
  const deno = denoApi()
  if (deno !== undefined && isEventTarget(globalThis)) return onDeno(deno, globalThis, end)
  const process = nodeProcess()
  return process === undefined ? () => {} : onNode(process, end)
}
