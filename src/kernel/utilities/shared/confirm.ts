/** Asks before files are changed, as the option `-i` of `cp`, `ln`, `mv` and `rm` does. */
import type { UtilityIo } from "./defineUtility.ts"
import { Input } from "./Input.ts"

const inputs = new WeakMap<UtilityIo, Input>()

/** Prints a question to standard error, and reads a line of standard input: whether it begins with `y`. */
export const confirm = async (io: UtilityIo, question: string): Promise<boolean> => {
  const input = inputs.get(io) ?? new Input(io, 0, "-")
  inputs.set(io, input)
  io.err.putText(`${io.name}: ${question} `)
  await io.flushAndYield()
  return /^[yY]/.test(await input.line() ?? "")
}

/** Whether a file may be overwritten: asks if it exists, and `-i` is the last one of the options. */
export const mayReplace = async (
  io: UtilityIo,
  path: string,
  verb: "overwrite" | "replace",
  ...options: ReadonlyArray<string>
): Promise<boolean> => {
  if (io.lastOf("i", ...options)?.[0] !== "i" || typeof io.system.stat(path, { follow: false }) === "number") {
    return true
  }
  return await confirm(io, `${verb} '${path}'?`)
}
