/** Declares the options of the MCP tools, refuses unknown and invalid ones, and resolves them to settings. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { quote } from "../base/quote.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import type { AccessPolicy } from "../policy/mod.ts"
import { any } from "../window/any.ts"
import { lineCount, silence } from "../window/policies.ts"
import type { Policy } from "../window/Policy.ts"

/**
 * The part of an answer that contains the output: `yaml` in the text alone; `structured` in `structuredContent` ({@link
 * CommandResult}), with the other fields in the text.
 */
export type ResultFormat = "yaml" | "structured"

/** Options of the tools; each has a default. */
export interface McpToolOptions {
  /** Timeout of a command without `timeout_ms`. Default: 30 seconds. */
  readonly defaultTimeout?: DurationInput | undefined
  /**
   * Maximum bytes of stdout and stderr together in an answer. Beyond it the middle is left out, and the answer says how
   * much; with a journal it links to the whole output. Default: 30,000.
   */
  readonly maxOutputBytes?: number | undefined
  /** Maximum bytes of output in a resource; beyond it the middle is left out. Default: 16 MiB. */
  readonly maxResourceBytes?: number | undefined
  /** The part of an answer that contains the output. Default: `yaml`. */
  readonly resultFormat?: ResultFormat | undefined
  /**
   * Window policy of progress notifications. Default: 50 lines, or 200 ms without output. A window has at most 16 KiB.
   */
  readonly window?: Policy | undefined
  /**
   * The access policy of the tools. The shell of the context is guarded by it, and the descriptions of the tools and the
   * refusals list what it allows. Default: every command of the shell.
   */
  readonly policy?: AccessPolicy | undefined
  /**
   * Whether a server also has the tools for terminals: see `terminalTools`. They are refused with a `policy` whose list is
   * not
   * `*`, unless the shell is isolated. Default: `false`.
   */
  readonly terminals?: boolean | undefined
  /** Cancels all commands when it is aborted; their answers say so. */
  readonly signal?: AbortSignal | undefined
}

export interface ToolSettings {
  readonly defaultTimeoutMillis: number
  readonly maxOutputBytes: number
  readonly maxResourceBytes: number
  readonly resultFormat: ResultFormat
  readonly window: Policy
  readonly policy: AccessPolicy | undefined
  readonly terminals: boolean
  readonly signal: AbortSignal | undefined
  /** Calls back with the id of each session over HTTP that has ended; returns the function that unsubscribes. */
  readonly onSessionEnd?: ((listener: (session: string) => void) => () => void) | undefined
}

export const toolOptionNames: Readonly<Record<keyof McpToolOptions, true>> = {
  defaultTimeout: true,
  maxOutputBytes: true,
  maxResourceBytes: true,
  resultFormat: true,
  window: true,
  policy: true,
  terminals: true,
  signal: true,
}

export const toolSettings = (options: McpToolOptions): ToolSettings => {
  const { maxOutputBytes = 30_000, maxResourceBytes = 16 * 1024 * 1024, resultFormat = "yaml" } = options
  const defaultTimeoutMillis = positiveMillisOf("defaultTimeout", options.defaultTimeout ?? "30 seconds")
  if (defaultTimeoutMillis === Infinity) throw new OptionError("defaultTimeout", "defaultTimeout: write a finite time")
  if (!["yaml", "structured"].includes(resultFormat)) {
    throw new OptionError(
      "resultFormat",
      `resultFormat must be "yaml" or "structured", got ${quote(resultFormat)}`,
    )
  }
  return {
    defaultTimeoutMillis,
    maxOutputBytes: requireCount("mcp", "maxOutputBytes", maxOutputBytes, { min: 0 }),
    maxResourceBytes: requireCount("mcp", "maxResourceBytes", maxResourceBytes, { min: 0 }),
    resultFormat,
    window: options.window ?? any(lineCount(50), silence("200 millis")),
    policy: options.policy,
    terminals: options.terminals ?? false,
    signal: options.signal,
  }
}

/** The layer that `make` returns for checked options. It fails with an `OptionError` for an unknown or invalid one. */
export const withToolSettings = <A, E, R>(
  where: string,
  options: McpToolOptions,
  make: (settings: ToolSettings) => Layer.Layer<A, E, R>,
): Layer.Layer<A, E | OptionError, R> =>
  Layer.unwrap(Effect.map(
    attemptOptions(() => {
      refuseUnknownOptions(where, options, toolOptionNames)
      return toolSettings(options)
    }),
    make,
  ))
