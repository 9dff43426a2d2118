/** Defines the host on which the isolated leaf starts processes, for programs that track these processes. */
import * as Context from "effect/Context"
import type { Host } from "../../host/Host.ts"
import { findHost } from "../../host/findHost.ts"

/** The host of the leaf. Default: the runtime's own. */
export const IsolatedHost: Context.Reference<Host | undefined> = Context.Reference<Host | undefined>(
  "@sluice/shell/isolated/Host",
  { defaultValue: findHost },
)
