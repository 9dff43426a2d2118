/** Makes a `TextDecoder` for the output of a command; one of UTF-8 if this runtime lacks the encoding. */

/** Makes a decoder; of UTF-8 if this runtime lacks the encoding, which the host that ran the command may have. */
export const makeDecoder = (encoding: string | undefined): TextDecoder => {
  try {
    return new TextDecoder(encoding ?? "utf-8")
  } catch {
    return new TextDecoder()
  }
}
