/**
 * Makes a `TextDecoder` for the output of a command.
 *
 * @module
 */

/**
 * A decoder for an encoding; UTF-8 where this runtime does not know it: the command may have been run by one that does.
 */
export const makeDecoder = (encoding: string | undefined): TextDecoder => {
  try {
    return new TextDecoder(encoding ?? "utf-8")
  } catch {
    return new TextDecoder()
  }
}
