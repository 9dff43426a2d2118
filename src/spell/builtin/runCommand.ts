/** The built-in spells that run a program, or a script of the shell. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ShellExec } from "../../command/ShellExec.ts"
import { Shell } from "../../shell/Shell.ts"
import { takeShellOutput } from "../../shell/takeShellOutput.ts"
import { make, type Spell } from "../Spell.ts"
import * as SpellRoute from "../SpellRoute.ts"
import { optionalTexts, runFields, runInWindows, runOptions, text, windowField } from "./commandParameters.ts"
import { CommandFailure, CommandResult, maxKeptBytes, shapeCommand } from "./commandResult.ts"

/**
 * Runs a program with arguments.
 *
 * @example
 * ```ts
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { runCommand, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(runCommand), "run_command", { command: "echo", arguments: ["hello"] })
 * const result = await Effect.runPromise(Effect.provide(call, KernelShell.layer))
 * console.log(JSON.stringify(result) === JSON.stringify({ exitCode: 0, stdout: "hello\n", stderr: "" })) // true
 * ```
 */
export const runCommand: Spell<"run_command", Shell> = make({
  name: "run_command",
  description:
    "Runs a program with arguments; no shell interprets them. Answers when it has ended, with its exit code and " +
    "output; of a long output the middle is left out.",
  parameters: Schema.Struct({
    command: text("Program, such as git"),
    arguments: optionalTexts('Its arguments, each as it is: ["log", "-3"]'),
    ...runFields,
    ...windowField,
  }),
  success: CommandResult,
  failure: CommandFailure,
  targets: ({ arguments: words = [], command, cwd }) => [{ _tag: "Command", command, arguments: words, cwd }],
  routes: [SpellRoute.commands],
  cast: ({ arguments: words = [], command, window, ...options }, { correlationId }) => {
    const kept = { maxOutputBytes: maxKeptBytes, streamOutput: false }
    const exec = ShellExec.make(command, words, { ...runOptions(options), ...kept })
    // Not `Shell.run`: its advice is for programmers, not for a model.
    const run = Effect.flatMap(Shell, (shell) => takeShellOutput(shell.exec(exec)))
    return shapeCommand(correlationId, runInWindows(run, exec, window), { command, arguments: words })
  },
})

/**
 * Runs a script of the shell.
 *
 * @example
 * ```ts
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { runScript, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(runScript), "run_script", { script: "seq 3 | wc -l; exit 4" })
 * const result = await Effect.runPromise(Effect.provide(call, KernelShell.layer))
 * console.log(JSON.stringify(result) === JSON.stringify({ exitCode: 4, stdout: "3\n", stderr: "" })) // true
 * ```
 */
export const runScript: Spell<"run_script", Shell> = make({
  name: "run_script",
  description:
    "Runs a script of the shell, with pipes, redirects and loops. Answers when it has ended, with its exit code and " +
    "output; of a long output the middle is left out.",
  parameters: Schema.Struct({
    script: text("The script: ls src | wc -l"),
    ...runFields,
    ...windowField,
  }),
  success: CommandResult,
  failure: CommandFailure,
  targets: ({ cwd, script }) => [{ _tag: "Script", script, cwd }],
  routes: [SpellRoute.commands],
  cast: ({ script, window, ...options }, { correlationId }) => {
    const exec = ShellExec.shell(script, { ...runOptions(options), maxOutputBytes: maxKeptBytes })
    return shapeCommand(correlationId, runInWindows(Shell.run(exec), exec, window))
  },
})
