/**
 * Type of a command argument that is known exactly, or only by its first characters.
 *
 * @module
 */

/** One argument whose text is known, or something that starts with `head` and is not known further. */
export type Argument =
  | { readonly text: string }
  /**
   * `many`: none, one or more arguments, each of which starts with `head`. `plain`: none starts with a dash, and none has
   * a colon.
   */
  | { readonly text?: undefined; readonly head: string; readonly many: boolean; readonly plain?: boolean }

/** Arguments whose texts are known. */
export const knownArguments = (texts: ReadonlyArray<string>): ReadonlyArray<Argument> => texts.map((text) => ({ text }))

/** Whatever comes: any number of arguments, of any text. */
export const anyArguments: Argument = { head: "", many: true }

/** Whether it can be taken for an option by no program: it is known, or starts with something else than a dash. */
export const isDecided = (argument: Argument): boolean =>
  argument.text !== undefined || argument.plain === true || (argument.head !== "" && !/^[-+@]/.test(argument.head))

/** The texts of arguments that are all known. */
export const knownTexts = (words: ReadonlyArray<Argument>): ReadonlyArray<string> | undefined => {
  const texts: Array<string> = []
  for (const { text } of words) {
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts
}
