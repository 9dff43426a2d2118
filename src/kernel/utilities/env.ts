/** Implements the `env` utility, which prints the environment, or runs a command in a changed one. */
import type { Program } from "../System.ts"
import { runProgram } from "./shared/spawn.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `env [-i0v] [-u NAME]... [-C DIRECTORY] [NAME=VALUE]... [COMMAND [ARG]...]`: runs a command in a changed environment. Source:
 * env(1).
 */
export const env: Program = defineUtility(
  "env",
  "+i|ignore-environment u|unset: C|chdir: 0|null S|split-string:",
  async (io) => {
    const variables = io.has("i") || io.operands[0] === "-" ? new Map<string, string>() : new Map(io.system.env)
    for (const name of io.values("u")) variables.delete(name)
    const split = io.value("S")
    const words = [...(split === undefined ? [] : split.split(/[ \t]+/).filter((word) => word !== "")), ...io.operands]
    if (words[0] === "-") words.shift()
    while (words[0] !== undefined && words[0].indexOf("=") > 0) {
      const word = words.shift() ?? ""
      const equals = word.indexOf("=")
      variables.set(word.slice(0, equals), word.slice(equals + 1))
    }
    if (words.length === 0) {
      for (const [name, value] of variables) io.printLine(`${name}=${value}`, "0")
      return
    }
    const path = variables.get("PATH")
    // The new PATH decides which program runs.
    if (path !== undefined) io.system.env.set("PATH", path)
    return await runProgram(io, words, { cwd: io.value("C"), env: variables })
  },
  { errorExitCode: 125 },
)
