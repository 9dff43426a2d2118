/** Reads a `Range` header for one range of bytes (RFC 9110, section 14). */
/** Bytes of a file, the last one not included. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * The range of a header within a file. `undefined` without one: several ranges and other units may be ignored, and then
 * the whole file is sent. `"unsatisfiable"` for a range with no byte of the file.
 */
export const parseRange = (header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined => {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? "") ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size }
  }
  const from = Number(first)
  if (last !== "" && Number(last) < from) return undefined
  return from >= size ? "unsatisfiable" : { from, to: last === "" ? size : Math.min(Number(last) + 1, size) }
}
