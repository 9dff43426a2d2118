/**
 * Assembles the interpreter from builtins, of which rarely used ones are loaded at their first call, and mutually
 * dependent operations.
 */
import { declarations } from "../../shell-language/ShellLanguage.ts"
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
import { dynamicVariables } from "./dynamicVariables.ts"
import { executeCommand, executeStage, runList } from "./execute.ts"
import { evaluateExpression } from "./expand/evaluateExpression.ts"
import { runText } from "./runText.ts"
import type { Builtin, Interpreter } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { invoke } from "./simpleCommand.ts"
import { substituteCommand, substituteProcess } from "./substitution.ts"

type Builtins = ReadonlyArray<readonly [string, Builtin]>

/** Builtins that few scripts use; their file is loaded with the first call of one of them. */
const lazyBuiltins = (names: ReadonlyArray<string>, load: () => Promise<Builtins>): Builtins => {
  let loaded: ReadonlyMap<string, Builtin> | undefined
  const first: Builtin = async (shell, args, arrays) => {
    loaded = new Map(await load())
    return await loaded.get(args[0] ?? "")?.(shell, args, arrays) ?? 127
  }
  const builtin: Builtin = (shell, args, arrays) => (loaded?.get(args[0] ?? "") ?? first)(shell, args, arrays)
  return names.map((name) => [name, builtin])
}

export const interpreter: Interpreter = {
  builtins: new Map([
    ...basicBuiltins,
    ...lazyBuiltins(["compgen", "complete", "compopt"], async () => [
      ...(await import("./builtins/compgen.ts")).compgenBuiltins,
      ...(await import("./builtins/complete.ts")).completeBuiltins,
    ]),
    ...lazyBuiltins(["help"], async () => (await import("./builtins/help.ts")).helpBuiltins),
    ...lazyBuiltins(["history"], async () => (await import("./builtins/history.ts")).historyBuiltins),
    ...controlBuiltins,
    ...lazyBuiltins([...declarations], async () => (await import("./builtins/declare.ts")).declareBuiltins),
    ...directoryBuiltins,
    ...lazyBuiltins(
      ["wait", "kill", "jobs", "fg", "bg", "disown"],
      async () => (await import("./builtins/jobs.ts")).jobBuiltins,
    ),
    ...lazyBuiltins(["mapfile", "readarray"], async () => (await import("./builtins/mapfile.ts")).mapBuiltins),
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
  command: executeCommand,
  stage: executeStage,
  run: runText,
  list: runList,
  dynamicVariables,
  key: (shell, place) => {
    const key = subscriptKey(shell, place)
    if (!(key instanceof Promise)) return key ?? "0"
    key.catch(() => {})
    throw new ShellError(`${place.name}[${place.subscript}]: a name reference whose subscript runs a command`, "line")
  },
  arithmetic: (shell, text) => evaluateExpression(shell, text),
}
