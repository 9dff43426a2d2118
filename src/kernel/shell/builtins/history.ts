/**
 * Implements `history`. The history of a script contains only the entries that `-s` stores and `-r` reads, as in a bash
 * that is not interactive.
 * Source: bash(1) `history`.
 */
import type { Builtin, Shell } from "../Shell.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

/** The oldest entries are dropped beyond these. */
const maxEntries = 1_000
const maxCharacters = 1_048_576

const keepNewest = (entries: ReadonlyArray<string>): ReadonlyArray<string> => {
  let characters = 0
  let from = entries.length
  while (from > 0 && entries.length - from < maxEntries) {
    characters += entries[from - 1]?.length ?? 0
    if (characters > maxCharacters) break
    from--
  }
  return entries.slice(from)
}

const list = (shell: Shell, count: number): Promise<number> | number => {
  const from = Math.max(0, shell.history.length - count)
  const lines = shell.history.slice(from).map((entry, at) => `${String(from + at + 1).padStart(5)}  ${entry}\n`)
  return lines.length === 0 ? 0 : shell.writeOutput(lines.join(""))
}

/** The indexes that `-d` names: one, or a range; negative ones count from the end. */
const deleted = (shell: Shell, text: string): readonly [from: number, to: number] | undefined => {
  const found = /^(-?[0-9]+)(?:-(-?[0-9]+))?$/.exec(text)
  if (found === null) return undefined
  const [from = 0, to = 0] = [found[1], found[2] ?? found[1]].map((part) => {
    const index = Number(part)
    return index < 0 ? shell.history.length + index : index - 1
  })
  return from >= 0 && to >= from && to < shell.history.length ? [from, to] : undefined
}

const history = withOptions("cd:anrwps", (shell, { letters, rest, values }) => {
  for (const letter of "anrw") {
    if (letters.has(letter)) {
      return shell.reportError(`history: -${letter}: history files are not supported; use history -s`, 2)
    }
  }
  if (letters.has("c")) shell.history = []
  if (letters.has("s")) {
    if (rest.length > 0) shell.history = keepNewest([...shell.history, rest.join(" ")])
    return 0
  }
  if (letters.has("p")) {
    const event = rest.find((word) => word.includes("!"))
    if (event !== undefined) return shell.reportError(`history: ${event}: history expansion failed`)
    return rest.length === 0 ? 0 : shell.writeOutput(rest.map((word) => `${word}\n`).join(""))
  }
  const position = values.get("d")
  if (position !== undefined) {
    const range = deleted(shell, position)
    if (range === undefined) return shell.reportError(`history: ${position}: history position out of range`)
    shell.history = shell.history.filter((_, at) => at < range[0] || at > range[1])
    return 0
  }
  if (letters.has("c")) return 0
  const [count] = rest
  if (count === undefined) return list(shell, Infinity)
  if (rest.length > 1) return shell.reportError("history: too many arguments")
  return /^-?[0-9]+$/.test(count)
    ? list(shell, Math.abs(Number(count)))
    : shell.reportError(`history: ${count}: numeric argument required`)
})

export const historyBuiltins: ReadonlyArray<readonly [string, Builtin]> = [["history", history]]
