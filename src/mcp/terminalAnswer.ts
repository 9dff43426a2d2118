/** Builds the answers of the tools for terminals. */
import { CallToolResult } from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { AccessPolicy } from "../policy/mod.ts"
import type { TerminalError, TerminalSession } from "../terminal/mod.ts"
import { withAllowedText } from "./policyText.ts"
import { toolError } from "./toolError.ts"
import { toYaml } from "./toYaml.ts"

/** The condition that a call waited for, and the result. */
export type WaitEnding = "matched" | "silence" | "timeout" | "ended"

const cutStart = (text: string, maxBytes: number): string => {
  const bytes = encodeUtf8(text)
  if (bytes.length <= maxBytes) return text
  // A split character becomes U+FFFD, which is removed.
  return `…${new TextDecoder().decode(bytes.subarray(bytes.length - maxBytes)).replace(/^\uFFFD+/, "")}`
}

export interface ScreenAnswerOptions {
  readonly waited?: WaitEnding | undefined
  /** Lines above the screen. Default: none. */
  readonly historyLines?: number | undefined
  readonly closed?: boolean | undefined
}

export const screenAnswer = (
  session: TerminalSession,
  maxOutputBytes: number,
  { closed = false, historyLines = 0, waited }: ScreenAnswerOptions = {},
): Effect.Effect<CallToolResult> =>
  Effect.gen(function* () {
    const { ended, exitCode } = yield* session.info
    const { alternate, cursor, text, title } = yield* session.screen
    const lines = historyLines === 0 ? [] : (yield* session.history).slice(-historyLines)
    const shown = cutStart(text, maxOutputBytes)
    const room = maxOutputBytes - encodeUtf8(shown).length
    return new CallToolResult({
      content: [{
        type: "text",
        text: toYaml({
          terminal_id: session.id,
          status: closed && exitCode === undefined ? "closed" : ended ? "ended" : "running",
          exit_code: exitCode,
          waited,
          title: title === "" ? undefined : title.slice(0, 200),
          full_screen: alternate ? true : undefined,
          cursor: `line ${cursor.row + 1}, column ${cursor.column + 1}`,
          history: lines.length === 0 ? undefined : cutStart(lines.join("\n"), Math.max(0, room)),
          screen: shown,
        }),
      }],
      isError: false,
    })
  })

export const terminalFailure = (error: ShellFault | TerminalError, policy: AccessPolicy | undefined): CallToolResult =>
  error._tag === "ShellFault"
    ? toolError("Failed", withAllowedText(error.message, error.reason, policy), { reason: error.reason._tag })
    : toolError("Failed", error.message, { reason: error.reason._tag })
