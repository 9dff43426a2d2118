/**
 * A command's result as the answer of a tool: text or structured content, within the budget.
 *
 * @module
 */
import { CallToolResult, McpRequestContext, type ResourceLink, type TextContent } from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Journal } from "../journal/JournalService.ts"
import type { CollectedOutput } from "./CollectedOutput.ts"
import type { CommandResult } from "./CommandResult.ts"
import type { ToolSettings } from "./McpSettings.ts"
import { commandUri } from "./commandUri.ts"
import { toYaml } from "./yaml.ts"

/** How a command ended, beside what it wrote. */
export type Ending = Pick<CommandResult, "error" | "reason" | "exit_code" | "signal" | "duration_ms">

/** A command that has ended, with its output. */
export interface EndedCommand {
  readonly commandId: string
  readonly ending: Ending
  readonly output: CollectedOutput
}

/** Options of {@link toToolResult}. */
export interface ToolResultOptions extends Pick<ToolSettings, "maxOutputBytes" | "resultFormat"> {
  /** Whether a journal keeps the output, so that it can be read as a resource. */
  readonly isJournaled: boolean
  /** Whether the client's revision of the protocol has links to resources: since 2025-06-18. */
  readonly hasResourceLinks: boolean
}

const streams = ["stdout", "stderr"] as const

const resultOf = (
  { commandId, ending: { duration_ms, ...ending }, output }: EndedCommand,
  limitBytes: number,
  isJournaled: boolean,
): CommandResult => {
  const fields = output.take(limitBytes)
  const uris = streams.filter((stream) => isJournaled && fields[`${stream}_bytes_omitted`] !== undefined)
    .map((stream) => [`${stream}_uri`, commandUri(commandId, stream)])
  return {
    ...ending,
    ...fields,
    ...Object.fromEntries(uris),
    ...(duration_ms === undefined ? undefined : { duration_ms: Math.round(duration_ms) }),
    command_id: commandId,
  }
}

const encoder = new TextEncoder()

/**
 * Quotes and indentation make text longer than the output in it (binary output up to six times, short lines twice), so
 * the output shrinks until the answer is within a quarter above the budget.
 */
const fit = (
  ended: EndedCommand,
  { isJournaled, maxOutputBytes }: ToolResultOptions,
  write: (result: CommandResult) => string,
): { readonly result: CommandResult; readonly text: string } => {
  for (let limit = maxOutputBytes;;) {
    const result = resultOf(ended, limit, isJournaled)
    const text = write(result)
    const bytes = encoder.encode(text).length
    if (bytes <= maxOutputBytes * 1.25 + 1_024 || limit < 256) return { result, text }
    limit = Math.floor(limit * maxOutputBytes / bytes)
  }
}

const linksOf = (result: CommandResult): ReadonlyArray<typeof ResourceLink.Type> =>
  streams.flatMap((stream) => {
    const uri = result[`${stream}_uri`]
    const description = `The whole ${stream} of command ${result.command_id}`
    return uri === undefined ? [] : [{ type: "resource_link", uri, name: stream, description, mimeType: "text/plain" }]
  })

const textContent = (text: string): typeof TextContent.Type => ({ type: "text", text })

/** Whether the context has a journal: it keeps the whole output. */
export const hasJournal: Effect.Effect<boolean> = Effect.map(Effect.serviceOption(Journal), Option.isSome)

/** The options for the client of the request at hand. */
export const resultOptions = (
  { maxOutputBytes, resultFormat }: ToolSettings,
  isJournaled: boolean,
): Effect.Effect<ToolResultOptions, never, McpRequestContext> =>
  Effect.map(McpRequestContext, ({ protocolVersion }) => ({
    maxOutputBytes,
    resultFormat,
    isJournaled,
    hasResourceLinks: protocolVersion >= "2025-06-18",
  }))

/** The fields without the output, for clients that read the structured content. */
const summaryOf = ({ stderr: _stderr, stdout: _stdout, ...summary }: CommandResult): string => toYaml(summary)

/**
 * The answer of a tool. It is an error (`isError`) when the command could not be run, or not to its end; an exit code
 * never is one. The output is in the answer once: in the text, or in the structured content.
 */
export const toToolResult = (ended: EndedCommand, options: ToolResultOptions): CallToolResult => {
  const isStructured = options.resultFormat === "structured"
  const { result, text } = fit(ended, options, isStructured ? (fields) => JSON.stringify(fields) : toYaml)
  return new CallToolResult({
    content: [
      textContent(isStructured ? summaryOf(result) : text),
      ...(options.hasResourceLinks ? linksOf(result) : []),
    ],
    ...(isStructured ? { structuredContent: result } : undefined),
    isError: result.error !== undefined,
  })
}
