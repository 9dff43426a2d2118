import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import {
  type Arithmetic,
  type ArithmeticBinaryOperator,
  parseArithmetic,
} from "../../../src/shell-language/ShellLanguage.ts"
import { random } from "../../support/random.ts"
import { calculated } from "../render.ts"

it("parses operators by their precedence", () => {
  const trees = {
    "": "0",
    "  ": "0",
    "1": "1",
    "a": "a",
    "1+2-3": "((1 + 2) - 3)",
    "1+2*3%4": "(1 + ((2 * 3) % 4))",
    "2**3**2": "(2 ** (3 ** 2))",
    "-2**2": "((-2) ** 2)",
    "!a&&~b||c": "(((!a) && (~b)) || c)",
    "a|b^c&d": "(a | (b ^ (c & d)))",
    "a<<1>>b<=c>=d<e>f==g!=h": "(((((((a << 1) >> b) <= c) >= d) < e) > f) == g)".replace(/^(.*)$/, "($1 != h)"),
    "a?b:c?d:e": "(a ? b : (c ? d : e))",
    "a?b,c:d": "(a ? (b , c) : d)",
    "a=b+=c<<=d": "(a = (b += (c <<= d)))",
    "a=1,b=2": "((a = 1) , (b = 2))",
    "++a + b++ - --c * d--": "(((++a) + (b++)) - ((--c) * (d--)))",
    "a+++b": "((a++) + b)",
    "1++2": "(1 + (+2))",
    "- - 1": "(-(-1))",
    "--1": "(-(-1))",
    "((a))": "a",
    "(a+b)*c": "((a + b) * c)",
    "a[1]": "a[1=1]",
    "a[b[c]]++": "(a[b[c]=b[c=c]]++)",
    "a[ i+1 ] = 2": "(a[ i+1 =(i + 1)] = 2)",
    "a[@]": "a[@]",
  }
  expect(Object.fromEntries(Object.keys(trees).map((text) => [text, calculated(text)]))).toEqual(trees)
})

it("parses numbers of every base as 64 bits in two's complement", () => {
  const values = {
    "0x1F": "31",
    "017": "15",
    "2#101": "5",
    "16#fF": "255",
    "36#Z": "35",
    "62#Z": "61",
    "64#@_": "4031",
    "9223372036854775807": "9223372036854775807",
    "9223372036854775808": "-9223372036854775808",
    "18446744073709551616": "0",
    "0xffffffffffffffff": "-1",
  }
  expect(Object.fromEntries(Object.keys(values).map((text) => [text, calculated(text)]))).toEqual(values)
})

it("reports the position and the cause of an error in an expression", () => {
  const errors = {
    "1 +": "shell: line 1, column 4: found the end, expected an operand",
    "1 2": 'shell: line 1, column 3: found "2", expected an operator',
    "(1": 'shell: line 1, column 3: found the end, expected ")"',
    "a[1": 'shell: line 1, column 4: found the end, expected "]"',
    "a ? b": 'shell: line 1, column 6: found the end, expected ":"',
    "1 = 2": 'shell: line 1, column 3: found "= 2", expected an operator',
    "a + b = 2": 'shell: line 1, column 7: found "= 2", expected an operator',
    "09": 'shell: line 1, column 1: found "09", expected a number',
    "2#3": 'shell: line 1, column 1: found "2#3", expected a number',
    "65#1": 'shell: line 1, column 1: found "65#1", expected a number',
    "1.5": 'shell: line 1, column 2: found ".5", expected an operator',
    "$a": 'shell: line 1, column 1: found "$a", expected an operand',
    "a\n+ %": 'shell: line 2, column 3: found "%", expected an operand',
  }
  expect(Object.fromEntries(Object.keys(errors).map((text) => [text, calculated(text)]))).toEqual(errors)
  const cut = parseArithmetic("1 +")
  expect(cut._tag === "Failure" && [cut.failure.offset, cut.failure.incomplete]).toEqual([3, true])
})

it("refuses expressions whose trees are too deep to be walked", () => {
  const deep = ["1+".repeat(2000) + "1", "-".repeat(2000) + "1", "a=".repeat(2000) + "1", "(".repeat(2000)]
  for (const text of deep) expect(calculated(text)).toMatch(/expected an expression of at most 1000 levels$/)
  expect(calculated("1+".repeat(900) + "1")).toMatch(/^\(+1 \+ 1\)/)
})

const truth = (value: boolean): bigint => value ? 1n : 0n

const apply = (operator: ArithmeticBinaryOperator, a: bigint, b: bigint): bigint => {
  switch (operator) {
    case "**":
      return a ** b
    case "*":
      return a * b
    case "/":
      return a / b
    case "%":
      return a % b
    case "+":
      return a + b
    case "-":
      return a - b
    case "<<":
      return a << b
    case ">>":
      return a >> b
    case "<":
      return truth(a < b)
    case "<=":
      return truth(a <= b)
    case ">":
      return truth(a > b)
    case ">=":
      return truth(a >= b)
    case "==":
      return truth(a === b)
    case "!=":
      return truth(a !== b)
    case "&":
      return a & b
    case "^":
      return a ^ b
    case "|":
      return a | b
    case "&&":
      return truth(a !== 0n && b !== 0n)
    case "||":
      return truth(a !== 0n || b !== 0n)
    case ",":
      return b
  }
}

const valueOf = (tree: Arithmetic): bigint => {
  switch (tree._tag) {
    case "ArithmeticNumber":
      return tree.value
    case "ArithmeticUnary": {
      const value = valueOf(tree.operand)
      return tree.operator === "-"
        ? -value
        : tree.operator === "+"
        ? value
        : tree.operator === "!"
        ? truth(value === 0n)
        : ~value
    }
    case "ArithmeticBinary":
      return BigInt.asIntN(64, apply(tree.operator, valueOf(tree.left), valueOf(tree.right)))
    case "ArithmeticChoice":
      return valueOf(tree.test) === 0n ? valueOf(tree.no) : valueOf(tree.yes)
    default:
      throw new Error(`${tree._tag} has no value here`)
  }
}

if (existsSync("/bin/bash")) {
  it("parses expressions to the values that bash computes", () => {
    const { int, next, pick } = random(4)
    // Divisors, shifts and powers are small numbers that are not 0, so that every expression has a value.
    const risky = ["/", "%", "<<", ">>", "**"]
    const safe = ["+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||", ","]
    const number = (): string => pick(["0", "1", "7", "0x1f", "017", "2#101", "12345"])
    const expression = (depth: number): string => {
      if (depth === 0) return number()
      const kind = next()
      if (kind < 0.1) return `(${expression(depth - 1)})`
      if (kind < 0.2) return `${pick(["-", "+", "!", "~"])} ${expression(depth - 1)}`
      if (kind < 0.25) return `${expression(depth - 1)} ? ${expression(depth - 1)} : ${expression(depth - 1)}`
      if (kind < 0.4) return `(${number()} ${pick(risky)} ${int(1, 5)})`
      return `${expression(depth - 1)}${pick(["", " "])}${pick(safe)} ${expression(depth - 1)}`
    }
    const texts = Array.from({ length: 600 }, () => expression(int(1, 5)))
    const ours = texts.map((text) => {
      const tree = parseArithmetic(text)
      if (tree._tag === "Failure") throw new Error(`${text}: ${tree.failure.message}`)
      return `${text} = ${valueOf(tree.success)}`
    })
    const script = texts.map((text) => `echo '${text}' = $(( ${text} ))`).join("\n")
    expect(ours).toEqual(execFileSync("/bin/bash", { input: script, encoding: "utf8" }).trimEnd().split("\n"))
  })
}
