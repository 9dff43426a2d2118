/**
 * Parses the expression of `find` to one predicate: primaries joined by `!`, `-a`, `-o`, `,` and parentheses.
 *
 * Source: find(1).
 *
 * @module
 */
import type { UtilityIo } from "../shared/defineUtility.ts"
import { actions } from "./actions.ts"
import type { Expression, ExpressionState, Predicate, Primary } from "./Expression.ts"
import { tests } from "./tests.ts"

const primaries: ReadonlyMap<string, Primary> = new Map([...Object.entries(tests), ...Object.entries(actions)])

const and = (first: Predicate, second: Predicate): Predicate => async (entry) =>
  await first(entry) && await second(entry)

/** Parses an expression; fails if it is wrong. */
export const parseExpression = (io: UtilityIo, words: ReadonlyArray<string>): Expression => {
  let at = 0
  let hasAction = false
  const state: ExpressionState = {
    io,
    takeArgument: (name) => words[at++] ?? io.fail(`missing argument to \`${name}'`),
    depthFirst: false,
    minDepth: 0,
    maxDepth: Infinity,
    finishers: [],
  }

  const takeOneOf = (...names: ReadonlyArray<string>): boolean => {
    const found = names.includes(words[at] ?? "")
    if (found) at++
    return found
  }

  const parseList = (): Predicate => {
    let test = parseOr()
    while (takeOneOf(",")) {
      const [first, second] = [test, parseOr()]
      test = async (entry) => {
        await first(entry)
        return await second(entry)
      }
    }
    return test
  }

  const parseOr = (): Predicate => {
    let test = parseAnd()
    while (takeOneOf("-o", "-or")) {
      const [first, second] = [test, parseAnd()]
      test = async (entry) => await first(entry) || await second(entry)
    }
    return test
  }

  const parseAnd = (): Predicate => {
    let test = parseNot()
    for (;;) {
      const word = words[at]
      if (word === undefined || [")", ",", "-o", "-or"].includes(word)) return test
      takeOneOf("-a", "-and")
      test = and(test, parseNot())
    }
  }

  const parseNot = (): Predicate => {
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
  const test = hasAction ? given : and(given, parsePrimary("-print"))
  const { depthFirst, finishers, maxDepth, minDepth } = state
  const finish = async (): Promise<void> => {
    for (const finisher of finishers) await finisher()
  }
  return { depthFirst, finish, maxDepth, minDepth, test }
}
