/**
 * Implements the builtins `mapfile` and `readarray`, which read lines from a descriptor into an array. Source: bash(1)
 * `mapfile`.
 */
import { readDelimited, ReadText } from "../readDelimited.ts"
import { IndexedArray } from "../IndexedArray.ts"
import type { Builtin } from "../Shell.ts"
import { singleQuote } from "./escapes.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

const mapfile = withOptions("d:n:O:s:tu:C:c:", async (shell, { letters, rest, values }, [command = ""]) => {
  const [name = "MAPFILE"] = rest
  const real = shell.descriptors.get(Number(values.get("u") ?? 0))
  if (real === undefined) {
    return shell.reportError(`${command}: ${values.get("u")}: invalid file descriptor: Bad file descriptor`)
  }
  const limit = Number(values.get("n") ?? 0) || Infinity
  const skip = Number(values.get("s") ?? 0)
  const callback = values.get("C")
  const quantum = Number(values.get("c") ?? 5000)
  if (!(quantum > 0)) return shell.reportError(`${command}: ${values.get("c")}: invalid callback quantum`)
  const given = values.get("d")
  const delimiter = given === undefined ? 10 : given.charCodeAt(0) || 0
  const variable = shell.variables.need(name)
  if (variable.readonly) return shell.reportError(`${command}: ${name}: readonly variable`)
  if (variable.table !== undefined) return shell.reportError(`${command}: ${name}: not an indexed array`)
  const array = values.has("O") ? variable.toArray() : variable.array = new IndexedArray()
  variable.value = undefined
  let index = Number(values.get("O") ?? 0)
  for (let line = 0; line < skip + limit; line++) {
    const into = new ReadText()
    const ending = await readDelimited(shell, real, {
      raw: true,
      delimiter,
      count: Infinity,
      exact: false,
      deadline: undefined,
    }, into)
    into.cut()
    const text = into.pieces.map((piece) => piece.text).join("")
    if (ending !== "line" && text === "") break
    if (index > shell.limits.maxWords) return shell.reportError(`${command}: more than ${shell.limits.maxWords} lines`)
    // A value cannot hold a NUL.
    const keeps = !letters.has("t") && ending === "line" && delimiter !== 0
    const full = keeps ? text + String.fromCharCode(delimiter) : text
    if (line >= skip) {
      if (callback !== undefined && (line - skip + 1) % quantum === 0) {
        await shell.interpreter.run(shell, `${callback} ${index} ${singleQuote(full)}`)
        if (shell.pendingJump !== undefined) return shell.status
      }
      shell.variables.grew(full.length)
      array.set(index++, full)
    }
    if (ending !== "line") break
  }
  return 0
})

export const mapBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["mapfile", mapfile],
  ["readarray", mapfile],
]
