/**
 * Declares the types of the routes for Hono's typed client, `hc`.
 *
 * Source: https://hono.dev/docs/guides/rpc
 *
 * @module
 */
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { CommandAccepted, CommandInfo, CommandPage, ExecRequestOptions, Health, InputTaken } from "../wire/Wire.ts"

// Types, not interfaces: Hono requires an index signature, which interfaces do not satisfy.
type Answer<Input, Output, Status extends number> = {
  readonly input: Input
  readonly output: Output
  readonly outputFormat: "json"
  readonly status: Status
}

type Bytes<Input> = {
  readonly input: Input
  readonly output: {}
  readonly outputFormat: string
  readonly status: 200
}

type Resume = { query?: { after?: string }; header?: { "last-event-id"?: string } }
type OfCommand = { param: { id: string } }
type ExecBody =
  & Omit<Partial<typeof ShellExec.Encoded>, "command">
  & { command: string }
  & Partial<typeof ExecRequestOptions.Encoded>

/**
 * Requests and responses of the routes, as Hono's typed client reads them.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { type ShellRoutes, shellRoutes } from "@sluice/shell/http"
 * import { hc } from "hono/client"
 *
 * await using server = shellRoutes({ layer: LocalShell.layer, unauthenticated: true })
 * const client = hc<ShellRoutes>("http://localhost", {
 *   fetch: async (input: RequestInfo | URL, init?: RequestInit) => await server.fetch(new Request(input, init)),
 * })
 * const { status } = await (await client.health.$get()).json()
 * console.assert(status === "ok")
 * ```
 *
 * @stability experimental
 */
export type ShellApi = {
  "/exec": {
    $post:
      | Answer<
        { json: ExecBody; query?: { window?: string; detached?: string; disconnectGraceMillis?: string } },
        ShellOutput,
        200
      >
      | Answer<
        { json: ExecBody; query?: { window?: string; detached?: string; disconnectGraceMillis?: string } },
        CommandAccepted,
        202
      >
  }
  "/commands": {
    $get: Answer<
      {
        query?: {
          state?: string
          since?: string
          until?: string
          command?: string
          limit?: string
          before?: string
        }
      },
      CommandPage,
      200
    >
  }
  "/commands/events": { $get: Bytes<Resume> }
  "/commands/:id": {
    $get: Answer<OfCommand, CommandInfo, 200>
    $delete: Answer<OfCommand & { query?: { force?: string } }, CommandInfo, 200 | 202>
  }
  "/commands/:id/events": { $get: Bytes<OfCommand & Resume> }
  "/commands/:id/input": { $post: Answer<OfCommand & { query?: { end?: string; offset?: string } }, InputTaken, 200> }
  "/health": { $get: Answer<{}, Health, 200 | 503> }
  "/metrics": { $get: Bytes<{}> }
  "/openapi.json": { $get: Bytes<{}> }
}
