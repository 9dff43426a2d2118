/** Lists the commands of a script whose words are all known before it runs; `undefined` for any other script. */
import { type FileRedirect, parse, staticText, walk, type Word } from "../shell-language/ShellLanguage.ts"

/** Nodes of a tree that neither expand nor change what later words mean. */
const plainNodes: ReadonlySet<string> = new Set([
  "Script",
  "List",
  "AndOr",
  "Pipeline",
  "SimpleCommand",
  "Subshell",
  "Group",
  "FileRedirect",
  "Word",
  "Literal",
  "Escaped",
  "SingleQuoted",
  "DoubleQuoted",
])

/** Builtins after which a word may mean another program, or that run their arguments. */
const changesMeaning: ReadonlySet<string> = new Set(
  `. alias bind builtin command compgen complete compopt declare enable eval exec export fc getopts hash history let local
  logout mapfile printf read readarray readonly set shopt source suspend trap typeset unalias unset wait`.split(/\s+/),
)

/**
 * Texts that shells parse differently, so that plain words of one are commands of another: bash's quotes after a `$` (a
 * backslash escapes their closing quote, but not in dash), blanks of some locales, and control characters.
 */
// deno-lint-ignore no-control-regex
const ambiguous = /\$['"]|[\x00-\x08\x0b-\x1f\x7f-\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/

const maxLength = 65_536

/** The text of a word that is one argument and known in every shell. */
const textOf = (word: Word): string | undefined => word.braces ? undefined : staticText(word)

/** A redirection to `/dev/null` or to another descriptor. */
const opensNothing = ({ operator, target }: FileRedirect): boolean => {
  const text = textOf(target)
  return text === "/dev/null" || (/[<>]&/.test(operator) && text !== undefined && /^\d+$/.test(text))
}

/** A redirection that all shells parse in the same way: not `&>`, a number of two digits, or `{name}`. */
const isPlainRedirect = (redirect: FileRedirect): boolean =>
  /^(?:[<>]|>>|>\||[<>]&)$/.test(redirect.operator) && redirect.variable === undefined && (redirect.fd ?? 0) <= 9 &&
  opensNothing(redirect)

/**
 * The commands of a script, each as its words, in the order of the text. `undefined` if they are not known before it runs:
 * expansions, assignments, functions, loops, opened files (except `/dev/null`), and builtins that change how it is parsed.
 */
export const scriptCommands = (text: string): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  if (ambiguous.test(text) || text.length > maxLength) return undefined
  const script = parse(text)
  if (script._tag === "Failure") return undefined
  const commands: Array<ReadonlyArray<string>> = []
  let isKnown = true
  walk(script.success, (node) => {
    if (!plainNodes.has(node._tag)) isKnown = false
    if (node._tag === "FileRedirect" && !isPlainRedirect(node)) isKnown = false
    if (node._tag === "Pipeline" && node.pipes.includes("|&")) isKnown = false
    if (node._tag !== "SimpleCommand") return
    const words = node.words.map(textOf)
    const known = words.filter((word) => word !== undefined)
    const [name] = known
    if (
      known.length < words.length || node.assignments.length > 0 || name === undefined || changesMeaning.has(name)
    ) {
      isKnown = false
    } else commands.push(known)
  })
  return isKnown ? commands : undefined
}
