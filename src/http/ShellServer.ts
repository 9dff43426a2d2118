/** Declares the state that the handlers of one server share. */
import type { ConcurrencyLimit } from "../auth/ConcurrencyLimit.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import type { Cors } from "../server/makeCors.ts"
import type { CommandLookup } from "./commandLookup.ts"
import type { UnendedOf } from "./followUnended.ts"
import type { BodyBounds } from "./readJson.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"
import type { ShellRoutesSettings, WebSocketSource } from "./ShellRoutesOptions.ts"

export interface ShellServer extends ShellRoutesSettings, WebSocketSource {
  readonly runs: RunSupervisor
  readonly redactor: Redactor.Redactor | undefined
  readonly concurrency: ConcurrencyLimit
  readonly bounds: BodyBounds
  readonly cors: Cors
  readonly lookup: CommandLookup
  readonly unendedOf: UnendedOf
}
