/** Encodes one event as one line of JSON with keys in a fixed order, and decodes it. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { WireError } from "./WireError.ts"

const encodeFault: (fault: ShellFault) => typeof ShellFault.Encoded = Schema.encodeSync(ShellFault)

// The order of keys is part of the wire format (equal events are equal bytes), whatever order a leaf used. Chunks and windows
// are plain data and frequent, so no Schema encodes them.
const toJson = (event: ShellEvent): object => {
  switch (event._tag) {
    case "ShellOutputChunk": {
      const { _tag, commandId, content, seq, stream, timestamp } = event
      return { _tag, commandId, stream, content, timestamp, seq }
    }
    case "Window": {
      const { _tag, commandId, content, fromSeq, fromTime, stream, toSeq, toTime } = event
      return { _tag, commandId, stream, content, fromSeq, toSeq, fromTime, toTime }
    }
    case "ShellOutput":
      return {
        _tag: event._tag,
        commandId: event.commandId,
        exitCode: event.exitCode,
        signal: event.signal,
        stdout: event.stdout,
        stderr: event.stderr,
        duration: event.duration,
        completed: event.completed,
        drain: event.drain,
        executable: event.executable,
        stdoutBytes: event.stdoutBytes,
        stderrBytes: event.stderrBytes,
        stdoutBytesOmitted: event.stdoutBytesOmitted,
        stderrBytesOmitted: event.stderrBytesOmitted,
        stages: event.stages?.map(({ command, commandId, exitCode, signal }) => ({
          commandId,
          command,
          exitCode,
          signal,
        })),
      }
    case "ShellFault":
      return encodeFault(event)
  }
}

/**
 * Encodes an event as one line of JSON, without the newline. Keys have a fixed order; a lone surrogate is escaped, so any
 * text survives.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 *
 * const line = Wire.encodeEvent({
 *   _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "hi\n", timestamp: 0, seq: 0
 * })
 * console.log(line.startsWith(`{"_tag":"ShellOutputChunk","commandId":"c1","stream":"stdout","content":"hi\\n"`)) // true
 * ```
 */
export const encodeEvent = (event: ShellEvent): string => JSON.stringify(toJson(event))

const decodeValue = Schema.decodeUnknownResult(ShellEvent)

const knownTags: ReadonlySet<unknown> = new Set<ShellEvent["_tag"]>([
  "ShellOutputChunk",
  "Window",
  "ShellOutput",
  "ShellFault",
])

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/**
 * Decodes a chunk as its Schema would, at a tenth of the cost; `undefined` for input that the Schema may decode differently.
 */
const decodeChunk = (value: unknown): ShellOutputChunk | undefined => {
  if (typeof value !== "object" || value === null || !("_tag" in value) || value._tag !== "ShellOutputChunk") {
    return undefined
  }
  const { commandId, content, seq, stream, timestamp }: Partial<Record<keyof ShellOutputChunk, unknown>> = value
  if (typeof commandId !== "string" || !/^[\x21-\x7e]{1,200}$/.test(commandId) || typeof content !== "string") {
    return undefined
  }
  if (!isCount(seq) || !isCount(timestamp) || (stream !== "stdout" && stream !== "stderr")) return undefined
  return { _tag: "ShellOutputChunk", commandId, stream, content, timestamp, seq }
}

const isUnknownEvent = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "_tag" in value && typeof value._tag === "string" &&
  !knownTags.has(value._tag)

/**
 * Decodes the event of one line of JSON; `undefined` for an event whose tag this version does not know, which readers skip.
 * Unknown keys are dropped, and a fault with an unknown reason has the reason `Unknown`.
 *
 * Fails as `InvalidJson` or `InvalidEvent`.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Result } from "effect"
 *
 * const invalid = Wire.decodeEvent(`{"_tag":"ShellOutputChunk"}`)
 * console.log(Result.isFailure(invalid) && invalid.failure.reason._tag) // InvalidEvent
 * const newer = Wire.decodeEvent(`{"_tag":"ShellResized","columns":80}`)
 * console.log(Result.isSuccess(newer) && newer.success === undefined) // true
 * ```
 */
export const decodeEvent = (line: string): Result.Result<ShellEvent | undefined, WireError> => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return Result.fail(new WireError({ reason: { _tag: "InvalidJson" }, message: "not JSON" }))
  }
  const chunk = decodeChunk(value)
  if (chunk !== undefined) return Result.succeed(chunk)
  if (isUnknownEvent(value)) return Result.succeed(undefined)
  return Result.mapError(
    decodeValue(value),
    (error) => new WireError({ reason: { _tag: "InvalidEvent" }, message: `not an event: ${error.message}` }),
  )
}

export const isLastEvent = (event: ShellEvent): boolean => event._tag === "ShellOutput" || event._tag === "ShellFault"
