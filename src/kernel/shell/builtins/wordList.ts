/** Splits and expands the words of `compgen -W`. Source: bash(1) "Programmable Completion", the option -W of `complete`. */
import { parse, type Word } from "../../../shell-language/ShellLanguage.ts"
import { expandWords } from "../expand/expandWords.ts"
import type { Shell } from "../Shell.ts"

/** Quoted text, an expansion in parentheses without others within, or one character. */
const piece =
  /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|`(?:\\[^]|[^`\\])*`|\$\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)|\$\([^()]*\)|\$\{[^{}]*\}|[^]/g

/** The words of a text, as one list for the parser: characters of `IFS` separate, other blanks and operators are plain. */
const asScript = (text: string, separators: string): string => {
  let script = ""
  for (const [found] of text.matchAll(piece)) {
    if (found.length > 1) script += found
    else if (separators.includes(found)) script += " "
    // A quote without its other end is left out.
    else if (/['"`]/.test(found)) continue
    else script += /[\s;|&<>()#]/.test(found) ? `'${found}'` : found
  }
  return script
}

const wordsOf = (script: string): ReadonlyArray<Word> | undefined => {
  const parsed = parse(`: ${script}`)
  const [command] = parsed._tag === "Success" ? parsed.success.statements[0]?.pipelines[0]?.commands ?? [] : []
  return command?._tag === "SimpleCommand" ? command.words.slice(1) : undefined
}

/** Expands all but pathnames. A text that is no list of words is split alone. */
export const expandWordList = async (shell: Shell, text: string): Promise<ReadonlyArray<string>> => {
  const separators = shell.variables.get("IFS") ?? " \t\n"
  const words = /['"\\$`~{]/.test(text) ? wordsOf(asScript(text, separators)) : undefined
  if (words === undefined) {
    const plain = Array.from(text, (letter) => separators.includes(letter) ? "\0" : letter).join("")
    return plain.split("\0").filter((word) => word !== "")
  }
  const hadGlob = !shell.options.has("noglob")
  shell.options.add("noglob")
  try {
    return await expandWords(shell, words)
  } finally {
    if (hadGlob) shell.options.delete("noglob")
  }
}
