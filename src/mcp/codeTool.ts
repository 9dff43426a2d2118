/** Defines the MCP tool `execute_code`. */
import type { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { codeVersion } from "../code/CodeRequest.ts"
import type { CodeError } from "../code/CodeError.ts"
import type { CodeOutput } from "../code/CodeResult.ts"
import { Interpreters, type InterpreterTable } from "../code/Interpreter.ts"
import { stream } from "../code/stream.ts"
import type { AccessPolicy } from "../policy/mod.ts"
import { Shell } from "../shell/Shell.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { addTool } from "./addTool.ts"
import { withPolicyText } from "./policyText.ts"
import { runOptionsOf, runParametersOf } from "./runParameters.ts"
import { type McpToolOptions, type ToolSettings, withToolSettings } from "./McpToolOptions.ts"
import { commandRunner } from "./commandRunner.ts"
import type { CommandEnding } from "./makeToolResult.ts"

const executeCode = (languages: ReadonlyArray<string>, settings: ToolSettings) =>
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

/**
 * The languages whose interpreters the policy allows, so that a model is not offered languages that are always refused.
 */
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

/** The ending of code that started. A failure of the code is not an error of the tool: see the exit code and stderr. */
const failedRun = (error: Exclude<CodeError, { readonly _tag: "PreExecutionError" }>): CommandEnding => {
  const { duration, exitCode, signal } = error
  return {
    ...(error._tag === "ExecutionError" ? undefined : { error: error.message, reason: error.reason._tag }),
    exit_code: exitCode ?? null,
    ...defined({ signal }),
    ...(duration === undefined ? undefined : { duration_ms: duration }),
  }
}

/**
 * The tool `execute_code`: runs source code on the shell of the context, with the interpreters of the context
 * (`Interpreters` of `@sluice/shell/code`). It answers as the tools of `commandTools` do. With a policy it offers the
 * languages whose interpreters are allowed; without any it is not registered.
 *
 * The layer fails for an unknown or invalid option, and if the shell cannot enforce the policy.
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
 */
export const codeTool = (
  options: McpToolOptions = {},
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | Shell> =>
  withToolSettings("codeTool", options, codeToolWith)

export const codeToolWith = (known: ToolSettings): Layer.Layer<never, AccessPolicyError, McpServer | Shell> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const { fault, result, run, server, shell } = yield* commandRunner(known)
    const interpreters = yield* Interpreters
    const languages = offeredLanguages(interpreters, known.policy)
    if (languages.length === 0) return
    yield* addTool(server, {
      name: "execute_code",
      title: "Run code",
      description: withPolicyText(
        known.policy,
        "Runs code of a language in a new process, and returns its exit code, stdout and stderr as YAML.",
      ),
      parameters: executeCode(languages, known),
      result,
      handle: ({ code, input, language, version, ...common }) => {
        const request = { language, code, version, input, ...runOptionsOf(common, known) }
        const events = stream(request, { signal: known.signal }).pipe(
          Stream.provideService(Shell, shell),
          Stream.provideService(Interpreters, interpreters),
        )
        return run(events, {
          commandId: request.commandId,
          ended,
          failed: (error: CodeError) => error._tag === "PreExecutionError" ? fault(error) : failedRun(error),
        })
      },
    })
  }))
