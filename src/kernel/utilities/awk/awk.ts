/** Implements the `awk` utility, which streams, waits for pipes of the kernel and is bounded in time. */
import { binaryToText, textToBinary } from "../../binaryString.ts"
import type { Program } from "../../System.ts"
import { AwkRegexes } from "./AwkRegexes.ts"
import type { Code } from "./Code.ts"
import { compile } from "./compile.ts"
import { unescape } from "./Lexer.ts"
import { Machine } from "./Machine.ts"
import { parseAssignment } from "./MainInput.ts"
import { parseProgram } from "./parseProgram.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"

/** The text of the program: from files, or the first operand, which is then removed. */
const readProgram = async (io: UtilityIo, operands: Array<string>): Promise<string | undefined> => {
  const paths = io.values("f")
  if (paths.length === 0) return operands.shift() ?? io.failUsage("no program text")
  const lines: Array<string> = []
  for (const path of paths) {
    const input = io.openInput(path)
    if (input === undefined) return undefined
    await io.forEachLine([input], (line) => void lines.push(line))
    input.close()
  }
  return binaryToText(lines.join("\n"))
}

const compileProgram = (io: UtilityIo, program: string, regexes: AwkRegexes): Code => {
  try {
    return compile(parseProgram(program), regexes)
  } catch (cause) {
    if (cause instanceof RangeError) return io.fail("expressions are nested too deep")
    throw cause
  }
}

/**
 * `awk [-F FS] [-v NAME=VALUE]... [-f FILE]... [PROGRAM] [FILE | NAME=VALUE]...`: scans and changes text. Source: awk(1),
 * gawk(1).
 */
export const awk: Program = defineUtility(
  "awk",
  "+F|field-separator: v|assign: f|file: b|characters-as-bytes",
  async (io) => {
    const operands = [...io.operands]
    const program = await readProgram(io, operands)
    if (program === undefined) return 2
    const utf8 = isUtf8Locale(io.system.env) && !io.has("b")
    const regexes = new AwkRegexes(utf8)
    const machine = new Machine(io, compileProgram(io, program, regexes), regexes, utf8, ["awk", ...operands])
    const separator = io.value("F")
    if (separator !== undefined) machine.assign("FS", separator === "t" ? "\t" : unescape(textToBinary(separator)))
    for (const given of io.values("v")) {
      const assignment = parseAssignment(textToBinary(given))
      if (assignment === undefined) return io.failUsage(`-v ${given}: NAME=VALUE is expected`)
      machine.assign(...assignment)
    }
    return machine.run()
  },
  { errorExitCode: 2, withoutEffect: { "r|re-interval": "regular expressions have intervals" } },
)
