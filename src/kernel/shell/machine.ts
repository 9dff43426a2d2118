/**
 * The parts of the shell that know each other only through this.
 *
 * @module
 */
import { assign } from "./assign.ts"
import { basicBuiltins } from "./builtins/basic.ts"
import { controlBuiltins } from "./builtins/control.ts"
import { folderBuiltins } from "./builtins/folders.ts"
import { nameBuiltins } from "./builtins/names.ts"
import { readBuiltins } from "./builtins/read.ts"
import { keyOfText } from "./builtins/setByText.ts"
import { settingBuiltins } from "./builtins/settings.ts"
import { trapBuiltins } from "./builtins/trap.ts"
import { unsetBuiltins } from "./builtins/unset.ts"
import { command, runList, stage } from "./execute.ts"
import { evaluateText } from "./expand/evaluateText.ts"
import { runText } from "./run.ts"
import type { Builtin, Machine } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { invoke } from "./simple.ts"
import { connect, substitute } from "./substitution.ts"

type Builtins = ReadonlyArray<readonly [string, Builtin]>

/** Builtins that many scripts do without: those of a file are loaded with the first of them that is called. */
const later = (names: ReadonlyArray<string>, load: () => Promise<Builtins>): Builtins => {
  let loaded: ReadonlyMap<string, Builtin> | undefined
  const first: Builtin = async (shell, args, arrays) => {
    loaded = new Map(await load())
    return await loaded.get(args[0] ?? "")?.(shell, args, arrays) ?? 127
  }
  const builtin: Builtin = (shell, args, arrays) => (loaded?.get(args[0] ?? "") ?? first)(shell, args, arrays)
  return names.map((name) => [name, builtin])
}

const compgenBuiltins = later(
  ["compgen"],
  async () => (await import("./builtins/compgen.ts")).compgenBuiltins,
)
const declareBuiltins = later(
  ["declare", "typeset", "local", "export", "readonly"],
  async () => (await import("./builtins/declare.ts")).declareBuiltins,
)
const jobBuiltins = later(
  ["wait", "kill", "jobs", "fg", "bg", "disown"],
  async () => (await import("./builtins/jobs.ts")).jobBuiltins,
)
const mapBuiltins = later(
  ["mapfile", "readarray"],
  async () => (await import("./builtins/mapfile.ts")).mapBuiltins,
)

/** All of them. */
export const machine: Machine = {
  builtins: new Map([
    ...basicBuiltins,
    ...compgenBuiltins,
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
  key: (shell, place) => {
    const key = keyOfText(shell, place)
    if (!(key instanceof Promise)) return key ?? "0"
    key.catch(() => {})
    throw new ShellError(`${place.name}[${place.subscript}]: a reference's subscript that starts a command`, "line")
  },
  arithmetic: (shell, text) => evaluateText(shell, text),
}
