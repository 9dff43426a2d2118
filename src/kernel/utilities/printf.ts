import { printf as format } from "../shell/builtins/printf.ts"
import type { Program } from "../System.ts"
import { utility } from "./kit/utility.ts"

/** `printf FORMAT [ARG]...`: the shell's, as a program. Source: printf(1). */
export const printf: Program = utility("printf", "=", (io) => {
  const words = io.operands[0] === "--" ? io.operands.slice(1) : io.operands
  const [first, ...rest] = words
  if (first === undefined) return io.missingOperand()
  const { exitCode, problems, text } = format(first, rest, {
    formatStops: true,
    now: () => io.system.now(),
    started: () => io.system.now(),
    zone: io.system.env.get("TZ"),
  })
  io.out.text(text)
  for (const problem of problems) io.say(problem)
  return exitCode
})
