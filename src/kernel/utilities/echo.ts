/** Implements the `echo` utility, which prints its arguments, with the shell builtin's own code. */
import { runCoroutine } from "../Coroutine.ts"
import { echo as format } from "../shell/builtins/echo.ts"
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `echo [-neE] [STRING]...`: prints its arguments. Source: echo(1). */
export const echo: Program = defineUtility("echo", "=", async (io) => {
  io.print(await runCoroutine(io.system, format(io.operands)))
})
