/**
 * The texts of a script: its own, and those that `eval` and `trap` are given.
 *
 * @module
 */
import { type AndOr, evaluations, parse, type Script, walk } from "../../../shell-language/ShellLanguage.ts"
import { refuse } from "./Refused.ts"

/** How many texts that are scripts (`eval`, `trap`) may stand one within another. */
const mostNested = 4

/** Half of what Linux takes as one argument. A caller must not keep the server busy with reading. */
const mostCharacters = 65_536

const parsed = (text: string): Script => {
  if (text.length > mostCharacters) {
    refuse("", `the script has more than ${mostCharacters} characters`)
  }
  // Characters that bash keeps for itself, and that no script needs.
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) refuse("", "the script has control characters")
  const result = parse(text)
  if (result._tag === "Success") return result.success
  const { message } = result.failure
  refuse("", `the script cannot be read (${message})`)
}

/** Whether a newline ends one of the statements: what stands between two of them says. */
const hasLines = (text: string, statements: ReadonlyArray<AndOr>): boolean =>
  statements.some(({ span }, at) => {
    const before = statements[at - 1]
    return before !== undefined && text.slice(before.span.end, span.start).includes("\n")
  })

/**
 * A text within braces is one command: bash drops all of it where an expansion fails, in place of its line alone. The
 * colon is for texts without a command, the lines for those that end with a comment or a backslash.
 */
export const inBraces = (text: string): string => `{ :; ${text}\n\n}`

/** Reads the texts of a script, and looks at what bash evaluates in them all. */
export class Texts {
  readonly #texts: Array<string> = []

  /** Reads a text, which stands `depth` deep in others. */
  read(text: string, depth: number): Script {
    if (depth > mostNested) refuse("", "the script has texts within texts that are scripts")
    const script = parsed(text)
    this.#texts.push(text)
    // Where a line of it fails bash goes on with the next one, and what it was to define is not there.
    if (depth > 0 && hasLines(text, script.statements)) {
      walk(script, ({ _tag }) => {
        if (_tag === "Assignment" || _tag === "FunctionDefinition") {
          refuse("", "a text of several lines that is a script gives values or defines functions")
        }
      })
    }
    return script
  }

  /**
   * Refuses what bash evaluates beyond commands, with all texts as one: what one gives a variable, another may evaluate.
   * None takes in the next, for each is whole: its here-documents are closed, and a last backslash takes one newline
   * only. Nor does what one does for certain hold in another, which may come first.
   */
  refuseEvaluations(): void {
    const [first] = evaluations(parsed(this.#texts.map(inBraces).join("\n")))
    if (first !== undefined) {
      refuse(first.what, `what bash would make of ${first.what} is not known`)
    }
  }
}
