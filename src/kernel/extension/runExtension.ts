/** Runs a function of the host in a process of the kernel. */
import { Errno, errnoText } from "../Errno.ts"
import type { Extension, ExtensionContext } from "../process/Extension.ts"
import { processKilled } from "../process/ProcessKilledError.ts"
import type { Process } from "../process/Process.ts"
import { isAwaitedAtClose } from "./awaitedExtensions.ts"
import { callExtension, type ExtensionCall } from "./callExtension.ts"
import { makeExtensionCommands } from "./ExtensionCommands.ts"
import { makeExtensionFiles } from "./ExtensionFiles.ts"
import { type ExtensionProcess, hostCall } from "./hostCall.ts"

const pieceBytes = 65_536

const stdinOf = (at: ExtensionProcess): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const { process } = at
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const into = new Uint8Array(pieceBytes)
        const count = await hostCall(at, () => process.read(0, into))
        if (count > 0) controller.enqueue(into.subarray(0, count))
        else if (count === 0 || count === -Errno.EBADF) controller.close()
        else controller.error(new Error(`stdin: ${errnoText(count)}`))
      } catch (cause) {
        controller.error(cause)
      }
    },
    cancel: () => {
      if (process.status === undefined) process.close(0)
    },
  }, { highWaterMark: 0 })
}

/** Default maximum bytes that `readStdin` reads. */
const maxStdinBytes = 67_108_864

/** Reads a stream as text; more than the limit is an error. */
const readText = async (stdin: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const reader = stdin.getReader()
  let left = maxBytes
  let text = ""
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    left -= next.value.length
    if (left < 0) {
      await reader.cancel()
      throw new Error(`stdin is longer than ${maxBytes} bytes`)
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}

/** The context of a call from a process, without the outputs. */
export const contextOf = (
  at: ExtensionProcess,
  name: string,
  env: Readonly<Record<string, string>>,
  stdin: ReadableStream<Uint8Array>,
): Omit<ExtensionContext, "stdout" | "stderr"> => ({
  name,
  env,
  cwd: at.cwd,
  signal: at.signal,
  files: makeExtensionFiles(at),
  readStdin: ({ maxBytes = maxStdinBytes } = {}) => hostCall(at, () => readText(stdin, maxBytes)),
  ...makeExtensionCommands(at),
})

/** Calls an extension until the process ends; the kernel waits longer for the finalizers of an Effect. */
export const callFromProcess = (
  process: Process,
  extension: Extension,
  call: Omit<ExtensionCall, "onStart" | "until">,
): Promise<number> => {
  const work: Array<Promise<unknown>> = []
  const called = callExtension(extension, {
    ...call,
    until: (promise) => process.until(promise),
    onStart: (promise) => void work.push(promise),
  })
  if (isAwaitedAtClose(extension)) {
    process.awaitAtClose(Promise.allSettled([called]).then(() => Promise.allSettled(work)))
  }
  return called
}

export const runExtension = async (name: string, extension: Extension, process: Process): Promise<number> => {
  if (process.status !== undefined) throw processKilled
  const aborted = new AbortController()
  process.onEnd.push(() => aborted.abort())
  const at: ExtensionProcess = { process, cwd: process.cwd, signal: aborted.signal }
  const stdin = stdinOf(at)
  return await callFromProcess(process, extension, {
    name,
    args: process.args.slice(1),
    stdin,
    context: contextOf(at, name, Object.fromEntries(process.env), stdin),
    write: (fd, bytes) => process.writeAll(fd, bytes),
  })
}
