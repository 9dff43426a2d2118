/** Parses an expression of `tar --transform`: a substitution as that of `sed`. Source: GNU tar's manual, "transform". */
import { textToBinary } from "../../binaryString.ts"
import type { Regex } from "../../regex/Regex.ts"
import { parseSubstitution } from "../sed/parseSubstitution.ts"
import type { Substitution } from "../sed/Script.ts"
import { ScriptError, ScriptReader } from "../sed/ScriptReader.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"

export interface NameTransform {
  readonly pattern: Regex
  readonly substitution: Substitution
}

export const parseTransform = (io: UtilityIo, given: string): NameTransform => {
  const expression = given.replace(/;$/, "")
  const delimiter = expression[1] ?? ""
  const end = expression.lastIndexOf(delimiter) + 1
  const flags = expression.slice(end)
  if (expression[0] !== "s" || end < 3 || !/^[gix0-9]*$/.test(flags)) {
    io.fail(`--transform=${expression} is not supported; s/REGEXP/REPLACEMENT/ with the flags g, i, x and a number is`)
  }
  try {
    const reader = new ScriptReader(textToBinary(expression.slice(1, end) + flags.replaceAll("x", "")))
    const substitution = parseSubstitution(reader, { extended: flags.includes("x"), utf8: true })
    if (substitution._tag === "Substitute" && substitution.pattern !== undefined) {
      return { pattern: substitution.pattern, substitution }
    }
  } catch (cause) {
    if (!(cause instanceof ScriptError)) throw cause
  }
  return io.fail(`Invalid transform expression: ${expression}`)
}
