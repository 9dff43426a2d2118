/** Formats the output of the builtin `echo` from its arguments. */
import type { Coroutine } from "../../Coroutine.ts"
import { joinBytes } from "../characters.ts"
import { unescapeInSteps } from "./escapes.ts"

/** Returns the output of `echo` for its arguments. With `escapes`, they are decoded even without `-e`, as in dash. */
export function* echo(args: ReadonlyArray<string>, escapes = false): Coroutine<string> {
  let newline = true
  let reads = escapes
  let at = 0
  for (; /^-[neE]+$/.test(args[at] ?? ""); at++) {
    for (const letter of (args[at] ?? "").slice(1)) {
      if (letter === "n") newline = false
      else reads = letter === "e"
    }
  }
  const text = (at === 0 ? args : args.slice(at)).join(" ")
  if (!reads) return newline ? `${text}\n` : text
  const done = yield* unescapeInSteps(text, { zeroOctal: true, octal: false, stop: true })
  return joinBytes(newline && !done.stopped ? `${done.text}\n` : done.text)
}
