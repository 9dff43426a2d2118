/**
 * Makes the function that checks the arguments that bash evaluates in builtins such as `read`, `printf -v`, `test -v`
 * and `declare` (names of variables, arithmetic), and reports those that cannot be told.
 *
 * @module
 */
import { declarations } from "./NumericVariables.ts"
import { staticText } from "./staticText.ts"
import type { Parameter, SimpleCommand, Span, Word, WordPart } from "../SyntaxTree.ts"

/** Checks of single words, and the report of those that fail. */
export interface WordChecks {
  readonly arithmetic: (word: Word) => void
  readonly name: (word: Word) => void
  readonly isNumber: (word: Word) => boolean
  readonly arrays: ReadonlySet<string>
  readonly report: (span: Span, what: string) => void
}

/** The options of each builtin that take a value, and those whose value is a name. */
const options: Readonly<Record<string, readonly [values: string, names: string]>> = {
  getopts: ["", ""],
  mapfile: ["dnOsuCc", ""],
  read: ["dinNptu", "a"],
  readarray: ["dnOsuCc", ""],
  unset: ["", ""],
  wait: ["", "p"],
}

const unknown = "arguments that are only known when it runs"
const binaryTest = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef|-a|-o|\]|\))$/

/** Whether a word is exactly one argument, whatever it expands to. */
const isOne = ({ braces, parts }: Word): boolean =>
  !braces && parts.every((part) => part._tag !== "Literal" || !/[*?[]/.test(part.value)) && parts.every(isQuoted)

/** `${!prefix@}` and `${!name[@]}`, which make several words even within double quotes. */
const givesNames = ({ operation }: Parameter): boolean =>
  operation?._tag === "ParameterNames" || operation?._tag === "ParameterKeys"

const isQuoted = (part: WordPart): boolean =>
  part._tag === "Literal" || part._tag === "Escaped" || part._tag === "SingleQuoted" ||
  (part._tag === "DoubleQuoted" &&
    part.parts.every((inner) =>
      inner._tag !== "Parameter" ||
      (inner.name !== "@" && inner.subscript?._tag !== "AllElements" && !inner.indirect && !givesNames(inner))
    ))

/** Whether a word begins with static text other than a dash. */
const isOperand = ({ parts }: Word): boolean => {
  const [first] = parts
  if (first?._tag === "DoubleQuoted") {
    return isOperand({ _tag: "Word", parts: first.parts, braces: false, span: first.span })
  }
  return first !== undefined && "value" in first && first._tag !== "Escaped" && typeof first.value === "string" &&
    first.value !== "" && !first.value.startsWith("-")
}

/** Makes a function that checks the arguments of a command, if that is a builtin which evaluates them. */
export const makeArgumentCheck = (checks: WordChecks): (command: SimpleCommand) => void => {
  const checkArguments = ({ words }: SimpleCommand): void => {
    let at = 0
    while (
      /^(?:command|builtin)$/.test(staticTextOf(words[at])) || (at > 0 && /^-[-p]$/.test(staticTextOf(words[at])))
    ) at++
    const [name] = words.slice(at)
    const args = words.slice(at + 1)
    if (name === undefined) return
    const command = staticTextOf(name)
    if (declarations.has(command)) checkDeclaration(command, args)
    else if (command === "let") args.forEach((word) => checks.arithmetic(word))
    else if (command === "test" || command === "[") checkTest(args)
    else if (command === "printf") checkPrintf(args)
    else if (Object.hasOwn(options, command)) checkNames(command, args)
  }

  const reportUnknown = (word: Word): void => {
    checks.report(word.span, unknown)
  }

  const checkNames = (command: string, args: ReadonlyArray<Word>): void => {
    const [values = "", names = ""] = options[command] ?? []
    let at = 0
    for (let word = args[at]; word !== undefined; word = args[++at]) {
      const given = staticText(word)
      if (given === undefined && !isOperand(word)) {
        if (command === "wait" ? !checks.isNumber(word) : true) reportUnknown(word)
        continue
      }
      if (given === "--" || given === undefined || !/^-./.test(given)) break
      const found = [...given.slice(1)].findIndex((letter) => values.includes(letter) || names.includes(letter))
      const letter = given[found + 1] ?? ""
      if (found < 0) continue
      if (letter === "C") checks.report(word.span, "a command that is given as text")
      const attached = given.slice(found + 2)
      const value = attached === "" ? args[++at] : undefined
      if (names.includes(letter)) {
        if (value === undefined) checks.report(word.span, "a name behind its option")
        else checks.name(value)
      } else if (value !== undefined && !isOne(value)) reportUnknown(value)
    }
    if (command === "wait") return
    const rest = args.slice(at).filter((word) => staticText(word) !== "--")
    for (const word of command === "getopts" ? rest.slice(1, 2) : rest) checks.name(word)
    if (command === "getopts" && rest[0] !== undefined && !isOne(rest[0])) reportUnknown(rest[0])
  }

  const checkPrintf = (args: ReadonlyArray<Word>): void => {
    for (let at = 0;; at++) {
      const word = args[at]
      if (word === undefined) return
      const given = staticText(word)
      const next = args[at + 1]
      if (given === "-v" && next !== undefined) {
        checks.name(next)
        at++
      } else if (given?.startsWith("-v")) return checks.report(word.span, "a name behind its option")
      else {
        if (given === undefined && !isOperand(word) && (next !== undefined || !isOne(word))) reportUnknown(word)
        return
      }
    }
  }

  const checkTest = (args: ReadonlyArray<Word>): void => {
    args.forEach((word, at) => {
      const next = args[at + 1]
      const given = staticText(word)
      if ((given === "-v" || given === "-R") && next !== undefined && !binaryTest.test(staticTextOf(next))) {
        return checks.name(next)
      }
      if (given !== undefined || checks.isNumber(word)) return
      // The word may expand to `-v`, which makes the next one a name.
      if (!isOne(word) || (!isOperand(word) && next !== undefined && !binaryTest.test(staticTextOf(next)))) {
        reportUnknown(word)
      }
    })
  }

  const checkDeclaration = (command: string, args: ReadonlyArray<Word>): void => {
    const arrays = args.some((word) => /^-\w*[aA]/.test(staticTextOf(word)))
    const evaluates = command !== "export" && command !== "readonly"
    for (const word of args) {
      const { assignment } = word
      if (assignment !== undefined) {
        const { name, value } = assignment
        const known = value._tag === "ArrayLiteral" || checks.isNumber(value)
        if (known || !(arrays || (evaluates && checks.arrays.has(name)))) continue
        if (arrays || staticText(value)?.startsWith("(") !== false) {
          checks.report(word.span, `a value for the array "${name}"`)
        }
        continue
      }
      const given = staticText(word)
      if (given === undefined) reportUnknown(word)
      else if (/^[-+]\w*[in]/.test(given) && evaluates) checks.report(word.span, `variables of ${command} ${given}`)
      else if (!/^[-+]/.test(given)) {
        const [name = "", value] = given.split(/\+?=(.*)/s)
        checks.name({ ...word, parts: [{ _tag: "SingleQuoted", value: name, ansi: false, span: word.span }] })
        if (value?.startsWith("(")) checks.report(word.span, `a value for the array "${name}"`)
      }
    }
  }
  return checkArguments
}

const staticTextOf = (word: Word | undefined): string => word === undefined ? "" : staticText(word) ?? ""
