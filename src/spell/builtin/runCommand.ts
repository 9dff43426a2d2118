/**
 * The built-in spell that runs a program.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { Shell } from "../../shell/Shell.ts"
import { make, type Spell } from "../Spell.ts"

/** Bytes of each output that a model gets: the beginning and the end. */
const maxOutputBytes = 32_768

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Runs a program with arguments.
 *
 * @stability experimental
 */
export const runCommand: Spell<"run_command", Shell> = make({
  name: "run_command",
  description:
    "Runs a program with arguments; no shell interprets them. Answers when it has ended, with its exit code and " +
    "output; of a long output the middle is left out.",
  parameters: Schema.Struct({
    command: Schema.String.annotate({ description: "Program, such as git" }),
    arguments: Schema.optionalKey(Schema.Array(Schema.String)),
    cwd: Schema.optionalKey(Schema.String.annotate({ description: "Directory to run in" })),
    timeoutSeconds: Schema.optionalKey(
      Schema.Finite.check(Schema.isGreaterThan(0)).annotate({
        description: "Seconds after which it is ended. Default: 120",
      }),
    ),
  }),
  success: Schema.Struct({
    exitCode: Schema.Int,
    stdout: Schema.String,
    stderr: Schema.String,
    bytesOmitted: Schema.optionalKey(count),
  }),
  failure: ShellFault,
  targets: ({ arguments: words = [], command }) => [{ _tag: "Command", command, arguments: words }],
  cast: ({ arguments: words = [], command, cwd, timeoutSeconds = 120 }) => {
    const exec = ShellExec.make(command, words, {
      timeout: Duration.seconds(timeoutSeconds),
      maxOutputBytes,
      ...(cwd === undefined ? undefined : { cwd }),
    })
    return Effect.map(Shell.run(exec), ({ exitCode, stderr, stderrBytesOmitted, stdout, stdoutBytesOmitted }) => {
      const bytesOmitted = stdoutBytesOmitted + stderrBytesOmitted
      return { exitCode, stdout, stderr, ...(bytesOmitted === 0 ? undefined : { bytesOmitted }) }
    })
  },
})
