/** The built-in spell that runs source code. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { defined } from "../../base/defined.ts"
import { codeVersion } from "../../code/CodeRequest.ts"
import { run } from "../../code/run.ts"
import type { Shell } from "../../shell/Shell.ts"
import { make, type Spell } from "../Spell.ts"
import * as SpellRoute from "../SpellRoute.ts"
import { optionalText, runFields, runInWindows, runOptions, text, windowField } from "./commandParameters.ts"
import { CommandFailure, CommandResult, maxKeptBytes, shapeCommand } from "./commandResult.ts"

/**
 * Runs source code in a named language.
 *
 * @example
 * ```ts
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { executeCode, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(executeCode), "execute_code", { language: "bash", code: "echo $((6 * 7))" })
 * const result = await Effect.runPromise(Effect.provide(call, KernelShell.layer))
 * console.log(JSON.stringify(result) === JSON.stringify({ exitCode: 0, stdout: "42\n", stderr: "" })) // true
 * ```
 */
export const executeCode: Spell<"execute_code", Shell> = make({
  name: "execute_code",
  description:
    "Runs source code in a new process and answers with its exit code and output; of a long output the middle is " +
    "left out. State is not kept from one call to the next.",
  parameters: Schema.Struct({
    language: text("Language of the code, such as python, javascript or bash"),
    code: text("The code"),
    version: codeVersion,
    input: optionalText("What the code reads on stdin. Default: nothing"),
    ...runFields,
    ...windowField,
  }),
  success: CommandResult,
  failure: CommandFailure,
  targets: ({ code, cwd, language }) =>
    language === "bash" || language === "sh"
      ? [{ _tag: "Script", script: code, cwd }]
      : [{ _tag: "Code", language, code, cwd }],
  routes: [SpellRoute.commands],
  cast: ({ code, input, language, version, window, ...options }, { correlationId }) =>
    shapeCommand(
      correlationId,
      runInWindows(
        run({
          language,
          code,
          version,
          maxOutputBytes: maxKeptBytes,
          ...runOptions(options),
          ...defined({ input }),
        }),
        { command: language, commandId: correlationId },
        window,
      ).pipe(
        // Code that fails by itself has an exit code, like a command.
        Effect.catchTag("ExecutionError", (error) => Effect.succeed(error)),
      ),
    ),
})
