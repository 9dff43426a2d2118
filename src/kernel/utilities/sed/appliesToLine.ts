/** Decides whether a command of `sed` applies to the current line, and opens and closes the ranges of its addresses. */
import type { Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { Address, Command } from "./Script.ts"

export interface CurrentLine {
  readonly line: () => number
  readonly isLast: () => Promise<boolean> | boolean
  /** Whether the pattern space matches; without a pattern, the last one that was used. */
  readonly test: (pattern: Regex | undefined) => Later<boolean>
}

/** Whether a command applies to a line. The usual addresses are decided without a promise. */
export const appliesToLine = (command: Command, current: CurrentLine): Later<boolean> => {
  const { from, negated, to } = command
  if (from === undefined) return !negated
  const selected = to === undefined ? matchesAddress(from, current) : isInRange(command, from, to, current)
  return typeof selected === "boolean" ? selected !== negated : selected.then((yes) => yes !== negated)
}

const matchesAddress = (address: Address, current: CurrentLine): Later<boolean> => {
  const line = current.line()
  switch (address._tag) {
    case "Line":
      return line === address.line
    case "Last":
      return current.isLast()
    case "Step":
      return address.step === 0
        ? line === address.first
        : line >= address.first && (line - address.first) % address.step === 0
    case "Match":
      return current.test(address.pattern)
    default:
      return false
  }
}

const isInRange = async (command: Command, from: Address, to: Address, current: CurrentLine): Promise<boolean> => {
  const line = current.line()
  if (!command.isOpen) {
    if (from._tag === "Line") {
      // Applies only once: at its line, or at the first line of the range that the command sees.
      if (command.hasStarted || line < from.line) return false
      command.hasStarted = true
      if (line > from.line && to._tag === "Line" && line > to.line) return false
    } else if (!await matchesAddress(from, current)) return false
    command.lastLine = lastLineOf(to, line)
    // A range that ends at its first line, or before it, is one line.
    command.isOpen = !(command.lastLine >= 0 && line >= command.lastLine) &&
      !(to._tag === "Last" && await current.isLast())
    return true
  }
  if (command.lastLine >= 0) {
    if (line >= command.lastLine) command.isOpen = false
    // Other commands may have read past the end. A number of lines selects one more line then, as in GNU sed.
    return to._tag !== "Line" || line <= command.lastLine
  }
  if (await matchesAddress(to, current)) command.isOpen = false
  return true
}

/** The last line of a range that starts at a line; -1 if it depends on later lines. */
const lastLineOf = (to: Address, line: number): number => {
  if (to._tag === "Line") return to.line
  if (to._tag === "More") return line + to.count
  // GNU sed 4.9 takes the next multiple also where the line is one, other than its manual says.
  if (to._tag === "Multiple") return to.of === 0 ? line : Math.floor(line / to.of) * to.of + to.of
  return -1
}
