/**
 * The spells of `sluice agent`.
 *
 * @module
 */
import type { Files } from "../../files/Files.ts"
import type { Shell } from "../../shell/Shell.ts"
import {
  deleteFile,
  editFile,
  executeCode,
  listDirectory,
  type ProcessTable,
  readFile,
  readOutput,
  runCommand,
  runScript,
  sendInput,
  Spellbook,
  startProcess,
  stopProcess,
  writeFile,
} from "../../spell/mod.ts"

/** All that work on files and commands. */
export const agentBook: Spellbook.Spellbook<Files | Shell | ProcessTable> = Spellbook.make(
  readFile,
  writeFile,
  editFile,
  listDirectory,
  deleteFile,
  runCommand,
  runScript,
  executeCode,
  startProcess,
  readOutput,
  sendInput,
  stopProcess,
)
