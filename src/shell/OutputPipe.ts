/** Tracks the state of one output pipe of a running command, ends it, and discards its rest. */
import type { OutputStream } from "../command/ShellEvent.ts"
import type { ByteReader, ByteWriter } from "./SpawnedProcess.ts"

/**
 * One output pipe. `idle`: no read was requested; `reading`: a read is under way; `ready`: bytes wait to be taken;
 * `sending`: they are being forwarded; `breaking`: the receiver is gone; `discarding`: the rest is read and dropped.
 */
export interface OutputPipe {
  readonly stream: OutputStream
  readonly reader: ByteReader
  /** The writer that receives the bytes instead of the sink. */
  readonly to: ByteWriter | undefined
  state: "idle" | "reading" | "ready" | "sending" | "breaking" | "discarding" | "ended"
  bytes: Uint8Array | undefined
  /** Time since which the sink holds back output of this stream; `Infinity` when it holds none. */
  heldSince: number
}

/** Makes the state of a pipe that has not been read yet. */
export const makeOutputPipe = (stream: OutputStream, reader: ByteReader, to?: ByteWriter): OutputPipe => ({
  stream,
  reader,
  to,
  state: "idle",
  bytes: undefined,
  heldSince: Infinity,
})

/** Ends a pipe once; `release` closes one that has not ended by itself. */
export const endPipe = (each: OutputPipe, release: boolean): void => {
  if (each.state === "ended") return
  each.state = "ended"
  if (release) each.reader.release()
  void each.to?.end()
}

/** Reads and drops output until the end, so that a process that is being ended is not stuck in a write. */
export const discardOutput = (each: OutputPipe): void => {
  each.bytes = undefined
  let more = true
  while (more) {
    more = false
    let sync = true
    each.reader.read((bytes) => {
      if (bytes === undefined) endPipe(each, false)
      else if (each.state === "discarding") {
        if (sync) more = true
        else discardOutput(each)
      }
    })
    sync = false
  }
}
