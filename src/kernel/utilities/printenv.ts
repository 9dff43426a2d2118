/** Implements the `printenv` utility, which prints environment variables. */
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `printenv [-0] [NAME]...`: prints environment variables. Source: printenv(1).
 *
 * @stability stable
 */
export const printenv: Program = defineUtility("printenv", "+0|null", (io) => {
  const end = io.has("0") ? "\0" : "\n"
  if (io.operands.length === 0) { for (const [name, value] of io.system.env) io.print(`${name}=${value}${end}`) }
  for (const name of io.operands) {
    const value = io.system.env.get(name)
    if (value === undefined) io.exitCode = 1
    else io.print(value + end)
  }
})
