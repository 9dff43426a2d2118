/**
 * Writes out the canonical text of a script, with the texts that `eval` and `trap` run in it, and refuses what cannot
 * be read or what bash might evaluate differently.
 *
 * @module
 */
import {
  type AndOr,
  findEvaluations,
  type Group,
  parse,
  type Pipeline,
  print,
  type Script,
  walk,
} from "../../shell-language/ShellLanguage.ts"
import { onlyCommand } from "./scriptFunctions.ts"
import { refuse } from "./RefusedError.ts"
import { openedFile } from "./checkRedirect.ts"
import { canonicalizeTexts, makeScriptRewrite } from "./scriptRewrite.ts"

/** How many texts that are scripts (`eval`, `trap`) may stand one within another. */
const maxNesting = 4

/** Half of what Linux takes as one argument. A caller must not keep the server busy with reading. */
const maxCharacters = 65_536

/** What Linux takes as one argument, about; `decide` looks at the bytes. */
const maxPrintedLength = 131_072

const parsed = (text: string, limit: number = maxCharacters): Script => {
  if (text.length > limit) refuse("", `the script has more than ${limit} characters`)
  // Characters that bash keeps for itself, and that no script needs.
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) refuse("", "the script has control characters")
  const result = parse(text)
  if (result._tag === "Success") return result.success
  const { message } = result.failure
  refuse("", `the script cannot be read (${message})`)
}

/**
 * A text within braces is one command: bash drops all of it where an expansion fails, in place of its line alone. The
 * colon is for texts without a command, the lines for those that end with a comment or a backslash.
 */
export const inBraces = (text: string): string => `{ :; ${text}\n\n}`

/** A script that is one command: bash drops all of it where an expansion fails. */
const grouped = (script: Script): Script => {
  const { span, statements } = script
  if (statements.length === 0 || groupOf(script) !== undefined) return script
  const group: Group = { _tag: "Group", body: { _tag: "List", statements, span }, redirects: [], span }
  const pipeline: Pipeline = { _tag: "Pipeline", negated: false, time: undefined, commands: [group], pipes: [], span }
  return { ...script, statements: [{ _tag: "AndOr", pipelines: [pipeline], operators: [], background: false, span }] }
}

/** The statements of a script that is one group. */
export const groupOf = ({ statements }: Script): ReadonlyArray<AndOr> | undefined => {
  const [statement, ...more] = statements
  const command = statement === undefined ? undefined : onlyCommand(statement)
  return more.length === 0 && command?._tag === "Group" && command.redirects.length === 0
    ? command.body.statements
    : undefined
}

/**
 * The canonical text of a script: bash is given no other, so that it reads what was looked at. The texts of `eval` and
 * `trap` in it are canonical too, and within braces. `depth`: how many texts it stands within.
 */
export const canonicalText = (text: string, depth: number): string => {
  if (depth > maxNesting) refuse("", "the script has texts within texts that are scripts")
  const script = parsed(text)
  walk(script, (node) => {
    if (node._tag === "HereDocument" && !node.closed) refuse("<<", "the script has a here-document without its end")
    if (node._tag === "BadSubstitution") refuse("${", "the script has an expansion that bash versions read differently")
  })
  const printed = print(depth === 0 ? script : grouped(script), {
    source: depth === 0 ? text : undefined,
    maxLength: maxPrintedLength,
    rewrite: makeScriptRewrite(script, (inner) => canonicalText(inner, depth + 1)),
  })
  if (printed._tag === "Success") return printed.success
  refuse("", `the script becomes longer than ${maxPrintedLength} characters when it is written out`)
}

/**
 * A canonical text with its files opened by the function of the prelude: what is run where redirections have to stay
 * below the roots.
 */
export const textWithFiles = (text: string): string => {
  const printed = print(parsed(text, maxPrintedLength), {
    source: text,
    maxLength: maxPrintedLength,
    rewrite: { open: openedFile, command: (command) => canonicalizeTexts(command, textWithFiles) },
  })
  if (printed._tag === "Success") return printed.success
  refuse("", `the script becomes longer than ${maxPrintedLength} characters when it is written out`)
}

/** Reads the texts of a script, and looks at what bash evaluates in them all. */
export class ScriptTexts {
  readonly #texts: Array<string> = []

  /** Reads a canonical text, which stands `depth` deep in others. */
  read(text: string, depth: number): Script {
    if (depth > 0 && text !== canonicalText(text, depth)) {
      refuse("", "the script has a text that is a script, and not written out")
    }
    this.#texts.push(text)
    return parsed(text, maxPrintedLength)
  }

  /**
   * Refuses what bash evaluates beyond commands, with all texts as one: what one gives a variable, another may evaluate.
   * None takes in the next, for each is whole. Nor does what one does for certain hold in another, which may come first.
   */
  refuseEvaluations(): void {
    const [first] = findEvaluations(parsed(this.#texts.map(inBraces).join("\n"), 2 * maxPrintedLength))
    if (first !== undefined) {
      refuse(first.what, `what bash would make of ${first.what} is not known`)
    }
  }
}
