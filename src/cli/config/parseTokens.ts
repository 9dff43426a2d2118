/** Parses the `[[tokens]]` of a configuration file, and lists the variables that hold their secrets. */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { errorMessage } from "../../base/errorMessage.ts"
import type { TokenOptions } from "../../auth/TokenAccess.ts"
import type { CliProcess } from "../CliProcess.ts"
import { readTokenFile } from "../serverTokens.ts"
import { parsePositiveDuration } from "../parseValues.ts"
import type { ConfigTable } from "./configToFlags.ts"

const Name = Schema.String.check(Schema.isNonEmpty())
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Token = Schema.Struct({
  "name": Name,
  "token": Schema.optionalKey(Name),
  "token-env": Schema.optionalKey(Name),
  "token-file": Schema.optionalKey(Name),
  "rights": Schema.optionalKey(
    Schema.Array(Schema.Literals(["read", "run", "cancel", "files:read", "files:write", "approve"])),
  ),
  "max-concurrency": Schema.optionalKey(Count),
  "rate": Schema.optionalKey(Schema.Struct({ requests: Count, per: Schema.String })),
})
type Token = typeof Token.Type

const decodeTokens = Schema.decodeUnknownResult(Schema.Array(Token), { onExcessProperty: "error" })

type Step<A> = Result.Result<A, string>

const secretOf = (token: Token, cli: CliProcess): Step<string> => {
  const sources = (["token", "token-env", "token-file"] as const).filter((source) => token[source] !== undefined)
  if (sources.length !== 1) return Result.fail("needs exactly one of token, token-env and token-file")
  const { "token": text, "token-env": variable, "token-file": file } = token
  if (text !== undefined) return Result.succeed(text)
  if (variable !== undefined) {
    const value = cli.variable(variable) ?? ""
    return value === "" ? Result.fail(`the variable ${variable} is not set`) : Result.succeed(value)
  }
  return Result.try({
    try: () => readTokenFile(file ?? ""),
    catch: errorMessage,
  })
}

const optionsOf = (token: Token, cli: CliProcess): Step<TokenOptions> =>
  Result.gen(function* () {
    const { rate } = token
    return {
      name: token.name,
      token: Redacted.make(yield* secretOf(token, cli)),
      rights: token.rights,
      maxConcurrency: token["max-concurrency"],
      rate: rate === undefined ? undefined : { requests: rate.requests, per: yield* parsePositiveDuration(rate.per) },
    }
  })

export const tokenVariables = ({ tokens }: ConfigTable): ReadonlyArray<string> =>
  Array.isArray(tokens)
    ? tokens.flatMap((token: unknown) =>
      Predicate.isObject(token) && "token-env" in token ? [String(token["token-env"])] : []
    )
    : []

/**
 * Parses the tokens of a file; `undefined` if it has none. Secrets come from the file itself, a variable or a separate
 * file.
 */
export const parseTokens = (
  { tokens }: ConfigTable,
  cli: CliProcess,
): Step<ReadonlyArray<TokenOptions> | undefined> => {
  if (tokens === undefined) return Result.succeed(undefined)
  return Result.gen(function* () {
    const decoded = yield* Result.mapError(
      decodeTokens(tokens),
      ({ message }) => `tokens: ${message.replace(/\s*\n\s*/g, " ")}`,
    )
    if (decoded.length === 0) {
      return yield* Result.fail("tokens: the list is empty; remove it to get a new token at each start")
    }
    const options: Array<TokenOptions> = []
    for (const token of decoded) {
      options.push(yield* Result.mapError(optionsOf(token, cli), (problem) => `token ${token.name}: ${problem}`))
    }
    const names = options.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    return twice === undefined ? options : yield* Result.fail(`tokens: ${twice} is defined twice`)
  })
}
