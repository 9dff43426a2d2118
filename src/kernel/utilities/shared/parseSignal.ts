/** Parses the name or the number of a signal, for `kill -s` and `timeout -s`. */
import { Signal } from "../../System.ts"
import type { UtilityIo } from "./defineUtility.ts"

/** Parses `TERM`, `SIGTERM`, `term` or `15`; fails if it is none of these. */
export const parseSignal = (io: UtilityIo, text: string): number => {
  const name = text.toUpperCase().replace(/^SIG/, "")
  const known = Object.entries(Signal).find(([signal]) => signal === `SIG${name}`)?.[1]
  if (known !== undefined) return known
  return /^[0-9]+$/.test(text) && Number(text) < 65 ? Number(text) : io.failUsage(`‘${text}’: invalid signal`)
}
