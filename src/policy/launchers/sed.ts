/**
 * Checks calls of `sed`: refuses unknown options, and scripts outside a known part of the language, which neither runs
 * commands nor writes files. Source: sed(1); GNU sed manual.
 */
import { type LauncherRule, plain, refused } from "./LauncherRule.ts"

const brackets = /\[\^?\]?(?:\[:[a-z]+:\]|[^[\]\n])*\]/y

/** The index after the text that ends at `delimiter`, where a backslash escapes one; -1 if it does not end. */
const indexAfter = (text: string, from: number, delimiter: string): number => {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\n") return -1
    if (text[at] === "[") {
      brackets.lastIndex = at
      const found = brackets.exec(text)?.[0]
      // Implementations of sed differ in how they read a delimiter within brackets.
      if (found === undefined || found.includes(delimiter)) return -1
      at += found.length - 1
    } else if (text[at] === "\\") at++
    else if (text[at] === delimiter) return at + 1
  }
  return -1
}

const address = (text: string, at: number, isSecond = false): number => {
  const relative = isSecond ? /^[+~]\d+/.exec(text.slice(at))?.[0] : undefined
  if (relative !== undefined) return at + relative.length
  const number = /^(?:\d+(?:~\d+)?|\$)/.exec(text.slice(at))?.[0]
  if (number !== undefined) return at + number.length
  if (text[at] !== "/") return at
  const end = indexAfter(text, at + 1, "/")
  return end < 0 ? -1 : end + (/^[IM]*/.exec(text.slice(end))?.[0].length ?? 0)
}

/** Whether a script is in the known part of the language, and runs nothing. */
const isPlainSed = (script: string): boolean => {
  let at = 0
  const blanks = (): void => {
    while (/[\s;{}]/.test(script[at] ?? "")) at++
  }
  for (blanks(); at < script.length; blanks()) {
    at = address(script, at)
    if (at >= 0 && script[at] === ",") at = address(script, at + 1, true)
    if (at < 0) return false
    const negated = /^\s*!?\s*/.exec(script.slice(at))?.[0].length ?? 0
    at += negated
    const command = script[at] ?? ""
    at++
    if (command === "{") continue
    // The rest of the line is text, or a label; some seds end a label at a semicolon, so the text after it is also
    // checked.
    const text = /^(?:[aic][ \t]*(?:\\\n?[ \t]*)?[^\s\\][^\n\\]*(?![^\n])|:[ \t]*\w+|[btT][ \t]*\w*)/.exec(
      script.slice(at - 1),
    )?.[0]
    if (text !== undefined) {
      at += text.length - 1
      if (!/^[ \t]*(?:[;}\n]|$)/.test(script.slice(at))) return false
      continue
    }
    if (command === "s" || command === "y") {
      const delimiter = script[at] ?? ""
      if (!/^[/|,#:!@%]$/.test(delimiter)) return false
      const middle = indexAfter(script, at + 1, delimiter)
      // The replacement knows no brackets.
      let end = middle < 0 ? -1 : middle
      while (end >= 0 && end < script.length && script[end] !== delimiter) {
        end += script[end] === "\\" ? 2 : 1
      }
      if (end < 0 || end >= script.length || script.slice(at, end).includes("\n")) return false
      at = end + 1
      const flags = /^[gpIiM\d]*/.exec(script.slice(at))?.[0] ?? ""
      at += flags.length
    } else if (!/^[pdqQnNDPhHgGxlz=]$/.test(command)) return false
    if (!/^[ \t]*(?:[;}\n]|$)/.test(script.slice(at))) return false
  }
  return true
}

export const sed: LauncherRule = (words) => {
  const scripts: Array<string> = []
  const operands: Array<string> = []
  let isRest = false
  for (let at = 0; at < words.length; at++) {
    const text = words[at] ?? ""
    if (isRest) operands.push(text)
    else if (/^-[nErsuz]+$/.test(text) || /^--(?:quiet|silent|regexp-extended|posix|separate|sandbox)$/.test(text)) {
      continue
    } else if (/^-[nErsuz]*e$/.test(text) || text === "--expression") scripts.push(words[++at] ?? "")
    else if (/^-[nErsuz]*e./s.test(text)) scripts.push(text.replace(/^-[nErsuz]*e/, ""))
    else if (text === "--") isRest = true
    else if (text.startsWith("--expression=")) scripts.push(text.slice(13))
    else if (/^-(?:[nErsuz]*i(?:\.\w+)?|-in-place|-in-place=\.\w+)$/.test(text)) continue
    else if (/^-(?:-version|-help)$/.test(text)) continue
    else if (text.startsWith("-")) return refused(`with ${text.slice(0, 60)}`)
    else operands.push(text)
  }
  const given = scripts.length > 0 ? scripts : operands.slice(0, 1)
  return given.every(isPlainSed) ? plain : refused("with a script that is not known to be safe")
}
