/** Parses window policies in the form of the command line, such as `lines:50,silence:100`. */
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import { any } from "./any.ts"
import { paragraph } from "./paragraph.ts"
import { byteCount, finalOnly, lineCount, silence } from "./policies.ts"
import type { Policy } from "./Policy.ts"

const plain: ReadonlyMap<string, Policy> = new Map([["final", finalOnly], ["paragraph", paragraph]])

interface CountedPolicy {
  readonly of: string
  readonly make: (n: number) => Policy
  /** Factors of the units after the number. */
  readonly units?: Readonly<Record<string, number>>
}

const counted: ReadonlyMap<string, CountedPolicy> = new Map<string, CountedPolicy>([
  ["lines", { of: "lines", make: lineCount }],
  ["silence", { of: "milliseconds", make: silence, units: { ms: 1, s: 1_000, m: 60_000 } }],
  ["bytes", { of: "bytes", make: byteCount }],
])

const forms = "final, lines:N, silence:MS, paragraph, bytes:N"

const numberOf = (text: string, { units = {} }: CountedPolicy): number => {
  const [, digits, unit = ""] = /^(\d+)([a-z]*)$/.exec(text) ?? []
  const scale = unit === "" ? 1 : Object.hasOwn(units, unit) ? units[unit] : undefined
  return scale === undefined ? 0 : Number(digits ?? 0) * scale
}

const parseOne = (text: string): Result.Result<Policy, string> => {
  const colon = text.indexOf(":")
  const name = (colon < 0 ? text : text.slice(0, colon)).trim()
  const number = colon < 0 ? undefined : text.slice(colon + 1).trim()
  const simple = plain.get(name)
  if (simple !== undefined) {
    return number === undefined
      ? Result.succeed(simple)
      : Result.fail(`window policy ${quote(name)} does not take a number`)
  }
  const kind = counted.get(name)
  if (kind === undefined) {
    return Result.fail(`unknown window policy ${quote(name)}: use ${forms}, or several joined by ","`)
  }
  const n = numberOf(number ?? "", kind)
  if (n >= 1 && Number.isSafeInteger(n)) return Result.succeed(kind.make(n))
  const got = number === undefined || number === "" ? "nothing" : `${quote(number)}`
  return Result.fail(
    `window policy ${quote(name)} needs a whole number of ${kind.of} from 1, as in ${name}:50; got ${got}`,
  )
}

/**
 * Parses a policy: `final`, `lines:N`, `silence:MS` (or with a unit: `silence:100ms`, `silence:2s`), `paragraph` or
 * `bytes:N`; several joined by `,` are combined with `any`. Fails with a message of one line.
 *
 * @example
 * ```ts
 * import { Window } from "@sluice/shell"
 * import { Result } from "effect"
 *
 * const policy = Window.parsePolicy("lines:50,silence:100")
 * console.log(Result.isSuccess(policy) && policy.success.silenceMillis) // 100
 * console.log(Result.isFailure(Window.parsePolicy("lines:many"))) // true
 * ```
 */
export const parsePolicy = (text: string): Result.Result<Policy, string> => {
  if (text.trim() === "") return Result.fail(`the window policy is empty: use ${forms}, or several joined by ","`)
  const policies: Array<Policy> = []
  for (const part of text.split(",")) {
    const policy = parseOne(part)
    if (Result.isFailure(policy)) return policy
    policies.push(policy.success)
  }
  const [first = finalOnly, ...rest] = policies
  return Result.succeed(rest.length === 0 ? first : any(first, ...rest))
}
