/**
 * What tools do when their caller does not say.
 *
 * @module
 */
import { type DurationInput, millisOf } from "../base/duration.ts"
import type { AccessPolicy } from "../shell/AccessPolicy.ts"
import { any } from "../window/any.ts"
import { lineCount, silence } from "../window/policies.ts"
import type { Policy } from "../window/Policy.ts"

/** Settings of the tools; every one has a default. */
export interface McpSettings {
  /** Longest run of a command whose caller gives no `timeout_ms`. Default: 30 seconds. */
  readonly defaultTimeout?: DurationInput | undefined
  /**
   * Bytes of output that an answer may have, half of them for each of stdout and stderr; more is left out of the middle,
   * and the answer says how much. Default: 1 MiB.
   */
  readonly maxOutputBytes?: number | undefined
  /**
   * When output is told to a client that asks for progress. Default: after 50 lines, or 200 ms without output. A window
   * has at most 16 KiB.
   */
  readonly window?: Policy | undefined
  /**
   * The policy that the shell of the context is behind (`AccessPolicy.guard` of `@sluice/shell/access` puts it there):
   * tools and refusals then say what it allows. Default: they do not.
   */
  readonly guardedBy?: AccessPolicy | undefined
  /** Ends all commands when it is aborted; their answers say so. */
  readonly signal?: AbortSignal | undefined
}

/** Settings with their defaults. */
export interface ToolSettings {
  readonly timeoutMillis: number
  readonly maxOutputBytes: number
  readonly window: Policy
  readonly guardedBy: AccessPolicy | undefined
  readonly signal: AbortSignal | undefined
}

/** Fills in the defaults; throws a RangeError when a setting cannot be meant. */
export const settingsOf = (settings: McpSettings): ToolSettings => {
  const timeoutMillis = millisOf("defaultTimeout", settings.defaultTimeout ?? "30 seconds")
  if (!(timeoutMillis > 0) || timeoutMillis === Infinity) {
    throw new RangeError("mcp: defaultTimeout must be a finite time above zero")
  }
  const maxOutputBytes = settings.maxOutputBytes ?? 1024 * 1024
  if (!(maxOutputBytes >= 0)) throw new RangeError("mcp: maxOutputBytes must be a number from 0")
  return {
    timeoutMillis,
    maxOutputBytes,
    window: settings.window ?? any(lineCount(50), silence("200 millis")),
    guardedBy: settings.guardedBy,
    signal: settings.signal,
  }
}
