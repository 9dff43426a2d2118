/**
 * Parses the expression of `find` to one predicate: primaries joined by `!`, `-a`, `-o`, `,` and parentheses. Source: find(1).
 */
import type { UtilityIo } from "../shared/defineUtility.ts"
import { actions } from "./actions.ts"
import type { Expression, ExpressionState, Predicate, Primary } from "./Expression.ts"
import { tests } from "./tests.ts"

const primaries: ReadonlyMap<string, Primary> = new Map([...Object.entries(tests), ...Object.entries(actions)])

/** Maximum nesting of `(` and `!` in an expression, because calls are nested to parse and to evaluate them. */
const maxNesting = 200

/** Joins predicates in one loop, as nested calls of many would not fit the stack; `end` is the result that ends it. */
const join = (tests: ReadonlyArray<Predicate>, end?: boolean): Predicate => {
  const [only] = tests
  if (only !== undefined && tests.length === 1) return only
  return async (entry) => {
    let result = false
    for (const test of tests) {
      result = await test(entry)
      if (result === end) break
    }
    return result
  }
}

export const parseExpression = (io: UtilityIo, words: ReadonlyArray<string>): Expression => {
  let at = 0
  let depth = 0
  let hasAction = false
  const state: ExpressionState = {
    io,
    takeArgument: (name) => words[at++] ?? io.fail(`missing argument to \`${name}'`),
    depthFirst: false,
    minDepth: 0,
    maxDepth: Infinity,
    regexSyntax: "emacs",
    follow: false,
    isOneVolume: false,
    fromDayEnd: false,
    finishers: [],
  }

  const takeOneOf = (...names: ReadonlyArray<string>): boolean => {
    const found = names.includes(words[at] ?? "")
    if (found) at++
    return found
  }

  const parseList = (): Predicate => {
    const tests = [parseOr()]
    while (takeOneOf(",")) tests.push(parseOr())
    return join(tests)
  }

  const parseOr = (): Predicate => {
    const tests = [parseAnd()]
    while (takeOneOf("-o", "-or")) tests.push(parseAnd())
    return join(tests, true)
  }

  const parseAnd = (): Predicate => {
    const tests = [parseNot()]
    for (;;) {
      const word = words[at]
      if (word === undefined || [")", ",", "-o", "-or"].includes(word)) return join(tests, false)
      takeOneOf("-a", "-and")
      tests.push(parseNot())
    }
  }

  const parseNot = (): Predicate => {
    if (++depth > maxNesting) io.fail("too many nested parentheses")
    const test = parseOperand()
    depth--
    return test
  }

  const parseOperand = (): Predicate => {
    if (takeOneOf("!", "-not")) {
      const test = parseNot()
      return async (entry) => !await test(entry)
    }
    if (takeOneOf("(")) {
      const test = parseList()
      if (!takeOneOf(")")) io.fail("invalid expression; expected to find a ‘)’ but didn't see one.")
      return test
    }
    const word = words[at++]
    return word === undefined ? io.fail("expected an expression") : parsePrimary(word)
  }

  const parsePrimary = (name: string): Predicate => {
    const primary = primaries.get(name) ??
      io.fail(name[0] === "-" ? `unknown predicate \`${name}'` : `paths must precede expression: \`${name}'`)
    hasAction ||= Object.hasOwn(actions, name) && name !== "-prune"
    return primary(state, name)
  }

  const given = words.length === 0 ? () => true : parseList()
  if (words[at] !== undefined) io.fail(`unexpected ‘${words[at]}’`)
  const test = hasAction ? given : join([given, parsePrimary("-print")], false)
  const { depthFirst, finishers, follow, isOneVolume, maxDepth, minDepth } = state
  const finish = async (): Promise<void> => {
    for (const finisher of finishers) await finisher()
  }
  return { depthFirst, finish, follow, isOneVolume, maxDepth, minDepth, test }
}
