/** Runs the commands of tools: on the guarded shell, with windows of the output as progress, and answers their results. */
import type { CallToolResult, McpRequestContext } from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import { Journal } from "../journal/JournalService.ts"
import { AccessPolicy } from "../policy/AccessPolicy.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { maxWindowBytes } from "../spell/progressShell.ts"
import { windowsOf } from "../window/apply.ts"
import type { Policy } from "../window/Policy.ts"
import type { TaggedEvent } from "../window/WindowSplitter.ts"
import { CollectedOutput } from "./CollectedOutput.ts"
import { CommandResult } from "./CommandResult.ts"
import type { ToolSettings } from "./McpToolOptions.ts"
import { withAllowedText } from "./policyText.ts"
import { requestProgress } from "./requestProgress.ts"
import { type CommandEnding, makeToolResult } from "./makeToolResult.ts"

const isChunk = (event: TaggedEvent): event is ShellOutputChunk => event._tag === "ShellOutputChunk"
const isWindow = (event: TaggedEvent): event is ShellOutputWindow => event._tag === "Window"
const isLast = <A extends TaggedEvent>(event: ShellOutputChunk | A): event is A => !isChunk(event)

export interface CommandCall<A, E> {
  readonly commandId: CommandId
  /** Window policy of the progress notifications. Default: the settings's. */
  readonly window?: Policy | undefined
  readonly ended: (event: A) => CommandEnding
  readonly failed: (error: E) => CommandEnding
}

export interface CommandRunner {
  readonly server: McpServer["Service"]
  readonly shell: ShellService
  /** Schema of the structured content; `undefined` if answers are text. */
  readonly result: typeof CommandResult | undefined
  /** The ending of a command that did not run to its end. */
  readonly fault: (
    error: { readonly message: string; readonly reason: { readonly _tag: string } },
    hint?: string,
  ) => CommandEnding
  /**
   * Runs a command to its end and answers with its output, also if it failed. A client that does not read the progress
   * holds the command back; interruption ends the whole process tree.
   */
  readonly run: <A extends TaggedEvent, E>(
    events: Stream.Stream<ShellOutputChunk | A, E>,
    call: CommandCall<A, E>,
  ) => Effect.Effect<CallToolResult, never, McpRequestContext>
}

/** The shell of the context, guarded by `policy` if there is one. Fails if the shell cannot enforce it. */
export const guardedShell = (policy: AccessPolicy | undefined): Effect.Effect<ShellService, AccessPolicyError, Shell> =>
  Effect.flatMap(
    Shell,
    (shell) => policy === undefined ? Effect.succeed(shell) : AccessPolicy.guardService(shell, policy),
  )

export const commandRunner = (
  settings: ToolSettings,
): Effect.Effect<CommandRunner, AccessPolicyError, McpServer | Shell> =>
  Effect.gen(function* () {
    const server = yield* McpServer
    const shell = yield* guardedShell(settings.policy)
    const journal = yield* Effect.serviceOption(Journal)
    return {
      server,
      shell,
      result: settings.resultFormat === "structured" ? CommandResult : undefined,
      fault: ({ message, reason }, hint) => {
        const error = withAllowedText(message, reason, settings.policy)
        return { error: hint === undefined ? error : `${error}; ${hint}`, reason: reason._tag, exit_code: null }
      },
      run: (events, { commandId, ended, failed, window = settings.window }) =>
        Effect.gen(function* () {
          const progress = yield* requestProgress(server)
          const output = new CollectedOutput(settings.maxOutputBytes)
          let ending: CommandEnding = { exit_code: null }
          const collected = Stream.map(events, (event) => {
            if (isLast(event)) ending = ended(event)
            else output.push(event.stream, encodeUtf8(event.content))
            return event
          })
          const run = progress === undefined ? Stream.runDrain(collected) : Stream.runForEach(
            windowsOf(collected, window, { join: true, maxBytes: maxWindowBytes }),
            (event) => isWindow(event) ? progress(event.content) : Effect.void,
          )
          yield* Effect.catch(run, (error) => Effect.sync(() => void (ending = failed(error))))
          return yield* makeToolResult({ commandId, ending, output }, settings, journal)
        }),
    }
  })
