/** Declares the `ProcessTable` service: background processes of spells, and long outputs of commands. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumeValidOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import { makeProcessTable } from "./makeProcessTable.ts"
import type { ProcessTableOptions, ProcessTableService } from "./ProcessTableService.ts"

const Base: Context.ServiceClass<ProcessTable, "@sluice/shell/ProcessTable", ProcessTableService> = Context.Service<
  ProcessTable,
  ProcessTableService
>()("@sluice/shell/ProcessTable")

/**
 * Manages the background processes of spells, and outputs that are too long for one answer. The spells `start_process`,
 * `read_output`, `send_input` and `stop_process` need it; `run_command`, `run_script` and `execute_code` use it if it
 * is provided. Its processes end with its scope.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { ProcessTable, readOutput, Spellbook, startProcess } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const book = Spellbook.make(startProcess, readOutput)
 * const program = Spellbook.cast(book, "start_process", { command: "echo", arguments: ["hello"], waitSeconds: 10 })
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(LocalShell.layer, ProcessTable.layer)))
 * console.log(JSON.stringify(result).includes("hello")) // true
 * ```
 */
export class ProcessTable extends Base {
  /** A table with the default limits. */
  static readonly layer: Layer.Layer<ProcessTable> = Layer.effect(
    ProcessTable,
    assumeValidOptions(Effect.suspend(() => makeProcessTable({}))),
  )

  /** A table with other limits. Fails with an `OptionError` for a limit that is no count. */
  static layerWith(options: ProcessTableOptions): Layer.Layer<ProcessTable, OptionError> {
    return Layer.effect(ProcessTable, makeProcessTable(options))
  }
}
