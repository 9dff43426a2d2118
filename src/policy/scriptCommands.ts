/**
 * Lists the commands of a script whose words are all known before it runs; nothing for any other script.
 *
 * @module
 */
import { type FileRedirect, parse, walk } from "../shell-language/ShellLanguage.ts"
import { builtins, givesValues } from "./script/builtins.ts"
import { checkRedirect } from "./script/checkRedirect.ts"
import { RefusedError } from "./script/RefusedError.ts"
import { canonicalText } from "./script/ScriptTexts.ts"
import { textOf } from "./wordArguments.ts"

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

/** Builtins after which a later word may mean another program, or that run what their arguments say. */
const changesMeaning = (name: string): boolean => {
  const kind = builtins.get(name)
  return kind === "refused" || kind === "launcher" || givesValues.has(name) || name === "set" || name === "shopt"
}

/**
 * What shells read differently, so that plain words of one are commands of another: bash's quotes after a `$`, in which a
 * backslash escapes the quote that ends them in dash, and blanks of some locales.
 */
const ambiguous = /\$['"]|[\u0080-\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/

/**
 * The commands of a script, each as its words, in the order in which they stand there. `undefined` when it cannot be told
 * before it runs what a script does: expansions, assignments, functions, loops, files that it opens (but `/dev/null`), and
 * builtins that change how it is read.
 */
export const scriptCommands = (text: string): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  if (ambiguous.test(text)) return undefined
  const canonical = canonicalOf(text)
  const commands = canonical === undefined ? undefined : commandsOf(text)
  // Written out, braces are words already, which other shells do not make of them.
  return canonical !== undefined && JSON.stringify(commandsOf(canonical)) === JSON.stringify(commands)
    ? commands
    : undefined
}

/**
 * A redirection that all shells read as one: for others `&>` ends a command, and a number of two digits or `{name}` before the
 * operator is a word.
 */
const isPlainRedirect = (redirect: FileRedirect): boolean =>
  /^(?:[<>]|>>|>\||[<>]&)$/.test(redirect.operator) && redirect.variable === undefined && (redirect.fd ?? 0) <= 9 &&
  checkRedirect(redirect, "none") === undefined

const commandsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> | undefined => {
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
    if (known.length < words.length || node.assignments.length > 0 || name === undefined || changesMeaning(name)) {
      isKnown = false
    } else commands.push(known)
  })
  return isKnown ? commands : undefined
}

const canonicalOf = (text: string): string | undefined => {
  try {
    return canonicalText(text, 0)
  } catch (failure) {
    if (failure instanceof RefusedError) return undefined
    throw failure
  }
}
