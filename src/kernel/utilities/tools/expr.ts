/** Implements the `expr` utility. */
import { readDigits } from "../../../base/integers.ts"
import type { Later, Program } from "../../System.ts"
import { binaryToText, compareStrings, textToBinary } from "../../binaryString.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { Regex } from "../../regex/Regex.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const levels = [["|"], ["&"], ["<", "<=", "=", "==", "!=", ">=", ">"], ["+", "-"], ["*", "/", "%"], [":"]]
const integer = /^-?[0-9]+$/
/** Maximum digits of a number: operations take quadratic time. */
const maxDigits = 4096
/** Maximum nesting of parentheses, and of functions. */
const maxNesting = 200

/** `expr EXPRESSION`: evaluates an expression. Source: expr(1). */
export const expr: Program = defineUtility("expr", "=", async (io) => {
  const words = [...io.operands]
  if (words[0] === "--") words.shift()
  if (words.length === 0) return io.failMissingOperand()
  let at = 0
  const failSyntax = (): never =>
    at >= words.length
      ? io.fail(`syntax error: missing argument after ‘${words[at - 1] ?? ""}’`)
      : io.fail(`syntax error: unexpected argument ‘${words[at] ?? ""}’`)
  const isTrue = (value: string): boolean => value !== "" && !/^-?0+$/.test(value)
  const number = (value: string): bigint => {
    if (!integer.test(value)) return io.fail("non-integer argument")
    const magnitude = readDigits(value.replace("-", ""), 10, maxDigits) ?? io.fail("Numerical result out of range")
    return value.startsWith("-") ? -magnitude : magnitude
  }
  const apply = (sign: string, a: string, b: string): Later<string> => {
    switch (sign) {
      case "|":
        return isTrue(a) ? a : isTrue(b) ? b : "0"
      case "&":
        return isTrue(a) && isTrue(b) ? a : "0"
      case "+":
        return `${number(a) + number(b)}`
      case "-":
        return `${number(a) - number(b)}`
      case "*":
        return `${number(a) * number(b)}`
      case "/":
      case "%": {
        const divisor = number(b)
        if (divisor === 0n) io.fail("division by zero")
        return sign === "/" ? `${number(a) / divisor}` : `${number(a) % divisor}`
      }
      case ":":
        return match(io, a, b)
      default: {
        const order = integer.test(a) && integer.test(b)
          ? Number(number(a) > number(b)) - Number(number(a) < number(b))
          : compareStrings(textToBinary(a), textToBinary(b))
        const holds = sign === "!=" ? order !== 0 : sign.includes(["<", "=", ">"][order + 1] ?? "")
        return holds ? "1" : "0"
      }
    }
  }
  const level = async (index: number, depth: number): Promise<string> => {
    if (index >= levels.length) return primary(depth)
    let value = await level(index + 1, depth)
    for (let sign = words[at]; sign !== undefined && levels[index]?.includes(sign); sign = words[at]) {
      at++
      value = await apply(sign, value, await level(index + 1, depth))
    }
    return value
  }
  const primary = async (depth: number): Promise<string> => {
    const word = words[at++]
    if (word === undefined || depth > maxNesting) return failSyntax()
    const letters = (text: string): Array<string> =>
      isUtf8Locale(io.system.env) ? Array.from(text) : [...textToBinary(text)]
    const rest = words.length - at
    if (word === "(") {
      const value = await level(0, depth + 1)
      if (words[at++] !== ")") return io.fail("syntax error: expecting ')' after its argument")
      return value
    }
    if (word === ")") {
      at--
      return failSyntax()
    }
    if (word === "+" && rest >= 1) return words[at++] ?? ""
    if (word === "length" && rest >= 1) return `${letters(await primary(depth + 1)).length}`
    if (word === "match" && rest >= 2) return await match(io, await primary(depth + 1), await primary(depth + 1))
    if (word === "index" && rest >= 2) {
      const [text, set] = [letters(await primary(depth + 1)), letters(await primary(depth + 1))]
      return `${text.findIndex((letter) => set.includes(letter)) + 1}`
    }
    if (word === "substr" && rest >= 3) {
      const [text, from, count] = [
        letters(await primary(depth + 1)),
        await primary(depth + 1),
        await primary(depth + 1),
      ]
      if (!integer.test(from) || !integer.test(count) || Number(from) < 1 || Number(count) < 1) return ""
      const part = text.slice(Number(from) - 1, Number(from) - 1 + Number(count)).join("")
      return isUtf8Locale(io.system.env) ? part : binaryToText(part)
    }
    return word
  }
  const value = await level(0, 0)
  if (at < words.length) failSyntax()
  io.print(`${value}\n`)
  return isTrue(value) ? 0 : 1
}, { errorExitCode: 2 })

/** Matches at the start of the text: the first group, or the length of the match. */
const match = async (io: UtilityIo, text: string, pattern: string): Promise<string> => {
  const utf8 = isUtf8Locale(io.system.env)
  const compiled = new Regex([pattern], { utf8 })
  const bytes = textToBinary(text)
  const found = await compiled.exec(io.system, bytes) && compiled.start === 0
  if (compiled.groups === 0) {
    const part = found ? bytes.slice(0, compiled.end) : ""
    return `${utf8 ? Array.from(binaryToText(part)).length : part.length}`
  }
  if (!found) return ""
  const slots = await compiled.captures(io.system, bytes)
  const start = slots[2] ?? -1
  return start < 0 ? "" : binaryToText(bytes.slice(start, slots[3]))
}
