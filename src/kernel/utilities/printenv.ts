/** Implements the `printenv` utility, which prints environment variables. */
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `printenv [-0] [NAME]...`: prints environment variables. Source: printenv(1). */
export const printenv: Program = defineUtility("printenv", "+0|null", (io) => {
  if (io.operands.length === 0) { for (const [name, value] of io.system.env) io.printLine(`${name}=${value}`, "0") }
  for (const name of io.operands) {
    const value = io.system.env.get(name)
    if (value === undefined) io.exitCode = 1
    else io.printLine(value, "0")
  }
})
