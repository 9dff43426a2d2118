/**
 * The parts of the shell that know each other only through this.
 *
 * @module
 */
import { assign } from "./assign.ts"
import { basicBuiltins } from "./builtins/basic.ts"
import { controlBuiltins } from "./builtins/control.ts"
import { directoryBuiltins } from "./builtins/directories.ts"
import { typeBuiltins } from "./builtins/type.ts"
import { readBuiltins } from "./builtins/read.ts"
import { subscriptKey } from "./builtins/namedVariables.ts"
import { optionBuiltins } from "./builtins/options.ts"
import { trapBuiltins } from "./builtins/trap.ts"
import { unsetBuiltins } from "./builtins/unset.ts"
import { command, runList, stage } from "./execute.ts"
import { evaluateExpression } from "./expand/evaluateExpression.ts"
import { runText } from "./runText.ts"
import type { Builtin, Interpreter } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { invoke } from "./simpleCommand.ts"
import { substituteCommand, substituteProcess } from "./substitution.ts"

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
export const interpreter: Interpreter = {
  builtins: new Map([
    ...basicBuiltins,
    ...compgenBuiltins,
    ...controlBuiltins,
    ...declareBuiltins,
    ...directoryBuiltins,
    ...jobBuiltins,
    ...mapBuiltins,
    ...typeBuiltins,
    ...readBuiltins,
    ...optionBuiltins,
    ...trapBuiltins,
    ...unsetBuiltins,
  ]),
  substitute: substituteCommand,
  connect: substituteProcess,
  invoke,
  assign,
  command,
  stage,
  run: runText,
  list: runList,
  key: (shell, place) => {
    const key = subscriptKey(shell, place)
    if (!(key instanceof Promise)) return key ?? "0"
    key.catch(() => {})
    throw new ShellError(`${place.name}[${place.subscript}]: a reference's subscript that starts a command`, "line")
  },
  arithmetic: (shell, text) => evaluateExpression(shell, text),
}
