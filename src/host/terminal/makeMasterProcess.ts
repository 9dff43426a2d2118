/**
 * Makes the process of a terminal from the descriptor of its master: reads on demand, and writes without blocking the event
 * loop.
 *
 * The streams of the engines are not used, because they are destroyed together with unread output when the process
 * exits or soon after.
 */
import type { TerminalSize } from "../../command/Terminal.ts"
import { nodeReader } from "../runtimes/byteReaders.ts"
import { ExitState, exitStatusOf } from "../ExitState.ts"
import type { Host, HostProcess } from "../Host.ts"
import { nodeProcess } from "../nodeProcess.ts"
import { awaitExec } from "./awaitExec.ts"
import { denoDescriptors } from "./libc.ts"
import { makeMasterWriter } from "./makeMasterWriter.ts"
import { addMaster } from "./openMasters.ts"

/** A started process, as an engine has it. */
export interface Master {
  readonly fd: number
  readonly pid: number
  readonly resize: (size: TerminalSize) => void
}

/**
 * Makes writes non-blocking, since not every engine and runtime sets the descriptor so. On Node only libuv's handle can
 * do it.
 */
const setNonBlocking = (stream: object): void => {
  const handle: unknown = Reflect.get(stream, "_handle")
  if (typeof handle !== "object" || handle === null || !("setBlocking" in handle)) return
  if (typeof handle.setBlocking === "function") handle.setBlocking(false)
}

/**
 * Reads the rest of a terminal's output at its end. Node 22 treats a short read after a hang-up as the end, and a
 * terminal returns at most 4 KiB at a time. Never waits: a terminal without programs answers EIO.
 */
const readRest = function* (fs: typeof import("node:fs"), fd: number): Generator<Uint8Array> {
  for (;;) {
    const buffer = new Uint8Array(65_536)
    let count: number
    try {
      count = fs.readSync(fd, buffer)
    } catch {
      return
    }
    if (count === 0) return
    yield buffer.subarray(0, count)
  }
}

/** Makes the process, once it executes its program. `onExit` of the engine gets the exit code and the number of the signal. */
export const makeMasterProcess = async (
  host: Host,
  start: (onExit: (exitCode: number, signal: number) => void) => Master,
): Promise<HostProcess> => {
  const tty = nodeProcess()?.getBuiltinModule("node:tty")
  const fs = nodeProcess()?.getBuiltinModule("node:fs")
  if (tty === undefined || fs === undefined) throw new Error("this runtime has no node:tty, which terminals need")
  const exit = new ExitState()
  let close: (() => void) | undefined
  const { fd, pid, resize } = start((exitCode, number) => {
    exit.settle(exitStatusOf(exitCode, number, host.os))
    close?.()
  })
  // It reads nothing ahead of the consumer (its mark is 0): the error at the end of a terminal, EIO, destroys the stream
  // together with its buffer.
  const stream = new tty.ReadStream(fd)
  setNonBlocking(stream)
  let isAtEnd = false
  const push = stream.push.bind(stream)
  stream.push = (chunk: unknown, encoding) => {
    if (chunk === null) {
      for (const rest of readRest(fs, fd)) push(rest)
      isAtEnd = true
    }
    return push(chunk, encoding)
  }
  // A program may close its terminal, which ends the stream (by EIO, or on Node 22 without), and would be hung up before it
  // ends.
  const destroy = stream._destroy.bind(stream)
  stream._destroy = (error, done) => {
    if (!exit.hasEnded && (error !== null || isAtEnd)) close = () => destroy(error, done)
    else destroy(error, done)
  }
  if (denoDescriptors()?.closeOnExec(fd) !== true) stream.on("close", addMaster(fd, stream))
  await awaitExec(host, pid, () => exit.hasEnded)
  const isOver = (): boolean => stream.destroyed
  return {
    pid,
    stdout: nodeReader(stream),
    stderr: undefined,
    stdin: makeMasterWriter(fd, isOver),
    onExit: exit.onExit,
    kill: (signal) => {
      if (!exit.hasEnded) host.signal?.(pid, signal)
    },
    setRef: (ref) => ref ? stream.ref() : stream.unref(),
    resize: (size) => {
      if (!isOver()) resize(size)
    },
  }
}
