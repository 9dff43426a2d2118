/** Loads the npm package `ssh2` when a leaf is made, or fails with what to install. */
import * as Effect from "effect/Effect"
import type * as Ssh2 from "ssh2"
import { errorMessage } from "../../base/errorMessage.ts"
import { SshError } from "./SshError.ts"

/** The package. */
export type Ssh2Module = Pick<typeof Ssh2, "Client" | "utils">

const isModule = (u: unknown): u is Ssh2Module => typeof u === "object" && u !== null && "Client" in u && "utils" in u

/**
 * Loads the package. It is CommonJS: its exports are properties of the default export, and on some runtimes also named
 * exports.
 */
export const loadSsh2: Effect.Effect<Ssh2Module, SshError> = Effect.tryPromise({
  try: async (): Promise<unknown> => {
    const loaded: { readonly default?: unknown } = await import("ssh2")
    return isModule(loaded.default) ? loaded.default : loaded
  },
  // Deno's message continues with the location of the import.
  catch: (error) => errorMessage(error).split("\n")[0] ?? "",
}).pipe(
  Effect.flatMap((loaded) => isModule(loaded) ? Effect.succeed(loaded) : Effect.fail("it has no Client")),
  Effect.mapError((why) =>
    new SshError({
      reason: { _tag: "PackageMissing", package: "ssh2" },
      message:
        `ssh: the npm package ssh2 could not be loaded (${why}); install it: npm install ssh2, or deno add npm:ssh2`,
    })
  ),
)
