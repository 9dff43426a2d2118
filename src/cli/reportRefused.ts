/** Reports on stderr the connections that isolated commands were refused: few programs show why they failed. */
import * as Effect from "effect/Effect"
import { hostAndPort } from "../egress/canonicalHost.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { NetworkReports } from "./makeIsolated.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"

/** Refused hosts that a run reports; a command chooses their names. */
const maxRefusals = 20

/** Makes the report of one run: each host and port once. */
export const reportRefused = (cli: CliProcess): NetworkReports["refused"] => {
  const reported = new Set<string>()
  const output = new ProcessOutput(cli)
  return ({ host, message = "", port }) => {
    const place = hostAndPort(host, port)
    if (reported.has(place) || reported.size >= maxRefusals) return Effect.void
    reported.add(place)
    const rest = reported.size === maxRefusals ? "; further hosts are not reported" : ""
    return tryMessage(output, `no connection to ${place}: ${message}${rest}`)
  }
}
