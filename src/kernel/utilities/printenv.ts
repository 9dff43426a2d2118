import type { Program } from "../System.ts"
import { utility } from "./shared/utility.ts"

/** `printenv [-0] [NAME]...`: variables of the environment. Source: printenv(1). */
export const printenv: Program = utility("printenv", "+0|null", (io) => {
  const end = io.has("0") ? "\0" : "\n"
  if (io.operands.length === 0) { for (const [name, value] of io.system.env) io.out.putText(`${name}=${value}${end}`) }
  for (const name of io.operands) {
    const value = io.system.env.get(name)
    if (value === undefined) io.status = 1
    else io.out.putText(value + end)
  }
})
