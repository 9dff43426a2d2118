/**
 * The parts of the shell that know each other only through this.
 *
 * @module
 */
import { assign } from "./assign.ts"
import { basicBuiltins } from "./builtins/basic.ts"
import { controlBuiltins } from "./builtins/control.ts"
import { folderBuiltins } from "./builtins/folders.ts"
import { jobBuiltins } from "./builtins/jobs.ts"
import { nameBuiltins } from "./builtins/names.ts"
import { readBuiltins } from "./builtins/read.ts"
import { settingBuiltins } from "./builtins/settings.ts"
import { variableBuiltins } from "./builtins/variables.ts"
import { command, runList, stage } from "./execute.ts"
import { evaluateText } from "./expand/evaluateText.ts"
import { connect, substitute } from "./pipeline.ts"
import { runText } from "./run.ts"
import type { Machine } from "./Shell.ts"
import { invoke } from "./simple.ts"

/** All of them. */
export const machine: Machine = {
  builtins: new Map([
    ...basicBuiltins,
    ...controlBuiltins,
    ...folderBuiltins,
    ...jobBuiltins,
    ...nameBuiltins,
    ...readBuiltins,
    ...settingBuiltins,
    ...variableBuiltins,
  ]),
  substitute,
  connect,
  invoke,
  assign,
  command,
  stage,
  run: runText,
  list: runList,
  arithmetic: evaluateText,
}
