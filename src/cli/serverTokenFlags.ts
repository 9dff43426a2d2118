/** Defines the flags with which a command line gives the token of a server, and reads the token that they name. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { errorMessage } from "../base/errorMessage.ts"
import type { CliProcess } from "./CliProcess.ts"
import { type FlagTable, valueFlag } from "./FlagSpec.ts"
import { parseNonEmpty } from "./parseValues.ts"
import { readTokenFile } from "./serverTokens.ts"
import { UsageError } from "./UsageError.ts"

export interface ServerTokenFlags {
  readonly "token": string | undefined
  readonly "token-file": string | undefined
}

export const serverTokenFlags: FlagTable<ServerTokenFlags> = {
  "token": {
    ...valueFlag("T", "Token for the server. Default: SLUICE_TOKEN", parseNonEmpty),
    requires: "url",
  },
  "token-file": {
    ...valueFlag("FILE", "Read the token from this file. Other programs see a flag or a variable", parseNonEmpty),
    requires: "url",
  },
}

/** The token that the flags name, or that of the environment. */
export const serverToken = (
  { token, "token-file": file }: ServerTokenFlags,
  cli: CliProcess,
): Effect.Effect<Redacted.Redacted<string> | undefined, UsageError> => {
  if (token !== undefined && file !== undefined) {
    return Effect.fail(new UsageError("--token and --token-file are mutually exclusive"))
  }
  return Effect.try({
    try: () => {
      const text = token ?? (file === undefined ? cli.variable("SLUICE_TOKEN") ?? "" : readTokenFile(file))
      return text === "" ? undefined : Redacted.make(text)
    },
    catch: (error) => new UsageError(`--token-file: ${errorMessage(error)}`),
  })
}
