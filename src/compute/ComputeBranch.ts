/** Declares the Compute branch: commands are its requests; output, exits and faults its events. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Branch, MessageCodec } from "../branch/BranchDefinition.ts"
import { makeSchemaCodec } from "../branch/makeSchemaCodec.ts"
import { type ComputeRequest, computeRequestCodec } from "./ComputeRequest.ts"
import { encodePlainBody } from "./encodePlainBody.ts"
import { RecordedFault, RecordedOutput } from "./RunEnd.ts"
import { TerminalInput, TerminalResized } from "./TerminalEntry.ts"
import { encodedShellOutputChunks, encodeShellOutputChunks, ShellOutputChunks } from "./ShellOutputChunks.ts"

/**
 * Schema of the events of a command in a journal: output in entries of up to 64 KiB, input and sizes of its terminal, then
 * the last event, which says where the output is.
 */
export const ComputeEvent: Schema.Union<
  readonly [
    typeof ShellOutputChunks,
    typeof TerminalInput,
    typeof TerminalResized,
    typeof RecordedOutput,
    typeof RecordedFault,
  ]
> = Schema.Union([ShellOutputChunks, TerminalInput, TerminalResized, RecordedOutput, RecordedFault])

/** An event of a command in a journal. */
export type ComputeEvent = typeof ComputeEvent.Type

const events: MessageCodec<ComputeEvent> = makeSchemaCodec({
  tags: ["ShellOutputChunks", "TerminalInput", "TerminalResized", "ShellOutput", "ShellFault"],
  schema: ComputeEvent,
})

const plainOutput = (event: Exclude<ComputeEvent, ShellOutputChunks>) =>
  event._tag === "ShellOutput" ? encodePlainBody(event) : undefined

/**
 * The Compute branch. Its correlation id is the command id.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 *
 * const exec = ShellExec.make("make", ["all"], { commandId: "build-17" })
 * console.log(ComputeBranch.name, ComputeBranch.correlationOf(exec)) // compute build-17
 * ```
 */
export const ComputeBranch: Branch<ComputeRequest, ComputeEvent> = {
  name: "compute",
  version: 1,
  request: computeRequestCodec,
  event: {
    ...events,
    encode: (event) =>
      event._tag === "ShellOutputChunks" ? encodeShellOutputChunks(event) : plainOutput(event) ?? events.encode(event),
    decode: (body, version) => {
      const own = encodedShellOutputChunks(body)
      return own === undefined ? events.decode(body, version) : Result.succeed(own)
    },
  },
  correlationOf: (message) => message.commandId,
  lastTags: ["ShellOutput", "ShellFault"],
  isLast: (event) => event._tag === "ShellOutput" || event._tag === "ShellFault",
}
