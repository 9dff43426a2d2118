/** The built-in spells on background processes and long outputs: start, read, send input, stop. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { defined } from "../../base/defined.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { Journal } from "../../journal/JournalService.ts"
import { Shell } from "../../shell/Shell.ts"
import { ProcessTable } from "../ProcessTable.ts"
import { ProcessTableError } from "../ProcessTableError.ts"
import type { ProcessOutput } from "../ProcessTableService.ts"
import { recallOutput } from "../recallOutput.ts"
import { make, type Spell } from "../Spell.ts"
import * as SpellRoute from "../SpellRoute.ts"
import { flag, maxTimeoutSeconds, optionalTexts, runFields, seconds, text } from "./commandParameters.ts"
import { CommandFailure, toCommandFailure } from "./commandResult.ts"

/** UTF-16 units of one answer. */
const maxLength = 16_384

/** Seconds that one answer waits for output at most. */
const maxWait = 60

const Id = text("The id that start_process or a long output gave")
const Wait = Schema.optionalKey(
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: maxWait })).annotate({
    description: `Seconds to wait for output, at most ${maxWait}. Default: 1`,
  }),
)

const Output = Schema.Struct({
  id: Schema.String,
  output: Schema.String,
  position: Schema.Int,
  isRunning: Schema.Boolean,
  hasMore: Schema.optionalKey(Schema.Boolean),
  exitCode: Schema.optionalKey(Schema.Int),
  ended: Schema.optionalKey(Schema.String),
  charactersOmitted: Schema.optionalKey(Schema.Int),
})

const toOutput = (id: string, { ended, exitCode, hasMore, isRunning, omitted, output, position }: ProcessOutput) => ({
  id,
  output,
  position,
  isRunning,
  ...(hasMore ? { hasMore } : undefined),
  ...defined({ exitCode, ended }),
  ...(omitted === 0 ? undefined : { charactersOmitted: omitted }),
})

const read = (id: string, position: number, waitSeconds: number) =>
  Effect.flatMap(ProcessTable, (table) =>
    Effect.map(
      table.read(id, { position, maxLength, wait: Duration.seconds(waitSeconds) }),
      (output) => toOutput(id, output),
    ))

/**
 * Restores an output that only the journal of the context still has to the table; if the journal has none, fails as
 * before.
 */
const recall = (id: string, error: ProcessTableError) =>
  Effect.gen(function* () {
    const journal = yield* Effect.serviceOption(Journal)
    if (error.reason._tag !== "UnknownId" || Option.isNone(journal)) return yield* error
    const found = yield* Effect.catch(recallOutput(journal.value, id), () => Effect.undefined)
    if (found === undefined) return yield* error
    yield* (yield* ProcessTable).keep(found.key, found.text, found.kind)
  })

/**
 * Starts a process in the background.
 *
 * @example
 * ```ts
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { ProcessTable, startProcess, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(startProcess), "start_process", { command: "sleep", arguments: ["600"] })
 * // The process ends with the layer.
 * const result = await Effect.runPromise(Effect.provide(call, Layer.merge(KernelShell.layer, ProcessTable.layer)))
 * console.log(JSON.stringify(result).includes('"isRunning":true')) // true
 * ```
 */
export const startProcess: Spell<"start_process", Shell | ProcessTable> = make({
  name: "start_process",
  description:
    "Starts a program in the background, such as a server or a watcher, and answers with its id and first output. Read " +
    "more with read_output, end it with stop_process.",
  parameters: Schema.Struct({
    command: text("Program, such as npm"),
    arguments: optionalTexts('Its arguments, each as it is: ["run", "dev"]'),
    cwd: runFields.cwd,
    input: flag("Keep stdin open for send_input. Default: false"),
    timeoutSeconds: seconds(`Seconds after which it is ended. Default: ${maxTimeoutSeconds}`),
    waitSeconds: Wait,
  }),
  success: Output,
  failure: Schema.Union([CommandFailure, ProcessTableError]),
  targets: ({ arguments: words = [], command, cwd }) => [{ _tag: "Command", command, arguments: words, cwd }],
  routes: [SpellRoute.commands],
  cast: (
    { arguments: words = [], command, cwd, input = false, timeoutSeconds = maxTimeoutSeconds, waitSeconds = 1 },
    { correlationId },
  ) =>
    Effect.gen(function* () {
      const shell = yield* Shell
      const table = yield* ProcessTable
      const exec = ShellExec.make(command, words, {
        timeout: Duration.seconds(timeoutSeconds),
        ...defined({ cwd }),
      })
      const start = table.start({ shell, exec, key: correlationId, hasInput: input }).pipe(
        Effect.catchTag("ShellFault", (fault) =>
          Effect.flatMap(toCommandFailure(correlationId, fault, { command, arguments: words }), Effect.fail)),
      )
      // A cancelled call returns no id by which its process could be ended.
      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(start, (id) =>
          Effect.onInterrupt(restore(read(id, 0, waitSeconds)), () =>
            Effect.ignore(table.stop(id))))
      )
    }),
})

/**
 * Reads the output of a background process, or the rest of a long output.
 *
 * @example
 * ```ts
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { ProcessTable, readOutput, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const table = yield* ProcessTable
 *   const id = yield* table.keep("a long output", "one\ntwo\n")
 *   return yield* Spellbook.cast(Spellbook.make(readOutput), "read_output", { id, position: 4 })
 * })
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(KernelShell.layer, ProcessTable.layer)))
 * console.log(JSON.stringify(result).includes('"output":"two\\n","position":8,"isRunning":false')) // true
 * ```
 */
export const readOutput: Spell<"read_output", ProcessTable> = make({
  name: "read_output",
  description:
    `Reads output of a background process or of a command whose output was too long, at most ${maxLength} characters at ` +
    "once. Answers with the position to read on from, and whether the process runs.",
  parameters: Schema.Struct({
    id: Id,
    position: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
        description: "Position to read from, as the last answer gave it. Default: 0",
      }),
    ),
    waitSeconds: Wait,
  }),
  success: Output,
  failure: ProcessTableError,
  readOnly: true,
  cast: ({ id, position = 0, waitSeconds = 1 }) =>
    Effect.catch(
      read(id, position, waitSeconds),
      (error) => Effect.andThen(recall(id, error), read(id, position, waitSeconds)),
    ),
})

/**
 * Writes to the stdin of a background process.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { ProcessTable, sendInput, Spellbook } from "@sluice/shell/spell"
 * import { Duration, Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const table = yield* ProcessTable
 *   const exec = ShellExec.make("cat")
 *   const id = yield* table.start({ shell: yield* Shell, exec, key: "cat", hasInput: true })
 *   yield* Spellbook.cast(Spellbook.make(sendInput), "send_input", { id, text: "hello\n" })
 *   return yield* table.read(id, { position: 0, maxLength: 100, wait: Duration.seconds(10) })
 * })
 * const { output } = await Effect.runPromise(Effect.provide(program, Layer.merge(KernelShell.layer, ProcessTable.layer)))
 * console.log(output) // hello
 * ```
 */
export const sendInput: Spell<"send_input", ProcessTable> = make({
  name: "send_input",
  description: "Writes text to the stdin of a background process that was started with input: true.",
  parameters: Schema.Struct({
    id: Id,
    text: text("Text to write; end a line with \\n"),
    end: flag("Close its stdin afterwards. Default: false"),
  }),
  success: Schema.Struct({ id: Schema.String }),
  failure: ProcessTableError,
  // A shell that was started once would accept any command.
  targets: ({ id, text }) => [{ _tag: "Input", process: id, text }],
  cast: ({ end = false, id, text }) =>
    Effect.flatMap(ProcessTable, (table) => Effect.as(table.write(id, text, end), { id })),
})

/**
 * Ends a background process.
 *
 * @example
 * ```ts
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { ProcessTable, stopProcess, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(stopProcess), "stop_process", { id: "process-1" })
 * const layer = Layer.merge(KernelShell.layer, ProcessTable.layer)
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(call, layer)))
 * console.log(fault.message.includes('there is no process or output "process-1"')) // true
 * ```
 */
export const stopProcess: Spell<"stop_process", ProcessTable> = make({
  name: "stop_process",
  description: "Ends a background process and all that it started. Its output can still be read.",
  parameters: Schema.Struct({ id: Id }),
  success: Schema.Struct({ id: Schema.String }),
  failure: ProcessTableError,
  idempotent: true,
  cast: ({ id }) => Effect.flatMap(ProcessTable, (table) => Effect.as(table.stop(id), { id })),
})
