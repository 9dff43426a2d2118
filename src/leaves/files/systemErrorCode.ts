/** Reads the error code of a failed system call, also where the runtime gives only its number. */
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { readErrorCode } from "../../base/readErrorCode.ts"

/** Deno leaves out the code of errors that it has no name for: `File too large (os error 27)`. */
const numbered = /\(os error (\d+)\)/

export const systemErrorCode = (error: unknown): string | undefined => {
  const code = readErrorCode(error)
  if (code !== undefined || !(error instanceof Error)) return code
  // Deno's error of a path with a name that is not UTF-8.
  if (error.name === "InvalidData") return "EILSEQ"
  const number = Number(numbered.exec(error.message)?.[1])
  const names: Readonly<Record<string, number>> = nodeBuiltins()?.getBuiltinModule("node:os").constants.errno ?? {}
  return Object.keys(names).find((name) => names[name] === number)
}
