/** Reads standard input to its end, up to a limit. */
import { concatBytes } from "../../../base/bytes.ts"
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import type { System } from "../../System.ts"
import { fatal } from "./GitError.ts"
import { maxFileBytes } from "./repository/files.ts"

export const readStdinBytes = async (system: System): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const piece = new Uint8Array(65_536)
    const count = await system.read(0, piece)
    if (count <= 0) return concatBytes(parts, length)
    parts.push(piece.subarray(0, count))
    length += count
    if (length > maxFileBytes) fatal(`standard input: larger than ${maxFileBytes} bytes`)
  }
}

export const readStdin = async (system: System): Promise<string> => decodeLossless(await readStdinBytes(system))
