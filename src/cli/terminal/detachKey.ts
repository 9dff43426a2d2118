/** Parses the key that detaches from a terminal. */
import * as Result from "effect/Result"
import type { Parsed } from "../parseValues.ts"

/** A key with Ctrl: the byte that a terminal sends for it. */
export interface DetachKey {
  readonly byte: number
}

/** Ctrl-], the key of telnet(1), which few programs use. */
export const defaultDetachKey: DetachKey = { byte: 0x1d }

/** Parses `ctrl-]`, `ctrl-q`, `^q`. */
export const parseDetachKey = (text: string): Parsed<DetachKey> => {
  const [, key] = /^(?:ctrl-|\^)([a-z[\\\]^_@])$/i.exec(text) ?? []
  if (key === undefined) return Result.fail("name a key with Ctrl, as in ctrl-] or ctrl-q")
  // Control characters are the codes of letters without their upper bits (ASCII).
  return Result.succeed({ byte: key.toUpperCase().charCodeAt(0) & 0x1f })
}
