/** Defines the MCP tools `execute_command` and `execute_process`. */
import type { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { Shell } from "../shell/Shell.ts"
import type { OptionError } from "../base/OptionError.ts"
import { argumentsHint } from "../command/argumentsHint.ts"
import { parseWindow, windowField } from "../spell/builtin/commandParameters.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { addTool } from "./addTool.ts"
import { withPolicyText } from "./policyText.ts"
import { runOptionsOf, runParametersOf } from "./runParameters.ts"
import { type McpToolOptions, type ToolSettings, withToolSettings } from "./McpToolOptions.ts"
import { commandRunner } from "./commandRunner.ts"
import type { CommandEnding } from "./makeToolResult.ts"

const executeCommand = (settings: ToolSettings) =>
  Schema.Struct({
    command: Schema.String.check(Schema.isNonEmpty()).annotate({ description: "A shell command line" }),
    ...runParametersOf(settings),
    ...windowField,
  })

const executeProcess = (settings: ToolSettings) =>
  Schema.Struct({
    file: Schema.String.check(Schema.isNonEmpty()).annotate({ description: "A program: its name or its path" }),
    args: Schema.Array(Schema.String.annotate({ description: "One argument, passed as it is, without a shell" }))
      .annotate({
        default: [],
      }).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
    input: Schema.optionalKey(
      Schema.String.annotate({ description: "What the program reads on stdin. Default: nothing" }),
    ),
    ...runParametersOf(settings),
    ...windowField,
  })

/** Explains how to fix a call that failed for this reason. */
type Hint = (reason: FaultReason) => string | undefined

const ended = ({ duration, exitCode, signal }: ShellOutput): CommandEnding => ({
  exit_code: exitCode,
  ...defined({ signal }),
  duration_ms: duration,
})

/**
 * The tools `execute_command` and `execute_process`: run commands on the shell of the context. They answer in YAML, or
 * with `structuredContent` ({@link CommandResult}) if `resultFormat` is `structured`. An answer contains at most
 * `maxOutputBytes` of output, its start and its end; with a journal in the context it links to the whole. A command that
 * could not run to its end is an answer too (`isError`), with its output so far. Clients that send a `progressToken` get
 * the output as progress notifications. Cancelling the request or closing its connection ends the whole process tree.
 *
 * The layer fails for an unknown or invalid option, and if the shell cannot enforce the policy.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { commandTools } from "@sluice/shell/mcp"
 * import { Effect, Layer } from "effect"
 * import { McpProtocol, McpTest } from "effect/ai"
 *
 * const program = Effect.gen(function* () {
 *   const tools = commandTools({ defaultTimeout: "10 seconds" }).pipe(Layer.provide(LocalShell.layer))
 *   const client = yield* McpTest.makeClient(tools, { protocols: [McpProtocol.v2025_11_25] })
 *   const { content } = yield* client.callTool({ name: "execute_command", arguments: { command: "echo hello" } })
 *   return content[0]?.type === "text" ? content[0].text : ""
 * })
 * const yaml = await Effect.runPromise(Effect.scoped(program))
 * console.log(yaml.startsWith("exit_code: 0\nstdout: |\n  hello\n")) // true
 * ```
 */
export const commandTools = (
  options: McpToolOptions = {},
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | Shell> =>
  withToolSettings("commandTools", options, commandToolsWith)

export const commandToolsWith = (known: ToolSettings): Layer.Layer<never, AccessPolicyError, McpServer | Shell> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const { fault, result, run: runStream, server, shell } = yield* commandRunner(known)
    const run = (exec: ShellExec, given: string | undefined, hint: Hint = () => undefined) => {
      const parsed = parseWindow(exec, given)
      const events = Result.isFailure(parsed) ? Stream.fail(parsed.failure) : shell.exec(exec, { signal: known.signal })
      return runStream(events, {
        commandId: exec.commandId,
        window: Result.getOrUndefined(parsed),
        ended,
        failed: (error) => fault(error, hint(error.reason)),
      })
    }
    yield* addTool(server, {
      name: "execute_command",
      title: "Run a shell command",
      description: withPolicyText(
        known.policy,
        "Runs a shell command line, and returns its exit code, stdout and stderr as YAML.",
      ),
      parameters: executeCommand(known),
      result,
      handle: ({ command, window, ...common }) => run(ShellExec.shell(command, runOptionsOf(common, known)), window),
    })
    yield* addTool(server, {
      name: "execute_process",
      title: "Run a program",
      description: withPolicyText(
        known.policy,
        "Runs a program with its arguments as they are, without a shell, and returns its exit code, stdout and stderr " +
          "as YAML.",
      ),
      parameters: executeProcess(known),
      result,
      handle: ({ args, file, input, window, ...common }) =>
        run(
          ShellExec.make(file, args, { ...runOptionsOf(common, known), input }),
          window,
          (reason) => argumentsHint(reason, { file }, { args }),
        ),
    })
  }))
