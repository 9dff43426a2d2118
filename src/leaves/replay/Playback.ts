/**
 * What a recording becomes for whoever asked: chunks of text, the whole text at the end, or bytes.
 *
 * @module
 */
import type { EpochMillis, OutputStream, ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import type { PartialOutput } from "../../command/ShellFault.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { RunPlayer } from "../../compute/RunPlayer.ts"
import type { ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"
import { defaultMaxOutputBytes, makeCollectSink } from "../../shell/OutputSink.ts"
import type { ShellBytes } from "../../shell/ShellService.ts"
import { textDecoder } from "./asText.ts"

const encoder = new TextEncoder()

/** Something that was read at a time. */
export interface Piece<Element> {
  readonly at: EpochMillis
  readonly stream: OutputStream
  /** What the consumer gets; nothing of a command whose output comes whole. */
  readonly element: Element | undefined
  /** The same as bytes; text as UTF-8. */
  readonly bytes: () => Uint8Array
}

/** The output of one run, on its way to who asked. */
export interface Playback<Element> {
  readonly pieces: (entry: ShellOutputChunks) => ReadonlyArray<Piece<Element>>
  /** The event that ends the run, with the output that belongs to it. */
  readonly end: (last: ShellOutput | ShellFault) => ShellOutput | ShellFault
}

/** A fault with some of its fields as they are for who asked. */
export const faultWith = (
  fault: ShellFault,
  fields: Partial<PartialOutput> & { readonly commandId?: string },
): ShellFault => {
  // `message` is no enumerable property of an error: a spread does not bring it.
  const { exception, executable, message, ...rest } = fault
  return new ShellFault({
    ...rest,
    message,
    ...(exception === undefined ? undefined : { exception }),
    ...(executable === undefined ? undefined : { executable }),
    ...fields,
  })
}

const inChunks = (exec: ShellExec, encoding: string | undefined): Playback<ShellOutputChunk> => {
  const player = new RunPlayer(exec)
  const decode = textDecoder(encoding)
  return {
    pieces: (entry) =>
      player.chunks(decode(entry)).map((element) => ({
        at: element.timestamp,
        stream: element.stream,
        element,
        bytes: () => encoder.encode(element.content),
      })),
    end: (last) => player.end(last),
  }
}

/** The whole of a run that was recorded in pieces, within the budget of who asked. */
const collected = (exec: ShellExec, encoding: string | undefined): Playback<ShellOutputChunk> => {
  const { encoding: _, ...inUtf8 } = exec
  const sink = makeCollectSink(new ShellExec(inUtf8))
  const decode = textDecoder(encoding)
  return {
    pieces: (entry) =>
      decode(entry).chunks.map(({ content = "", stream, timestamp }) => {
        const bytes = encoder.encode(content)
        sink.bytes(stream, bytes, [])
        return { at: timestamp, stream, element: undefined, bytes: () => bytes }
      }),
    end: (last) => {
      const { stderr, stderrBytesOmitted, stdout, stdoutBytesOmitted } = sink.whole()
      const kept = {
        stdout,
        stderr,
        stdoutBytesOmitted: last.stdoutBytesOmitted + stdoutBytesOmitted,
        stderrBytesOmitted: last.stderrBytesOmitted + stderrBytesOmitted,
      }
      return last._tag === "ShellFault" ? faultWith(last, kept) : { ...last, ...kept }
    },
  }
}

const budgetOf = ({ maxOutputBytes = defaultMaxOutputBytes }: ShellExec): number => maxOutputBytes

/** For a consumer of text. */
export const textPlayback = (exec: ShellExec, recorded: ShellExec): Playback<ShellOutputChunk> => {
  const { encoding } = recorded
  // What was recorded whole is within its budget already, and says itself what was left out.
  const fits = !recorded.streamOutput && budgetOf(exec) >= budgetOf(recorded)
  return exec.streamOutput || fits ? inChunks(exec, encoding) : collected(exec, encoding)
}

/** For a consumer of bytes. */
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
    end: (last) =>
      last._tag === "ShellFault" ? faultWith(last, { stdout: "", stderr: "" }) : { ...last, stdout: "", stderr: "" },
  }
}
