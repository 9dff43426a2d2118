/** Collects the built-in spells in one book. */
import type { Files } from "../../files/Files.ts"
import type { Shell } from "../../shell/Shell.ts"
import type { ProcessTable } from "../ProcessTable.ts"
import { make, type Spellbook } from "../makeSpellbook.ts"
import { executeCode } from "./executeCode.ts"
import { deleteFile, editFile, listDirectory, readFile, writeFile } from "./files.ts"
import { readOutput, sendInput, startProcess, stopProcess } from "./processes.ts"
import { runCommand, runScript } from "./runCommand.ts"
import { applyPatch, searchFiles } from "./searchFiles.ts"

/** The names of the built-in spells. */
export type StandardSpell =
  | "read_file"
  | "write_file"
  | "edit_file"
  | "list_directory"
  | "search_files"
  | "apply_patch"
  | "delete_file"
  | "run_command"
  | "run_script"
  | "execute_code"
  | "start_process"
  | "read_output"
  | "send_input"
  | "stop_process"

/**
 * All built-in spells.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { ProcessTable, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Spellbook.cast(Spellbook.standard, "write_file", { path: "a.txt", content: "hello" })
 *   return yield* Spellbook.cast(Spellbook.standard, "search_files", { pattern: "^hel" })
 * })
 * const leaves = Layer.mergeAll(MemoryFileSystem.layer, LocalShell.layer, ProcessTable.layer)
 * console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, leaves))).includes("1:hello")) // true
 * ```
 *
 * @example
 * ```ts
 * import { Spellbook } from "@sluice/shell/spell"
 *
 * console.log(Spellbook.standard.spells.has("read_file") && Spellbook.standard.spells.has("run_command")) // true
 * ```
 */
export const standard: Spellbook<Files | Shell | ProcessTable, StandardSpell> = make(
  readFile,
  writeFile,
  editFile,
  listDirectory,
  searchFiles,
  applyPatch,
  deleteFile,
  runCommand,
  runScript,
  executeCode,
  startProcess,
  readOutput,
  sendInput,
  stopProcess,
)
