/** Builds the answer of a tool from a finished command, within a byte budget. */
import { CallToolResult, McpRequestContext, type ResourceLink, type TextContent } from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { encodeUtf8 } from "../base/bytes.ts"
import { commandById } from "../history/findCommand.ts"
import type { CommandId } from "../command/CommandId.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import type { CollectedOutput } from "./CollectedOutput.ts"
import type { CommandResult } from "./CommandResult.ts"
import type { ToolSettings } from "./McpToolOptions.ts"
import { commandUri } from "./commandUri.ts"
import { CurrentCaller } from "./McpCaller.ts"
import { toYaml } from "./toYaml.ts"

export type CommandEnding = Pick<CommandResult, "error" | "reason" | "exit_code" | "signal" | "duration_ms">

export interface EndedCommand {
  readonly commandId: CommandId
  readonly ending: CommandEnding
  readonly output: CollectedOutput
}

const streams = ["stdout", "stderr"] as const

const resultOf = (
  { commandId, ending: { duration_ms, ...ending }, output }: EndedCommand,
  limitBytes: number,
  isReadable: boolean,
): CommandResult => {
  const fields = output.take(limitBytes)
  const uris = streams.filter((stream) => isReadable && fields[`${stream}_bytes_omitted`] !== undefined)
    .map((stream) => [`${stream}_uri`, commandUri(commandId, stream)])
  return {
    ...ending,
    ...fields,
    ...Object.fromEntries(uris),
    ...(duration_ms === undefined ? undefined : { duration_ms: Math.round(duration_ms) }),
    command_id: commandId,
  }
}

/** Shrinks the output until the answer is at most a quarter above the budget: quotes and indentation make it longer. */
const fit = (
  ended: EndedCommand,
  isReadable: boolean,
  maxOutputBytes: number,
  write: (result: CommandResult) => string,
): { readonly result: CommandResult; readonly text: string } => {
  for (let limit = maxOutputBytes;;) {
    const result = resultOf(ended, limit, isReadable)
    const text = write(result)
    const bytes = encodeUtf8(text).length
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

/** The fields without output, for clients that read the structured content. */
const summaryOf = ({ stderr: _stderr, stdout: _stdout, ...summary }: CommandResult): string => toYaml(summary)

const isWhole = (result: CommandResult): boolean =>
  streams.every((stream) => result[`${stream}_bytes_omitted`] === undefined)

/** Whether the journal still has the command; `false` if it cannot be read. */
const isKept = (id: CommandId, journal: JournalService): Effect.Effect<boolean> =>
  commandById(id).pipe(
    Effect.map((found) => found !== undefined),
    Effect.orElseSucceed(() => false),
    Effect.provideService(Journal, journal),
  )

/**
 * Builds the answer for the client of the current request. It is an error (`isError`) if the command could not be run
 * to its end; an exit code is not an error. The output is contained once, in the text or in the structured content.
 * Links to the whole output are added if the client may read it and the journal still has it.
 */
export const makeToolResult = (
  ended: EndedCommand,
  { maxOutputBytes, resultFormat }: ToolSettings,
  journal: Option.Option<JournalService>,
): Effect.Effect<CallToolResult, never, McpRequestContext> =>
  Effect.gen(function* () {
    const { protocolVersion } = yield* McpRequestContext
    const caller = yield* CurrentCaller
    const isStructured = resultFormat === "structured"
    const write = isStructured ? (fields: CommandResult) => JSON.stringify(fields) : toYaml
    const plain = fit(ended, false, maxOutputBytes, write)
    const mayRead = caller === undefined || caller.grant.rights.has("read")
    // A failed journal has at most the beginning of the output.
    const isReadable = mayRead && Option.isSome(journal) && !isWhole(plain.result) &&
      ended.ending.reason !== "JournalFailed" && (yield* isKept(ended.commandId, journal.value))
    const { result, text } = isReadable ? fit(ended, true, maxOutputBytes, write) : plain
    return new CallToolResult({
      content: [
        textContent(isStructured ? summaryOf(result) : text),
        // Earlier revisions have no links.
        ...(protocolVersion >= "2025-06-18" ? linksOf(result) : []),
      ],
      ...(isStructured ? { structuredContent: result } : undefined),
      isError: result.error !== undefined,
    })
  })
