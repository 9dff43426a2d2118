/** Collects the events of a command into one `ShellOutput`, within a budget of bytes. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { HeadTailBuffer } from "../shell/HeadTailBuffer.ts"
import type { EventWithId } from "./commandEvents.ts"

/** Whether an event is a fault. */
export const isFault = (event: EventWithId["event"]): event is ShellFault => event._tag === "ShellFault"

/** Collects events into one result; keeps at most `maxOutputBytes` of each output. */
export const collectResult = (
  events: Stream.Stream<EventWithId, JournalError>,
  maxOutputBytes: number,
): Effect.Effect<ShellOutput, ShellFault | JournalError> =>
  Effect.suspend(() => {
    const kept = { stdout: new HeadTailBuffer(maxOutputBytes), stderr: new HeadTailBuffer(maxOutputBytes) }
    let last: ShellOutput | ShellFault | undefined
    const take = ({ event }: EventWithId): Effect.Effect<void> =>
      Effect.sync(() => {
        if (event._tag === "ShellOutputChunk") kept[event.stream].push(encodeUtf8(event.content))
        else last = event
      })
    return Effect.flatMap(Stream.runForEach(events, take), (): Effect.Effect<ShellOutput, ShellFault> => {
      if (last === undefined) return Effect.die(new Error("the command brought no end"))
      if (isFault(last)) return Effect.fail(last)
      // Without chunks, the result has the whole output.
      if (kept.stdout.bytes + kept.stderr.bytes === 0) return Effect.succeed(last)
      const [stdout, stderr] = [kept.stdout.take("utf-8"), kept.stderr.take("utf-8")]
      return Effect.succeed({
        ...last,
        stdout: stdout.text,
        stderr: stderr.text,
        stdoutBytesOmitted: stdout.bytesOmitted,
        stderrBytesOmitted: stderr.bytesOmitted,
      })
    })
  })
