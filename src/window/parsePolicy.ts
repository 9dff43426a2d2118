/** Parses window policies in the form of the command line, such as `lines:50,silence:100`. */
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import { any } from "./any.ts"
import { type policyArguments, policyForms } from "./forms.ts"
import { paragraph } from "./paragraph.ts"
import { byteCount, finalOnly, lineCount, silence } from "./policies.ts"
import type { Policy } from "./Policy.ts"

interface CountedPolicy {
  readonly of: string
  readonly make: (n: number) => Policy
  /** Factors of the units after the number. */
  readonly units?: Readonly<Record<string, number>>
}

const policies: Readonly<Record<keyof typeof policyArguments, Policy | CountedPolicy>> = {
  final: finalOnly,
  lines: { of: "lines", make: lineCount },
  silence: { of: "milliseconds", make: silence, units: { ms: 1, s: 1_000, m: 60_000 } },
  paragraph,
  bytes: { of: "bytes", make: byteCount },
}

const byName: ReadonlyMap<string, Policy | CountedPolicy> = new Map(Object.entries(policies))

const numberOf = (text: string, { units = {} }: CountedPolicy): number => {
  const [, digits, unit = ""] = /^(\d+)([a-z]*)$/.exec(text) ?? []
  const scale = unit === "" ? 1 : Object.hasOwn(units, unit) ? units[unit] : undefined
  return scale === undefined ? 0 : Number(digits ?? 0) * scale
}

const parseOne = (text: string): Result.Result<Policy, string> => {
  const colon = text.indexOf(":")
  const name = (colon < 0 ? text : text.slice(0, colon)).trim()
  const number = colon < 0 ? undefined : text.slice(colon + 1).trim()
  const kind = byName.get(name)
  if (kind === undefined) {
    return Result.fail(`unknown window policy ${quote(name)}: use ${policyForms}, or several joined by ","`)
  }
  if (!("of" in kind)) {
    return number === undefined
      ? Result.succeed(kind)
      : Result.fail(`window policy ${quote(name)} does not take a number`)
  }
  const n = numberOf(number ?? "", kind)
  if (n >= 1 && Number.isSafeInteger(n)) return Result.succeed(kind.make(n))
  const got = number === undefined || number === "" ? "nothing" : quote(number)
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
  if (text.trim() === "") return Result.fail(`the window policy is empty: use ${policyForms}, or several joined by ","`)
  const parsed: Array<Policy> = []
  for (const part of text.split(",")) {
    const policy = parseOne(part)
    if (Result.isFailure(policy)) return policy
    parsed.push(policy.success)
  }
  const [first = finalOnly, ...rest] = parsed
  return Result.succeed(rest.length === 0 ? first : any(first, ...rest))
}
