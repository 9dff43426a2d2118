/**
 * Writes to the master of a terminal without blocking the event loop.
 *
 * It retries after some milliseconds, because polling does not always report that a full terminal has room again on Linux
 * (seen with Bun's own writer and with select(2), in raw mode).
 */
import { readErrorCode } from "../../base/readErrorCode.ts"
import type { ByteWriter } from "../../shell/SpawnedProcess.ts"
import { nodeProcess } from "../nodeProcess.ts"
import { denoDescriptors } from "./libc.ts"
import { endOfInput } from "./TerminalEngine.ts"

const maxMillis = 32

/** Waits 1, 2, 4 … 32 ms. */
const waitRetry = (tries: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.min(2 ** (tries - 1), maxMillis))
  })

/** Writes as many bytes as the terminal accepts, and returns their number: 0 when it is full, `undefined` when it is gone. */
type WriteSome = (bytes: Uint8Array) => number | undefined

/** Maximum bytes that a terminal takes at once (N_TTY_BUF_SIZE). */
const maxWriteBytes = 4_096

const writerOf = (fd: number): WriteSome => {
  const deno = denoDescriptors()
  if (deno !== undefined) return (bytes) => Math.max(0, deno.write(fd, bytes))
  const fs = nodeProcess()?.getBuiltinModule("node:fs")
  return (bytes) => {
    try {
      // Synchronous, because the descriptor does not block, and may not be closed while the write is under way.
      return fs?.writeSync(fd, bytes)
    } catch (error) {
      return readErrorCode(error) === "EAGAIN" ? 0 : undefined
    }
  }
}

/** Makes a writer. `isOver`: whether the descriptor is closed, and perhaps another file's. */
export const makeMasterWriter = (fd: number, isOver: () => boolean): ByteWriter => {
  const writeSome = writerOf(fd)
  let ended = false
  const write = async (bytes: Uint8Array): Promise<boolean> => {
    for (let offset = 0, tries = 0; offset < bytes.length;) {
      const written = isOver() ? undefined : writeSome(bytes.subarray(offset, offset + maxWriteBytes))
      if (written === undefined) return false
      offset += written
      tries = written > 0 ? 0 : tries + 1
      if (tries > 0) await waitRetry(tries)
    }
    return true
  }
  return {
    write: (bytes) => ended ? Promise.resolve(false) : write(bytes),
    end: async () => {
      if (ended) return
      ended = true
      await write(endOfInput)
    },
  }
}
