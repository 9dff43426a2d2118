/** Declares the services that the routes of one server share. */
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Authenticator } from "../auth/Authenticator.ts"
import type { Journal, JournalService } from "../journal/JournalService.ts"
import type { Shell } from "../shell/Shell.ts"

/** Services that `shellRoutes` shares with other routes of the same server. */
export interface SharedServices {
  /**
   * The shell and the journal of the routes. A command run on this shell belongs to the routes: it is listed, counts
   * toward `maxConcurrency`, is ended by `DELETE /commands/:id`, and the routes wait for it or end it when they are
   * disposed of. Building the layer builds the services of the routes, which also release them.
   */
  readonly layer: Layer.Layer<Shell | Journal, unknown>
  /**
   * The journal that was passed to the routes; `undefined` for their own journal in memory. Rejects if it cannot be
   * built.
   */
  readonly journal?: (() => Promise<JournalService>) | undefined
  /** Authentication by the tokens of the routes: the limits of a token apply to all routes together. */
  readonly authenticator: Authenticator
  /** Counts a request in the metrics of the routes. */
  readonly countRequest: (method: string, route: string, status: number) => void
  /** Adds operations, by their paths, and the Schemas that they refer to, to the OpenAPI document of the routes. */
  readonly describeRoutes: (
    part: {
      readonly paths: Readonly<Record<string, Schema.Json>>
      readonly schemas: Readonly<Record<string, Schema.Constraint>>
    },
  ) => void
}
