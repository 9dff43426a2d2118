/**
 * Makes the leaf of the Secrets branch that reads the output of a command, such as `op read` or `pass show`, on the
 * `Shell` of the context.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { Shell } from "../shell/Shell.ts"
import { takeShellOutput } from "../shell/takeShellOutput.ts"
import { makeSecrets, maxValueBytes, notFound, type StoreProblem } from "./makeSecrets.ts"
import type { SecretGet } from "./SecretEntry.ts"
import { Secrets, type SecretsService } from "./Secrets.ts"

/** Options of a leaf. */
export interface CommandSecretsOptions {
  /** The command that prints a secret; `undefined` if there is none. A name never begins with `-`. */
  readonly command: (request: SecretGet) => ShellExec | undefined
  /** The command that prints the names, one per line. Default: names are not listed. */
  readonly list?: ShellExec | undefined
  /** Extracts the value from the output. Default: all of the output without its last newline. */
  readonly parse?: ((stdout: string) => string) | undefined
  /** Time of one command. Default: 30 s. */
  readonly timeout?: DurationInput | undefined
}

const known: Readonly<Record<keyof CommandSecretsOptions, true>> = {
  command: true,
  list: true,
  parse: true,
  timeout: true,
}

/**
 * Makes the service. The shell must not journal, because the output is the value: a journaled shell, and the client of a
 * daemon, are refused. The fault of a failed command has only its exit code.
 */
export const make = (options: CommandSecretsOptions): Effect.Effect<SecretsService, OptionError, Shell> =>
  Effect.flatMap(Shell, (shell) =>
    attemptOptions(() => {
      refuseUnknownOptions("CommandSecrets", options, known)
      if (shell.capabilities.leaf === "client") {
        throw new OptionError("CommandSecrets", "CommandSecrets: a daemon journals the output: use another shell")
      }
      const { command, list, parse = (stdout) => stdout.replace(/\r?\n$/, ""), timeout = "30 seconds" } = options
      const millis = positiveMillisOf("timeout", timeout)
      const run = (exec: ShellExec): Effect.Effect<string, StoreProblem> =>
        Effect.suspend(() => {
          const recorded = new AbortController()
          const bounded = ShellExec.with(exec, { maxOutputBytes: maxValueBytes + 2, streamOutput: false })
          // Called before the command is started.
          const onRecorded = () => recorded.abort()
          return takeShellOutput(shell.exec(bounded, { signal: recorded.signal, onRecorded })).pipe(
            Effect.mapError(({ reason }): StoreProblem =>
              recorded.signal.aborted
                ? ["NotAllowed", "the shell journals the output of its commands: use one that does not"]
                : [reason._tag === "Timeout" ? "Timeout" : "Failed", `${exec.command} failed (${reason._tag})`]
            ),
            Effect.filterOrFail(
              ({ stdoutBytesOmitted }) => stdoutBytesOmitted === 0,
              (): StoreProblem => ["TooLarge", `${exec.command} printed more than ${maxValueBytes} bytes`],
            ),
            Effect.filterOrFail(
              ({ exitCode }) => exitCode === 0,
              ({ exitCode }): StoreProblem => ["Failed", `${exec.command} exited with ${exitCode}`],
            ),
            Effect.map(({ stdout }) => stdout),
          )
        })
      return makeSecrets({
        hasVersions: true,
        get: (request) =>
          Effect.suspend(() => {
            const exec = command(request)
            return exec === undefined ? Effect.fail(notFound) : Effect.map(run(exec), parse)
          }),
        list: list === undefined
          ? Effect.fail(["InvalidRequest", "no command to list the names is set (list)"])
          : Effect.map(run(list), (stdout) => stdout.split(/\r?\n/).filter((name) => name !== "")),
      }, millis)
    }))

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 * import { CommandSecrets, Secrets } from "@sluice/shell/secrets"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const shell = MockShell.layer([MockShell.on("pass", MockRun.stdout("hunter2\nuser: me\n"))])
 * const secrets = CommandSecrets.layer({
 *   command: ({ name }) => ShellExec.make("pass", ["show", name]),
 *   parse: (stdout) => stdout.split("\n")[0] ?? "",
 * })
 * const program = Effect.provide(Secrets.get("github"), secrets.pipe(Layer.provide(shell)))
 * console.log(Redacted.value(await Effect.runPromise(program))) // hunter2
 * ```
 */
export const layer = (options: CommandSecretsOptions): Layer.Layer<Secrets, OptionError, Shell> =>
  Layer.effect(Secrets, make(options))
