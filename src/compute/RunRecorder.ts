/** Converts the stream elements of one run to journal entries of at most 64 KiB, redacted. */
import * as Base64 from "effect/encoding/Base64"
import { cutBefore } from "../base/text.ts"
import { utf8Length } from "../base/utf8.ts"
import type { GivenSecret } from "../command/GivenSecrets.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import type { OutputStream, ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { noOutput, type PartialOutput, type ShellFault } from "../command/ShellFault.ts"
import type { StreamingRedaction } from "../journal/redaction/Redactor.ts"
import type { ShellBytes } from "../shell/ShellService.ts"
import type { ComputeEvent } from "./ComputeBranch.ts"
import { faultTailLength, type OutputPlace, placeWith, type RunEnd } from "./RunEnd.ts"
import { type ChunkRecord, maxEntryLength, type ShellOutputChunks } from "./ShellOutputChunks.ts"

/** Redacts the recorded output. */
export interface RunRedaction {
  /** Starts the redactor for one stream: of text, or of bytes as text with one character per byte. */
  readonly begin: (what: "text" | "bytes") => StreamingRedaction
  /** A text that comes whole. */
  readonly text: (whole: string) => string
  /** Takes out another secret from now on. */
  readonly add: (secret: GivenSecret) => void
}

interface Lane {
  run: StreamingRedaction | undefined
  lastSeq: number
  lastTime: number
  size: number
}

const lengthOf = (record: ChunkRecord): number => (record.content ?? record.base64 ?? "").length

const binaryText = (bytes: Uint8Array): string => {
  let text = ""
  for (let start = 0; start < bytes.length; start += 8_192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8_192))
  }
  return text
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** The reason of a fault, redacted in the texts that name a path or a word of the command. */
const reasonWithout = (reason: FaultReason, text: (whole: string) => string): FaultReason => {
  switch (reason._tag) {
    case "NotFound":
    case "PermissionDenied":
      return { ...reason, path: text(reason.path) }
    case "NotAllowed":
      return reason.value === undefined ? reason : { ...reason, value: text(reason.value) }
    case "InvalidRequest":
      return { ...reason, field: text(reason.field) }
    default:
      return reason
  }
}

/**
 * Makes the entries of one run. Output goes into entries of at most 64 KiB; the event that ends the run says where they are,
 * for `RunPlayer` to put the output back.
 */
export class RunRecorder {
  readonly #exec: ShellExec
  readonly #what: "text" | "bytes"
  readonly #redaction: RunRedaction | undefined
  readonly #lanes: Readonly<Record<OutputStream, Lane>>
  readonly #renumbers: boolean
  #seq = 0
  #place: OutputPlace = {}

  /**
   * `renumbers`: gives chunks numbers of its own, so that there is room for those of {@link RunRecorder.flush}.
   */
  constructor(exec: ShellExec, what: "text" | "bytes", redaction: RunRedaction | undefined, renumbers = false) {
    this.#exec = exec
    this.#what = what
    this.#redaction = redaction
    this.#renumbers = renumbers
    const lane = (): Lane => ({ run: redaction?.begin(what), lastSeq: 0, lastTime: 0, size: 0 })
    this.#lanes = { stdout: lane(), stderr: lane() }
  }

  /** The number of the next chunk. */
  get nextSeq(): number {
    return this.#seq
  }

  /** The size of the output so far, for a fault whose shell does not report it. The text is in the entries. */
  get measured(): PartialOutput {
    const { stderr: { size: stderrBytes }, stdout: { size: stdoutBytes } } = this.#lanes
    const limit = this.#what === "text" ? this.#exec.maxOutputBytes ?? faultTailLength : 0
    return {
      ...noOutput,
      stdoutBytes,
      stderrBytes,
      stdoutBytesOmitted: Math.max(0, stdoutBytes - limit),
      stderrBytesOmitted: Math.max(0, stderrBytes - limit),
    }
  }

  /** Entries of the output so far, without delay. */
  output(events: ReadonlyArray<ShellOutputChunk | ShellBytes>, nowMillis: () => number): Array<ShellOutputChunks> {
    const records: Array<ChunkRecord> = []
    for (const event of events) {
      if (event._tag === "ShellOutputChunk") {
        this.#text(event.stream, event.content, event.seq, event.timestamp, records)
      } else this.#bytes(event.stream, event.bytes, nowMillis(), records)
    }
    return this.#entries(records)
  }

  /**
   * Entries of text that the redactor holds back and may store, such as a prompt, which is an unfinished line. Only for a
   * recorder that renumbers.
   */
  flush(): Array<ShellOutputChunks> {
    const records: Array<ChunkRecord> = []
    this.#release(records, (run) => run.flush?.())
    return this.#entries(records)
  }

  /** The entries that end the run. */
  end(last: ShellOutput | ShellFault): Array<ComputeEvent> {
    const records: Array<ChunkRecord> = []
    const time = last._tag === "ShellOutput" ? last.completed : this.#lanes.stdout.lastTime
    if (this.#what === "text" && !this.#exec.streamOutput) {
      // For a command whose output comes whole, the leaf emitted no chunks.
      for (const stream of ["stdout", "stderr"] as const) {
        if (last[stream] !== "" && this.#lanes[stream].size === 0) {
          this.#text(stream, last[stream], this.#seq, time, records)
        }
      }
    }
    this.#release(records, (run) => run.end())
    return [...this.#entries(records), this.#withoutOutput(last)]
  }

  /** Entries of the text that the redactor holds back, for a run without a recorded end. */
  endOutput(): Array<ShellOutputChunks> {
    const records: Array<ChunkRecord> = []
    this.#release(records, (run) => run.end())
    return this.#entries(records)
  }

  #release(records: Array<ChunkRecord>, release: (run: StreamingRedaction) => string | undefined): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const lane = this.#lanes[stream]
      const held = lane.run === undefined ? "" : release(lane.run) ?? ""
      if (held === "") continue
      const kept = this.#what === "text" ? { content: held } : { base64: Base64.encode(bytesOf(held)) }
      if (this.#renumbers) lane.lastSeq = this.#seq++
      records.push({ ...kept, seq: lane.lastSeq, stream, timestamp: lane.lastTime })
    }
  }

  #text(stream: OutputStream, content: string, given: number, timestamp: number, records: Array<ChunkRecord>): void {
    const lane = this.#lanes[stream]
    const seq = this.#renumbers ? this.#seq : given
    lane.size += utf8Length(content)
    lane.lastSeq = seq
    lane.lastTime = timestamp
    this.#seq = seq + 1
    const text = lane.run === undefined ? content : lane.run.push(content)
    if (text.length <= maxEntryLength) {
      records.push({ content: text, seq, stream, timestamp })
      return
    }
    for (let start = 0; start < text.length;) {
      const end = cutBefore(text, Math.min(text.length, start + maxEntryLength))
      const part = { content: text.slice(start, end), seq, stream, timestamp }
      records.push(end < text.length ? { ...part, more: true } : part)
      start = end
    }
  }

  #bytes(stream: OutputStream, bytes: Uint8Array, timestamp: number, records: Array<ChunkRecord>): void {
    const seq = this.#seq++
    const lane = this.#lanes[stream]
    lane.size += bytes.length
    lane.lastSeq = seq
    lane.lastTime = timestamp
    const kept = lane.run === undefined ? bytes : bytesOf(lane.run.push(binaryText(bytes)))
    // Three bytes are four digits.
    const step = maxEntryLength / 4 * 3
    for (let start = 0; start < kept.length || start === 0; start += step) {
      const part = { base64: Base64.encode(kept.subarray(start, start + step)), seq, stream, timestamp }
      records.push(start + step < kept.length ? { ...part, more: true } : part)
    }
  }

  #entries(records: ReadonlyArray<ChunkRecord>): Array<ShellOutputChunks> {
    const entries: Array<ShellOutputChunks> = []
    let chunks: Array<ChunkRecord> = []
    let length = 0
    const close = (): void => {
      const [first, last] = [chunks[0], chunks.at(-1)]
      if (first === undefined || last === undefined) return
      const { commandId } = this.#exec
      const entry: ShellOutputChunks = {
        _tag: "ShellOutputChunks",
        chunks,
        commandId,
        fromSeq: first.seq,
        toSeq: last.seq,
      }
      entries.push(entry)
      this.#place = placeWith(this.#place, entry)
      chunks = []
      length = 0
    }
    for (const record of records) {
      const more = lengthOf(record)
      if (length + more > maxEntryLength) close()
      chunks.push(record)
      length += more
    }
    close()
    return entries
  }

  #withoutOutput(last: ShellOutput | ShellFault): RunEnd {
    const text = this.#redaction?.text ?? ((whole: string) => whole)
    if (last._tag === "ShellOutput") {
      const { executable, stages, stderr: _, stdout: __, ...rest } = last
      return {
        ...rest,
        executable: text(executable),
        ...(stages === undefined
          ? undefined
          : { stages: stages.map((stage) => ({ ...stage, command: text(stage.command) })) }),
        ...this.#place,
      }
    }
    const { exception, message, reason, stderr: _, stdout: __, ...rest } = last
    return {
      ...rest,
      reason: reasonWithout(reason, text),
      message: text(message),
      ...(exception === undefined ? undefined : { exception: text(exception) }),
      ...this.#place,
    }
  }
}
