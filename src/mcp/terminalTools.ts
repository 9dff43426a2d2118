/** Defines the MCP tools `open_terminal`, `send_keys`, `read_screen` and `close_terminal`. */
import type { CallToolResult } from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { OptionError } from "../base/OptionError.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import {
  type KeyInput,
  type TerminalError,
  type TerminalKey,
  Terminals,
  type TerminalSession,
} from "../terminal/mod.ts"
import { describedKeys, encodeKey } from "../terminal/keys.ts"
import type { AccessPolicyError } from "../policy/AccessPolicyError.ts"
import { Shell } from "../shell/Shell.ts"
import { addTool } from "./addTool.ts"
import { checkTerminals } from "./checkTerminals.ts"
import { type McpToolOptions, type ToolSettings, withToolSettings } from "./McpToolOptions.ts"
import { OwnedTerminals } from "./OwnedTerminals.ts"
import { withPolicyText } from "./policyText.ts"
import { guardedShell } from "./commandRunner.ts"
import { screenAnswer, terminalFailure, type WaitEnding } from "./terminalAnswer.ts"
import { cwdParameter } from "./runParameters.ts"
import { toolError } from "./toolError.ts"

const cells = (about: string, maximum: number, fallback: number): Schema.withDecodingDefaultKey<Schema.Int> =>
  Schema.Int.check(Schema.isBetween({ minimum: 2, maximum })).annotate({ description: about }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(fallback)),
  )

const maxWaitMillis = 300_000

/** Time that a call waits before it answers with the screen. */
const waitParameters = {
  wait_for: Schema.optionalKey(
    Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(1_000)).annotate({
      description: "Answer when this literal text, such as a prompt, is in the output since the input; the echo " +
        "of the input does not count. Default: after 300 ms without output",
    }),
  ),
  timeout_ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxWaitMillis })).annotate({
    description: "Maximum time to wait; then the screen is returned as it is. Default: 10000",
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(10_000))),
}

const terminalId: typeof Schema.String = Schema.String.check(Schema.isNonEmpty()).annotate({
  description: "The terminal_id from open_terminal",
})

const openTerminal = (settings: Pick<ToolSettings, "policy">) =>
  Schema.Struct({
    file: Schema.String.check(Schema.isNonEmpty()).annotate({
      description: "The program to run: its name or its path, such as bash, python3, psql",
    }),
    args: Schema.Array(Schema.String.annotate({ description: "One argument, passed as it is, without a shell" })).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed([])),
    ),
    cwd: cwdParameter(settings),
    cols: cells("Width of the terminal. Default: 100", 300, 100),
    rows: cells("Height of the terminal. Default: 30", 100, 30),
    ...waitParameters,
  })

const SendKeys = Schema.Struct({
  terminal_id: terminalId,
  text: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(65_536)).annotate({
      description: "Text to type first, literally; Enter is pressed only if it is among the keys",
    }),
  ),
  keys: Schema.Array(
    Schema.String.annotate({
      description: `A key: ${describedKeys}`,
    }),
  ).check(Schema.isMaxLength(256)).annotate({ description: 'Keys to press after the text, such as ["Enter"]' }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed([])),
  ),
  ...waitParameters,
})

const ReadScreen = Schema.Struct({
  terminal_id: terminalId,
  history_lines: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })).annotate({
    description: "Number of scrollback lines to include. Default: 0",
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
})

const CloseTerminal = Schema.Struct({
  terminal_id: terminalId,
})

/** Silence after which a call without `wait_for` answers. */
const silence = "300 millis"

const maxSessions = 64

const closeTimeout = "10 seconds"

const isKey = (name: string): name is TerminalKey => encodeKey(name, false) !== undefined

/** Matches a text after its occurrences in the typed input, which the terminal echoes. */
const beyondEcho = (wanted: string, typed: string): string | RegExp => {
  const echoed = typed.split(wanted).length - 1
  if (echoed === 0) return wanted
  const literal = wanted.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  // Each character can match in only one way: with `.*?`, a text with too few of them would be tried in exponentially
  // many ways.
  return new RegExp(`^(?:(?:(?!${literal})[^])*${literal}){${echoed + 1}}`)
}

interface Waiting {
  readonly timeout_ms: number
  readonly wait_for?: string
}

/** Waits for a text, or for silence; a timeout is not an error, because the screen shows why. */
const wait = (
  session: TerminalSession,
  { timeout_ms, wait_for }: Waiting,
  typed = "",
): Effect.Effect<WaitEnding> =>
  session.waitFor(wait_for === undefined ? { silence } : beyondEcho(wait_for, typed), {
    timeout: Math.max(1, timeout_ms),
  }).pipe(
    Effect.as(wait_for === undefined ? "silence" as const : "matched" as const),
    Effect.catch(({ reason }: TerminalError) =>
      Effect.succeed(reason._tag === "WaitTimeout" ? "timeout" as const : "ended" as const)
    ),
  )

/**
 * The tools `open_terminal`, `send_keys`, `read_screen` and `close_terminal` over the shell of the context. A
 * call types and answers with the screen: `send_keys` waits until a text appears or the output is silent. An answer has at most
 * `maxOutputBytes` of screen, without escape sequences. Each MCP session has at most four terminals, sees its own, and they end
 * with it; each counts for the commands that its token may run at once.
 *
 * Typed input is checked by no access policy: any allowed program that starts others (an editor, a pager, a debugger) would be
 * a way around its list. So a `policy` whose list is not `*` is refused, unless the shell is isolated.
 *
 * The layer fails for an unknown or invalid option, for such a policy, and if the shell cannot enforce the policy.
 *
 * @example
 * ```ts
 * import { commandTools, terminalTools } from "@sluice/shell/mcp"
 * import { Layer } from "effect"
 *
 * // To be provided with a `Shell`, for a server of your own.
 * const tools = Layer.mergeAll(commandTools(), terminalTools({ maxOutputBytes: 10_000 }))
 * console.log(Layer.isLayer(tools)) // true
 * ```
 *
 * @stability experimental
 */
export const terminalTools = (
  options: McpToolOptions = {},
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | Shell> =>
  withToolSettings("terminalTools", options, terminalToolsWith)

export const terminalToolsWith = (
  known: ToolSettings,
): Layer.Layer<never, OptionError | AccessPolicyError, McpServer | Shell> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const server = yield* McpServer
    const shell = yield* guardedShell(known.policy)
    const refused = checkTerminals(known.policy, shell)
    if (refused !== undefined) return yield* Effect.fail(refused)
    const registry = Layer.provide(Terminals.layerWith({ maxSessions }), Layer.succeed(Shell, shell))
    const owned = new OwnedTerminals(Context.get(yield* Layer.build(registry), Terminals))
    const context = yield* Effect.context<never>()
    const stop = known.onSessionEnd?.((session) => {
      Effect.runForkWith(context)(owned.endSession(session))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => stop?.()))
    const { maxOutputBytes, policy } = known
    const answer = <E extends ShellFault | TerminalError>(
      session: Effect.Effect<TerminalSession, E>,
      use: (session: TerminalSession) => Effect.Effect<CallToolResult>,
    ): Effect.Effect<CallToolResult> =>
      Effect.matchEffect(session, {
        onFailure: (error) => Effect.succeed(terminalFailure(error, policy)),
        onSuccess: use,
      })
    const afterWait = (waiting: Waiting, typed?: string) => (session: TerminalSession) =>
      Effect.flatMap(wait(session, waiting, typed), (waited) => screenAnswer(session, maxOutputBytes, { waited }))

    yield* addTool(server, {
      name: "open_terminal",
      title: "Open a terminal",
      description: withPolicyText(
        policy,
        "Starts an interactive program on a terminal (a shell, a REPL, an editor, anything that prompts), and returns its " +
          "terminal_id and its screen. Use it only where a program needs typing: execute_process is simpler.",
      ),
      parameters: openTerminal(known),
      handle: ({ args, cols, cwd, file, rows, ...waiting }) =>
        answer(
          owned.open(ShellExec.make(file, args, { cwd }), { cols, rows, signal: known.signal }),
          afterWait(waiting),
        ),
    })
    yield* addTool(server, {
      name: "send_keys",
      title: "Type into a terminal",
      description: "Types text and presses keys in a terminal, waits, and returns the screen: one call does both. " +
        'A command line of a shell is text "ls" with keys ["Enter"]. waited is matched, silence, timeout or ended.',
      parameters: SendKeys,
      handle: ({ keys, terminal_id, text, ...waiting }) => {
        const unknown = keys.find((key) => !isKey(key))
        if (unknown !== undefined) {
          return Effect.succeed(
            toolError(
              "InvalidArguments",
              `send_keys: ${
                unknown.slice(0, 50)
              } is not a key: the keys are ${describedKeys}; to type it, write it as text (EINVAL)`,
            ),
          )
        }
        const inputs: ReadonlyArray<KeyInput> = [
          ...(text === undefined || text === "" ? [] : [{ text }]),
          ...keys.filter(isKey),
        ]
        const typed = Effect.tap(
          owned.get(terminal_id),
          (session) => inputs.length === 0 ? Effect.void : session.sendKeys(...inputs),
        )
        return answer(typed, afterWait(waiting, text))
      },
    })
    yield* addTool(server, {
      name: "read_screen",
      title: "Read a terminal",
      description: "Returns the current screen of a terminal, with scrollback lines if requested.",
      parameters: ReadScreen,
      handle: ({ history_lines, terminal_id }) =>
        answer(
          owned.get(terminal_id),
          (session) => screenAnswer(session, maxOutputBytes, { historyLines: history_lines }),
        ),
    })
    yield* addTool(server, {
      name: "close_terminal",
      title: "Close a terminal",
      description:
        "Ends the program of a terminal and all that it started, and returns its last screen and its exit code.",
      parameters: CloseTerminal,
      handle: ({ terminal_id }) =>
        answer(owned.get(terminal_id), (session) =>
          session.close.pipe(
            Effect.timeoutOption(closeTimeout),
            Effect.andThen(screenAnswer(session, maxOutputBytes, { closed: true })),
            Effect.ensuring(Effect.ignore(owned.close(terminal_id))),
          )),
    })
  }))
