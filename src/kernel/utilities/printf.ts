/** Implements the `printf` utility, which formats arguments with the shell builtin's own code. */
import { printf as format } from "../shell/builtins/printf.ts"
import { yieldNow } from "../Coroutine.ts"
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"
import { isUtf8Locale } from "../isUtf8Locale.ts"

/** `printf FORMAT [ARG]...`: formats arguments. Source: printf(1). */
export const printf: Program = defineUtility("printf", "=", async (io) => {
  const words = io.operands[0] === "--" ? io.operands.slice(1) : io.operands
  const [first, ...rest] = words
  if (first === undefined) return io.failMissingOperand()
  const pieces = format(first, rest, {
    formatStops: true,
    now: () => io.system.now(),
    started: () => io.system.now(),
    zone: io.system.env.get("TZ"),
    utf8: isUtf8Locale(io.system.env),
  })
  let next = pieces.next()
  for (; next.done !== true; next = pieces.next()) {
    io.print(next.value)
    if (io.out.isFull) await io.out.flush()
    await yieldNow(io.system)
  }
  for (const problem of next.value.problems) io.printError(problem)
  return next.value.exitCode
})
