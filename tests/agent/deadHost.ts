/** The identity of a process of this machine that has died. */
import * as Effect from "effect/Effect"
import { currentHost, type HostIdentity } from "../../src/branch/HostIdentity.ts"

/** This process, as if another one had its id before. */
export const deadHost: HostIdentity = { ...(await Effect.runPromise(currentHost)), processStart: "1" }
