/**
 * One event to one line of JSON, and back.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { WireError } from "./WireError.ts"

/** Version of the JSON form of events and commands. A change that an older reader cannot read raises it. */
export const wireVersion = 1

/** Name of the HTTP header that carries {@link wireVersion}, on requests and on responses. */
export const wireVersionHeader = "sluice-wire-version"

const encodeFault: (fault: ShellFault) => typeof ShellFault.Encoded = Schema.encodeSync(ShellFault)

// The order of keys is part of the wire (equal events are equal bytes), and does not depend on how a leaf built its
// objects. Chunks and windows are plain data, so no Schema runs for them: they are as many as the output has chunks.
const plain = (event: ShellEvent): object => {
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
 * An event as one line of JSON, without the newline. Keys have a fixed order; a lone surrogate is escaped, so any text
 * survives.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 *
 * const line = Wire.encodeEvent({
 *   _tag: "ShellOutputChunk", commandId: "c1", stream: "stdout", content: "hi\n", timestamp: 0, seq: 0
 * })
 * console.assert(line.startsWith(`{"_tag":"ShellOutputChunk","commandId":"c1","stream":"stdout","content":"hi\\n"`))
 * ```
 */
export const encodeEvent = (event: ShellEvent): string => JSON.stringify(plain(event))

const decodeValue = Schema.decodeUnknownResult(ShellEvent)

/**
 * The event of one line of JSON. Keys that this version does not know are left out.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Result } from "effect"
 *
 * const decoded = Wire.decodeEvent(`{"_tag":"ShellOutputChunk"}`)
 * console.assert(Result.isFailure(decoded) && decoded.failure.reason === "InvalidEvent")
 * ```
 */
export const decodeEvent = (line: string): Result.Result<ShellEvent, WireError> => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return Result.fail(new WireError({ reason: "InvalidJson", message: "not JSON" }))
  }
  return Result.mapError(
    decodeValue(value),
    (error) => new WireError({ reason: "InvalidEvent", message: `not an event: ${error.message}` }),
  )
}

/** Whether an event is the last one of its run. */
export const isLast = (event: ShellEvent): boolean => event._tag === "ShellOutput" || event._tag === "ShellFault"
