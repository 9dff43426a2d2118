/**
 * Declares the type of a command argument that is known exactly, or only by its first characters, and converts
 * arguments from and to texts.
 *
 * @module
 */

/** An argument with a known text, or with a known start only, `head`. */
export type Argument =
  | { readonly text: string }
  /**
   * `many`: none, one or more arguments, each of which starts with `head`. `plain`: none starts with a dash, and none has
   * a colon.
   */
  | { readonly text?: undefined; readonly head: string; readonly many: boolean; readonly plain?: boolean }

/** Arguments whose texts are known. */
export const knownArguments = (texts: ReadonlyArray<string>): ReadonlyArray<Argument> => texts.map((text) => ({ text }))

/** Any number of arguments with any text. */
export const anyArguments: Argument = { head: "", many: true }

/** Whether no program can read it as an option: it is known, or does not start with a dash. */
export const isDecided = (argument: Argument): boolean =>
  argument.text !== undefined || argument.plain === true || (argument.head !== "" && !/^[-+@]/.test(argument.head))

/** The texts of arguments; `undefined` if one is not known. */
export const knownTexts = (words: ReadonlyArray<Argument>): ReadonlyArray<string> | undefined => {
  const texts: Array<string> = []
  for (const { text } of words) {
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts
}
