/** Converts recorded output to what a caller requested: chunks of text, the whole text at the end, or bytes. */
import type { EpochMillis, OutputStream, ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import { type RunEnd, withOutput } from "../../compute/RunEnd.ts"
import { RunPlayer } from "../../compute/RunPlayer.ts"
import type { ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"
import { defaultMaxOutputBytes, makeCollectSink } from "../../shell/OutputSink.ts"
import type { ShellBytes } from "../../shell/ShellService.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import { makeTextDecoder } from "./makeTextDecoder.ts"

export interface RecordedPiece<Element> {
  readonly at: EpochMillis
  readonly stream: OutputStream
  /** The event that the consumer gets; `undefined` when its output comes whole at the end. */
  readonly element: Element | undefined
  /** The piece as bytes; text as UTF-8. */
  readonly bytes: () => Uint8Array
}

export interface Playback<Element> {
  readonly pieces: (entry: ShellOutputChunks) => ReadonlyArray<RecordedPiece<Element>>
  readonly end: (last: RunEnd) => ShellOutput | ShellFault
}

const playInChunks = (exec: ShellExec, encoding: string | undefined): Playback<ShellOutputChunk> => {
  const player = new RunPlayer(exec)
  const decode = makeTextDecoder(encoding)
  return {
    pieces: (entry) =>
      player.chunks(decode(entry)).map((element) => ({
        at: element.timestamp,
        stream: element.stream,
        element,
        bytes: () => encodeUtf8(element.content),
      })),
    end: (last) => player.end(last),
  }
}

/** Joins output that was recorded in pieces, within the caller's budget. */
const playWhole = (exec: ShellExec, encoding: string | undefined): Playback<ShellOutputChunk> => {
  const { encoding: _, ...inUtf8 } = exec
  const sink = makeCollectSink(new ShellExec(inUtf8))
  const decode = makeTextDecoder(encoding)
  return {
    pieces: (entry) =>
      decode(entry).chunks.map(({ content = "", stream, timestamp }) => {
        const bytes = encodeUtf8(content)
        sink.bytes(stream, bytes, [])
        return { at: timestamp, stream, element: undefined, bytes: () => bytes }
      }),
    end: (last) => {
      const { stderr, stderrBytesOmitted, stdout, stdoutBytesOmitted } = sink.whole()
      return withOutput(last, {
        stdout,
        stderr,
        stdoutBytesOmitted: last.stdoutBytesOmitted + stdoutBytesOmitted,
        stderrBytesOmitted: last.stderrBytesOmitted + stderrBytesOmitted,
      })
    },
  }
}

const budgetOf = ({ maxOutputBytes = defaultMaxOutputBytes }: ShellExec): number => maxOutputBytes

export const textPlayback = (exec: ShellExec, recorded: ShellExec): Playback<ShellOutputChunk> => {
  const { encoding } = recorded
  // Output that was recorded whole is already within its budget, and its last event has the omitted sizes.
  const fits = !recorded.streamOutput && budgetOf(exec) >= budgetOf(recorded)
  return exec.streamOutput || fits ? playInChunks(exec, encoding) : playWhole(exec, encoding)
}

export const bytePlayback = (exec: ShellExec): Playback<ShellBytes> => {
  const player = new RunPlayer(exec)
  return {
    pieces: (entry) =>
      player.bytes(entry).map((element, index) => ({
        at: entry.chunks[index]?.timestamp ?? 0,
        stream: element.stream,
        element,
        bytes: () => element.bytes,
      })),
    end: (last) => withOutput(last, { stdout: "", stderr: "" }),
  }
}
