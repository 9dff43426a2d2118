/** Types of the requests and responses for Hono's typed client (https://hono.dev/docs/guides/rpc). */
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import type {
  CommandAccepted,
  CommandInfo,
  CommandPage,
  ExecRequestOptions,
  Health,
  InputTaken,
  TerminalTicket,
} from "../wire/mod.ts"

// A type, not an interface: Hono requires an index signature, which interfaces do not satisfy.
/** Requests and responses of the routes, as Hono's typed client reads them. */
export type ShellApi = {
  "/exec": {
    $post:
      & {
        input: {
          json:
            & Omit<Partial<typeof ShellExec.Encoded>, "command">
            & { command: string }
            & Partial<typeof ExecRequestOptions.Encoded>
          query?: { window?: string; detached?: string; disconnectGraceMillis?: string }
        }
        outputFormat: "json"
      }
      & ({ output: ShellOutput; status: 200 } | { output: CommandAccepted; status: 202 })
  }
  "/commands": {
    $get: {
      input: {
        query?: {
          state?: string
          since?: string
          until?: string
          command?: string
          maxCommands?: string
          before?: string
        }
      }
      output: CommandPage
      outputFormat: "json"
      status: 200
    }
  }
  "/commands/events": {
    $get: {
      input: { query?: { after?: string }; header?: { "last-event-id"?: string } }
      output: {}
      outputFormat: string
      status: 200
    }
  }
  "/commands/:id": {
    $get: { input: { param: { id: string } }; output: CommandInfo; outputFormat: "json"; status: 200 }
    $delete: {
      input: { param: { id: string }; query?: { force?: string } }
      output: CommandInfo
      outputFormat: "json"
      status: 200 | 202
    }
  }
  "/commands/:id/events": {
    $get: {
      input: { param: { id: string }; query?: { after?: string }; header?: { "last-event-id"?: string } }
      output: {}
      outputFormat: string
      status: 200
    }
  }
  "/commands/:id/input": {
    $post: {
      input: { param: { id: string }; query?: { end?: string; offset?: string } }
      output: InputTaken
      outputFormat: "json"
      status: 200
    }
  }
  "/commands/:id/terminal": {
    $post: { input: { param: { id: string } }; output: TerminalTicket; outputFormat: "json"; status: 200 }
  }
  "/commands/:id/resize": {
    $post: { input: { param: { id: string }; json: TerminalSize }; output: {}; outputFormat: string; status: 204 }
  }
  "/commands/:id/signal": {
    $post: { input: { param: { id: string }; json: { signal: string } }; output: {}; outputFormat: string; status: 204 }
  }
  "/health": { $get: { input: {}; output: Health; outputFormat: "json"; status: 200 | 503 } }
  "/metrics": { $get: { input: {}; output: {}; outputFormat: string; status: 200 } }
  "/openapi.json": { $get: { input: {}; output: {}; outputFormat: string; status: 200 } }
}
