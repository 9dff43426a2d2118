/** Writes a text to a descriptor, a long one in pieces, and yields to other processes between them. */
import { encodeLossless } from "../../base/surrogateEscape.ts"
import { yieldNow } from "../Coroutine.ts"
import type { Later, System } from "../System.ts"
import { piecesOf } from "./characters.ts"

const maxPieceLength = 1_048_576

export const writeText = (system: System, fd: number, text: string): Later<number> =>
  text.length <= maxPieceLength ? system.writeAll(fd, encodeLossless(text)) : writePieces(system, fd, text)

const writePieces = async (system: System, fd: number, text: string): Promise<number> => {
  for (const piece of piecesOf(text, maxPieceLength)) {
    const written = await system.writeAll(fd, encodeLossless(piece))
    if (written < 0) return written
    await yieldNow(system)
  }
  return 0
}
