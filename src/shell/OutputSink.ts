/** Converts the bytes of a command to chunks or raw bytes, and keeps output for its end or fault. */
import type * as Pull from "effect/Pull"
import type { OutputStream, ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/plain/ShellFault.ts"
import { noOutput } from "../command/PartialOutput.ts"
import type { PartialOutput } from "../command/PartialOutput.ts"
import type { Chunking } from "./Chunking.ts"
import type { KeptOutput } from "./HeadTailBuffer.ts"
import type { ShellBytes } from "./ShellService.ts"
import { TextBuffer } from "./TextBuffer.ts"
import { TextChunker } from "./TextChunker.ts"
import { TextTail } from "./TextTail.ts"

/** Elements of one pull of a command's output. The last element of the last pull is the end. */
export type Elements<Element> = readonly [Element | ShellOutput, ...Array<Element | ShellOutput>]

export type Next<Element> = Pull.Pull<Elements<Element>, ShellFault>

/** Consumes bytes and produces elements. */
export interface OutputSink<Element> {
  /** Whether elements stay valid when the next bytes are read. If not, the pump keeps the bytes of large reads. */
  readonly copies: boolean
  /** Takes bytes that were read; `bytes` must be copied to be kept. */
  readonly bytes: (stream: OutputStream, bytes: Uint8Array, out: Array<Element>) => void
  /** Whether output of a stream is held back, and must be flushed after {@link flushAfterMillis}. */
  readonly holds: (stream: OutputStream) => boolean
  readonly flushAfterMillis: number
  readonly flush: (stream: OutputStream, out: Array<Element>) => void
  /** Emits the rest when both pipes have ended. */
  readonly end: (out: Array<Element>) => void
  readonly partial: () => PartialOutput
  readonly whole: () => PartialOutput
}

/** Bytes of each stream that are kept by default: 64 MiB. */
export const defaultMaxOutputBytes = 67_108_864

/**
 * Text of each stream that is kept by default for the fault of a streamed command: 64 KiB. The consumer has received all of it;
 * a megabyte makes lines a fifth slower on Deno (10.1 against 12.3 M/s).
 */
const streamedTailLength = 65_536

/** The name of the encoding of a command's output, for the label that the command gives. */
export const encodingOf = ({ encoding }: ShellExec): string =>
  encoding === undefined ? "utf-8" : new TextDecoder(encoding).encoding

export const makeChunkSink = (
  exec: ShellExec,
  chunking: Chunking,
  nowMillis: () => number,
): OutputSink<ShellOutputChunk> => {
  const encoding = encodingOf(exec)
  const commandId = exec.commandId
  const tailLength = exec.maxOutputBytes ?? streamedTailLength
  let seq = 0
  const outputOf = (stream: OutputStream) => ({
    stream,
    bytes: 0,
    chunker: new TextChunker(chunking, encoding),
    tail: new TextTail(tailLength, encoding),
  })
  type Target = ReturnType<typeof outputOf>
  // Made when the first bytes arrive, so that a command that waits or writes nothing has none.
  const outputs: { [Name in OutputStream]?: Target } = {}
  const chunkOf = ({ stream }: Target, content: string): ShellOutputChunk => ({
    _tag: "ShellOutputChunk",
    commandId,
    stream,
    content,
    timestamp: nowMillis(),
    seq: seq++,
  })
  const emitTo = (target: Target, out: Array<ShellOutputChunk>) => (content: string): void => {
    target.tail.push(content)
    out.push(chunkOf(target, content))
  }
  return {
    copies: true,
    bytes: (stream, bytes, out) => {
      const target = outputs[stream] ??= outputOf(stream)
      target.bytes += bytes.length
      target.chunker.push(bytes, emitTo(target, out))
    },
    holds: (stream) => outputs[stream]?.chunker.holds === true,
    flushAfterMillis: chunking.flushAfterMillis,
    flush: (stream, out) => {
      const target = outputs[stream]
      target?.chunker.flush(emitTo(target, out))
    },
    end: (out) => {
      const { stderr, stdout } = outputs
      stdout?.chunker.end(emitTo(stdout, out))
      stderr?.chunker.end(emitTo(stderr, out))
    },
    partial: () => {
      const { stderr, stdout } = outputs
      return {
        ...counts(stdout?.bytes ?? 0, stderr?.bytes ?? 0),
        ...texts(stdout?.tail.take(stdout.bytes) ?? nothingKept, stderr?.tail.take(stderr.bytes) ?? nothingKept),
      }
    },
    whole: () => counts(outputs.stdout?.bytes ?? 0, outputs.stderr?.bytes ?? 0),
  }
}

/** Makes a sink that emits nothing and keeps the whole output, within its limit, for the end. */
export const makeCollectSink = (exec: ShellExec): OutputSink<never> => {
  const encoding = encodingOf(exec)
  const limit = exec.maxOutputBytes ?? defaultMaxOutputBytes
  const stdout = new TextBuffer(limit, encoding)
  const stderr = new TextBuffer(limit, encoding)
  const kept = (): PartialOutput => ({
    ...counts(stdout.bytes, stderr.bytes),
    ...texts(stdout.take(), stderr.take()),
  })
  return {
    copies: true,
    bytes: (stream, bytes) => (stream === "stdout" ? stdout : stderr).push(bytes),
    holds: () => false,
    flushAfterMillis: Infinity,
    flush: () => {},
    end: () => {},
    partial: kept,
    whole: kept,
  }
}

/** Makes a sink that emits chunks for a journal, and keeps the whole output, within its limit, for the end. */
export const makeRecordedSink = (
  exec: ShellExec,
  chunking: Chunking,
  nowMillis: () => number,
): OutputSink<ShellOutputChunk> => {
  const chunks = makeChunkSink(exec, chunking, nowMillis)
  const { bytes: collect, partial, whole } = makeCollectSink(exec)
  return {
    ...chunks,
    bytes: (stream, bytes, out) => {
      collect(stream, bytes, [])
      chunks.bytes(stream, bytes, out)
    },
    partial,
    whole,
  }
}

/** Makes a sink that emits the bytes themselves, without copying them. */
export const makeByteSink = (): OutputSink<ShellBytes> => {
  let stdoutBytes = 0
  let stderrBytes = 0
  return {
    copies: false,
    bytes: (stream, bytes, out) => {
      if (stream === "stdout") stdoutBytes += bytes.length
      else stderrBytes += bytes.length
      out.push({ _tag: "ShellBytes", stream, bytes })
    },
    holds: () => false,
    flushAfterMillis: Infinity,
    flush: () => {},
    end: () => {},
    partial: () => counts(stdoutBytes, stderrBytes),
    whole: () => counts(stdoutBytes, stderrBytes),
  }
}

const counts = (stdoutBytes: number, stderrBytes: number): PartialOutput => ({ ...noOutput, stdoutBytes, stderrBytes })

const nothingKept: KeptOutput = { text: "", bytesOmitted: 0 }

const texts = (stdout: KeptOutput, stderr: KeptOutput) => ({
  stdout: stdout.text,
  stderr: stderr.text,
  stdoutBytesOmitted: stdout.bytesOmitted,
  stderrBytesOmitted: stderr.bytesOmitted,
})
