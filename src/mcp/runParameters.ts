/**
 * Parameters that every tool has: the working directory and the timeout.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import type { ToolSettings } from "./McpSettings.ts"

/** Timers of JavaScript hold no more: 24 days. */
const maxTimeoutMillis = 2_147_483_647

/** Parameters of every tool that runs something, as Schemas. */
export type RunParameters = {
  readonly cwd: Schema.optionalKey<typeof Schema.String>
  readonly timeout_ms: Schema.optionalKey<typeof Schema.Int>
}

/** {@link RunParameters}, as Schemas. */
export const runParameters: RunParameters = {
  cwd: Schema.optionalKey(
    Schema.String.annotate({ description: "Directory to run in. Default: the server's own" }),
  ),
  timeout_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxTimeoutMillis })).annotate({
      description: "Longest run in milliseconds; then the process tree is ended, and what it wrote is answered",
    }),
  ),
}

/** Where and for how long, as commands and code have it. */
export const runOptionsOf = (
  { cwd, timeout_ms }: { readonly cwd?: string; readonly timeout_ms?: number },
  { timeoutMillis }: ToolSettings,
): { readonly commandId: CommandId; readonly cwd: string | undefined; readonly timeout: number } => ({
  commandId: CommandId.make(),
  cwd,
  timeout: timeout_ms ?? timeoutMillis,
})
