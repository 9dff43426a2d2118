/** Prepends a `set --` command with the arguments of a run to its script. */
import { quoteWord } from "../../shell-language/quoteWord.ts"

/** Quotes a word without a newline in the result. */
const quoteOnOneLine = (word: string): string => quoteWord(word).replaceAll("\n", () => "'$'\\n''")

/** Sets the script's arguments on its first line, so that line numbers stay the same. */
export const prependArguments = (script: string, args: ReadonlyArray<string> | undefined): string =>
  args === undefined ? script : `set -- ${args.map(quoteOnOneLine).join(" ")}; ${script}`
