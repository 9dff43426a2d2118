/** Converts the journal entries of one run back to its stream elements and its last event. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { encodeUtf8 } from "../base/bytes.ts"
import type { OutputStream, ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellBytes } from "../shell/ShellService.ts"
import { HeadTailBuffer, omissionLine } from "../shell/HeadTailBuffer.ts"
import { defaultMaxOutputBytes } from "../shell/OutputSink.ts"
import { TextTail } from "../shell/TextTail.ts"
import type { ComputeEvent } from "./ComputeBranch.ts"
import { faultTailLength, type RunEnd, withOutput } from "./RunEnd.ts"
import type { ChunkRecord, ShellOutputChunks } from "./ShellOutputChunks.ts"

const omissionLength = 64

const bytesIn = ({ base64, content }: ChunkRecord): Uint8Array => {
  if (base64 === undefined) return encodeUtf8(content ?? "")
  return Result.getOrElse(Base64.decode(base64), () => new Uint8Array())
}

/**
 * Plays the entries of one run, in order. Emits the chunks that the `RunRecorder` got, and at the end the same event
 * with its output.
 */
export class RunPlayer {
  readonly #exec: ShellExec
  readonly #whole: Readonly<Record<OutputStream, HeadTailBuffer>>
  readonly #tails: Readonly<Record<OutputStream, TextTail>>
  #unfinished: ShellOutputChunk | undefined

  constructor(exec: ShellExec) {
    this.#exec = exec
    // Text that its leaf has cut may be longer as UTF-8.
    const growth = exec.encoding === undefined ? 1 : 3
    const whole = (): HeadTailBuffer => new HeadTailBuffer(growth * this.#wholeLimit + omissionLength)
    this.#whole = { stdout: whole(), stderr: whole() }
    const tail = (): TextTail => new TextTail(exec.maxOutputBytes ?? faultTailLength, "utf-8")
    this.#tails = { stdout: tail(), stderr: tail() }
  }

  /** The chunks of an entry; empty for a command whose output comes whole. */
  chunks({ chunks, commandId }: ShellOutputChunks): Array<ShellOutputChunk> {
    const played: Array<ShellOutputChunk> = []
    for (const record of chunks) {
      const { more = false, seq, stream, timestamp } = record
      const content = record.content ?? new TextDecoder().decode(bytesIn(record))
      if (!this.#exec.streamOutput) {
        this.#whole[stream].push(encodeUtf8(content))
        continue
      }
      const begun = this.#unfinished?.seq === seq ? this.#unfinished.content : ""
      const chunk: ShellOutputChunk = {
        _tag: "ShellOutputChunk",
        commandId,
        stream,
        content: begun + content,
        timestamp,
        seq,
      }
      this.#unfinished = more ? chunk : undefined
      if (more) continue
      this.#tails[stream].push(chunk.content)
      played.push(chunk)
    }
    return played
  }

  /** The bytes of an entry, for a command that was run for its bytes. */
  bytes({ chunks }: ShellOutputChunks): Array<ShellBytes> {
    return chunks.map((record) => ({ _tag: "ShellBytes", stream: record.stream, bytes: bytesIn(record) }))
  }

  get #wholeLimit(): number {
    return this.#exec.maxOutputBytes ?? defaultMaxOutputBytes
  }

  /** The event that ends the run, with the output that the journal keeps apart from it. */
  end(last: RunEnd): ShellOutput | ShellFault {
    const text = (stream: OutputStream): string => {
      if (this.#exec.streamOutput) return this.#tails[stream].take(0).text
      const whole = this.#whole[stream]
      const omitted = stream === "stdout" ? last.stdoutBytesOmitted : last.stderrBytesOmitted
      const { text } = whole.take("utf-8")
      // Output that came whole is in the journal as it came, or cut by its leaf.
      return omitted === 0 || text.includes(omissionLine(omitted)) ? text : whole.take("utf-8", this.#wholeLimit).text
    }
    const isStreamed = last._tag === "ShellOutput" && this.#exec.streamOutput
    return withOutput(
      last,
      isStreamed ? { stdout: "", stderr: "" } : { stdout: text("stdout"), stderr: text("stderr") },
    )
  }
}

/** Whether an event ends a run. */
export const isLastEvent = (event: ComputeEvent): event is RunEnd =>
  event._tag === "ShellOutput" || event._tag === "ShellFault"
