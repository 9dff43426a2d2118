/** Defines the MCP tool `execute_code`. */
import { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { codeVersion } from "../code/CodeRequest.ts"
import type { CodeError } from "../code/CodeError.ts"
import type { CodeOutput } from "../code/CodeResult.ts"
import { Interpreters, type InterpreterTable } from "../code/Interpreter.ts"
import { stream } from "../code/stream.ts"
import type { AccessPolicy } from "../policy/Policy.ts"
import { Journal } from "../journal/JournalService.ts"
import { Shell } from "../shell/Shell.ts"
import type { OptionError } from "../base/OptionError.ts"
import { guardedShell } from "./guardedShell.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { addTool } from "./addTool.ts"
import { withAllowedText, withPolicyText } from "./policyText.ts"
import { CommandResult } from "./CommandResult.ts"
import { runOptionsOf, type RunParameters, runParametersOf } from "./runParameters.ts"
import { type McpToolOptions, type ToolSettings, withToolSettings } from "./McpToolOptions.ts"
import { requestProgress } from "./progress.ts"
import { runCommand } from "./runCommand.ts"
import { type CommandEnding, makeToolResult } from "./toolResult.ts"

export type ExecuteCodeFields = {
  readonly language: typeof Schema.String
  readonly code: typeof Schema.String
  readonly version: Schema.optionalKey<typeof Schema.String>
  readonly input: Schema.optionalKey<typeof Schema.String>
} & RunParameters

/** Parameters of `execute_code`, with the available languages in the description. */
const executeCode = (
  languages: ReadonlyArray<string>,
  settings: ToolSettings,
): Schema.Struct<ExecuteCodeFields> =>
  Schema.Struct({
    language: Schema.String.annotate({ description: `The language that the code is in: ${languages.join(", ")}` }),
    code: Schema.String.annotate({ description: "The code, run as it is in a new process" }),
    version: codeVersion,
    input: Schema.optionalKey(
      Schema.String.annotate({ description: "What the code reads on stdin. Default: nothing" }),
    ),
    ...runParametersOf(settings),
  })

const ended = ({ duration, exitCode }: CodeOutput): CommandEnding => ({ exit_code: exitCode, duration_ms: duration })

/** The languages whose interpreters the policy allows: a model is not offered what is always refused. */
const offeredLanguages = (
  interpreters: InterpreterTable,
  policy: AccessPolicy | undefined,
): ReadonlyArray<string> => {
  const languages = Object.keys(interpreters)
  if (policy === undefined) return languages
  if (policy.code === "refuse") return []
  const allowed = new Set(policy.allowedCommands.map((entry) => entry.replace(/^.*[\\/]/s, "")))
  return allowed.has("*") ? languages : languages.filter((language) => {
    const command = interpreters[language]?.command ?? ""
    return allowed.has(command.replace(/^.*[\\/]/s, ""))
  })
}

/**
 * The ending of a failed run. Code that failed by itself is not an error of the tool: its exit code and stderr tell.
 */
const failedBy = (policy: AccessPolicy | undefined) => (error: CodeError): CommandEnding => {
  if (error._tag === "PreExecutionError") {
    const { message, reason } = error
    return { error: withAllowedText(message, reason, policy), reason: reason._tag, exit_code: null }
  }
  const { duration, exitCode, signal } = error
  return {
    ...(error._tag === "ExecutionError" ? undefined : { error: error.message, reason: error.reason._tag }),
    exit_code: exitCode ?? null,
    ...(signal === undefined ? undefined : { signal }),
    ...(duration === undefined ? undefined : { duration_ms: duration }),
  }
}

/**
 * The tool `execute_code`: runs source code on the shell of the context, with the interpreters of the context
 * (`Interpreters` of `@sluice/shell/code`). It answers as the tools of `commandTools` do. With a policy it offers the
 * languages whose interpreters are allowed; without any it is not registered.
 *
 * The layer fails with an `OptionError` for an unknown or invalid option, and
 * with an `AccessPolicyError` if the shell cannot enforce the policy.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { codeTool } from "@sluice/shell/mcp"
 * import { Effect, Layer } from "effect"
 * import { McpProtocol, McpTest } from "effect/ai"
 *
 * const program = Effect.gen(function* () {
 *   const tool = codeTool().pipe(Layer.provide(LocalShell.layer))
 *   const client = yield* McpTest.makeClient(tool, { protocols: [McpProtocol.v2025_11_25] })
 *   return yield* client.callTool({ name: "execute_code", arguments: { language: "bash", code: "echo $((6 * 7))" } })
 * })
 * const { content: [first] } = await Effect.runPromise(Effect.scoped(program))
 * console.log(first?.type === "text" && first.text.startsWith("exit_code: 0\nstdout: |\n  42\n")) // true
 * ```
 *
 * @stability stable
 */
export const codeTool = (
  options: McpToolOptions = {},
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | Shell> =>
  withToolSettings("codeTool", options, codeToolWith)

export const codeToolWith = (known: ToolSettings): Layer.Layer<never, AccessPolicyError, McpServer | Shell> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const server = yield* McpServer
    const shell = yield* guardedShell(known.policy)
    const journal = yield* Effect.serviceOption(Journal)
    const interpreters = yield* Interpreters
    const languages = offeredLanguages(interpreters, known.policy)
    if (languages.length === 0) return
    const failed = failedBy(known.policy)
    yield* addTool(server, {
      name: "execute_code",
      title: "Run code",
      description: withPolicyText(
        known.policy,
        "Runs code of a language in a new process, and answers its exit code, stdout and stderr as YAML.",
      ),
      parameters: executeCode(languages, known),
      result: known.resultFormat === "structured" ? CommandResult : undefined,
      handle: ({ code, input, language, version, ...common }) =>
        Effect.gen(function* () {
          const request = { language, code, version, input, ...runOptionsOf(common, known) }
          const progress = yield* requestProgress(server)
          const events = stream(request, { signal: known.signal }).pipe(
            Stream.provideService(Shell, shell),
            Stream.provideService(Interpreters, interpreters),
          )
          const { commandId } = request
          const ending = yield* runCommand(events, { commandId, settings: known, progress, ended, failed })
          return yield* makeToolResult(ending, known, journal)
        }),
    })
  }))
