/**
 * The parts of the shell that know each other only through this.
 *
 * @module
 */
import { assign } from "./assign.ts"
import { basicBuiltins } from "./builtins/basic.ts"
import { controlBuiltins } from "./builtins/control.ts"
import { declareBuiltins } from "./builtins/declare.ts"
import { folderBuiltins } from "./builtins/folders.ts"
import { jobBuiltins } from "./builtins/jobs.ts"
import { mapBuiltins } from "./builtins/mapfile.ts"
import { nameBuiltins } from "./builtins/names.ts"
import { readBuiltins } from "./builtins/read.ts"
import { settingBuiltins } from "./builtins/settings.ts"
import { trapBuiltins } from "./builtins/trap.ts"
import { unsetBuiltins } from "./builtins/unset.ts"
import { command, runList, stage } from "./execute.ts"
import { evaluateText } from "./expand/evaluateText.ts"
import { runText } from "./run.ts"
import type { Machine } from "./Shell.ts"
import { invoke } from "./simple.ts"
import { connect, substitute } from "./substitution.ts"

/** All of them. */
export const machine: Machine = {
  builtins: new Map([
    ...basicBuiltins,
    ...controlBuiltins,
    ...declareBuiltins,
    ...folderBuiltins,
    ...jobBuiltins,
    ...mapBuiltins,
    ...nameBuiltins,
    ...readBuiltins,
    ...settingBuiltins,
    ...trapBuiltins,
    ...unsetBuiltins,
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
