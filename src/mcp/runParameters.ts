/** Declares the parameters that every MCP tool has, and converts them into options of a command. */
import * as Schema from "effect/Schema"
import { maxTimerMillis } from "../base/maxTimerMillis.ts"
import { CommandId } from "../command/CommandId.ts"
import type { ToolSettings } from "./McpToolOptions.ts"

export type RunParameters = {
  readonly cwd: Schema.optionalKey<typeof Schema.String>
  readonly timeout_ms: Schema.optionalKey<typeof Schema.Int>
}

export const cwdParameter = ({ policy }: Pick<ToolSettings, "policy">): RunParameters["cwd"] =>
  Schema.optionalKey(
    Schema.String.annotate({
      description: `Directory to run in. Default: ${policy?.defaultCwd ?? "the server's own"}`,
    }),
  )

export const runParametersOf = (
  { policy, defaultTimeoutMillis }: Pick<ToolSettings, "policy" | "defaultTimeoutMillis">,
): RunParameters => ({
  cwd: cwdParameter({ policy }),
  timeout_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxTimerMillis })).annotate({
      description: "Longest run in milliseconds; then the process tree is ended, and its output so far is returned. " +
        `Default: ${defaultTimeoutMillis} (${defaultTimeoutMillis / 1_000} s)`,
    }),
  ),
})

export const runOptionsOf = (
  { cwd, timeout_ms }: { readonly cwd?: string; readonly timeout_ms?: number },
  { defaultTimeoutMillis }: ToolSettings,
): { readonly commandId: CommandId; readonly cwd: string | undefined; readonly timeout: number } => ({
  commandId: CommandId.make(),
  cwd,
  timeout: timeout_ms ?? defaultTimeoutMillis,
})
