/** Makes a `TextDecoder` for the output of a command, for UTF-8 if this runtime lacks the encoding. */

/**
 * Makes a decoder; falls back to UTF-8 if this runtime lacks the encoding, which the command's host may have supported.
 */
export const makeDecoder = (encoding: string | undefined): TextDecoder => {
  try {
    return new TextDecoder(encoding ?? "utf-8")
  } catch {
    return new TextDecoder()
  }
}
